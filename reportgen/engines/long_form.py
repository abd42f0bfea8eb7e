"""Models in long form, counted in parts: all rows of an example are in one part, by its id.

Every part reads all files and keeps the rows whose ids have one of several hashes. There
the rows of an example meet, wherever they lie, and become one with a column per model; what
is counted of these is what is counted of models in columns of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.engines.plan import Partition, Plan, Written
from reportgen.errors import DataError, EmptyError, Problem
from reportgen.predictions import ids, json_lines, long
from reportgen.predictions.files import DataFile, repeated_columns, scan
from reportgen.predictions.load import missing_columns
from reportgen.predictions.reading import refuse
from reportgen.predictions.required_columns import RequiredColumn, required_columns
from reportgen.predictions.source import Source
from reportgen.predictions.text_values import as_text
from reportgen.predictions.unreadable import UNREADABLE, unreadable
from reportgen.spec import Spec
from reportgen.spec.checks import model_issues
from reportgen.spec.outputs import (
    ClassModel,
    EstimateModel,
    LongClassModels,
    LongEstimateModels,
    LongForm,
    LongModels,
    ScoreModel,
)

_WIDE: Mapping[type[LongForm], type[ScoreModel | ClassModel | EstimateModel]] = {
    LongModels: ScoreModel,
    LongClassModels: ClassModel,
    LongEstimateModels: EstimateModel,
}
"""A model in a column of its own, by the form of all models in one."""


@dataclass(frozen=True)
class Survey:
    """What files hold: the rows of each by its name, all names of models in order."""

    rows: Mapping[str, int]
    models: tuple[str, ...]
    integer_ids: bool

    def plan(self, spec: Spec) -> Plan:
        """The plan of a spec whose models these are; ``SpecError`` where it names others."""
        return long_plan(spec, self.models, integer_ids=self.integer_ids)

    def partitions(self, plan: Plan, files: Sequence[DataFile], sha256: str) -> list[Partition]:
        """As many parts as keep the rows of each below those of a leaf."""
        number = max(1, -(-sum(self.rows.values()) // plan.leaf_rows))
        first, *more = files
        return [
            Partition(first, sha256, more=tuple(more), bucket=(k, number)) for k in range(number)
        ]


def survey(spec: Spec, files: Sequence[DataFile]) -> Survey:
    """Read the names of the models and count the rows; ``DataError`` where a file lacks them."""
    columns = [w for w in required_columns(spec) if w.name in ("model", "id")]
    rows: dict[str, int] = {}
    names: list[pl.Series] = []
    integer = True
    for file in files:
        try:
            lazy = selected(file, columns, spec)
            integer &= lazy.collect_schema()["id"].is_integer()
            seen = lazy.group_by("model").len().collect(engine="streaming")
        except UNREADABLE as fault:
            raise DataError(unreadable(file, fault)) from None
        rows[file.name] = int(seen["len"].sum())
        names.append(as_text(seen["model"]))
    models = pl.concat(names)
    column = next(w.column for w in columns if w.name == "model")
    source = Source(tuple(rows), tuple(map(len, names)))
    if problems := long.too_many(models, column, source):
        raise DataError(*problems)
    return Survey(rows, tuple(long.model_names(models)), integer)


def long_plan(spec: Spec, names: Sequence[str], *, integer_ids: bool = True) -> Plan:
    """The plan of models that have a column each, of a spec that has them in long form.

    Raises ``SpecError`` where it names a model that there is none of.
    """
    refuse(spec, model_issues(spec, names))
    declared = spec.models
    form = next(wide for long, wide in _WIDE.items() if isinstance(declared, long))
    model = form(**{name: getattr(declared, name) for name in form.model_fields})
    wide = spec.model_copy(update={"models": dict.fromkeys(names, model)})
    return Plan.first(wide, Written(spec, integer_ids))


def rows_of_bucket(file: DataFile, partition: Partition, plan: Plan) -> pl.DataFrame:
    """The rows of a file that are in a part, with their number ``row``, from 0."""
    columns = plan.columns
    try:
        lazy = selected(file, columns, plan.written)
        if file.format == "ndjson":
            frame, repeated = json_lines.exact(file, lazy.collect(), columns)
            if repeated:
                raise DataError(*repeated)
            lazy = frame.lazy()
        return lazy.with_row_index("row").filter(_in_bucket(partition, plan)).collect()
    except UNREADABLE as fault:
        raise DataError(unreadable(file, fault)) from None


def _in_bucket(partition: Partition, plan: Plan) -> pl.Expr:
    """Whether the hash of a row's id is one of those of a part."""
    number, of = partition.bucket or (0, 1)
    integer = plan.long is not None and plan.long.integer_ids

    def chosen(ids: pl.Series) -> pl.Series:
        plain = ids.cast(pl.Int64) if integer else as_text(ids)
        return plain.hash().fill_null(0) % of == number

    return pl.col("id").map_batches(chosen, return_dtype=pl.Boolean, is_elementwise=True)


def examples(frame: pl.DataFrame, plan: Plan, source: Source) -> pl.DataFrame:
    """One row per example, with the columns of every model.

    Raises ``DataError`` where an id returns, an example has no row of some model, or models
    differ about it.
    """
    named = {w.name: w.column for w in plan.columns}
    problems = long.nameless(frame["model"], named["model"], source)
    problems += ids.duplicates(frame, named["id"], source)
    if problems:
        raise DataError(*problems)
    wide = long.widen(frame, plan.model_names)
    if wide.unpaired is not None:
        message = f"models are counted together, but {wide.unpaired.why}"
        hint = "engine: exact compares models on rows of their own"
        raise DataError(Problem("unpaired", message, source.title, hint))
    if wide.contradictions:
        raise DataError(*long.contradictions(wide.contradictions, named, source.title))
    return wide.frame


def selected(file: DataFile, columns: Sequence[RequiredColumn], spec: Spec) -> pl.LazyFrame:
    """The columns of a file under canonical names, not yet read.

    Raises:
        DataError: the file cannot be read, or has a column twice or not at all.
        EmptyError: the file is empty.
    """
    try:
        lazy = scan(file)
        names = lazy.collect_schema().names()
    except pl.exceptions.NoDataError:
        raise EmptyError(Problem("no-rows", "the file is empty", file.name)) from None
    except UNREADABLE as fault:
        raise DataError(unreadable(file, fault)) from None
    repeated = repeated_columns(file, names)
    if missing := missing_columns(file.name, names, columns, spec, repeated):
        raise DataError(*missing)
    return lazy.select(pl.nth(names.index(w.column)).alias(w.name) for w in columns)
