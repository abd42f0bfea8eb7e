"""How far two models differ in each main measure, as a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from reportgen import metric_names
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.sections import headings, lookup, metric_table
from reportgen.sections.key_numbers import chosen
from reportgen.sections.tables import Cell, Column, Footnotes, Row, Table, effect
from reportgen.tables.comparisons import DifferenceRow
from reportgen.text import decimals, numbers
from reportgen.text.words import listed

PAIRS_ACROSS, MOST_PAIRS = 3, 2
"""Pairs beside each other, and how many are shown: beyond that those with the reference alone."""

ADJUSTED = (
    "First minus second. The intervals are not adjusted for multiplicity: base conclusions on the "
    "tests."
)

CROSS_FITTED = (
    "Area under the cost curve: the difference is cross-fitted, so that no model gains from "
    "choosing thresholds on these rows. It may differ from the difference of the areas shown, even "
    "in sign."
)

OF_CURVES = "expected_total_cost"

NO_LIMITS = "No interval: a value is at its bound, or its standard error is zero or undefined."

DifferencesByPair = Mapping[tuple[str, tuple[str, ...]], DifferenceRow]


def cross_fitted(measures: Iterable[str]) -> tuple[str, ...]:
    """Why a difference is not that of the areas that other tables have, where it is of them."""
    return (CROSS_FITTED,) if OF_CURVES in measures else ()


def tables(results: Results) -> tuple[Table, ...]:
    """A row per measure, a column per pair; nothing where only what is tested has a difference."""
    by_pair = {
        (row["metric"], tuple(row["models"])): _scaled(row, results)
        for row in rows_of(results.differences, DifferenceRow)
    }
    tested = {row.metric for row in lookup.compared(results)}
    defined = {metric for (metric, _), row in by_pair.items() if row["value"] is not None}
    shown = [name for one in chosen(results) if (name := metric_names.joined(*one)) in defined]
    tested_as = results.definitions.tested_as
    if not {name for name in shown if tested_as(name, results.task.name) == name} - tested:
        return ()
    pairs = _pairs(results, by_pair)
    notes = [*cross_fitted(shown)]
    groups = {
        metric: headings.printed(headings.heading(metric, results), results) for metric in shown
    }
    digits = _digits(shown, [r for (_, p), r in by_pair.items() if p in pairs])
    parts = metric_table.parted(pairs, PAIRS_ACROSS)
    result = []
    for index, part in enumerate(parts, 1):
        footnotes = Footnotes()
        lines = tuple(
            Row(
                _cells(metric, part, by_pair, results, digits.get(metric, 3), footnotes),
                groups[metric],
            )
            for metric in shown
        )
        same = "" if results.data.get("unpaired") else ", same rows"
        caption = f"Differences in key measures{same}"
        part_text = f" (part {index} of {len(parts)})" if len(parts) > 1 else ""
        result.append(
            Table(
                "differences" if index == 1 else f"differences_{index}",
                caption + part_text,
                _columns(results, part),
                lines,
                (*footnotes.all(), *notes, ADJUSTED),
            )
        )
    return tuple(result)


def _scaled(row: DifferenceRow, results: Results) -> DifferenceRow:
    value, low, high = (
        metric_table.in_unit(row["metric"], end, results)
        for end in (row["value"], row["low"], row["high"])
    )
    return {**row, "value": value, "low": low, "high": high}


def _pairs(results: Results, by_pair: DifferencesByPair) -> list[tuple[str, ...]]:
    pairs = list(dict.fromkeys(models for _, models in by_pair))
    first = results.decision.reference or results.models[0]
    return [pair for pair in pairs if len(pairs) <= MOST_PAIRS or first in pair]


def _columns(results: Results, pairs: Sequence[tuple[str, ...]]) -> tuple[Column, ...]:
    printed = lookup.printed(results)
    level = numbers.level(results.confidence)
    spanner = f"Difference, {level} interval"
    named = (lookup.several(pair, printed) for pair in pairs)
    return (
        Column("measure", "Measure"),
        *(Column(f"value{i}", name, spanner=spanner) for i, name in enumerate(named)),
    )


def _cells(
    metric: str,
    pairs: Sequence[tuple[str, ...]],
    by_pair: DifferencesByPair,
    results: Results,
    digits: int,
    footnotes: Footnotes,
) -> dict[str, Cell | str]:
    rows = [by_pair.get((metric, pair), {}) for pair in pairs]
    of_rows = (name for row in rows if (name := row.get("interval")))
    methods = dict.fromkeys(results.definitions.interval(name).label for name in of_rows)
    mark = footnotes.mark(f"Interval: {listed(list(methods), 'or')}.") if methods else None
    cells: dict[str, Cell | str] = {"measure": Cell(metric_table.head(metric, results), note=mark)}
    for i, row in enumerate(rows):
        value, low, high = (row.get("value"), row.get("low"), row.get("high"))
        if value is None:
            why = lookup.sentence(row.get("undefined") or "undefined")
            cells[f"value{i}"] = Cell(numbers.UNDEFINED, note=footnotes.mark(why), kind="muted")
            continue
        cell = replace(effect(value, low, high, digits), quantity=None)
        if low is None and high is None:
            cell = replace(cell, note=footnotes.mark(NO_LIMITS))
        cells[f"value{i}"] = cell
    return cells


def _digits(metrics: Sequence[str], rows: Collection[DifferenceRow]) -> dict[str, int]:
    """The decimals that all the pairs' differences in each measure share."""
    of_metric = {name: [row for row in rows if row["metric"] == name] for name in metrics}
    return {
        name: decimals.shared_by_effects((r["value"], r["low"], r["high"]) for r in valued)
        for name, every in of_metric.items()
        if (valued := [row for row in every if row["value"] is not None])
    }
