"""What a comparison over data sets shows, for page one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reportgen.comparisons import Comparison
from reportgen.comparisons.corrections import CORRECTION_NAMES
from reportgen.comparisons.wording import bounded, joined, measure

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tests:
    """The tests that decide: of all models at once, where there is one, and of pairs."""

    several: str | None = "iman_davenport"
    pairs: str = "wilcoxon"

    @classmethod
    def of(cls, records: Sequence[Comparison]) -> Tests:
        """The recommended ones; the usual ones where there are none."""
        decide = [r for r in records if r.standing == "recommended"]
        several = next((r.comparison for r in decide if len(r.models) > 2), cls().several)
        return cls(several, next((r.comparison for r in decide if len(r.models) == 2), cls().pairs))


USUAL = Tests()


def verdict(
    records: Sequence[Comparison],
    order: Sequence[str],
    baseline: str | None,
    tests: Tests = USUAL,
) -> Record:
    """The best-ranked model against the baseline, or against all others.

    ``order`` has the best model first: by mean rank, or by mean where no test of all
    models at once is made. ``decision`` is "better" where the
    recommended test shows the best model to be better than the baseline (or
    than another model), "worse" where it shows the baseline to be better than
    every challenger that differs, "not shown", or "undefined".
    """
    pairs = [r for r in records if r.comparison == tests.pairs]
    if baseline is not None:
        return _against(pairs, order, baseline)
    if len(order) == 2:
        return _of_two(pairs[0], order)
    if tests.several is None:
        return _of_pairs(pairs, order)
    several = [r for n in (tests.several, "friedman") for r in records if r.comparison == n]
    # Where every data set ranks the models alike, F has no value and Friedman's test has.
    decides = next((r for r in several if r.reject is not None), several[0])
    return _of_all(decides, pairs, order)


def _against(pairs: Sequence[Comparison], order: Sequence[str], baseline: str) -> Record:
    told = [r for r in pairs if r.reject is not None]
    if not told:
        return _undefined(order, pairs)
    what, name = measure(told[0].metric), bounded(baseline)
    better = [m for m in order if any(r.better == m != baseline for r in told)]
    worse = [m for m in order if any(r.better == baseline and r.models[0] == m for r in told)]
    best = better[0] if better else next(m for m in order if m != baseline)
    record = next(r for r in pairs if r.models[0] == best)
    rest = f" {_few(worse)} {_is(worse)} worse than {name}." if worse else ""
    if better:
        headline = f"{_few(better)} {_is(better)} better than {name} in {what}"
        return _record("better", headline, record, record.verdict + rest)
    if worse and record.better == baseline:
        headline = f"No model is better than {name} in {what}; {_few(worse)} {_is(worse)} worse"
        return _record("worse", headline, record, record.verdict)
    headline = f"No model is shown to be better than {name} in {what}"
    return _record("not shown", headline, record, record.verdict + rest)


def _of_two(record: Comparison, order: Sequence[str]) -> Record:
    if record.reject is None:
        return _undefined(order, [record])
    best, other = map(bounded, order)
    what = measure(record.metric)
    if record.better is None:
        headline = f"No difference in {what} between {best} and {other} is shown"
        return _record("not shown", headline, record, record.verdict)
    worse = bounded(next(m for m in order if m != record.better))
    headline = f"{bounded(record.better)} is better than {worse} in {what}"
    return _record("better", headline, record, record.verdict)


def _of_all(record: Comparison, pairs: Sequence[Comparison], order: Sequence[str]) -> Record:
    best, what = order[0], measure(record.metric)
    beaten = {m for r in pairs if r.better == best for m in r.models} - {best}
    ordered = [m for m in order if m in beaten]
    if record.reject is None and not ordered:
        return _undefined(order, [record])
    tied = [m for m in order if m != best and m not in beaten]
    if ordered:
        whom = _few(ordered, "other models")
        headline = f"{bounded(best)} ranks best in {what}, and is better than {whom}"
        open_ = f" It is not shown to be better than {_few(tied, 'other models')}." if tied else ""
        label = pairs[0].label.replace("The ", "the ", 1)
        name = CORRECTION_NAMES.get(pairs[0].correction or "")
        how = f", {name}-adjusted" if name else ""
        overall = record.verdict.replace("; this does not say which.", ".")
        told = f"{overall} {bounded(best)} is better than {whom} by {label} of pairs{how}."
        return _record("better", headline, record, told + open_)
    headline = f"No model is shown to be the best in {what}"
    first = f" {bounded(best)} has the best mean rank, but no pair with it was told apart."
    return _record("not shown", headline, record, record.verdict + first)


def _of_pairs(pairs: Sequence[Comparison], order: Sequence[str]) -> Record:
    """The model with the best mean against all others, by tests of pairs alone."""
    best, what = order[0], measure(pairs[0].metric)
    own = [r for r in pairs if best in r.models and r.reject is not None]
    if not own:
        return _undefined(order, pairs)
    beaten = {m for r in own if r.better == best for m in r.models} - {best}
    ordered = [m for m in order if m in beaten]
    tied = [m for m in order[1:] if m not in beaten]
    decides = next(r for r in own if set(r.models) == {best, (ordered or tied)[0]})
    if not ordered:
        headline = f"No model is shown to be the best in {what}"
        first = f"{bounded(best)} has the best mean {what}, but no pair with it was told apart. "
        return _record("not shown", headline, decides, first + decides.verdict)
    whom = _few(ordered, "other models")
    headline = f"{bounded(best)} has the best mean {what}, and is better than {whom}"
    open_ = f" It is not shown to be better than {_few(tied, 'other models')}." if tied else ""
    rest = f" It is also better than {_few(ordered[1:], 'other models')}." if ordered[1:] else ""
    return _record("better", headline, decides, decides.verdict + rest + open_)


def _undefined(order: Sequence[str], records: Sequence[Comparison]) -> Record:
    reasons = dict.fromkeys(r.undefined for r in records if r.undefined)
    sentence = f"No test has a value: {'; '.join(map(str, reasons))}."
    return {
        **_record("undefined", f"{_capital(joined(order))} could not be compared", None, sentence),
        "models": list(order),
    }


def _record(decision: str, headline: str, found: Comparison | None, sentence: str) -> Record:
    names = ("metric", "estimate", "low", "high", "comparison")
    facts = {name: getattr(found, name) if found else None for name in names}
    return {
        "decision": decision,
        "headline": headline,
        "sentence": sentence,
        "models": list(found.models) if found else [],
        "caveats": list(found.caveats) if found else [],
        "p_value": found.p_adjusted if found else None,
        **facts,
    }


def _few(names: Sequence[str], noun: str = "models") -> str:
    """The names, or how many there are."""
    return joined(names) if len(names) <= 4 else f"{len(names)} {noun}"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text.startswith("the ") else text
