"""The first rows of each list, found without a sort, and their records.

Rows with the same value come in the order of the data. Of the rows of a group, or of an example
that returns in repeats, the worst one stands for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import isfinite
from typing import Any

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Integers
from reportgen.clusters import Groups
from reportgen.measuring.context import EvaluationContext, TaskResults
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import slice_column, truth_column
from reportgen.records.model import typed
from reportgen.records.rows import SkippedRecord
from reportgen.records.withheld_parts import SINGLE_ROWS
from reportgen.results.evaluated_rows import is_evaluated
from reportgen.results.notable_rows.ordering import RowList, at, row_lists
from reportgen.spec import Spec
from reportgen.spec.privacy import shows_rows
from reportgen.tables import NotableRows, Slices
from reportgen.tables.results import NotableRow

MOST = 10
"""Rows of one list."""

CHUNK = 250_000
"""Rows that are looked at in one go."""

FEW_COLUMNS = 16
"""Of more columns than these fewer rows are looked at in one go."""

LONGEST = 1_000
"""Characters of a value that is shown."""

OF_UNITS = 8
"""So many times the rows are looked up first where several may be of one group."""


@dataclass(frozen=True)
class NotableRowSet:
    """The records, and the id of each row where the spec asks for ids in any form."""

    table: DataFrame[NotableRows]
    ids: tuple[str, ...] = ()


def without_rows(spec: Spec) -> bool:
    """Whether a report shows no single rows: none is asked for, or small counts are withheld."""
    return not shows_rows(spec) or spec.privacy.small_cells is not None


def left_out(spec: Spec, *, counted: bool = False) -> list[SkippedRecord]:
    """Why there are none in a report that has the section; ``counted``: no rows are in memory."""
    if not shows_rows(spec):
        return []
    smallest = spec.privacy.small_cells
    reason = "only counts of rows are available; engine: exact shows rows" if counted else None
    if smallest is not None:
        reason = f"single rows reveal small counts (privacy.small_cells: {smallest})"
    return [] if reason is None else [{"what": SINGLE_ROWS, "model": None, "reason": reason}]


def notable_rows(
    context: EvaluationContext, results: TaskResults, slices: DataFrame[Slices]
) -> NotableRowSet:
    """The rows to look at of every model and of all; none where the report shows no rows."""
    if without_rows(context.spec):
        return NotableRowSet(typed(NotableRows, []))
    source = _Source(context, slices)
    records: list[NotableRow] = []
    places: list[int] = []
    for row_list in row_lists(context, results):
        at = _first(context.rows, row_list, source.units)
        described_rows = described(context, results, row_list, context.rows[at])
        units = source.sizes(at, row_list)
        for rank, (place, row, unit) in enumerate(zip(at, described_rows, units, strict=True), 1):
            value = row.pop("value")
            records.append(
                {
                    "kind": row_list.kind,
                    "models": list(row_list.models),
                    "rank": float(rank),
                    **source.of(place),
                    **row,
                    "measure": row_list.measure,
                    "value": value if value is not None and isfinite(value) else None,
                    **unit,
                }
            )
        places += at
    ids = source.ids(places) if context.spec.privacy.ids != "hidden" else ()
    if context.spec.privacy.ids == "shown":
        records = [{**row, "id": name} for row, name in zip(records, ids, strict=True)]
    return NotableRowSet(typed(NotableRows, records), ids)


def _first(rows: pl.DataFrame, row_list: RowList, units: Integers | None) -> list[int]:
    most = MOST if units is None else MOST * OF_UNITS
    while True:
        candidates = _candidates(rows, row_list, most)
        places: list[int] = candidates["index"].to_list()
        if units is not None:
            _, first = np.unique(units[places], return_index=True)
            places = [places[k] for k in sorted(first.tolist())]
        if len(places) >= MOST or candidates.height < most:
            return places[:MOST]
        most *= OF_UNITS


def _candidates(rows: pl.DataFrame, row_list: RowList, most: int) -> pl.DataFrame:
    """The ``most`` largest values with their places, in order; equal ones by place."""
    best: list[pl.DataFrame] = []
    size = max(CHUNK * FEW_COLUMNS // max(rows.width, FEW_COLUMNS), 1)
    for start in range(0, rows.height, size):
        part = rows.slice(start, size).lazy().with_row_index("index", start)
        listed = part.filter(row_list.listed).select("index", value=row_list.value).collect()
        best = [_largest(pl.concat([*best, listed]), most)]
    if not best:
        return pl.DataFrame(schema={"index": pl.UInt32, "value": pl.Float64})
    return best[0].sort("value", "index", descending=[True, False])


def _largest(listed: pl.DataFrame, most: int) -> pl.DataFrame:
    """The rows with the ``most`` largest values, of equal ones the first, in order of place."""
    listed = listed.drop_nulls()
    if listed.height <= most:
        return listed
    least = listed["value"].top_k(most).min()
    above = listed.filter(pl.col("value") > least)
    equal = listed.filter(pl.col("value") == least).head(most - above.height)
    return pl.concat([above, equal]).sort("index")


class _Source:
    """Where rows come from: file and number, id, slices, and the rows that belong to them."""

    def __init__(self, context: EvaluationContext, slices: DataFrame[Slices]) -> None:
        self.context = context
        names = dict.fromkeys(slices["slicing"].explode().drop_nulls().to_list())
        self.slices = [name for name in names if slice_column(name) in context.rows.columns]

    @cached_property
    def units(self) -> Integers | None:
        """The group of each row, or the example that it is of; nothing where rows are apart."""
        context = self.context
        groups = context.groups or context.returning
        if groups is None and context.repeats > 1:
            ids = context.ids(context.rows)
            groups = None if ids is None else Groups.of(ids)
        return None if groups is None else groups.code

    @cached_property
    def places(self) -> Integers | None:
        """Where the evaluated rows stand in the frame; nothing where all are evaluated."""
        frame = self.context.predictions.frame
        if frame.height == self.context.rows.height:
            return None
        places: Integers = is_evaluated(frame).arg_true().to_numpy()
        return places

    def of(self, place: int) -> NotableRow:
        """What names a row, and what is known of it beside the truth."""
        predictions = self.context.predictions
        in_frame = place if self.places is None else int(self.places[place])
        number = in_frame
        if predictions.row_numbers is not None:
            number = int(predictions.row_numbers[in_frame])
        file, number = _in_file([(f.path, f.rows) for f in predictions.files], number)
        rows, shown = self.context.rows, predictions.shown
        return {
            "file": file,
            "row": number + 1.0,
            "id": None,
            "dataset": rows["dataset"][place] if "dataset" in rows.columns else None,
            "slices": [f"{name} = {rows[slice_column(name)][place]}" for name in self.slices],
            "shown": [] if shown is None else [_cut(value) for value in shown.row(in_frame)],
        }

    def ids(self, places: Sequence[int]) -> tuple[str, ...]:
        """The ids of rows as text."""
        identities = self.context.predictions.identities
        if identities is None or "id" not in identities.columns:
            return ()
        in_frame = places if self.places is None else [int(self.places[k]) for k in places]
        return tuple(identities["id"].gather(list(in_frame)).cast(pl.String))

    def sizes(self, places: Sequence[int], row_list: RowList) -> list[NotableRow]:
        """How many rows belong together with each, and how many of them are errors."""
        if self.units is None:
            return [{"unit_rows": None, "unit_errors": None}] * len(places)
        codes = [int(self.units[place]) for place in places]
        of_units = pl.Series(np.isin(self.units, codes))
        rows = self.context.rows.with_columns(_unit=pl.Series(self.units)).filter(of_units)
        error = row_list.listed if row_list.kind == "error" else pl.lit(None, pl.Boolean)
        sums = (
            rows.filter(row_list.listed.is_not_null())
            .group_by("_unit")
            .agg(rows=pl.len(), errors=error.sum())
        )
        by_unit = {unit: (float(n), float(k)) for unit, n, k in sums.iter_rows()}
        return [
            {
                "unit_rows": by_unit[code][0],
                "unit_errors": by_unit[code][1] if row_list.kind == "error" else None,
            }
            for code in codes
        ]


def _in_file(files: Sequence[tuple[str, int]], number: int) -> tuple[str | None, int]:
    """The file that a row is in, and its place there; both count from 0.

    >>> _in_file([("a.csv", 3), ("b.csv", 2)], 3), _in_file([], 3)
    (('b.csv', 0), (None, 3))
    """
    ends = accumulate(rows for _, rows in files)
    for (path, rows), end in zip(files, ends, strict=True):
        if number < end:
            return path, number - end + rows
    return None, number


def _cut(value: Any) -> str | None:
    """A value as text, at most ``LONGEST`` characters of it."""
    if value is None:
        return None
    text = str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def described(
    context: EvaluationContext, results: TaskResults, row_list: RowList, rows: pl.DataFrame
) -> list[NotableRow]:
    """The value of each row and what was predicted, as ``NotableRows`` has it."""
    by_name = {model.name: model for model in context.predictions.models}
    models = [by_name[name] for name in row_list.models]
    value = rows.select(value=row_list.value.cast(pl.Float64))["value"].to_list()
    task = context.predictions.task
    if task == "multilabel":
        texts = _of_labels(context, results, row_list, rows, models)
    elif task == "regression":
        texts = _of_numbers(rows, models)
    else:
        texts = _of_classes(context, results, rows, models)
    return [{"value": number, **text} for number, text in zip(value, texts, strict=True)]


def _of_numbers(rows: pl.DataFrame, models: Sequence[ModelColumns]) -> list[NotableRow]:
    columns = [str(model.estimate) for model in models]
    return [
        _record(truth_value=truth, outputs=list(estimates))
        for truth, *estimates in rows.select("truth", *columns).iter_rows()
    ]


def _of_classes(
    context: EvaluationContext,
    results: TaskResults,
    rows: pl.DataFrame,
    models: Sequence[ModelColumns],
) -> list[NotableRow]:
    """Labels as the data spell them, with scores where the model has any."""
    predictions = context.predictions
    two = predictions.task == "binary"
    names = (predictions.negative, predictions.positive) if two else predictions.classes
    truth = [names[int(index)] for index in rows["truth"]]
    decided, scores, of_truth = [], [], []
    for model in models:
        decision = results.losses.predicted[model.name]
        none = pl.lit(None, pl.Float64)
        output = none if model.score is None else pl.col(model.score)
        true_output = none
        if model.scores:
            output, true_output = at(model.scores, decision), at(model.scores, pl.col("truth"))
        table = rows.select(decision=decision, output=output, of_truth=true_output)
        decided.append([names[int(index)] for index in table["decision"]])
        scores.append(table["output"].to_list())
        of_truth.append([] if two else table["of_truth"].to_list())
    return [
        _record(
            truth=label,
            predicted=[one[k] for one in decided],
            outputs=[one[k] for one in scores],
            truth_outputs=[one[k] for one in of_truth if one],
        )
        for k, label in enumerate(truth)
    ]


def _of_labels(
    context: EvaluationContext,
    results: TaskResults,
    row_list: RowList,
    rows: pl.DataFrame,
    models: Sequence[ModelColumns],
) -> list[NotableRow]:
    """The label that decides the row's place, and what the models predict of it."""
    values = rows.select(
        value.cast(pl.Float64).fill_null(-1.0).alias(str(k))
        for k, value in enumerate(row_list.by_label)
    )
    records = []
    for index, row in enumerate(values.iter_rows()):
        label = row.index(max(row))
        one = rows[index]
        decisions = one.select(
            results.losses.labels[model.name][label].alias(str(k)) for k, model in enumerate(models)
        )
        outputs = [one[model.scores[label]][0] if model.scores else None for model in models]
        records.append(
            _record(
                truth=_sign(one[truth_column(label)][0]),
                class_=context.predictions.classes[label],
                predicted=[_sign(value) for value in decisions.row(0)],
                outputs=outputs,
            )
        )
    return records


def _sign(value: object) -> str:
    return "1" if value else "0"


def _record(
    *,
    truth: str | None = None,
    truth_value: float | None = None,
    class_: str | None = None,
    predicted: Sequence[str] = (),
    outputs: Sequence[float | None] = (),
    truth_outputs: Sequence[float | None] = (),
) -> NotableRow:
    return {
        "truth": truth,
        "truth_value": truth_value,
        "class": class_,
        "predicted": list(predicted),
        "outputs": list(outputs),
        "truth_outputs": list(truth_outputs),
    }
