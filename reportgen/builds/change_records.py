"""What changed between two builds, as the comparison of builds has it, and in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from reportgen.comparisons.corrections import holm
from reportgen.comparisons.wording import bounded
from reportgen.text import numbers
from reportgen.text.words import in_sentence

Way = Literal["right_to_wrong", "wrong_to_right"]
"""How a row turned."""


class ComparedBuild(TypedDict):
    """One of the two builds."""

    name: str
    id: str
    date: str
    title: str
    state: str


class Change(TypedDict):
    """A key whose value differs, by its dotted name."""

    key: str
    first: Any
    second: Any


class RowChanges(TypedDict):
    """Rows of two builds by count; null where they cannot be matched."""

    common: int | None
    added: int | None
    removed: int | None
    relabelled: int | None


class DataChanges(RowChanges):
    """What changed in the data: the rows of each build, matched rows, files by hash."""

    rows: list[int | None]
    files: list[Change]


class MeasureChange(TypedDict):
    """A measure of a model in both builds, with the difference, its limits and its test."""

    metric: str
    label: str
    model: str
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    state: str


class FlipCounts(TypedDict):
    """Rows, and how many flipped each way."""

    rows: int
    right_to_wrong: int
    wrong_to_right: int


class _FlipsOf(FlipCounts):
    model: str
    slice: str | None


class HashedFlip(_FlipsOf):
    """The flips of a model in all rows or a slice, with the hashes of the rows' ids."""

    ids: dict[Way, list[bytes]] | None


class Flip(_FlipsOf):
    """The same with ids as text."""

    ids: dict[Way, list[str]] | None


ALIKE = "Unchanged: the models give the same outputs on the same rows."

SHOWN = ("worse", "better")


def adjust(rows: Sequence[MeasureChange], measure: str | None, models: int, alpha: float) -> None:
    """Adjust the p-values, and take a change back that they do not show.

    The deciding measure is the question that was asked: Bonferroni over the models, as its
    limits are. All other measures are adjusted over the table (Holm), in which what is the same
    number but for its sign, as accuracy and error rate, is tested once. Limits of one without p
    hold for it alone, and of many some leave out 0 by chance: such a change is not tested.
    """
    tested = [(row, p) for row in rows if (p := row["p"]) is not None]
    tests = {_test_of(row, p): p for row, p in tested}
    of_table = dict(zip(tests, holm([*tests.values()]), strict=True))
    for row in rows:
        shown = row["state"] in (*SHOWN, "inconclusive")
        if row["p"] is None and row["metric"] != measure and shown:
            row["state"] = "not tested"
    for row, alone in tested:
        p = of_table[_test_of(row, alone)]
        adjusted = min(models * alone, 1.0) if row["metric"] == measure else p
        row["p_adjusted"] = adjusted
        if adjusted >= alpha and row["state"] in SHOWN:
            row["state"] = "inconclusive"


def _test_of(row: MeasureChange, p: float) -> tuple[str, float, float]:
    """What two measures of a model have in common that are one number but for its sign."""
    return row["model"], round(abs(row["difference"]), 12), round(p, 12)


def verdict(rows: Sequence[MeasureChange], measure: str | None) -> tuple[str, str]:
    """The state and its line, from the deciding measure of every model.

    Where this is unchanged and decisions are not, as at another threshold, the first measure
    of them that has a test decides.
    """
    deciding = [row for row in rows if row["metric"] == measure] or list(rows)
    if not deciding:
        return "not comparable", "Not comparable: the builds have no measure in common."
    if any(row["state"] != "unchanged" for row in deciding):
        return _of_differences(deciding)
    changed = [row for row in rows if row["state"] != "unchanged"]
    if not changed:
        return "unchanged", ALIKE
    first = next((row for row in changed if row["p"] is not None), changed[0])["metric"]
    state, line = _of_differences([row for row in changed if row["metric"] == first])
    return state, f"{line[:-1]}; {in_sentence(deciding[0]['label'])} is unchanged."


def _of_differences(deciding: Sequence[MeasureChange]) -> tuple[str, str]:
    worse, better = ([row for row in deciding if row["state"] == state] for state in SHOWN)
    if worse and better:
        return "mixed", f"Mixed: {_named(worse[0])}; {_named(better[0])}."
    if worse or better:
        state = "worse" if worse else "better"
        return state, f"{state.title()}: {'; '.join(map(_named, worse or better))}."
    largest = max(deciding, key=lambda row: abs(row["difference"]))
    of_model = f"{bounded(largest['model'])} {_change(largest)}"
    return "open", f"No significant difference in {in_sentence(largest['label'])}: {of_model}."


def _named(row: MeasureChange) -> str:
    return f"{in_sentence(row['label'])} of {bounded(row['model'])} {_change(row)}"


def _change(row: MeasureChange) -> str:
    low, high = row["low"], row["high"]
    limits = numbers.difference_limits(row["difference"], low, high)
    change = numbers.difference(row["difference"], low, high)
    return f"{change}{f' ({limits})' if limits else ''}"
