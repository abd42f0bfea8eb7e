"""Models in long form become columns, paired by id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from reportgen.errors import Problem
from reportgen.predictions.column_names import of_model, outputs
from reportgen.predictions.source import Source, counted, place, row_problems
from reportgen.text.numbers import percent
from reportgen.text.value_order import by_words

WITHOUT_ID = "no id column is declared"

MOST = 100
"""Models that one report may have; more names mean the wrong column."""


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Why rows of models could not be paired, and how many two of the models have in common."""

    why: str
    rows_in_common: int = 0


@dataclass(frozen=True, slots=True)
class Wide:
    """The wide frame, why its rows could not be paired, and what models disagree about.

    ``contradictions`` counts, per column, the examples that are not described
    alike for every model.
    """

    frame: pl.DataFrame
    unpaired: Unpaired | None = None
    contradictions: Mapping[str, int] = field(default_factory=dict)


def model_names(values: pl.Series) -> list[str]:
    """Return the models sorted by name, so that the order of rows says nothing.

    >>> model_names(pl.Series(["m10", "B", "m2", "a"]))
    ['a', 'B', 'm2', 'm10']
    """
    return sorted(values.drop_nulls().unique().to_list(), key=by_words)


def too_many(values: pl.Series, column: str, source: Source) -> list[Problem]:
    """Return a problem when a column has more names than a report can show."""
    count = values.n_unique()
    if count <= MOST:
        return []
    message = f"{count:,} different models; at most {MOST} are reported"
    hint = "models: {column: ...} is the column with the model's name; is this the right one?"
    return [Problem("many-models", message, place(source.title, column), hint, count=count)]


def nameless(values: pl.Series, column: str, source: Source) -> list[Problem]:
    """Return a problem for rows whose model has a name without a visible character."""
    return row_problems(
        "no-name",
        lambda count: f"{counted(count, 'row has', 'rows have')} an empty name of the model",
        "give every model a name",
        column=column,
        wrong=values.str.strip_chars() == "",
        source=source,
    )


def widen(frame: pl.DataFrame, names: Sequence[str]) -> Wide:
    """Return one row per example with the columns of every model, or all rows unpaired."""
    parts = [_numbered(frame.filter(pl.col("model") == n), i) for i, n in enumerate(names)]
    keys = _keys(frame)
    wide = parts[0]
    shared = [c for c in wide.columns if c not in {*keys, *outputs(wide.columns)}]
    differing: Counter[str] = Counter()
    for part in parts[1:]:
        matched = _in_order_of(wide, part, keys) if keys else None
        if matched is None:
            why = _why(*_most_unlike(parts, names, keys), keys)
            return Wide(pl.concat(parts, how="diagonal"), why)
        differing.update({c: int(wide[c].ne_missing(matched[c]).sum()) for c in shared})
        wide = wide.hstack(matched.select(outputs(matched.columns)))
    return Wide(wide, None, {c: n for c, n in differing.items() if n})


def row_numbers(models: pl.Series, names: Sequence[str], *, paired: bool) -> pl.Series:
    """Where the rows of the wide frame stand in the long one, from 0: paired, those of the first.

    >>> row_numbers(pl.Series(["b", "a", "a", "b"]), ["a", "b"], paired=True).to_list()
    [1, 2]
    """
    listed = names[:1] if paired else names
    return pl.concat([(models == name).arg_true() for name in listed])


def contradictions(
    disagreements: Mapping[str, int], named: Mapping[str, str], file: str
) -> list[Problem]:
    """Return a problem for every column in which models disagree about the same example."""
    return [
        Problem(
            "contradiction",
            f"{counted(count, 'example differs', 'examples differ')} between models",
            place(file, named[column]),
            "rows with the same id describe one example; only score and label may differ",
            count=count,
        )
        for column, count in disagreements.items()
    ]


def _in_order_of(
    wide: pl.DataFrame, part: pl.DataFrame, keys: Sequence[str]
) -> pl.DataFrame | None:
    """Return the rows of one model in the order of another's; None when not all have a partner."""
    order = wide.select(keys)
    if order.height != part.height:
        return None
    if order.equals(part.select(keys)):
        return part
    at = order.join(
        part.select(keys).with_row_index("at"),
        on=list(keys),
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )["at"]
    return None if at.null_count() else part.select(pl.all().gather(at))


def _keys(frame: pl.DataFrame) -> list[str]:
    if "id" not in frame.columns:
        return []
    keys = [key for key in ("id", "dataset", "repeat") if key in frame.columns]
    return keys + [key for key in ("fold", "role") if {"fold", "role"} <= set(frame.columns)]


def _numbered(part: pl.DataFrame, index: int) -> pl.DataFrame:
    return part.drop("model").rename({c: of_model(c, index) for c in outputs(part.columns)})


def _most_unlike(
    parts: Sequence[pl.DataFrame], names: Sequence[str], keys: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame, tuple[str, str]]:
    """The model with most rows and the one that lacks most of them, in their order."""
    if not keys:
        return parts[0], parts[1], (names[0], names[1])
    full = max(range(len(parts)), key=lambda at: parts[at].height)
    lacking = [_lacking(parts[full], part, keys) for part in parts]
    if not any(lacking):  # as many rows, or fewer, with an id twice
        lacking = [int(at != full) for at in range(len(parts))]
    most = max(range(len(parts)), key=lacking.__getitem__)
    first, second = sorted((full, most))
    return parts[first], parts[second], (names[first], names[second])


def _why(
    first: pl.DataFrame, second: pl.DataFrame, names: tuple[str, str], keys: Sequence[str]
) -> Unpaired:
    """Return why two models' rows are not partners."""
    if not keys:
        return Unpaired(WITHOUT_ID)
    lacking = _lacking(first, second, keys)
    whose, other = names if lacking else names[::-1]
    if lacking == first.height:
        return Unpaired(f"{names[0]} and {names[1]} have no row in common")
    common = first.height - lacking
    count = lacking or _lacking(second, first, keys)
    if lacking and (more := _lacking(second, first, keys)):
        shared = counted(common, "row", "rows")
        each = f"{names[0]} has {lacking:,} more, {names[1]} {more:,} more"
        return Unpaired(f"{names[0]} and {names[1]} share {shared}; {each}", common)
    size = (first if lacking else second).height
    coverage = percent(1 - count / size, 0)
    why = f"{other} lacks {count:,} of the {size:,} rows of {whose}, a coverage of {coverage}"
    return Unpaired(why, common)


def _lacking(here: pl.DataFrame, there: pl.DataFrame, keys: Sequence[str]) -> int:
    there = there.select(keys)
    return here.join(there, on=list(keys), how="anti", nulls_equal=True).height
