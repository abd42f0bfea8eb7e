"""Rows that return without an id: identical truth and outputs, more often than chance gives.

Rows coincide by chance where scores are rounded, come from a tree, or features
take few values. Two such rows are different examples, so that their truths agree
no more often than those of rows whose scores lie next to each other. Rows that
return have the same truth always. With ``a`` the probability that two rows with
the same outputs have the same truth, and ``b`` that two rows with neighbouring
outputs have, the share of coinciding pairs that chance does not explain is

    (a − b) / (1 − b),

as in Cohen's κ. Where the truth is a number with more distinct values than the
estimates, truth and outputs change places. Outputs that more than
``MOST_IN_CELL`` rows share say nothing: so many coincide where outputs take few
values. Where every row is there equally often (twice, say), that alone shows
it, whatever the truth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import bdtr

from reportgen.array_types import Flags, Floats
from reportgen.predictions.column_names import classes_of, columns_of, model_of, outputs
from reportgen.predictions.validated import ModelColumns

SAMPLE = 100_000
"""Rows that are looked at, about: all rows with some of the values of one column of outputs."""

FEWEST, NARROW = 10_000, 8
"""Of more columns than the second number fewer rows are looked at, but as many as the first."""

MOST_IN_CELL = 20
"""Outputs that more rows share are left aside."""

LEAST_ROWS, LEAST_SHARE = 5, 0.01
"""Fewer rows that return, or a smaller share of all, change no conclusion."""

MOST_COPIES = 0.1
"""Of rows that come in pairs, copies of fewer widen a standard error by 5 % at most."""

UNEXPLAINED = 0.8
"""Least share of the coinciding pairs that chance does not explain."""

LEVEL = 1e-3
"""Level at which the truths of coinciding rows must agree more often than those of neighbours."""

OF_BETTER = 0.1, 0.5
"""The level, and the share of pairs, beside the better one of two neighbours."""

FEWEST_NEIGHBOURS = 30
"""Fewer pairs of neighbouring cells that both have several rows say too little."""

LEAST_CELLS = 10
"""Distinct rows that must be there equally often to show that all rows return."""

MANY = 1000
"""Of so many cells their numbers need no exact probability."""

_FIRST = 1000
"""Rows of two columns of outputs that are compared before all are."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class MatchCells:
    """Rows with the same outputs as one (of numbers also: with the same truth), and how they agree.

    ``within`` is the probability that two rows of a cell have the same truth,
    ``across`` that a row of it and one of the next cell have, where these are ``neighbours``.
    """

    sizes: np.ndarray
    within: np.ndarray
    across: np.ndarray
    neighbours: Flags


def identical_in_groups(frame: pl.DataFrame) -> int | None:
    """How many test rows repeat another one of their group, beyond chance; else 0.

    The same comparison as of ``identical_rows``, with the neighbouring outputs of the same group:
    groups that have one truth and one score say nothing. Null without groups, and where no
    column of scores or numbers could tell.
    """
    if "group" not in frame.columns:
        return None
    rows = frame.filter(role="test") if "role" in frame.columns else frame
    return _count(rows.filter(pl.col("group").is_not_null()), ["group"])


def identical_rows(frame: pl.DataFrame) -> int | None:
    """How many test rows repeat another one in truth and all outputs, beyond chance; else 0.

    ``frame`` has the canonical columns of predictions. Rows of one group, and
    rows of several repeats or data sets, are declared to belong together and
    are not compared, nor are rows of different times. Null where no column of scores or numbers
    could tell.
    """
    return _count(frame.filter(role="test") if "role" in frame.columns else frame, [])


def trained_on(frame: pl.DataFrame) -> int:
    """How many test rows repeat a training row of their fit in truth and all outputs.

    0 unless rows repeat each other beyond chance, or where ids say which rows return.
    """
    if "role" not in frame.columns or "id" in frame.columns:
        return 0
    fit = [name for name in ("fold", "repeat", "dataset") if name in frame.columns]
    by_fold: list[str] = ["fold"] if "fold" in fit else []
    names = [*fit, *columns_of(frame.columns, "truth"), *outputs(frame.columns)]
    rows = frame.filter(pl.col("role").is_in(["test", "train"])).drop_nulls(names)
    parts = [rows.filter(role=role).select(names) for role in ("test", "train")]
    if not all(part.height for part in parts) or not _count(rows, by_fold):
        return 0
    tested, trained = map(_hashes, parts)
    again = int(tested.is_in(trained.implode()).sum())
    return again if again >= max(LEAST_ROWS, LEAST_SHARE * len(tested)) else 0


def _count(rows: pl.DataFrame, group: list[str]) -> int | None:
    """How many rows repeat another one, in the same ``group`` where it has a name."""
    given = outputs(rows.columns)
    numbers = [name for name in given if rows[name].dtype == pl.Float64]
    if not numbers or rows.height < LEAST_ROWS:
        return None
    rows = rows.with_columns(_sure_classes(rows.columns))
    sure = columns_of(rows.columns, _SURE)
    truth = columns_of(rows.columns, "truth")
    if any(rows[name].dtype == pl.Float64 for name in truth):
        given = [name for name in given if not _repeats(rows, name, truth[0])]
        numbers = [*(name for name in numbers if name in given), *truth]
    if not given:
        return 0
    finest = max(numbers, key=lambda name: rows[name].head(1000).n_unique())
    # two numbers that are the same to the last digit say more than two estimates that are
    coinciding, agreeing = (truth, given) if finest in truth else (given, truth)
    apart = [name for name in ("dataset", "repeat", "time") if name in rows.columns]
    within = [*group, *sure, *apart]
    names = [*within, *coinciding, *agreeing]
    sample = _sample(rows, finest, names)
    sample = sample.select(names) if group else _apart(sample, names)
    orders = _orders(sample, coinciding, finest, agreeing)
    of_neighbours = [*group, *sure]
    if not all(_returns(sample, [*within, *o], agreeing, of_neighbours) for o in orders):
        return 0
    whole = rows.select(names) if group else _apart(rows, names)
    return whole.height - _hashes(whole).n_unique()


_SURE = "sure"


def _sure_classes(columns: Sequence[str]) -> Iterator[pl.Expr]:
    """By model the place of the class to which it gives all probability; -1 where it gives none.

    Rows to which it gives all of it have one truth where the model is right, as rows with a label
    have; those that lie next to them have another label.
    """
    models = {model_of(name) for name in columns_of(columns, "score")}
    for model in sorted(models):
        scores = classes_of(columns, "score", model)
        if len(scores) > 2:
            places = (pl.when(pl.col(s) > 1 - 1e-9).then(k) for k, s in enumerate(scores))
            yield pl.coalesce(*places, -1).alias(f"{_SURE}:{model}")


def _orders(
    sample: pl.DataFrame, coinciding: Sequence[str], finest: str, agreeing: Sequence[str]
) -> Iterator[list[str]]:
    """Orders of the columns, in each of which rows with neighbouring values stand side by side.

    By the one of most values first; by the one that says most about the truth; by those of few
    values first. Where one column, or several labels together, all but say the truth, rows that
    share them have the same truth in any case.
    """
    yield [finest, *(name for name in coinciding if name != finest)]
    if len(coinciding) == 1:
        return
    by_values = sorted(coinciding, key=lambda name: sample[name].n_unique())
    telling = min(coinciding, key=lambda name: _changes(sample, name, agreeing))
    for first in dict.fromkeys((telling, by_values[0])):
        if first != finest:
            yield [first, *(name for name in by_values if name != first)]


def _repeats(rows: pl.DataFrame, estimate: str, truth: str) -> bool:
    """Whether an estimate is the truth in most rows: rows that share one share the other."""
    return bool(rows.select((pl.col(estimate) == pl.col(truth)).mean() > 1 / 2).item())


def _changes(sample: pl.DataFrame, by: str, of: Sequence[str]) -> int:
    """How often some columns change along the values of another one."""
    return int(sample.sort(by).select(pl.struct(of).rle_id().max()).item() or 0)


def are_many(copies: int | None, rows: int | None) -> bool:
    """Whether so many of the rows are copies that limits and tests are too narrow.

    >>> are_many(10, 693), are_many(255, 450), are_many(None, 450)
    (False, True, False)
    """
    return bool(copies and rows and copies >= MOST_COPIES * rows)


def _hashes(rows: pl.DataFrame) -> pl.Series:
    """A hash of every row, column by column, so that no second copy of the rows is held."""
    hashes = np.zeros(rows.height, dtype=np.uint64)
    for column in rows:
        hashes = hashes * _GOLDEN ^ column.hash().to_numpy()
    return pl.Series(hashes)


def _sample(rows: pl.DataFrame, column: str, names: Sequence[str]) -> pl.DataFrame:
    """About ``SAMPLE`` rows: for some values of the column all rows that have them."""
    size = max(min(SAMPLE, SAMPLE * NARROW // len(names)), FEWEST)
    if rows.height > 2 * size:
        bits = rows[column].fill_null(0.0).to_numpy().view(np.uint64)
        chosen = (bits * _GOLDEN) < np.uint64(int(size / rows.height * 2**64))
        rows = rows.filter(pl.Series(chosen))
    return rows


def _apart(rows: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The columns, with rows that are identical within a declared group taken as one."""
    if "group" not in rows.columns:
        return rows.select(names)
    numbered = rows.select(*names, "group").with_row_index("_row")
    row_key = pl.when(pl.col("group").is_null()).then("_row")
    return numbered.with_columns(_row=row_key).unique(maintain_order=True).select(names)


def _returns(
    sample: pl.DataFrame, keys: Sequence[str], agreeing: Sequence[str], within: Sequence[str]
) -> bool:
    rows = sample.select(*keys, *agreeing)
    again = rows.height - _hashes(rows).n_unique()
    if again < max(LEAST_ROWS, LEAST_SHARE * rows.height):
        return False
    counts = rows.group_by(rows.columns).len("n")  # takes as much memory again
    if (
        len(columns_of(within, _SURE)) == len(within)
        and counts.height >= LEAST_CELLS
        and math.gcd(*counts["n"].unique().to_list()) > 1
    ):
        return True
    return _beyond_chance(cells_of(counts.sort(keys), keys, agreeing, len(within)))


def cells_of(
    counts: pl.DataFrame, keys: Sequence[str], agreeing: Sequence[str], within: int = 0
) -> MatchCells:
    """The small cells of sorted counts ``n`` of each combination of the columns.

    Neighbours have the same values of the first ``within`` columns.
    """
    numbered = counts.select(
        cell=pl.struct(keys).rle_id(),
        group=pl.struct(keys[:within]).rle_id() if within else pl.lit(0),
        truth=pl.struct(agreeing),
        n=pl.col("n").cast(pl.Float64),
    ).with_columns(size=pl.col("n").sum().over("cell"))
    small = numbered.filter(pl.col("size") <= MOST_IN_CELL).with_columns(
        cell=pl.col("cell").rank("dense"), share=pl.col("n") / pl.col("size")
    )
    nearby = small.select(cell=pl.col("cell") + 1, truth="truth", other="share")
    joined = small.join(nearby, on=["cell", "truth"], how="left")
    size = pl.col("size").first()
    table = joined.group_by("cell", maintain_order=True).agg(
        size=size,
        group=pl.col("group").first(),
        within=(pl.col("n") * (pl.col("n") - 1)).sum() / (size * (size - 1)),
        across=(pl.col("share") * pl.col("other").fill_null(0.0)).sum(),
    )
    names = ("size", "within", "across", "group")
    sizes, same, across, group = (table.sort("cell")[n].to_numpy() for n in names)
    return MatchCells(sizes, same, across[1:], group[1:] == group[:-1])


def _beyond_chance(cells: MatchCells) -> bool:
    """Whether the truths of rows with the same outputs agree too often for different examples.

    More often than with both neighbours, and than with that which they agree with more.
    """
    several = cells.sizes > 1
    count = int(several.sum())
    unlike = round((1 - cells.within[several].mean()) * count) if count else 0
    for better, (level, least) in ((False, (LEVEL, UNEXPLAINED)), (True, OF_BETTER)):
        across = _nearby(several, cells, better=better)
        if not count or not len(across):
            return False
        nearby = across.mean()
        if cells.within[several].mean() - nearby < least * (1 - nearby):
            return False
        others = math.floor((1 - nearby) * len(across))
        if _as_few_by_chance(unlike, count, others, len(across)) >= level:
            return False
    return True


def _as_few_by_chance(few: int, of: int, others: int, among: int) -> float:
    """Probability of so few of ``few + others`` among the first of two kinds (hypergeometric).

    Of more than ``MANY`` that of the binomial distribution with the rate of the second kind.

    >>> round(_as_few_by_chance(0, 5, 5, 5), 6)  # 1 / C(10, 5)
    0.003968
    """
    if of + among > MANY:
        return float(bdtr(few, of, (others + 1) / (among + 2)))
    total = few + others
    ways = sum(math.comb(of, k) * math.comb(among, total - k) for k in range(few + 1))
    return ways / math.comb(of + among, total)


def _nearby(several: Flags, cells: MatchCells, *, better: bool) -> Floats:
    """How cells of several rows agree with their neighbours, or each with the ``better`` of two.

    Where a model is sure there is one step from scores of the one class to those of the other, and
    a cell there is like one of its neighbours alone. A neighbour has several rows too: elsewhere
    rows have other scores, and so other truths. Where such ones are few, any.
    """
    both = several[1:] & several[:-1] & cells.neighbours
    either = (several[1:] | several[:-1]) & cells.neighbours
    usable = both if both.sum() >= FEWEST_NEIGHBOURS else either
    if not better:
        return cells.across[usable]
    across = np.where(usable, cells.across, np.nan)
    beside = np.append(across, np.nan), np.append(np.nan, across)
    of_two: Floats = np.maximum(*beside)[several]  # undefined of a cell with one neighbour
    if np.isnan(of_two).all():
        of_two = np.fmax(*beside)[several]
    return of_two[~np.isnan(of_two)]


def same_outputs(rows: pl.DataFrame, models: Sequence[ModelColumns]) -> list[list[str]]:
    """The models that give the same outputs for every row, together with those that they are like.

    Two models are alike if they have outputs of the same kinds, and each column of the one is
    equal to that of the other, missing values included.

    >>> rows = pl.DataFrame({"a": [0.1, 0.9], "b": [0.1, 0.9], "c": [0.2, 0.9]})
    >>> same_outputs(rows, [ModelColumns(name, score=name) for name in "abc"])
    [['a', 'b']]
    """
    alike: list[tuple[dict[str, pl.Series], list[str]]] = []
    for model in models if rows.height else ():
        given = _outputs_of(rows, model)
        for first, names in alike:
            if first.keys() == given.keys() and all(
                _equal(first[kind], column) for kind, column in given.items()
            ):
                names.append(model.name)
                break
        else:
            alike.append((given, [model.name]))
    return [names for _, names in alike if len(names) > 1]


def _outputs_of(rows: pl.DataFrame, model: ModelColumns) -> dict[str, pl.Series]:
    """The columns of outputs of a model, by what they are."""
    named = {
        "score": model.score,
        "label": model.label,
        "estimate": model.estimate,
        "low": model.low,
        "high": model.high,
        **{f"score {k}": name for k, name in enumerate(model.scores)},
        **{f"label {k}": name for k, name in enumerate(model.labels)},
    }
    return {kind: rows[name] for kind, name in named.items() if name is not None}


def _equal(one: pl.Series, other: pl.Series) -> bool:
    """Whether two columns are equal; most that are not show it in their first rows."""
    few = one.head(_FIRST).eq_missing(other.head(_FIRST)).all()
    return bool(few and one.eq_missing(other).all())
