"""What page one says of how the rows of groups came about: copies, crossed items, matched sets."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.records.decision import Caveat
from reportgen.records.rows import DataRecord
from reportgen.text import numbers


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
