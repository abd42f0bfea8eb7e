"""Counts of rows in groups that depend on each other: how each group was decided, what it lost.

Every closed form over groups reads sums by group alone. A line is a group with what its
rows have in common (a *kind*: slice, truth and decisions, or a measure): the hash of one, exclusive
or that of the other, so that lines of any parts add up and show their kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Floats
from reportgen.engines.partial import FITS, to_fixed_point
from reportgen.engines.plan import Placements, Plan
from reportgen.engines.scope import Digit, Scope
from reportgen.engines.score_bins import bin_keys
from reportgen.errors import DataError, Problem
from reportgen.metrics.row_losses import LOSSES
from reportgen.predictions.column_names import label_column, score_column
from reportgen.predictions.labels import natural_positive, spelled_as
from reportgen.predictions.text_values import as_text

OF_LOSSES, SQUARES, PLACED = "losses {}", "squares {}", "placed {}"
"""Two sums of a model by group: of what rows lose (see ``LOSSES``); of its square, over all rows;
of the places of positives and of negatives."""

MOST_LINES = 2**24
"""Lines of three columns that are held in memory at most, fewer of more columns; with more, rows
are not counted."""

LineHashes = npt.NDArray[np.uint64]


def group_codes(names: pl.Series, rows_of: str, first: int) -> pl.Series:
    """A hash of the name of each row's group; a row without a name is a group of its own.

    ``rows_of`` identifies the rows, of which these are those from ``first`` on.
    """
    codes = as_text(names).hash()
    if not names.null_count():
        return codes
    at = pl.int_range(first, first + len(names), dtype=pl.Int64, eager=True)
    alone = pl.select(pl.concat_str(pl.lit(rows_of), at, separator=" row ")).to_series().hash()
    return codes.zip_with(names.is_not_null(), alone)


def kind(scope: int, part: str, *what: str) -> int:
    """The hash of what rows have in common."""
    return int(pl.Series(["\x1f".join([str(scope), part, *what])]).hash().item())


def kinds(scope: int, columns: pl.DataFrame) -> LineHashes:
    """The same of each row of some columns of text, the first of which is the part."""
    texts = columns.select(pl.concat_str(pl.lit(str(scope)), pl.all(), separator="\x1f"))
    hashes: LineHashes = texts.to_series().hash().to_numpy()
    return hashes


def refuse_many(tables: Mapping[str, pl.DataFrame], title: str) -> None:
    """Raise ``DataError`` where counts have more lines than are held in memory."""
    of_groups = [tables[name] for name in ("groups", "group_values") if name in tables]
    if all(table.height * table.width <= 3 * MOST_LINES for table in of_groups):
        return
    message = f"rows are of more than {MOST_LINES:,} kinds by group, slice and decisions"
    raise DataError(Problem("many-groups", message, title, "name fewer slices, or engine: exact"))


def count_groups(
    scopes: Sequence[Scope], digits: Sequence[Digit], classes: Sequence[str], plan: Plan
) -> list[pl.DataFrame]:
    """The rows of each group by truth and decisions."""
    labels, said = [label_column(k) for k in plan.labels], [digit.name for digit in digits]

    def texts(distinct: pl.DataFrame) -> dict[str, pl.Series]:
        truth = pl.Series(classes, dtype=pl.String).gather(distinct["truth"])
        return {"truth": truth, "decisions": decisions_of(distinct, said, labels)}

    columns: list[str | pl.Expr | pl.Series] = [
        "truth",
        *labels,
        *(digit.value.alias(digit.name) for digit in digits),
    ]
    return [
        plain_lines(scope) if scope.number == FITS else alike_lines(scope, columns, texts)
        for scope in scopes
    ]


def alike_lines(
    scope: Scope,
    columns: Sequence[str | pl.Expr | pl.Series],
    texts: Callable[[pl.DataFrame], Mapping[str, pl.Series]],
) -> pl.DataFrame:
    """The rows of each group that are alike in some columns, which ``texts`` spells."""
    rows = scope.rows.select(*columns, part=scope.place)
    distinct = rows.unique(maintain_order=True)
    part = pl.Series(scope.texts, dtype=pl.String).gather(distinct["part"])
    spelled = pl.DataFrame({"part": part, **texts(distinct)})
    hashes = pl.Series("kind", kinds(scope.number, spelled))
    of_rows = rows.join(
        distinct.with_columns(hashes),
        on=rows.columns,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )["kind"]
    return _counted(lined(scope.rows["group"], of_rows.to_numpy()))


def plain_lines(scope: Scope) -> pl.DataFrame:
    """The rows of each group by part alone."""
    return _counted(lined(scope.rows["group"], _of_rows(scope, plain_kinds(scope))))


def plain_kinds(scope: Scope) -> LineHashes:
    """The hashes of the parts of a scope, as of rows without truth and decisions."""
    texts = pl.DataFrame({"part": scope.texts})
    return kinds(scope.number, texts.with_columns(truth=pl.lit(""), decisions=pl.lit("{}")))


def _of_rows(scope: Scope, hashes: LineHashes) -> LineHashes | int:
    """The hash of the part of each row, or that of the only one."""
    places = scope.rows.select(scope.place.alias("part")).to_series()
    return hashes[places.to_numpy()] if len(hashes) > 1 else int(hashes[0])


def _counted(lines: pl.DataFrame) -> pl.DataFrame:
    return lines.group_by("line").agg(pl.col("group").first(), rows=pl.len())


def lined(groups: pl.Series, hashes: LineHashes | int) -> pl.DataFrame:
    """Lines by one key, as groups of one are found faster than of several."""
    code = groups.to_numpy()
    line = code ^ (np.uint64(hashes) if isinstance(hashes, int) else hashes)
    return pl.DataFrame({"line": line, "group": code})


def decisions_of(counts: pl.DataFrame, reached: Sequence[str], labels: Sequence[str]) -> pl.Series:
    """What the models say, as JSON: of each whether its score is at the threshold, its label."""
    names = [*reached, *labels]
    if not names:
        return pl.Series(["{}"], dtype=pl.String).new_from_index(0, counts.height)
    said = counts.select(names)
    distinct = said.unique(maintain_order=True)
    spelled = distinct.select(
        *(pl.col(name).cast(pl.Boolean).cast(pl.String) for name in reached),
        *(as_text(distinct[name]).cast(pl.String) for name in labels),
    )
    texts = spelled.select(pl.struct(pl.all()).struct.json_encode()).to_series()
    on = distinct.with_columns(texts.alias("decisions"))
    return said.join(on, on=names, how="left", nulls_equal=True, maintain_order="left")["decisions"]


def loss_sums(
    scopes: Sequence[Scope], classes: Sequence[str], dtype: pl.DataType, plan: Plan
) -> list[pl.DataFrame]:
    """What the rows of each group lose under each model, and the squares of all rows' losses.

    Nothing where the positive class is not known.
    """
    positive = _positive(classes, dtype, plan)
    if positive is None:
        return []
    tables = []
    for scope in (s for s in scopes if s.number != FITS):
        truth = (scope.rows["truth"].cast(pl.Int64) == positive).cast(pl.Float64).to_numpy()
        for model in plan.scores:
            score = scope.rows[score_column(model)].cast(pl.Float64).clip(0, 1).to_numpy()
            lost = {}
            for column, loss in zip(("total", "other"), LOSSES.values(), strict=True):
                with np.errstate(divide="ignore"):
                    of_rows = loss(score, truth)
                lost[column] = np.where(np.isfinite(of_rows), of_rows, 0.0)
            tables.append(_summed(scope, OF_LOSSES.format(model), lost))
            squares = {column: np.square(values) for column, values in lost.items()}
            tables.append(_summed(scope, SQUARES.format(model), squares, whole=True))
    return tables


def placed_sums(
    scopes: Sequence[Scope], classes: Sequence[str], placements: Sequence[Placements]
) -> list[pl.DataFrame]:
    """Sums by group and class of the places of the scores of models among the other class."""
    by_number = {scope.number: scope for scope in scopes}
    return [
        _placed_sums(by_number[placed.scope], classes, placed)
        for placed in placements
        if placed.scope in by_number and placed.part in by_number[placed.scope].texts
    ]


def _placed_sums(scope: Scope, classes: Sequence[str], placed: Placements) -> pl.DataFrame:
    frame = scope.rows
    if len(scope.texts) > 1:
        frame = frame.filter(scope.place == scope.texts.index(placed.part))
    keys = bin_keys(frame[score_column(placed.model)]).to_numpy()
    at = np.searchsorted(placed.keys, keys)
    code = classes.index(placed.positive) if placed.positive in classes else -1
    positive = (frame["truth"].cast(pl.Int64) == code).to_numpy()
    sides = {
        "total": np.where(positive, placed.of_positives[at], 0),
        "other": np.where(positive, 0, placed.of_negatives[at]),
    }
    rows = lined(frame["group"], kind(scope.number, placed.part, PLACED.format(placed.model)))
    rows = rows.with_columns(pl.Series(name, values) for name, values in sides.items())
    return added_lines(rows)


def _summed(
    scope: Scope, name: str, values: Mapping[str, Floats], *, whole: bool = False
) -> pl.DataFrame:
    """Sums of columns by group, or of the ``whole`` of each part."""
    texts = pl.DataFrame({"part": scope.texts}).with_columns(name=pl.lit(name))
    hashes = kinds(scope.number, texts)
    groups = scope.rows["group"]
    groups = groups.clear().extend_constant(0, groups.len()) if whole else groups
    rows = lined(groups, _of_rows(scope, hashes))
    rows = rows.with_columns(pl.Series(n, v) for n, v in values.items())
    return added_lines(rows.with_columns(to_fixed_point(pl.col(n)) for n in values))


def added_lines(rows: pl.DataFrame) -> pl.DataFrame:
    """Sums of ``total`` and ``other`` by line."""
    sums = pl.col("total", "other").cast(pl.Int128).sum()
    return rows.group_by("line").agg(pl.col("group").first(), sums)


def _positive(classes: Sequence[str], dtype: pl.DataType, plan: Plan) -> int | None:
    """The place of the positive class among those of some rows, −1 where they have none of it."""
    declared = plan.spec.positive
    positive = natural_positive(classes) if declared is None else spelled_as(declared, dtype)
    if positive is None:
        return None
    return classes.index(positive) if positive in classes else -1
