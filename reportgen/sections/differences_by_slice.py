"""Differences between models in each slice as a table."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from reportgen.charts.slices import Slicing
from reportgen.records.model import Results
from reportgen.records.slice_tests import DifferenceInSlice, PairsBySlice, pairs_of_measure
from reportgen.sections import lookup
from reportgen.sections.tables import Cell, Column, Footnotes, Note, Row, Table, effect
from reportgen.text import numbers

MOST_PAIRS, MANY, ENDS = 4, 12, 4
"""Pairs of models that are shown; of more than so many slices only those at either end."""

HOW = (
    "First minus second model. Limits hold together for all slices and pairs (Bonferroni). Whether "
    "a difference varies is tested between its extreme slices and, but for errors of estimates, "
    "between each slice and all others together; adjusted: Holm over pairs and slicings."
)

PairNames = tuple[str, str]
LinesOfPair = dict[str, DifferenceInSlice]


def of_group(results: Results, group: Slicing) -> Table | None:
    """A row per slice, a column per pair; none without differences in the measure that decides."""
    record = pairs_of_measure(results.data.get("pairs_by_slice", ()), results.decision.measure)
    if record is None:
        return None
    lines = _lines(record, group, results.models)
    pairs = list(lines)[:MOST_PAIRS]
    if not pairs:
        return None
    what = lookup.phrase(record["metric"], results)
    caption = f"Differences in {what} by {lookup.clean(group.heading, 80)}"
    footnotes = Footnotes()
    of_pairs = [lines[pair] for pair in pairs]
    rows = tuple(_rows(group, of_pairs, footnotes))
    anchor = re.sub(r"\W+", "_", f"differences_{group.heading}".lower())
    notes: tuple[Note | str, ...] = (*footnotes.all(), *_tests(results, record, group, pairs), HOW)
    return Table(anchor, caption, _columns(results, record, pairs), rows, notes)


def _lines(
    record: PairsBySlice, group: Slicing, names: Collection[str]
) -> dict[PairNames, LinesOfPair]:
    """The differences of a slicing between models that are shown."""
    lines: dict[PairNames, LinesOfPair] = {}
    for line in record["slices"]:
        first, second = line["models"]
        if tuple(line["slicing"]) == group.columns and {first, second} <= set(names):
            lines.setdefault((first, second), {})[line["slice"]] = line
    return lines


def _columns(
    results: Results, record: PairsBySlice, pairs: Sequence[PairNames]
) -> tuple[Column, ...]:
    printed, level = lookup.printed(results), numbers.level(record["confidence"])
    spanner = f"Difference, simultaneous {level} interval"
    heads = (
        Column(f"pair{k}", f"{printed[first]} − {printed[second]}", "right", spanner)
        for k, (first, second) in enumerate(pairs)
    )
    return (Column("slice", "Slice"), Column("rows", "Rows"), *heads)


def _rows(group: Slicing, pairs: Sequence[LinesOfPair], footnotes: Footnotes) -> Iterator[Row]:
    """A row per slice; of many those at either end of the first pair."""
    labels = [label for label in group.slices if any(label in of_pair for of_pair in pairs)]
    left = 0
    if len(labels) > MANY:
        first = {label: line["value"] for label, line in pairs[0].items()}
        labels = sorted(first, key=lambda label: first[label])
        left = max(0, len(labels) - 2 * ENDS)
        labels = [*labels[:ENDS], *labels[ENDS + left :]]
    for place, label in enumerate(labels):
        if left and place == ENDS:
            yield Row({"slice": Cell(f"… {left} more between these", kind="muted")})
        part = group.slices[label]
        cells: dict[str, Cell | str] = {
            "slice": lookup.clean(part.printed, 80),
            "rows": numbers.count(part.rows),
        }
        cells |= {
            f"pair{k}": _cell(of_pair.get(label), footnotes) for k, of_pair in enumerate(pairs)
        }
        yield Row(cells)


def _cell(line: DifferenceInSlice | None, footnotes: Footnotes) -> Cell:
    if line is None:
        return Cell("–", kind="muted")
    cell = effect(line["value"], line["low"], line["high"])
    why = line["no_limits"]
    return cell if why is None else replace(cell, note=footnotes.mark(f"No limits: {why}."))


def _tests(
    results: Results, record: PairsBySlice, group: Slicing, pairs: Sequence[PairNames]
) -> Iterator[str]:
    """The adjusted p that each difference is the same in all slices, in a sentence."""
    p = {
        tuple(one["models"]): one["p_adjusted"]
        for one in record["varies"]
        if tuple(one["slicing"]) == group.columns
    }
    alpha, printed = 1 - record["confidence"], lookup.printed(results)
    texts = [
        f"{printed[pair[0]]} − {printed[pair[1]]} {numbers.p_number(p[pair], alpha)}"
        for pair in pairs
        if pair in p
    ]
    if texts:
        yield f"Variation by slice, adjusted p: {'; '.join(texts)}."
