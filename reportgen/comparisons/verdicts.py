"""The sentence that says what one comparison shows, and no more than that."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.comparisons.corrections import CORRECTION_NAMES
from reportgen.comparisons.records import Comparison
from reportgen.comparisons.wording import (
    between,
    bounded,
    end_claimed,
    joined,
    measure,
    plain,
    probability,
)
from reportgen.tables.comparisons import MEDIAN, PSEUDOMEDIAN, RANKS
from reportgen.text import decimals, numbers
from reportgen.text.words import capitalised, without_article

EXACT = 1e-9
"""How far a level may be off by rounding."""


def texts(record: Comparison) -> tuple[str, str | None]:
    """The sentence of an evaluated record, and what it rests on."""
    basis = evidence(record)
    return _sentence(record, basis), basis


def _sentence(record: Comparison, basis: str | None) -> str:
    """What an evaluated record shows, in plain words.

    Not significant is never "equal": no sentence says that a null hypothesis holds.
    """
    if record.undefined:
        return _undefined(record)
    if record.probabilities:
        return _posterior(record)
    if record.shows == "equivalence":
        return _equivalent(record)
    if record.shows == "non_inferiority":
        return _not_inferior(record)
    if len(record.models) == 1:
        return _claim(record)
    return _pair(record, basis) if len(record.models) == 2 else _several(record)


def evidence(record: Comparison) -> str | None:
    """What the sentence rests on: the effect with its limits, and the test; of several the test."""
    if record.undefined or record.probabilities:
        return None
    if len(record.models) == 1:
        return _value(record)
    if len(record.models) > 2 or record.estimate is None:
        return _result(record)
    return _effect(record)


def name_of_test(record: Comparison) -> str:
    """The test's name in a sentence."""
    return record.label


def _undefined(record: Comparison) -> str:
    names = [bounded(name) for name in record.models]
    of = f"{names[0]} against {names[1]}" if len(names) == 2 else joined(names)
    return f"{name_of_test(record)} of {of} is undefined: {record.undefined}."


def _pair(record: Comparison, basis: str | None) -> str:
    a, b = map(bounded, record.models)
    what, test_text = measure(record.metric), f" ({_result(record)})"
    effect = test_text if record.estimate is None else f": {basis}"
    if record.better is not None:
        better, worse = (a, b) if record.better == record.models[0] else (b, a)
        return f"{better} {_surpasses(record, what)} than {worse}{effect}."
    if record.reject:
        return f"{a} and {b} differ in {what}{test_text}."
    none = f"No significant difference in {what} between {a} and {b} at α = "
    return f"{none}{record.alpha:g}{effect}.{_cannot_reject(record)}"


def _surpasses(record: Comparison, what: str) -> str:
    if record.effect == RANKS:
        return f"ranks better in {what}"
    return f"has {'lower' if record.less_is_better else 'higher'} {what}"


def _cannot_reject(record: Comparison) -> str:
    """That data of this size could not have rejected, whatever they showed."""
    if record.reachable is None or record.reachable < record.alpha:
        return ""
    return f" With so few differing observations, p cannot fall below {record.reachable:.3g}."


def _several(record: Comparison) -> str:
    what, test_text = measure(record.metric), _result(record)
    who = joined(record.models)
    if record.reject:
        return f"{all_differ(record.models, record.metric, test_text)}; this does not say which."
    return f"No significant difference in {what} among {who} at α = {record.alpha:g} ({test_text})."


def all_differ(models: Sequence[str], metric: str, evidence: str | None) -> str:
    """That several models are not all alike, as a sentence without its full stop."""
    return f"{_capital(joined(models))} differ in {measure(metric)} ({evidence})"


def _claim(record: Comparison) -> str:
    what, name = measure(record.metric), bounded(record.models[0])
    claim = plain(record.against or 0.0)
    value = _value(record)
    if record.reject:
        side = "above" if (record.estimate or 0.0) > (record.against or 0.0) else "below"
        bound = end_claimed(record.side)
        return f"The {what} of {name} is {side} the claimed {bound}{claim}: {value}."
    if record.side:
        above = (record.estimate or 0.0) - (record.against or 0.0)
        if (above if record.side == "below" else -above) >= 0:
            least = "at least" if record.side == "below" else "at most"
            if _supports(record):
                value = f"{numbers.aligned(record.estimate, _digits(record))} ({limits(record)})"
                return f"The {what} of {name} supports the claim of {least} {claim}: {value}."
            neither = f"The claim of {least} {claim} is neither refuted nor established"
            return f"{neither}: {what} of {name} {value}."
        return (
            f"The {what} of {name} is not significantly {record.side} the claimed {claim} "
            f"at α = {record.alpha:g}: {value}."
        )
    return (
        f"The {what} of {name} does not differ significantly from the claimed {claim} "
        f"at α = {record.alpha:g}: {value}."
    )


def _supports(record: Comparison) -> bool:
    """Whether the whole interval lies on the side that is claimed, at the level of the test."""
    if (1 - record.confidence) / 2 > record.alpha + EXACT:
        return False
    end = record.low if record.side == "below" else record.high
    if end is None or record.against is None:
        return False
    return end >= record.against if record.side == "below" else end <= record.against


def _value(record: Comparison) -> str:
    return f"{numbers.aligned(record.estimate, _digits(record))}{_in_brackets(record)}"


def _equivalent(record: Comparison) -> str:
    a, b = map(bounded, record.models)
    what, margin = measure(record.metric), plain(record.against or 0.0)
    effect = f"{_effect(record)}."
    if record.reject:
        shown = f"{a} and {b} are equivalent in {what} within a margin of {margin}: {effect}"
        return f"{shown}{doubt(record.why)}"
    return f"Equivalence of {a} and {b} in {what} within {margin} is not established: {effect}"


def _not_inferior(record: Comparison) -> str:
    a, b = map(bounded, record.models)
    what, margin = measure(record.metric), plain(record.against or 0.0)
    effect = f"{_effect(record)}."
    if record.reject:
        shown = f"{a} is non-inferior to {b} in {what}, within a margin of {margin}: {effect}"
        return f"{shown}{doubt(record.why)}"
    within = f"Non-inferiority of {a} to {b} in {what} within {margin}"
    return f"{within} is not established: {effect}"


def doubt(why: str | None) -> str:
    """The reason against a test of a margin as a sentence; nothing without one."""
    return f" This is in doubt: {why}." if why else ""


def _posterior(record: Comparison) -> str:
    a, b = map(bounded, record.models)
    first, same, second = record.probabilities
    what, margin = measure(record.metric), plain(record.against or 0.0)
    parts = (
        f"better with probability {probability(first)}, within {margin} of it with "
        f"{probability(same)}, worse with {probability(second)}"
    )
    verdicts = {
        record.models[0]: f"{a} has practically better {what} than {b}",
        record.models[1]: f"{b} has practically better {what} than {a}",
    }
    head = verdicts.get(record.better or "", "")
    if not head:
        same_enough = same > 1 - record.alpha
        head = (
            f"{a} and {b} are practically equivalent in {what}"
            if same_enough
            else f"Which of {a} and {b} has practically better {what} is not decided"
        )
    pairs = int(record.family_size or 1)
    among = f"; one of {pairs} pairs, not corrected for their number" if pairs > 1 else ""
    return f"{head}: {a} is {parts} ({name_of_test(record)}{among})."


def _result(record: Comparison) -> str:
    name = without_article(name_of_test(record))
    return f"{name}: {numbers.p_value(record.p_adjusted, record.alpha)}{_corrected(record)}"


def _corrected(record: Comparison) -> str:
    if (record.family_size or 1) < 2 or record.correction in (None, "none"):
        return ""
    return f", {CORRECTION_NAMES.get(record.correction, record.correction)}-adjusted"


def _effect(record: Comparison) -> str:
    a, b = map(bounded, record.models)
    median = f"median of {a} − {b}"
    names = {
        "difference": f"{a} − {b}",
        RANKS: f"{a} − {b} in mean rank",
        MEDIAN: median,
        PSEUDOMEDIAN: median,
    }
    effect = names.get(record.effect, record.effect)
    estimate = numbers.signed(record.estimate or 0.0, _digits(record))
    return f"{effect} = {estimate}{_in_brackets(record)}"


def _digits(record: Comparison) -> int:
    """Decimals of an effect and of its limits, as tables have them."""
    low, high = record.simultaneous_low, record.simultaneous_high
    if low is None or high is None:
        low, high = record.low, record.high
    if len(record.models) == 1:
        return decimals.of_value(record.estimate, low, high)
    return decimals.of_effect(record.estimate, low, high)


def _in_brackets(record: Comparison) -> str:
    """The limits that agree with p, where there are any, and the test, in brackets."""
    test_text = _result(record)
    text = limits(record)
    return f" ({text}; {test_text})" if text else f" ({test_text})"


def limits(record: Comparison) -> str:
    """The interval of a record in words; of a family of tests of pairs the simultaneous one.

    A limit of 0 beside a difference that is significant is not part of it.
    """
    low, high, kind = record.simultaneous_low, record.simultaneous_high, "interval"
    if low is None or high is None:
        if record.reject is not None and len(record.models) == 2 and (record.family_size or 1) > 1:
            return ""
        low, high, level = record.low, record.high, record.confidence
    else:
        tails = 2 if record.is_of_margin else 1
        level = 1 - tails * record.alpha
        kind = "simultaneous interval" if (record.family_size or 1) > 1 else "interval"
    if low is None or high is None:
        return ""
    sign = len(record.models) > 1
    ends = between(low, high, _digits(record), sign=sign, open_at_0=bool(record.better))
    return f"{numbers.level(level)} {kind} {ends}"


def _capital(text: str) -> str:
    return capitalised(text) if text.startswith("the ") else text
