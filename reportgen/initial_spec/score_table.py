"""Tell a table of values, long or wide, one per data set and model, and write its spec."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.errors import DataError, Problem
from reportgen.initial_spec import column_roles
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.initial_spec.writing import first_lines
from reportgen.metric_names import canonical
from reportgen.metrics import METRICS, find
from reportgen.predictions.undeclared import named_as_units
from reportgen.spec.direction import Direction, direction
from reportgen.spec.yaml_text import quoted
from reportgen.text.words import name_words as words


@dataclass(frozen=True)
class ScoreTable:
    """The columns of a table of values; ``runs`` are those of ``repeat`` and ``fold``, if any.

    Without a column of data sets the values are of these. ``group`` is what several data sets
    share, ``further`` are columns of other measures.
    """

    dataset: ColumnProfile | None
    model: ColumnProfile
    value: ColumnProfile
    runs: Mapping[str, ColumnProfile]
    group: ColumnProfile | None = None
    further: Sequence[ColumnProfile] = ()


def score_table(columns: Sequence[ColumnProfile], file: str) -> ScoreTable | None:
    """The columns of a table of values, or None where they look like predictions.

    A column whose name says model, one column of numbers, or several that are named as measures,
    and one of texts with which each model stands once, or once in each repeat or fold, or these
    alone; and nothing that is named as a truth. Of several measures the first is the one compared.

    Raises ``DataError`` where a model has several values on a data set that nothing tells apart.
    """
    model = column_roles.model_column(columns) or _system(columns)
    others = [c for c in columns if c is not model]
    named = {use: column_roles.role_column(others, use) for use in ("repeat", "fold")}
    runs = {use: column for use, column in named.items() if column is not None}
    candidates = [c for c in others if c.complete and all(c is not run for run in runs.values())]
    numbers = [c for c in candidates if c.numbers is not None and c.fractional]
    texts = [c for c in candidates if c.numbers is None]
    further = numbers[1:] if all(direction(c.name) for c in numbers) else []
    candidates = [c for c in candidates if all(c is not one for one in further)]
    one_measure = len(numbers) == 1 + len(further)
    further += [c for c in others if not c.complete and c.numbers is not None and direction(c.name)]
    if model is None or not one_measure or any(map(column_roles.named_truth, candidates)):
        return None
    for column in texts:
        for used in ({}, runs):
            cells = _cells([column, model, *used.values()])
            if 2 <= column.distinct < len(column.texts) and not cells.is_duplicated().any():
                group = _group(texts, column)
                return ScoreTable(column, model, numbers[0], used, group, further)
    once = runs and not _cells([model, *runs.values()]).is_duplicated().any()
    if once and len(candidates) == 1:
        return ScoreTable(None, model, numbers[0], runs, further=further)
    if len(candidates) == 2 and texts and texts[0].words & DATASETS:
        returns = _cells([texts[0], model, *runs.values()]).is_duplicated()
        message = "a model has several values on one data set, which no column tells apart"
        hint = "add a column fold or repeat that numbers them, or give their means"
        rows = tuple((returns.arg_true()[:2] + 1).to_list())
        raise DataError(Problem("not-found", message, file, hint, rows=rows))
    return None


def _system(columns: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column of models beside one of data sets, where its name says system or the like."""
    if not any(column.words & DATASETS for column in columns):
        return None
    named = [c for c in columns if c.words & _MODELS and c.complete and c.numbers is None]
    return named[0] if len(named) == 1 and len(named[0].labels) > 1 else None


def _group(columns: Sequence[ColumnProfile], of: ColumnProfile) -> ColumnProfile | None:
    """The column that is named as what data sets share, and has one value on each of them."""
    for column in columns:
        pairs = _cells([of, column]).n_unique()
        several = 2 <= column.distinct <= of.distinct // 2 and pairs == of.distinct
        if column is not of and several and named_as_units(column.name):
            return column
    return None


def _cells(columns: Sequence[ColumnProfile]) -> pl.DataFrame:
    return pl.DataFrame([column.texts.alias(str(k)) for k, column in enumerate(columns)])


def _of_further(table: ScoreTable | WideTable) -> list[str]:
    """What to do about columns of other measures, if there are some."""
    others = table.further if isinstance(table, ScoreTable) else ()
    names = ", ".join(column.name for column in others)
    return [f"# a report is of one measure; others in the file: {names}"] if names else []


DATASETS = frozenset({"dataset", "datasets", "data", "domain", "problem", "benchmark", "corpus"})
"""Words that say that a column names data sets."""

_SUMMARY = re.compile(r"(?i)^\W*(avg|average|mean|median|sum|total|std|sd|ranks?)\b")


@dataclass(frozen=True)
class WideTable:
    """A table of values with a column for each model, one row per data set or fold.

    Or a leaderboard, with a row for each model and a column for each data set. ``group`` is what
    several data sets share.
    """

    unit: str
    rows: ColumnProfile
    columns: Sequence[ColumnProfile]
    group: ColumnProfile | None = None

    @property
    def of_models(self) -> bool:
        """Whether the rows are models."""
        return self.unit == "model"


def wide_table(columns: Sequence[ColumnProfile], file: str) -> WideTable | None:
    """The columns of a wide table of values, or None where they look like predictions.

    The first column names a data set, a fold or a model in each row, and every other one is of
    numbers: as Demšar (2006) prints them, or as leaderboards have them.

    Raises ``DataError`` where a row is a mean or a rank over the others.
    """
    first, models, group = _without_group(columns)
    if first is None or len(models) < 2 or first.missing or first.distinct < len(first.texts):
        return None
    unit = _unit(first)
    if unit is None or len(first.texts) < 2 or not all(map(_of_values, models)):
        return None
    if unit == "model":
        models = [c for c in models if not _SUMMARY.match(c.name)]
    elif unit == "dataset":
        _check_rows(first, file)
    group = group if unit == "dataset" else None
    return WideTable(unit, first, models, group) if len(models) > 1 else None


def _without_group(
    columns: Sequence[ColumnProfile],
) -> tuple[ColumnProfile | None, list[ColumnProfile], ColumnProfile | None]:
    """The first column, those of values, and what several rows share beside them."""
    if not columns:
        return None, [], None
    first, others = columns[0], columns[1:]
    group = _group([c for c in others if c.numbers is None and c.complete], first)
    return first, [c for c in others if c is not group], group


def _unit(first: ColumnProfile) -> str | None:
    """What the first column of a wide table names in each row, by its own name."""
    if column_roles.hinted(first, "fold"):
        return "fold"
    if first.words & DATASETS:
        return "dataset"
    named = column_roles.hinted(first, "model") or bool(first.words & _MODELS)
    return "model" if named and first.numbers is None else None


_MODELS = frozenset({"system", "systems", "team", "submission", "entry", "llm"})
"""More words that say that a column of a leaderboard names models."""


def unnamed_table(columns: Sequence[ColumnProfile], file: str) -> WideTable | None:
    """A wide table by its shape: a text in each row, then proportions, and nothing named a score.

    Raises ``DataError`` where a row is a mean or a rank over the others.
    """
    first, models, group = _without_group(columns)
    if first is None or first.numbers is not None or len(models) < 2:
        return None
    once = not first.missing and 2 <= first.distinct == len(first.texts)
    if not once or first.words & (column_roles.HINTS["id"] - {"name"}):
        return None
    if not all(map(_of_proportions, models)):
        return None
    _check_rows(first, file)
    return WideTable("dataset", first, models, group)


def _check_rows(first: ColumnProfile, file: str) -> None:
    for row, name in enumerate(first.texts, 1):
        if _SUMMARY.match(str(name)):
            message = f"row {row} is of {name!r}, which is not a data set"
            hint = "leave it out: means and ranks are computed"
            raise DataError(Problem("not-found", message, file, hint, rows=(row,)))


def _of_proportions(column: ColumnProfile) -> bool:
    plain = column.complete and column.fractional and column.within(0, 1)
    return plain and _of_values(column) and not column_roles.hinted(column, "score")


def _of_values(column: ColumnProfile) -> bool:
    roles = ("truth", "label", "weight", "repeat", "id")
    return column.numbers is not None and not any(column_roles.hinted(column, r) for r in roles)


def table_of(columns: Sequence[ColumnProfile], file: str) -> ScoreTable | WideTable | None:
    """The columns of a table of values, long or wide, or None where they look like predictions."""
    return score_table(columns, file) or wide_table(columns, file)


def written(
    data: Sequence[str],
    table: ScoreTable | WideTable,
    shape: tuple[int, int],
    stem: str,
    on_guess: Callable[[str], None],
) -> str:
    """Return the text of the spec; ``stem`` is the name of the file, which may name the measure.

    ``on_guess`` gets the guess which values are better, where no name says so.
    """
    rows = table.rows if isinstance(table, WideTable) else table.dataset
    group = "" if table.group is None else f"group: {quoted(table.group.name)}, "
    of_models = isinstance(table, WideTable) and table.of_models
    words_of_row = frozenset() if of_models or rows is None else rows.words
    word = next((word for word in _ROW_WORDS if word in words_of_row), None)
    if isinstance(table, WideTable):
        listed = ", ".join(quoted(column.name) for column in table.columns)
        across = "datasets" if table.of_models else "models"
        columns = f"{table.unit}: {quoted(table.rows.name)}, {group}{across}: [{listed}]"
        first_model = str(table.rows.texts[0]) if table.of_models else table.columns[0].name
        name, first = _measure_in(stem, table), quoted(first_model)
        unit = "fold" if table.unit == "fold" else "data set"
    else:
        by_use: dict[str, ColumnProfile | None] = {"dataset": table.dataset, "model": table.model}
        by_use |= {"value": table.value}
        by_use |= table.runs
        named = {use: column.name for use, column in by_use.items() if column is not None}
        columns = ", ".join(f"{use}: {quoted(name)}" for use, name in named.items())
        columns = f"{columns}, {group}".removesuffix(", ")
        name, first = table.value.name, quoted(str(table.model.texts[0]))
        unit = "data set" if rows is not None else " and ".join(table.runs)
    units = []
    if word is not None and unit == "data set":
        unit, units = word, [f"unit: {word}  # what the pages call a row, in place of data set"]
    if table.group is not None:
        units = ["# each group counts once, with the mean of its rows"]
    runs = table.runs if isinstance(table, ScoreTable) and rows is not None else {}
    model = f"model, in each {' and '.join(runs)}" if runs else "model"
    measure = name.lower() if name.lower() in METRICS else name
    metric = find(measure)
    by_name = direction(measure)
    better = by_name.better if by_name else "higher"
    why = "as the catalogue has it" if metric and metric.better else _guess(by_name)
    if by_name is None:
        on_guess("that higher values are better is a guess: if they are not, correct better:")
    values = table.columns if isinstance(table, WideTable) else [table.value]
    if metric and not all(column.within(*metric.bounds) for column in values):
        in_percent = metric.bounds[1] == 1 and all(column.within(0, 100) for column in values)
        measure = f"{measure}_{'percent' if in_percent else 'value'}"
    return "\n".join(
        [
            *first_lines(shape),
            *data,
            "",
            f"task: comparison  # one value per {unit} and {model}",
            f"columns: {{{columns}}}",
            *units,
            f"measure: {quoted(measure)}",
            *_of_further(table),
            f"better: {better}  # {why}",
            "",
            f"# baseline: {first}  # compare the others with it; all pairs when left out",
            "comparisons: {alpha: 0.05, correction: holm}  # rope: differences too small to matter",
            "confidence: 0.95",
            "",
        ]
    )


def _guess(by_name: Direction | None) -> str:
    reason = "a guess" if by_name is None else "by the measure's name"
    return f"{reason}: change it where {_WORSE[by_name.better if by_name else 'higher']} is better"


_WORSE = {"higher": "less", "lower": "more"}

_ROW_WORDS = ("item", "question", "prompt", "query", "subject", "patient", "sample")
"""Words that a column has for rows which are no data sets."""


def _measure_in(stem: str, table: WideTable) -> str:
    """The measure that a file is named for, such as auc-scores, or columns are; else ``value``.

    Words that all columns share, as in error_svm and error_forest, may say which values are better.
    """
    names = [canonical(word) for word in words(stem)]
    of_file = next((name for name in sorted(names) if name in METRICS), None)
    if of_file is not None or table.of_models:
        return of_file or "value"
    shared = frozenset.intersection(*(column.words for column in table.columns))
    return next((word for word in sorted(shared) if direction(word) is not None), "value")
