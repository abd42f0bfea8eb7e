"""Rows in groups: how many there are, and how many independent rows they are worth."""

from __future__ import annotations

from reportgen.records.groups import GroupMeasure, GroupsRecord
from reportgen.records.model import Results
from reportgen.sections import lookup
from reportgen.sections.tables import Cell, Fact, Note, Table, columns, rows
from reportgen.text import numbers

HEADS = (
    "Model",
    ("Measure", "left"),
    "Design effect",
    "Intraclass correlation",
    "Effective rows",
)


def facts(groups: GroupsRecord) -> list[Fact]:
    """The number of groups and their sizes.

    >>> facts({"number": 1, "largest": 4, "mean_rows": 4.0, "effective": 1.0, "few": True,
    ...        "measures": []})[0].value
    '1 group of 4 rows: limits from so few groups are rough'
    """
    number = groups["number"]
    if number == 0:
        return []
    mean, largest = groups["mean_rows"], groups["largest"]
    size = numbers.plural(largest, "row")
    if mean is not None and mean < largest:
        size = f"{numbers.number(mean, 1)} rows on average, {numbers.count(largest)} at most"
    text = f"{numbers.plural(number, 'group')} of {size}"
    if largest == 1:
        text = f"{text} each: rows are independent"
    elif groups["few"]:
        text = f"{text}: limits from so few groups are rough"
    return [Fact("Groups", text)]


def design_effects(results: Results) -> Table | None:
    """What the groups do to the main measures of each model; none without dependent rows."""
    data, printed = results.data, lookup.printed(results)
    groups = data.get("groups")
    measures = groups["measures"] if groups else ()
    if not measures:
        return None
    heads = columns(*HEADS)
    lines: list[list[Cell | str]] = [
        [
            printed[row["model"]],
            lookup.label(row["metric"], results),
            numbers.number(row["design_effect"], 2),
            numbers.number(row["intraclass_correlation"], 2),
            numbers.count(_whole(row["effective_rows"])),
        ]
        for row in measures
    ]
    notes = (Note(_note(data["rows_evaluated"], measures[0], results)),)
    return Table("design_effects", "Dependence within groups", heads, rows(heads, lines), notes)


def _note(size: float, first: GroupMeasure, results: Results) -> str:
    worth = _whole(first["effective_rows"])
    definition = "Design effect: variance over that of independent rows."
    if worth is None:
        return definition
    measure, model = (
        lookup.phrase(first["metric"], results),
        lookup.printed(results)[first["model"]],
    )
    return (
        f"{definition} For the {measure} of {model}, these {numbers.count(size)} rows "
        f"are worth {numbers.count(worth)} independent ones."
    )


def _whole(value: float | None) -> float | None:
    return None if value is None else round(value)
