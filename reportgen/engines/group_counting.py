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

from reportgen.array_types import Floats, Integers
from reportgen.clusters import ranks_of_hashes
from reportgen.engines.partial import FITS, SCALE
from reportgen.engines.plan import Placements, Plan
from reportgen.engines.scope import Scope
from reportgen.engines.score_bins import bin_keys
from reportgen.errors import DataError, Problem
from reportgen.metrics.row_losses import LOSSES
from reportgen.predictions.binary_labels import natural_positive, spelled_as
from reportgen.predictions.column_names import label_column, score_column
from reportgen.predictions.text_values import as_text

OF_LOSSES, SQUARES, PLACED = "losses", "squares", "placed"
"""Sums by group: of what rows lose under each model (see ``LOSSES``); of its square, over all rows;
of the places of positives and of negatives."""

SIDES = "positives", "negatives"

MOST_LINES = 2**24
"""Lines of three columns that are held in memory at most, fewer of more columns; with more, rows
are not counted."""

LineHashes = npt.NDArray[np.uint64]

_LIMB = 27
"""Bits that are added up at once: of 2²⁶ rows they stay below those of a float."""


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
    scopes: Sequence[Scope], reached: Mapping[str, pl.Expr], classes: Sequence[str], plan: Plan
) -> list[pl.DataFrame]:
    """The rows of each group by truth and decisions."""
    labels, flags = [label_column(k) for k in plan.labels], list(reached)

    def texts(distinct: pl.DataFrame) -> dict[str, pl.Series]:
        truth = pl.Series(classes, dtype=pl.String).gather(distinct["truth"])
        return {"truth": truth, "decisions": decisions_of(distinct, flags, labels)}

    columns: list[str | pl.Expr | pl.Series] = [
        "truth",
        *labels,
        *(given.alias(name) for name, given in reached.items()),
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


def _counted(rows: pl.DataFrame) -> pl.DataFrame:
    lines, code = _distinct(rows)
    return lines.with_columns(rows=pl.Series(np.bincount(code, minlength=lines.height)))


def _distinct(rows: pl.DataFrame) -> tuple[pl.DataFrame, Integers]:
    """The lines of some rows in ascending order, and the place of each row's among them."""
    code, number = ranks_of_hashes(rows["line"].to_numpy())
    first = np.zeros(number, np.int64)
    first[code] = np.arange(len(code))
    return rows[first], code


def lined(groups: pl.Series, hashes: LineHashes | int) -> pl.DataFrame:
    """Lines by one key, as groups of one are found faster than of several."""
    code = groups.to_numpy()
    line = code ^ (np.uint64(hashes) if isinstance(hashes, int) else hashes)
    return pl.DataFrame({"line": line, "group": code})


def decisions_of(counts: pl.DataFrame, reached: Sequence[str], labels: Sequence[str]) -> pl.Series:
    """Predictions of the models, as JSON: whether a score is at the threshold, or the label."""
    names = [*reached, *labels]
    if not names:
        return pl.Series(["{}"], dtype=pl.String).new_from_index(0, counts.height)
    given = counts.select(names)
    distinct = given.unique(maintain_order=True)
    spelled = distinct.select(
        *(pl.col(name).cast(pl.Boolean).cast(pl.String) for name in reached),
        *(as_text(distinct[name]).cast(pl.String) for name in labels),
    )
    texts = spelled.select(pl.struct(pl.all()).struct.json_encode()).to_series()
    on = distinct.with_columns(texts.alias("decisions"))
    return given.join(on, on=names, how="left", nulls_equal=True, maintain_order="left")[
        "decisions"
    ]


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
        lost: dict[str, Floats] = {}
        for model in plan.scores:
            score = scope.rows[score_column(model)].cast(pl.Float64).clip(0, 1).to_numpy()
            for name, loss in LOSSES.items():
                with np.errstate(divide="ignore"):
                    of_rows = loss(score, truth)
                lost[sum_column(model, name)] = np.where(np.isfinite(of_rows), of_rows, 0.0)
        parts = _parts_of(scope)
        tables.append(_summed(scope, OF_LOSSES, scope.rows["group"], parts, lost))
        hashes, number = _named(scope, SQUARES), len(scope.texts)
        squares = (
            whole_sums(np.square(v) * SCALE, parts, number).alias(n) for n, v in lost.items()
        )
        tables.append(lined(pl.Series([0] * number, dtype=pl.UInt64), hashes).with_columns(squares))
    return tables


def _named(scope: Scope, name: str) -> LineHashes:
    """The hashes of what the rows of each part are added up for."""
    return kinds(scope.number, pl.DataFrame({"part": scope.texts}).with_columns(name=pl.lit(name)))


def sum_column(model: int, what: str) -> str:
    """The column of a sum of a model."""
    return f"{model} {what}"


def placed_sums(
    scopes: Sequence[Scope], classes: Sequence[str], placements: Sequence[Placements]
) -> list[pl.DataFrame]:
    """Sums by group and class of the places of the scores of models among the other class."""
    tables = []
    for scope in scopes:
        of_scope = [p for p in placements if p.scope == scope.number and p.part in scope.texts]
        if of_scope:
            tables.append(_placed_sums(scope, classes, of_scope))
    return tables


def _placed_sums(
    scope: Scope, classes: Sequence[str], placements: Sequence[Placements]
) -> pl.DataFrame:
    number = {text: k for k, text in enumerate(scope.texts)}
    parts = _parts_of(scope)
    inside = np.isin(parts, [number[placed.part] for placed in placements])
    rows, parts = scope.rows.filter(inside), parts[inside]
    truth = rows["truth"].cast(pl.Int64).to_numpy()
    places: dict[str, Floats] = {}
    for model in dict.fromkeys(placed.model for placed in placements):
        keys = bin_keys(rows[score_column(model)]).to_numpy()
        sides = np.zeros((len(SIDES), len(keys)))
        for placed in (p for p in placements if p.model == model):
            of_part = np.flatnonzero(parts == number[placed.part])
            at = np.searchsorted(placed.keys, keys[of_part])
            code = classes.index(placed.positive) if placed.positive in classes else -1
            positive = truth[of_part] == code
            sides[0, of_part] = np.where(positive, placed.of_positives[at], 0)
            sides[1, of_part] = np.where(positive, 0, placed.of_negatives[at])
        places |= {sum_column(model, side): v for side, v in zip(SIDES, sides, strict=True)}
    return _summed(scope, PLACED, rows["group"], parts, places, scale=1.0)


def _parts_of(scope: Scope) -> Integers:
    """The part that each row belongs to."""
    parts = scope.rows.select(scope.place.cast(pl.Int64).alias("part"))["part"].to_numpy()
    return np.broadcast_to(parts, scope.rows.height)


def _summed(
    scope: Scope,
    name: str,
    groups: pl.Series,
    parts: Integers,
    values: Mapping[str, Floats],
    scale: float = SCALE,
) -> pl.DataFrame:
    """Sums of columns by part and group, as whole numbers: of 2⁻⁶⁴ where no ``scale`` is given."""
    lines, code = _distinct(lined(groups, _named(scope, name)[parts]))
    return lines.with_columns(
        whole_sums(of_rows * scale, code, lines.height).alias(n) for n, of_rows in values.items()
    )


def whole_sums(values: Floats, code: Integers, number: int) -> pl.Series:
    """Sums by code of the whole parts of numbers from 0 to 2⁸⁵, without rounding.

    Each is added up in three parts, which floats hold exactly.

    >>> whole_sums(np.array([2.0**80, 3.5, 1.0]), np.array([0, 0, 1]), 2).to_list()
    [1208925819614629174706179, 1]
    """
    parts, rest = {}, np.floor(values)
    for power in (2 * _LIMB, _LIMB, 0):
        of_rows = rest * 2.0**-power
        np.floor(of_rows, out=of_rows)
        parts[power] = np.bincount(code, of_rows, number)
        of_rows *= 2.0**power
        rest -= of_rows
    sums = pl.DataFrame({str(power): of_code for power, of_code in parts.items()})
    whole = (pl.col(str(p)).cast(pl.Int128) * pl.lit(1 << p, pl.Int128) for p in parts)
    return sums.select(pl.sum_horizontal(whole)).to_series()


def _positive(classes: Sequence[str], dtype: pl.DataType, plan: Plan) -> int | None:
    """The place of the positive class among those of some rows, −1 where they have none of it."""
    declared = plan.spec.positive
    positive = natural_positive(classes) if declared is None else spelled_as(declared, dtype)
    if positive is None:
        return None
    return classes.index(positive) if positive in classes else -1
