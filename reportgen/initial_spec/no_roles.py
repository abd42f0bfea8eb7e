"""What ``init`` says where it recognises no truth or no model's output."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import polars as pl

from reportgen.errors import Problem
from reportgen.initial_spec import binary, column_roles
from reportgen.initial_spec.profile import ColumnProfile, has_signs
from reportgen.predictions.binary_labels import only_spelling
from reportgen.predictions.text_values import is_scalar
from reportgen.spec.nearest import listing
from reportgen.spec.yaml_text import quoted
from reportgen.text.words import name_words as words

SEVERAL = "several values in a cell: if they are scores, write a column for each class"


def nested(frame: pl.DataFrame) -> list[str]:
    """The columns of lists."""
    return [name for name, dtype in frame.schema.items() if not is_scalar(dtype)]


def nothing(
    file: str, lacking: binary.MissingRole, columns: Sequence[ColumnProfile], frame: pl.DataFrame
) -> Problem:
    """Why no spec can be written, and what most likely helps."""
    names = listing(column.name for column in columns) or "none"
    hints = [
        *map(_pairwise, filter(_is_winner, columns)),
        *map(_in_grades, filter(is_graded_relevance, columns)),
        *map(_incomplete, filter(_is_incomplete_score, columns)),
        *(f"{column.name!r} has {with_signs(column)}" for column in columns if has_signs(column)),
        *map(_in_thousands, filter(_has_thousands, columns)),
        *(_unlike(*pair) for pair in permutations(columns, 2) if binary.written_otherwise(*pair)),
        *filter(None, map(_spaced, columns)),
        *(_without_label(c) for c in columns if lacking.what == "truth" and _has_gaps(c)),
        *(_stray(*pair) for pair in permutations(columns, 2) if _adds_labels(*pair)),
        *(f"{name!r} holds {SEVERAL}" for name in nested(frame)),
    ]
    hint = hints[0] if hints else None
    if hint is None and not all(map(str.strip, frame.columns)):
        hint = f"name the column that has no name, such as dataset or id; the others are: {names}"
    stated = next((c.name for c in columns if c.stated_truth), None)
    if stated is not None:
        looked = "its labels, scores that separate them, and numbers closer to it than a constant"
        message = f"no column predicts {stated!r}; looked for {looked}"
        return Problem("not-found", message, file, hint or f"the other columns are: {names}")
    message = f"no {lacking.what} column; looked for {lacking.looked_for}"
    what = (
        "name the column of what was observed by --truth"
        if lacking.what == "truth"
        else "add a column of each model's scores or labels, or name another truth by --truth"
    )
    if lacking.what == "truth" and sum(c.fractional for c in columns) > 1:
        what += ", also one of numbers (regression)"
    two = next((c.name for c in columns if c.distinct == 2 and c.complete), None)
    if lacking.what != "truth" and two is not None:
        what += f"; beside --truth {quoted(two)} numbers on any scale that separate it are scores"
    if lacking.what == "truth" and sum(map(_rates, columns)) > 1:
        models = [c.name for c in columns if _rates(c)]
        what = (
            f"{listing(map(repr, models))} are named for models, and no column holds what was "
            "observed: name that by --truth; scores that a judge gave to each model are compared "
            "by task: comparison, measure: and columns: {dataset: ROW, models: "
            f"[{', '.join(map(quoted, models))}]}} in a spec"
        )
    what += _as_values(columns)
    hint = hint or f"{what}; the columns are: {names}"
    return Problem("not-found", message, file, hint)


def _as_values(columns: Sequence[ColumnProfile]) -> str:
    """How values that models have already, such as ratings of items, are compared instead."""
    model = column_roles.model_column(columns)
    numbers = [c for c in columns if c.numbers is not None and c.complete and c.distinct > 2]
    if model is None:
        return _as_table(columns)
    if not numbers:
        return ""
    value = max(numbers, key=lambda c: (c.fractional, column_roles.hinted(c, "score")))
    return (
        f"; if {value.name!r} is a value of each model, such as an accuracy or a rating: task: "
        f"comparison, measure: and columns: {{dataset: ROW, model: {quoted(model.name)}, value: "
        f"{quoted(value.name)}}} in a spec"
    )


def _as_table(columns: Sequence[ColumnProfile]) -> str:
    """How the values of models on data sets, a row each, are compared."""
    rows = next((c for c in columns if c.numbers is None and c.words & _SETS), None)
    values = [c.name for c in columns if c.fractional and c.complete]
    if rows is None or len(values) < 2:
        return ""
    return (
        f"; if {listing(map(repr, values))} are values of models on each {rows.name}: task: "
        f"comparison, measure: and columns: {{dataset: {quoted(rows.name)}, models: "
        f"[{', '.join(map(quoted, values))}]}} in a spec"
    )


_SETS = words("dataset datasets data benchmark benchmarks task tasks 数据集")

_WINNER = words("winner winners loser preferred preference chosen rejected sieger 胜者 获胜者")
"""Words in the name of a column of which of two models is better."""


def _is_winner(column: ColumnProfile) -> bool:
    return column.numbers is None and bool(column.words & _WINNER)


def _rates(column: ColumnProfile) -> bool:
    return column.numbers is not None and column_roles.named_model(column)


def _pairwise(column: ColumnProfile) -> str:
    return (
        f"{column.name!r} looks like the winner of two models, and pairwise wins are not "
        "supported: write a row for each example with a score or label of every model, or a table "
        "of values (a row for each data set, a column for each model)"
    )


_RELEVANCE = words("relevance relevant rel qrel qrels relevanz")
"""Words in the name of a column of how relevant the result of a search is."""


def is_graded_relevance(column: ColumnProfile) -> bool:
    """Whether a column grades the results of a search, in more than two grades."""
    return column.numbers is not None and column.distinct > 2 and bool(column.words & _RELEVANCE)


def graded_relevance(file: str, column: ColumnProfile) -> Problem:
    """That rankings of results in grades are not evaluated, and what is."""
    message = f"{column.name!r} has relevance in grades; reports need relevant or not"
    return Problem("not-supported", message, file, _in_grades(column))


def _in_grades(column: ColumnProfile) -> str:
    return (
        f"write a column of whether a result is relevant (such as {column.name} of 1 or more) as "
        "the truth, and the query as columns: {group: …}: each ranker's scores are then evaluated, "
        "also within queries"
    )


def _adds_labels(column: ColumnProfile, truth: ColumnProfile) -> bool:
    """Whether a column has the two labels of one that is named for the truth, and others."""
    two = column_roles.named_truth(truth) and truth.distinct == 2 and truth.complete
    return two and column.complete and set(truth.labels) < set(column.labels)


def _stray(column: ColumnProfile, truth: ColumnProfile) -> str:
    strange = [label for label in column.labels if label not in truth.labels]
    rows = sum(column.labels[label] for label in strange)
    one = len(strange) == 1
    return (
        f"{column.name!r} has {'a label' if one else 'labels'} that {truth.name!r} lacks: "
        f"{listing(map(repr, strange))} ({rows:,} {'row' if rows == 1 else 'rows'}): correct "
        f"{'it' if one else 'them'}, or if {'it is a class' if one else 'they are classes'}, write "
        f"task: multiclass and classes: [{', '.join([*truth.labels, *strange])}] in a spec"
    )


def two_labels_spelt_apart(columns: Sequence[ColumnProfile]) -> bool:
    """Whether a column of text has two labels but for case and spaces at their ends."""
    folded = [{label.strip().casefold() for label in c.labels} for c in columns]
    return any(len(two) == 2 < c.distinct for c, two in zip(columns, folded, strict=True))


def _unlike(column: ColumnProfile, truth: ColumnProfile) -> str:
    has, true = (" and ".join(map(repr, sorted(c.labels))) for c in (column, truth))
    return f"{column.name!r} has {has}, {truth.name!r} has {true}: write the labels alike"


def _has_gaps(column: ColumnProfile) -> bool:
    """Whether a column has two labels, and values that are missing: it may be the truth."""
    two = column.distinct == len(column.labels) == 2
    return two and column.missing > 0 and not column_roles.named_model(column)


def _without_label(column: ColumnProfile) -> str:
    labels = " and ".join(map(repr, sorted(column.labels)))
    row = int(column.texts.is_null().arg_max() or 0) + 1
    several = column.missing > 1
    where = f"{column.missing:,} rows (the first is row {row})" if several else f"row {row}"
    return (
        f"{column.name!r} has two labels, {labels}, but no value in {where}: if it is the truth, "
        f"leave out {'those rows' if several else 'that row'}"
    )


def _spaced(column: ColumnProfile) -> str | None:
    what = only_spelling(column.labels)
    return what and f"of {column.name!r}, {what}"


def _is_incomplete_score(column: ColumnProfile) -> bool:
    scored = column_roles.hinted(column, "score") and column.numbers is not None
    return scored and not column.complete


def _incomplete(column: ColumnProfile) -> str:
    long = "write the long form (a row per model and row) without those that are missing"
    return f"{column.name!r} has missing or infinite values: leave out those rows, or {long}"


_THOUSANDS = (
    r"^\s*[-+−]?\d{1,3}(?:\.\d{3})+(?:,\d+)?\s*$|^\s*[-+−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*$"
)
"""A number with a mark between thousands, such as 1.234,56 or 1,234.56."""
_NUMBER = r"^\s*[-+−]?[\d.,]+\s*$"


def _has_thousands(column: ColumnProfile) -> bool:
    texts = column.texts.drop_nulls()
    numbers = column.numbers is None and bool(texts.len()) and texts.str.contains(_NUMBER).all()
    return bool(numbers) and bool(texts.str.contains(_THOUSANDS).any())


def _in_thousands(column: ColumnProfile) -> str:
    texts = column.texts.drop_nulls()
    text = str(texts.filter(texts.str.contains(_THOUSANDS))[0])
    plain = "write them without marks between thousands"
    return f"{column.name!r} has texts such as {text!r}, which are not numbers: {plain}"


def with_signs(column: ColumnProfile) -> str:
    """What is wrong with its texts, and how to write them."""
    text = str(column.texts.drop_nulls()[0])
    if "%" in text:
        return f"percent signs, as in {text!r}: write a proportion, such as 0.25 for 25 %"
    return f"texts such as {text!r}, which are not numbers: write the number alone"
