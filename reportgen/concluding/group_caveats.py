"""What page one says of how the rows of groups came about: copies, crossed items, matched sets."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.concluding.headline_numbers import with_limits
from reportgen.concluding.model_values import on_all_rows
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord
from reportgen.text import numbers

FAR = 0.05
"""AUCs within groups that differ by so much from those of all rows matter."""


def of_groups(data: DataRecord) -> Iterator[Caveat]:
    """Copies within groups, rows of the same items in several groups, and matched groups."""
    groups = data.get("groups")
    if groups is None:
        return
    of_all = numbers.plural(data["rows_evaluated"], "test row")
    if identical := groups.get("identical"):
        repeat = "repeats" if identical == 1 else "repeat"
        text = (
            f"{numbers.count(identical)} of {of_all} {repeat} another one of the same group in "
            "truth and in all outputs: limits by group allow for copies, but each counts in the "
            "values."
        )
        yield Caveat("identical_in_groups", "moderate", text)
    if crossed := groups.get("crossed"):
        text = (
            f"{numbers.count(crossed)} of {of_all} are of items that return in several groups: "
            "limits by group hold for other groups with these items, not for other items."
        )
        yield Caveat("crossed", "moderate", text)
    elif matched := groups.get("matched"):
        positives, negatives = matched
        text = (
            f"Each of the {numbers.count(groups['number'])} groups has "
            f"{numbers.plural(positives, 'positive')} and {numbers.plural(negatives, 'negative')}: "
            "if they were matched, the design and not the population set the share of positives, "
            "on which accuracy, precision, calibration and costs depend. The AUC compares the rows "
            "of all groups, not those within one."
        )
        yield Caveat("matched", "moderate", text)


def undeclared(data: DataRecord) -> Iterator[Caveat]:
    """The column that is not declared, though errors depend on its values; the widest limits."""
    for one in data.get("undeclared_groups", ())[:1]:
        wider = numbers.rounded(one["times_as_wide"], 1)
        text = (
            f"{bounded(one['column'])} is not declared, but errors of rows with the same value of "
            f"it resemble each other ({numbers.count(one['values'])} values): with its values as "
            f"groups, limits would be up to {wider} times as wide. Declare it as columns.group."
        )
        yield Caveat("undeclared_groups", "moderate", text)


def within_groups(results: Results) -> Iterator[Caveat]:
    """That scores rank the rows of one group otherwise than those of all groups.

    By ``FAR`` or more, and the limits of the AUC within groups exclude that of all rows.
    """
    groups, whole = results.data.get("groups"), on_all_rows(results.metrics, "auc")
    for area in () if groups is None else groups.get("within", ()):
        auc = whole.get(area["model"])
        if auc is None or abs(area["value"] - auc.value) < FAR:
            continue
        if area["low"] <= auc.value <= area["high"]:
            continue
        model, level = bounded(area["model"]), f"{numbers.level(results.confidence)} CI "
        value = with_limits(area["value"], area["low"], area["high"], level)
        against = f"AUC {value} against {numbers.estimate(auc.value, auc.low, auc.high)}"
        if area["value"] > auc.value:
            text = (
                f"Within groups {model} ranks better than over all rows: {against}. Where each "
                "group is ranked by itself, as in search, the value within groups counts."
            )
        else:
            text = (
                f"Within groups {model} ranks worse than over all rows: {against}. Part of its AUC "
                "tells groups apart, not the rows of one group."
            )
        yield Caveat("within_groups", "moderate", text)
