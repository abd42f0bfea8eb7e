"""What weakens the conclusion, the severe first: leakage, dependence, few units, chosen limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reportgen.comparisons.records import LEAST_P
from reportgen.comparisons.wording import joined, measure
from reportgen.results.decision import AtChance, Caveat, Severity
from reportgen.results.leading import Contest
from reportgen.text import numbers
from reportgen.text.words import sentence

Row = Mapping[str, Any]

FEW = 30
"""With fewer independent units, or rows of a class, limits from large samples are rough."""

OF_DECISIONS = ("accuracy", "subset_accuracy")
"""Deciding measures that depend on a threshold."""


def leakage(data: Row) -> str | None:
    """What the models saw in training of what they are tested on; null where nothing is known.

    ``data`` is the data section of the results.
    """
    evaluation = data.get("evaluation") or {}
    rows, of_rows = evaluation.get("trained_test_rows") or 0, evaluation.get("test_rows")
    if rows and of_rows:
        if rows == of_rows:
            return "every test row was also trained on"
        return f"{_of(rows, of_rows, 'test row')} also trained on"
    groups, of_groups = evaluation.get("groups_on_both_sides") or 0, evaluation.get("groups")
    if groups and of_groups:
        return f"{_of(groups, of_groups, 'group')} on both sides of a split"
    return None


def caveats(
    data: Row,
    contest: Contest | None,
    deciding: Row | None,
    chance: Sequence[AtChance],
    chosen_test: str | None,
) -> tuple[Caveat, ...]:
    """Every caveat once, severe ones first; ``deciding`` is the test that page one rests on."""
    listed = [
        *_of_data(data, contest),
        *_of_test(deciding, chosen_test),
        *_flat(contest),
        *_at_chance(chance, contest),
    ]
    once = {caveat.text: caveat for caveat in listed}
    return tuple(sorted(once.values(), key=lambda c: c.severity != "severe"))


def _of_data(data: Row, contest: Contest | None) -> Iterator[Caveat]:
    leak = leakage(data)
    if leak:
        yield Caveat("leakage", "severe", sentence(f"{leak}: the results are optimistic"))
    if rows := data.get("identical_rows"):
        text = f"{_of(rows, data['rows_evaluated'], 'test row')} identical to another one in truth "
        yield Caveat(
            "identical_rows",
            "severe",
            sentence(f"{text}and in all outputs: limits and tests take them as different examples"),
        )
    if 0 in (data.get("positives", 1), data.get("negatives", 1)):
        text = "Only one class is present, so what needs both has no value."
        yield Caveat("one_class", "severe", text)
    if any(model.get("threshold_role") == "same rows" for model in data["models"]):
        measured = contest is not None and contest.measure in OF_DECISIONS
        severity: Severity = "severe" if measured else "moderate"
        text = "Thresholds were chosen on the evaluation data; threshold-dependent results are "
        yield Caveat("chosen_threshold", severity, f"{text}optimistic.")
    yield from _few(data)
    if data.get("unpaired"):
        text = f"The models are not compared on the same rows: {data['unpaired']}."
        yield Caveat("unpaired", "moderate", text)
    evaluation = data.get("evaluation") or {}
    if evaluation.get("pooled_fits") and data.get("task") != "comparison":
        fits = numbers.count(evaluation["fits"])
        text = f"The sections on all rows pool the predictions of {fits} separately fitted models."
        yield Caveat("pooled_fits", "moderate", text)


def _few(data: Row) -> Iterator[Caveat]:
    evaluation = data.get("evaluation") or {}
    unit, count = evaluation.get("independent_unit"), evaluation.get("independent_units")
    if data.get("task") == "comparison":
        unit, count = data["unit"] + "s", data["datasets"]
        if unit == "folds" or count >= 10:  # tests of ranks are exact or close
            return
        yield Caveat("few_units", "moderate", f"Only {count} {unit}: the p-values are approximate.")
        return
    if unit is not None and count is not None and count < FEW:
        yield Caveat("few_units", "moderate", f"Only {count} independent {unit}: limits are rough.")
        return
    rarer = min(data.get("positives", FEW), data.get("negatives", FEW))
    if 0 < rarer < FEW:
        text = f"The rarer class has {numbers.plural(rarer, 'row')}: limits are rough."
        yield Caveat("few_units", "moderate", text)


def _of_test(deciding: Row | None, chosen: str | None) -> Iterator[Caveat]:
    """What the deciding test says of itself; that p has no digits is no matter."""
    if deciding is None:
        return
    if chosen is not None and deciding["comparison"] == chosen and deciding["why"]:
        yield Caveat("chosen_test", "moderate", sentence(f"the test was {deciding['why']}"))
    for text in deciding["caveats"]:
        if f"{LEAST_P:g}" not in text:
            yield Caveat("test", "moderate", sentence(text))


def _flat(contest: Contest | None) -> Iterator[Caveat]:
    """Intervals of no width come from a variance that could not be estimated."""
    if contest is None:
        return
    for name, value in contest.values.items():
        if value.low is not None and value.low == value.high:
            text = (
                f"The interval around {name}'s {value.value:.4g} has no width: the rows show no "
                "variation to estimate it from, which is not certainty."
            )
            yield Caveat("no_width", "moderate", text)


def _at_chance(chance: Sequence[AtChance], contest: Contest | None) -> Iterator[Caveat]:
    """Models, classes and costs that are not better than guessing, of each kind in one sentence."""
    parts: dict[tuple[str, bool], list[AtChance]] = {}
    for row in chance:
        parts.setdefault((row.measure, row.class_ is not None), []).append(row)
    for (name, of_class), rows in parts.items():
        if not of_class and contest is not None and len(rows) == len(contest.values):
            main = name in (contest.measure, "r2")
            if main:
                continue  # the headline has it
        yield Caveat("at_chance", "moderate", _chance_text(name, rows, of_class=of_class))


def _chance_text(name: str, rows: Sequence[AtChance], *, of_class: bool) -> str:
    if name == "cost_sensitive_error_rate":
        cheap = joined([row.model for row in rows])
        verb = "is" if len(rows) == 1 else "are"
        trivial = numbers.estimate(rows[0].chance)
        return (
            f"At the threshold in use {cheap} {verb} not significantly cheaper than always "
            f"predicting the cheaper class ({trivial} per row)."
        )
    who = [f"{row.model} on {row.class_}" if of_class else row.model for row in rows]
    verb = "is" if len(rows) == 1 else "are"
    first = rows[0]
    shown = f"{measure(name)} {estimate_text(first.value, first.low, first.high)}"
    of_first = shown if len(rows) == 1 else f"{who[0]}: {shown}"
    return f"{joined(who)} {verb} not significantly better than chance ({of_first})."


def estimate_text(value: float, low: float | None, high: float | None) -> str:
    """A value with its interval in words.

    >>> estimate_text(0.49, 0.45, 0.53), estimate_text(0.5, None, None)
    ('0.490, 0.450 to 0.530', '0.500')
    """
    text = numbers.estimate(value, low, high)
    if low is None or high is None:
        return text
    digits = numbers.decimals(value, low, high)
    return f"{text}, {numbers.fixed(low, digits)} to {numbers.fixed(high, digits)}"


def _of(part: int, whole: int, noun: str) -> str:
    verb = "was" if part == 1 else "were"
    if noun == "group":
        verb = "is" if part == 1 else "are"
    return f"{numbers.count(part)} of {numbers.plural(whole, noun)} {verb}"
