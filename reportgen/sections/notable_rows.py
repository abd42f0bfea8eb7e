"""Single rows for a reviewer: confident errors, largest residuals, largest disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import ClassVar, Literal

from reportgen.charts import Figure, labels
from reportgen.records import shown_models
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.records.withheld_parts import SINGLE_ROWS
from reportgen.sections import lookup
from reportgen.sections.registry import section
from reportgen.sections.tables import Cell, Column, Row, Table, notes_once
from reportgen.tables.results import NotableRow
from reportgen.text import decimals, numbers
from reportgen.text.words import listed

MODELS = 4
"""Models whose errors are printed, and that stand beside each other where models differ."""

SHORT_CLASS = 5.0
"""Width of a class's name, in em, of which so many models stand beside each other."""

PRINTED = {1: 10, 2: 5}
"""Rows of a list that are printed, by the number of models; of more models three."""

LONGEST = 60
"""Characters of an id or of a value that are printed."""

COLUMNS = 4
"""Columns of ``privacy.show`` that stand beside each other; more share one column."""

INTRODUCTION = {
    "regression": "These rows have the largest errors. ",
    "multilabel": "These rows have the most confident wrong labels. ",
}
CONFIDENT = "These are the wrong decisions of which the models are most confident. "
CAUSES = (
    "Frequent causes are an error in the truth or the input, or a case unlike the training data."
)
CAUSES_OF_ERRORS = CAUSES.replace("Frequent causes", "Frequent causes of errors")
GRADED = (
    "These are the answers on which the models differ. Read them, and check how they were graded."
)


@section(91)
@dataclass(frozen=True)
class RowsSection:
    """Single rows to look at."""

    id: ClassVar[str] = "rows"
    title: ClassVar[str] = "Rows to look at"

    introduction: str
    findings: tuple[str, ...]
    tables: tuple[Table, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> RowsSection | None:
        """Fill the section; None where no rows were looked up, which Provenance says."""
        del figures  # it has tables alone
        if any(item["what"] == SINGLE_ROWS for item in results.skipped):
            return None
        printed = _Printed(results)
        return cls(
            printed.introduction,
            tuple(printed.findings()),
            notes_once(printed.tables()),
        )


@dataclass(frozen=True)
class _Printed:
    """The rows of some results as tables."""

    results: Results

    @property
    def task(self) -> str:
        return lookup.task(self.results)

    @property
    def introduction(self) -> str:
        """What the lists have; of models without scores no error is more confident than others."""
        if self.results.task.graded:
            return GRADED
        if all(row["kind"] == "disagreement" for row in self.records):
            return CAUSES_OF_ERRORS
        return INTRODUCTION.get(self.task, CONFIDENT) + CAUSES

    @cached_property
    def names(self) -> dict[str, str]:
        return lookup.printed(self.results)

    @cached_property
    def records(self) -> list[NotableRow]:
        most = PRINTED.get(len(self.names), 3)
        rows = rows_of(self.results.notable_rows, NotableRow)
        return [row for row in rows if row["rank"] <= most]

    @cached_property
    def models(self) -> list[str]:
        """The models whose rows are printed: the best ones; of many those that slices show."""
        if shown_models.note(self.results):
            return shown_models.names_in_slices(self.results)
        ranked = [model.model for model in self.results.decision.models]
        ordered = [*ranked, *(name for name in self.names if name not in ranked)]
        best = ordered[:MODELS]
        return [name for name in self.names if name in best]

    def findings(self) -> Iterator[str]:
        """What has no rows, and why."""
        present = {row["models"][0] for row in self.records if row["kind"] != "disagreement"}
        by_name = {model["name"]: model for model in self.results.data["models"]}
        absent = [name for name in self.models if name not in present]
        unordered = [name for name in absent if lookup.gives_labels_only(by_name[name])]
        if unordered and not self.results.task.graded:
            who = listed([self.names[name] for name in unordered])
            give, their = ("gives", "its") if len(unordered) == 1 else ("give", "their")
            yield f"{who} {give} labels without scores: {their} errors have no order."
        for name in absent:
            if name in unordered:
                continue
            if self.task == "regression":
                yield f"{self.names[name]}: every estimate equals the truth."
            elif lookup.gives_labels(by_name[name]) and not by_name[name].get("probability"):
                yield f"{self.names[name]}: its wrong labels have no order."
            else:
                yield f"{self.names[name]}: no wrong decision."
        if len(self.names) < 2:
            return
        if self.results.data.get("unpaired"):
            yield "The models were evaluated on different rows, so no row compares them."
        elif not any(row["kind"] == "disagreement" for row in self.records):
            what = "estimates" if self.task == "regression" else "decisions"
            yield f"No row has different {what}, or the models cannot be compared on it."

    def tables(self) -> Iterator[Table]:
        """The errors by model, then the disagreements."""
        errors = [
            row
            for name in self.models
            for row in self.records
            if row["kind"] != "disagreement" and row["models"] == [name]
        ]
        if errors:
            yield self._errors(errors)
        differing = [row for row in self.records if row["kind"] == "disagreement"]
        if differing:
            yield self._disagreements(differing)

    def _errors(self, records: Sequence[NotableRow]) -> Table:
        cells = [*self._naming(records), *self._predicted(records), *self._units(records)]
        cells += self._shown(records)
        several = len(self.names) > 1
        rows = tuple(
            Row(
                {column.key: cell(row) for column, cell in cells},
                self.names[row["models"][0]] if several else None,
            )
            for row in records
        )
        caption = "Largest residuals" if self.task == "regression" else "Confident errors"
        notes = [*self._remarks(records)]
        if len(self.names) > len(self.models):
            shown = listed([self.names[name] for name in self.models])
            notes.append(f"Shown: {shown}; results.json has the rows of every model.")
        return Table("rows_errors", caption, tuple(c for c, _ in cells), rows, tuple(notes))

    def _disagreements(self, records: Sequence[NotableRow]) -> Table:
        cells = [*self._naming(records), *self._compared(records), *self._shown(records)]
        rows = tuple(Row({column.key: cell(row) for column, cell in cells}) for row in records)
        notes = tuple(self._remarks(records))
        caption = "Rows on which the models differ most"
        return Table("rows_differing", caption, tuple(c for c, _ in cells), rows, notes)

    def _naming(self, records: Sequence[NotableRow]) -> Iterator[_Cells]:
        files = len(self.results.data["files"]) > 1
        yield Column("row", "Row"), lambda row: _place(row, named=files)
        ids = labels.unique([row["id"] for row in records if row["id"] is not None], LONGEST)
        if ids:
            yield (
                Column("id", "Id", "left"),
                lambda row: "–" if row["id"] is None else ids[row["id"]],
            )
        if any(row["dataset"] is not None for row in records):
            yield Column("dataset", "Data set", "left"), lambda row: _short(row["dataset"])
        if any(row["slices"] for row in records):
            yield Column("slices", "Slices", "left"), lambda row: _short(", ".join(row["slices"]))
        if any(row["class"] is not None for row in records):
            yield Column("class", "Label", "left"), lambda row: _short(row["class"])
        if self.task == "regression":
            yield _numbers("truth", "True value", records, lambda row: row["truth_value"])
        elif not self.results.task.graded:
            yield Column("truth", "Truth", "left"), lambda row: _short(row["truth"])

    def _predicted(self, records: Sequence[NotableRow]) -> Iterator[_Cells]:
        if self.task == "regression":
            yield _numbers("estimate", "Estimate", records, _output(0))
            yield _numbers("residual", "Residual", records, _residual, signed=True)
            return
        yield Column("predicted", "Predicted", "left"), _entry("predicted", 0)
        yield _numbers("score", "Score", records, _output(0))
        if any(row["truth_outputs"] for row in records):
            label = "Score of the truth"
            yield _numbers("of_truth", label, records, lambda row: row["truth_outputs"][0])

    def _units(self, records: Sequence[NotableRow]) -> Iterator[_Cells]:
        """In how many of the rows that belong to it the decision is wrong."""
        if any(row["unit_errors"] is not None for row in records):
            label = "Wrong in group" if self.results.data.get("groups") else "Wrong in repeats"
            yield (
                Column("unit", label, "left"),
                lambda row: f"{row['unit_errors']:.0f} of {row['unit_rows']:.0f}",
            )

    def _compared(self, records: Sequence[NotableRow]) -> Iterator[_Cells]:
        """What each model predicts; of many the two that differ most, or how many decide how."""
        models = records[0]["models"]
        scored = all(value is not None for row in records for value in row["outputs"])
        if len(models) <= MODELS and self._fits(records):
            for index, name in enumerate(models):
                yield from self._of_model(records, index, name, scored=scored)
        elif scored and self.task in ("binary", "regression"):
            for key, label, end in (("low", "Lowest", min), ("high", "Highest", max)):
                yield _numbers(key, label, records, _extreme(end))
                yield Column(f"{key}_model", "Model", "left"), self._extreme_model(models, end)
        else:
            yield Column("votes", "Models by prediction", "left"), _votes

    def _fits(self, records: Sequence[NotableRow]) -> bool:
        """Whether a page is wide enough for a score and a class of each model."""
        if self.task != "multiclass" or len(self.names) < MODELS:
            return True
        return all(
            labels.text_width(lookup.clean(name), 1) <= SHORT_CLASS
            for row in records
            for name in row["predicted"]
        )

    def _of_model(
        self, records: Sequence[NotableRow], index: int, name: str, *, scored: bool
    ) -> Iterator[_Cells]:
        label = self.names[name]
        if scored and self.task != "multilabel":
            yield _numbers(f"model{index}", label, records, _output(index))
            label = "Predicted"
        if not scored or self.task in ("multiclass", "multilabel"):
            yield Column(f"label{index}", label, "left"), _entry("predicted", index)

    def _extreme_model(self, models: Sequence[str], end: _End) -> _CellOf:
        return lambda row: self.names[models[row["outputs"].index(end(_given(row)))]]

    def _shown(self, records: Sequence[NotableRow]) -> Iterator[_Cells]:
        """The columns that ``privacy.show`` names."""
        columns = self.results.declared.privacy.show
        if not columns or any(len(row["shown"]) != len(columns) for row in records):
            return
        if len(columns) <= COLUMNS:
            for index, name in enumerate(columns):
                column = Column(f"shown{index}", lookup.clean(name, 40), "left")
                yield column, _entry("shown", index)
            return

        def together(row: NotableRow) -> str:
            pairs = zip(columns, row["shown"], strict=True)
            return "; ".join(f"{lookup.clean(name, 40)}: {_short(value)}" for name, value in pairs)

        yield Column("shown", "Columns shown", "left"), together

    def _order(self, records: Sequence[NotableRow]) -> str:
        by: dict[str, list[str]] = {}
        for row in records:
            names = by.setdefault(row["measure"], [])
            if row["kind"] != "disagreement" and self.names[row["models"][0]] not in names:
                names.append(self.names[row["models"][0]])
        if len(by) == 1:
            return f"Order: {next(iter(by))}."
        return f"Order: {'; '.join(f'{m} ({listed(who)})' for m, who in by.items())}."

    def _remarks(self, records: Sequence[NotableRow]) -> Iterator[str]:
        yield self._order(records)
        yield "Row: its number in the data, from 1."
        yield from self._hidden()
        if self.results.declared.privacy.ids == "hashed":
            yield "Ids are hashes under the key of the output folder."
        if any(row["unit_rows"] is not None for row in records):
            unit = "a group" if self.results.data.get("groups") else "an example in repeats"
            yield f"The worst row of {unit} stands for all its rows."
        if self.results.data.get("weighted"):
            yield "The order is that of single rows, whatever their weights."

    def _hidden(self) -> Iterator[str]:
        """How the spec shows the declared ids and times that it does not show."""
        privacy = self.results.declared.privacy
        columns = self.results.declared.columns
        options = {}
        if columns.id and privacy.ids == "hidden":
            options["ids"] = "ids: shown"
        if columns.time and columns.time not in privacy.show:
            options["times"] = f"show: [{lookup.clean(columns.time, 40)}]"
        if options:
            keys = ", ".join(options.values())
            yield f"“privacy: {{{keys}}}” in the spec prints their {listed(list(options))}."


_CellOf = Callable[[NotableRow], Cell | str]
_Cells = tuple[Column, _CellOf]
"""A column, and the cell of a row in it."""

_End = Callable[[Sequence[float]], float]
"""The lowest or the highest of some numbers."""


def _output(model: int) -> Callable[[NotableRow], float | None]:
    return lambda row: row["outputs"][model]


def _residual(row: NotableRow) -> float | None:
    truth, (estimate, *_) = row["truth_value"], row["outputs"]
    return None if truth is None or estimate is None else truth - estimate


def _given(row: NotableRow) -> list[float]:
    """The outputs of the models that have one."""
    return [value for value in row["outputs"] if value is not None]


def _extreme(end: _End) -> Callable[[NotableRow], float | None]:
    return lambda row: end(_given(row))


def _entry(field: Literal["predicted", "shown"], index: int) -> _CellOf:
    return lambda row: _short(row[field][index])


def _place(row: NotableRow, *, named: bool) -> str:
    number = f"{row['row']:.0f}"  # a name, which no mark between thousands divides
    return f"{lookup.clean(row['file'], LONGEST)}, {number}" if named else number


def _short(value: str | None) -> Cell | str:
    if value is None:
        return Cell("missing", kind="muted")
    return lookup.clean(value, LONGEST) or Cell("(empty)", kind="muted")


def _numbers(
    key: str,
    label: str,
    records: Sequence[NotableRow],
    value: Callable[[NotableRow], float | None],
    *,
    signed: bool = False,
) -> _Cells:
    """A column of numbers with as many decimals as they need."""
    values = [number for number in map(value, records) if number is not None]
    whole = all(isfinite(number) and number == round(number) for number in values)
    digits = 0 if whole and max(map(abs, values), default=0) > 1 else decimals.of_scores(values)
    write = numbers.signed if signed else numbers.aligned

    def cell(row: NotableRow) -> Cell | str:
        number = value(row)
        return "–" if number is None else write(number, digits)

    return Column(key, label, "right"), cell


def _votes(row: NotableRow) -> str:
    counts = Counter[str](row["predicted"]).most_common()
    return "; ".join(f"{lookup.clean(label, LONGEST)}: {count}" for label, count in counts)
