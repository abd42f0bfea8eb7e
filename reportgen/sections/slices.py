"""The core measures of every declared slice with its size, and the gaps between slices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.charts.slices import ChartSlice, Slicing, slicings
from reportgen.records import shown_models
from reportgen.records.decision import RankedModel
from reportgen.records.model import Results
from reportgen.records.rows import quantile_levels
from reportgen.sections import differences_by_slice, gap_table, headings, lookup, metric_table
from reportgen.sections.by_class import cell
from reportgen.sections.registry import section
from reportgen.sections.tables import Cell, Column, Footnotes, Note, Row, Table, notes_once
from reportgen.tasks import MeasureAverage
from reportgen.text import numbers
from reportgen.text.words import listed

MODELS_ACROSS = 4
MANY, ENDS = 12, 4
"""Of more than so many slices only so many are shown at either end of each measure."""

MOST_IN_PRINT = 30
"""Of longer tables, and of many models, print has the gaps and the figure; the page in HTML all."""


@section(90)
@dataclass(frozen=True)
class SlicesSection:
    """Every declared subgroup by itself."""

    id: ClassVar[str] = "slices"
    title: ClassVar[str] = "Slices"

    introduction: str
    findings: tuple[str, ...]
    gaps: tuple[Table, ...]
    differences: tuple[Table, ...]
    figures: tuple[str, ...]
    tables: tuple[Table, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> SlicesSection | None:
        """Fill the section; None when the spec declares no slice, or none has a number."""
        every, whole = results.decision.models, results
        results = shown_models.in_slices(results)
        by_slice = lookup.sliced(results)
        groups = slicings(results, by_slice)
        tables = tuple(t for group in groups for t in _tables(results, group, by_slice))
        of_many = results is not whole
        tables = tuple(
            replace(table, screen=of_many or len(table.rows) > MOST_IN_PRINT) for table in tables
        )
        if not tables:
            return None
        tables_of_gaps = (gap_table.of_group(results, group, by_slice) for group in groups)
        gaps = [gap for gap in tables_of_gaps if gap is not None]
        differences = (differences_by_slice.of_group(results, group) for group in groups)
        at = ", at the same threshold" if headings.has_thresholds(results) else ""
        return cls(
            f"Each slice is evaluated separately{at}. A gap is the highest minus the lowest value, "
            f"small slices excluded; note the numbers of rows.{_left_out(results, every)}",
            (
                *map(lookup.clean, results.reading.sentences.slices),
                *gap_table.findings(gaps),
                *map(lookup.clean, whole.reading.sentences.pairs_in_slices),
            ),
            notes_once(table for gap in gaps for table in gap.tables),
            notes_once(table for table in differences if table is not None),
            lookup.placed(figures, "slices"),
            tables,
        )


def _left_out(results: Results, every: Sequence[RankedModel]) -> str:
    """Which models the section is about, where that is not all."""
    shown = [lookup.printed(results)[name] for name in results.models]
    if len(shown) == len(every):
        return ""
    return f" Shown: {listed(shown)}; results.json has all {len(every)} models."


def measures(results: Results) -> list[MeasureAverage]:
    """The measures that the section shows."""
    if not lookup.sliced(results):
        return []
    if quantile_levels(results.data["models"]):
        return lookup.of_quantiles(results)
    valued = {
        measure
        for numbers in lookup.sliced(results).values()
        for (measure, _), number in numbers.items()
        if number.value is not None
    }
    also_core = set(results.task.also_core) - valued
    return [measure for measure in results.task.slice_measures if measure not in also_core]


def _tables(
    results: Results, group: Slicing, by_slice: Mapping[str, lookup.ModelNumbers]
) -> list[Table]:
    parts = metric_table.parted(results.models, MODELS_ACROSS)
    result = []
    for index, part in enumerate(parts, 1):
        part_of = f" (part {index} of {len(parts)})" if len(parts) > 1 else ""
        caption = f"Measures by {lookup.clean(group.heading, 80)}{part_of}"
        anchor = re.sub(r"\W+", "_", f"slice_{group.heading}_{index}".lower())
        shown = BySlice(results, group.slices, by_slice, part)
        result.append(shown.table(anchor, caption))
    return result


@dataclass(frozen=True)
class BySlice:
    """The measures of some models by the slices of one column, or of several crossed."""

    results: Results
    slices: Mapping[str, ChartSlice]
    numbers: Mapping[str, lookup.ModelNumbers]
    models: Sequence[str]

    def table(self, anchor: str, caption: str) -> Table:
        """A row per slice under each measure; of many slices those at either end."""
        footnotes = Footnotes()
        undefined = {m: self._undefined(m) for m in measures(self.results)}
        rows = tuple(
            row
            for metric, reason in undefined.items()
            if reason is None
            for row in self._rows(metric, metric_table.head(metric, self.results), footnotes)
        )
        notes: list[Note | str] = [*footnotes.all()]
        notes += [
            f"{lookup.label(metric, self.results)} is left out: {lookup.clean(reason)}."
            for metric, reason in undefined.items()
            if reason
        ]
        large = sum(not part.small for part in self.slices.values())
        if len(self.slices) > MANY and 0 < large <= 2 * ENDS:
            notes.append(
                f"Those of {len(self.slices)} slices that are not small; results.json has all."
            )
        elif len(self.slices) > MANY:
            without = ", without small slices" if large else ""
            notes.append(
                f"The {ENDS} lowest and the {ENDS} highest of {len(self.slices)} slices for each "
                f"measure, by the mean of the models{without}; results.json has all."
            )
        columns = self._columns()
        return Table(anchor, caption, columns, rows, tuple(notes), by_measure=True)

    def _undefined(self, metric: MeasureAverage) -> str | None:
        """Why a measure has no value in any slice; empty where it was not computed."""
        every = [
            number
            for label in self.slices
            for name in self.models
            if (number := self.numbers[label].get((metric, name))) is not None
        ]
        if any(number.value is not None for number in every):
            return None
        return next((number.undefined or "" for number in every), "")

    def _columns(self) -> tuple[Column, ...]:
        printed = lookup.printed(self.results)
        level = numbers.level(self.results.confidence)
        task = self.results.task
        both = task.two_classes and not task.graded
        positives = (Column("positives", "Positives"),) if both else ()
        return (
            Column("slice", "Slice"),
            Column("rows", "Rows"),
            *positives,
            *(
                Column(f"model{i}", printed[name], "right", f"Value, {level} interval")
                for i, name in enumerate(self.models)
            ),
        )

    def _rows(self, metric: MeasureAverage, heading: str, footnotes: Footnotes) -> Iterator[Row]:
        labels = list(self.slices)
        left = 0
        if len(labels) > MANY:
            ordered = self._ordered(metric)
            left = max(0, len(ordered) - 2 * ENDS)
            labels = [*ordered[:ENDS], *ordered[ENDS + left :]]
        for place, label in enumerate(labels):
            if left and place == ENDS:
                yield Row({"slice": Cell(f"… {left} more between these", kind="muted")}, heading)
            values: dict[str, Cell | str] = {
                f"model{i}": cell(self.numbers[label].get((metric, name)), footnotes)
                for i, name in enumerate(self.models)
            }
            yield Row(self._sizes(label, footnotes) | values, heading)

    def _ordered(self, metric: MeasureAverage) -> list[str]:
        """Slices that are not small and have a value, lowest mean of the models first.

        All of them where all are small.
        """
        every_small = all(part.small for part in self.slices.values())
        means: dict[str, float] = {}
        for label in self.slices:
            estimates = (
                self.numbers[label].get((metric, n), lookup.NOTHING).value for n in self.models
            )
            values = [value for value in estimates if value is not None]
            if values and (every_small or not self.slices[label].small):
                means[label] = sum(values) / len(values)
        return sorted(means, key=lambda label: means[label])

    def _sizes(self, label: str, footnotes: Footnotes) -> dict[str, Cell | str]:
        part = self.slices[label]
        note = footnotes.mark(self.results.reading.small_slice) if part.small else None
        return {
            "slice": Cell(lookup.clean(part.printed, 80), note=note),
            "rows": numbers.count(part.rows),
            "positives": "–" if part.positives is None else numbers.count(part.positives),
        }
