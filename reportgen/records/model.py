"""The results: all that a report is made of, and their form as ``results.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar, Unpack

import pandera.polars as pa
import polars as pl
from pandera.typing.polars import DataFrame
from pydantic_core import to_json

from reportgen import notebook
from reportgen.curves import CURVES
from reportgen.errors import MOST_PROBLEMS, DataError, Problem, SpecError
from reportgen.metric_names import joined
from reportgen.records.contract_check import Fault, faults
from reportgen.records.data_summary import DataSummary
from reportgen.records.decision import UNDECIDED, Decision
from reportgen.records.declared import DeclaredSpec, declared
from reportgen.records.definitions import DEFINITIONS, NO_DEFINITIONS, Definitions
from reportgen.records.plain_values import from_plain, without_defaults
from reportgen.records.rows import BuildRecord, DataRecord, Record, SkippedRecord
from reportgen.records.section_reading import UNREAD, Reading
from reportgen.records.shift import Shift
from reportgen.records.trend import Trends
from reportgen.resources import SCHEMAS
from reportgen.spec import from_dict
from reportgen.spec.nearest import suggestion
from reportgen.spec.scores import USED
from reportgen.tables import (
    FOLD_KEYS,
    Comparisons,
    Curve,
    Differences,
    Dominance,
    FoldMetrics,
    Gaps,
    Gates,
    Generalisation,
    Metrics,
    NotableRows,
    ResultTable,
    Slices,
)
from reportgen.tables.checked import column_types
from reportgen.tables.comparisons import ComparisonRow
from reportgen.tasks import TASKS, TaskInfo
from reportgen.tasks.binary import GRADED

SCHEMA = "reportgen/results/1"
"""Name and version of the form; a reader refuses another one."""


T = TypeVar("T", bound=pa.DataFrameModel)

_INDEX = re.compile(r"\[\d+\]")
_NOT_TABLES = (pa.errors.SchemaError, pa.errors.SchemaErrors, pl.exceptions.PolarsError)


def typed(table: type[T], rows: Sequence[Mapping[str, Any] | ComparisonRow]) -> DataFrame[T]:
    """Rows as the typed table, columns in its order."""
    values = [vars(row) if isinstance(row, ComparisonRow) else row for row in rows]
    return table.validate(pl.DataFrame(values, schema=column_types(table)))


RESULT_TABLES: Mapping[str, type[ResultTable]] = {
    "metrics": Metrics,
    "comparisons": Comparisons,
    "differences": Differences,
    "dominance": Dominance,
    "folds": FoldMetrics,
    "generalisation": Generalisation,
    "slices": Slices,
    "gaps": Gaps,
    "gates": Gates,
    "notable_rows": NotableRows,
}
"""The tables of the results by their names in ``results.json``, beside the curves."""

LINE_KEYS: Mapping[str, Sequence[str]] = {"folds": FOLD_KEYS}
"""What names a line of the tables that are written as lines, as the curves are."""


FURTHER_RECORDS: Mapping[str, type] = {
    "trends": Trends,
    "data_summary": DataSummary,
    "shift": Shift,
}
"""What only some results have, under the same names."""


@dataclass(frozen=True, repr=False, kw_only=True)
class ResultTables:
    """The tables of results; those that an evaluation does not have are empty.

    ``curves`` holds a table per name of ``tables.CURVES``; long ones are thinned for drawing.
    """

    metrics: DataFrame[Metrics]
    comparisons: DataFrame[Comparisons]
    folds: DataFrame[FoldMetrics]
    curves: Mapping[str, DataFrame[Curve]] = field(default_factory=dict)
    differences: DataFrame[Differences] = field(default_factory=partial(typed, Differences, ()))
    dominance: DataFrame[Dominance] = field(default_factory=partial(typed, Dominance, ()))
    generalisation: DataFrame[Generalisation] = field(
        default_factory=partial(typed, Generalisation, ())
    )
    slices: DataFrame[Slices] = field(default_factory=partial(typed, Slices, ()))
    gaps: DataFrame[Gaps] = field(default_factory=partial(typed, Gaps, ()))
    gates: DataFrame[Gates] = field(default_factory=partial(typed, Gates, ()))
    notable_rows: DataFrame[NotableRows] = field(default_factory=partial(typed, NotableRows, ()))


@dataclass(frozen=True, repr=False, kw_only=True)
class Results(ResultTables):
    """What one evaluation gives, as typed tables and plain values.

    ``definitions`` says what the metrics and tests of the tables are, ``skipped`` what was left
    out and why, ``decision`` what all of it comes to, ``reading`` what pages show of it, ``trends``
    how its numbers went from build to build, where there are earlier ones, ``data_summary`` what
    the data are like, ``shift`` how they differ from an earlier period.
    ``rows`` are the evaluated ones, kept beside the results, ``row_ids`` the ids of
    ``notable_rows`` that a build hashes (``privacy: {ids: hashed}``); neither is part of
    ``results.json``. ``whole`` are the results that these are a part of, of some of the models.
    """

    title: str
    data: DataRecord
    spec: Mapping[str, object]
    versions: Mapping[str, str]
    build: BuildRecord
    definitions: Definitions = NO_DEFINITIONS
    skipped: Sequence[SkippedRecord] = ()
    decision: Decision = UNDECIDED
    reading: Reading = UNREAD
    trends: Trends | None = None
    data_summary: DataSummary | None = None
    shift: Shift | None = None
    rows: pl.DataFrame | None = field(default=None, compare=False, repr=False)
    row_ids: Sequence[str] = field(default=(), compare=False, repr=False)
    whole: Results | None = field(default=None, compare=False, repr=False)

    @cached_property
    def declared(self) -> DeclaredSpec:
        """The options of the spec, typed; ``spec`` has all of it as plain values."""
        return declared(DeclaredSpec, self.spec)

    @cached_property
    def task(self) -> TaskInfo:
        """What the report evaluates, with the words and lists that it had then."""
        task = GRADED if self.declared.graded else TASKS[self.data.get("task", "binary")]
        report = self.definitions.task
        return task if report is None else replace(task, **asdict(report))

    @property
    def models(self) -> list[str]:
        """The names of the models in declared order, which fixes their colours."""
        return [model["name"] for model in self.data["models"]]

    @property
    def confidence(self) -> float:
        """Confidence level of every interval."""
        return self.declared.confidence

    @property
    def alpha(self) -> float:
        """Level of every test of significance."""
        return self.declared.comparisons.alpha

    def __repr__(self) -> str:
        return str(notebook.cards().text(self))

    def _repr_html_(self) -> str:
        return str(notebook.cards().html(self))

    def picture(self, name: str) -> Any:
        """One chart by its name in the report, such as ``roc``, which a notebook shows.

        Raises SpecError where the results have no such chart.
        """
        return notebook.cards().picture(self, name)

    def with_build(self, **build: Unpack[BuildRecord]) -> Results:
        """The same results with these facts of the build set."""
        return replace(self, build={**self.build, **build})

    def numbers(self, model: str | None = None) -> dict[str, float]:
        """One value per model and measure on all rows, as gates name them: ``forest.auc``.

        With ``model`` those of one, as ``auc``. A mean over folds has a name of its own
        (``forest.folds_auc``), and so has an average over classes (``forest.macro_f1``): what
        is without prefix is of the pooled rows. Measures without a value are left out, and
        so are slices and single classes, which ``metrics`` holds.

        Raises SpecError where there is no such model.
        """
        names = self.metrics["model"].unique(maintain_order=True).to_list()
        if model is not None and model not in names:
            hint = suggestion(model, names)
            raise SpecError(Problem("unknown-model", f"there is no model {model!r}", "", hint))
        rows = self.metrics.filter(
            pl.col("slice").is_null() & pl.col("class").is_null() & pl.col("value").is_not_null()
        )
        return {
            joined(metric, average) if model else f"{name}.{joined(metric, average)}": value
            for name, metric, average, value in rows.select(
                "model", "metric", "average", "value"
            ).iter_rows()
            if model in (None, name)
        }

    def to_dict(self) -> Record:
        """The results as plain values, after the contract of ``results.json``."""
        return {
            "schema": SCHEMA,
            "title": self.title,
            "decision": asdict(self.decision),
            "reading": asdict(self.reading),
            **{name: _plain(getattr(self, name), LINE_KEYS.get(name)) for name in RESULT_TABLES},
            "curves": {n: _plain(table, CURVES[n].line_keys) for n, table in self.curves.items()},
            "data": self.data,
            "spec": self.spec,
            "versions": self.versions,
            "build": self.build,
            "definitions": {
                name: [without_defaults(one) for one in getattr(self.definitions, name)]
                for name in DEFINITIONS
            }
            | ({"task": without_defaults(report)} if (report := self.definitions.task) else {}),
            "skipped": list(self.skipped),
            **{
                name: asdict(record)
                for name in FURTHER_RECORDS
                if (record := getattr(self, name)) is not None
            },
        }

    def to_json(self) -> str:
        """The results as JSON: numbers at full precision or null, never NaN or infinity."""
        return self._json

    @cached_property
    def _json(self) -> str:
        text = to_json(self.to_dict(), indent=1, inf_nan_mode="null", fallback=dict)
        return text.decode()

    @classmethod
    def from_json(cls, text: str, source: str = "") -> Results:
        """Read what ``to_json`` wrote; ``source`` names the file in errors.

        Raises:
            DataError: the text is not JSON, or not results of a known schema; with
                the place of everything that does not follow it.
            SpecError: its spec is not a spec.
        """
        document = _parsed(text, source)
        try:
            follow_contract(document, source)
            return cls._of_tables(document)
        except (*_NOT_TABLES, LookupError, TypeError, ValueError, RecursionError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else type(error).__name__
            message = f"incomplete results ({reason})"
            problem = Problem("results-json", message, source, "build the report again")
            raise DataError(problem) from None

    @classmethod
    def _of_tables(cls, document: Record) -> Results:
        tables: Record = {
            name: typed(table, _rows(document[name], LINE_KEYS.get(name)))
            for name, table in RESULT_TABLES.items()
        }
        further: Record = {
            name: from_plain(record, document[name])
            for name, record in FURTHER_RECORDS.items()
            if name in document
        }
        return cls(
            title=document["title"],
            decision=from_plain(Decision, document["decision"]),
            reading=from_plain(Reading, document["reading"]),
            **tables,
            curves={
                name: typed(CURVES[name].table, _rows(lines, CURVES[name].line_keys))
                for name, lines in document["curves"].items()
            },
            data=document["data"],
            spec=document["spec"],
            versions=document["versions"],
            build=document["build"],
            definitions=from_plain(Definitions, document["definitions"]),
            skipped=document["skipped"],
            **further,
        )


def _plain(table: pl.DataFrame, keys: Sequence[str] | None) -> list[Record]:
    """One record per row, or per line that ``keys`` name, with the other columns as arrays."""
    if keys is None:
        return table.to_dicts()
    arrays = [column for column in table.columns if column not in keys]
    return table.group_by(*keys, maintain_order=True).agg(arrays).to_dicts()


def _rows(lines: Sequence[Record], keys: Sequence[str] | None) -> Sequence[Record]:
    """The rows of what ``_plain`` wrote."""
    if keys is None:
        return lines
    rows = []
    for line in lines:
        arrays = {k: v for k, v in line.items() if k not in keys}
        names = {k: line[k] for k in keys}
        columns = zip(*arrays.values(), strict=True)
        rows += [{**names, **dict(zip(arrays, row, strict=True))} for row in columns]
    return rows


def follow_contract(record: Record, source: str) -> None:
    """Raise ``DataError`` with every place of results that does not follow their contract.

    The contract is the published one, ``results.schema.json``; their spec is read as any other.
    """
    schema = json.loads((SCHEMAS / "results.schema.json").read_text(encoding="utf-8"))
    if problems := _contract_problems(faults(record, schema), source):
        raise DataError(*problems)
    unchecked = {"text", "notes"}
    task = TASKS.get(str(record["spec"].get("task")))
    if task is not None and task.of_values:
        unchecked |= record["spec"].keys() - USED
    try:
        from_dict({name: value for name, value in record["spec"].items() if name not in unchecked})
    except SpecError as error:
        # the texts of its sections travel with the results
        wrong = [p for p in error.problems if p.code != "missing-file"]
        if wrong:
            placed = [replace(p, place=", ".join(filter(None, [source, p.place]))) for p in wrong]
            raise SpecError(*placed) from None
    except (TypeError, AttributeError):
        raise DataError(Problem("results-json", "its spec is not a spec", source)) from None


def _contract_problems(all_faults: Iterable[Fault], source: str) -> list[Problem]:
    """One problem for all entries of a list with the same fault, at the first of them."""
    places: dict[Fault, list[str]] = {}
    for place, message in all_faults:
        places.setdefault((_INDEX.sub("[]", place), message), []).append(place)
        if len(places) == MOST_PROBLEMS:
            break
    hint = "edited, or written by another version of reportgen; build the report again"
    problems = []
    for (_, message), same in places.items():
        others = len(same) - 1
        more = (
            f" (also in {others:,} other {'entry' if others == 1 else 'entries'})" if others else ""
        )
        place = ", ".join(filter(None, [source, same[0]]))
        problems.append(Problem("results-json", f"{message}{more}", place))
    return [*problems[:-1], replace(problems[-1], hint=hint)] if problems else []


def _parsed(text: str, source: str) -> Record:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = Problem("results-json", f"not JSON: {error}", source, "give a results.json")
        raise DataError(problem) from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise DataError(
            Problem(
                "results-schema",
                f"results of schema {schema!r} cannot be read",
                source,
                f"this version reads {SCHEMA!r}; build the report again",
            )
        )
    return dict(document)
