"""From rows and a scheme to the table of splits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.errors import DataError, LimitError, Problem, SpecError
from reportgen.frames import FrameLike, polars_frame
from reportgen.predictions.inputs import read_whole
from reportgen.splitting.deal import folds_of, roles_of
from reportgen.splitting.input_rows import DependenceColumns, id_texts, mixed, prepared, uniform
from reportgen.splitting.kept_columns import KeptColumns, kept_columns
from reportgen.splitting.scheme import Scheme, scheme_of
from reportgen.tables import Splits

MOST = 200_000_000
"""Most rows of a table of splits."""

KEYS = ("id", "repeat", "fold", "role", "draws")
"""The columns that every table of splits has."""


def split(  # columns by name
    data: FrameLike | Path | str,
    scheme: Scheme | str = "k_fold",
    *,
    id: str | None = None,
    stratify: str | None = None,
    group: str | None = None,
    time: str | None = None,
    weight: str | None = None,
    slices: Sequence[str] = (),
    **options: Any,
) -> DataFrame[Splits]:
    """Divide rows into training and test parts: one row per example and fit.

    ``data`` is a file, a Polars frame (eager or lazy), a pandas or PyArrow table, or a mapping
    of columns.
    ``scheme`` is a ``Scheme`` or its name, with its options (``folds``,
    ``repeats``, ``test``, ``validation``, ``seed``) beside it. ``stratify``
    names the column of classes that every part gets its share of, ``group``
    what must not be on both sides, ``time`` what orders the rows, so that no
    training part has a row later than its test. The division depends on ids and
    seed alone, not on the machine or the order of the rows; without an ``id``
    column, ids are the numbers of the rows.

    Args:
        data: a file, a Polars frame (eager or lazy), a pandas or PyArrow table, or a mapping of
            columns.
        scheme: a ``Scheme``, or its name.
        id: the column of ids; None: the numbers of the rows.
        stratify: the column of classes that every part gets its share of.
        group: the column of what must not be on both sides.
        time: the column that orders the rows: no training part has a row later than its test.
        weight: the column of weights, which has no part in the division.
        slices: columns of subgroups, which have no part in the division.
        **options: the scheme's: ``folds``, ``repeats``, ``test``, ``validation``, ``seed``.

    Returns:
        One row per example and fit, as below.

    Returns ``id``, ``repeat``, ``fold``, ``role``, ``draws``, then the columns of
    ``group``, ``time``, ``weight`` and ``slices`` as they are and under their own
    names, for the lines ``columns: {group: …, time: …, weight: …}`` and ``slices:``
    of a spec. ``weight`` and ``slices`` have no part in the division.

    - hold_out, repeated_hold_out: shares ``test`` and ``validation`` of the rows.
    - k_fold, repeated_k_fold, five_by_two (5 repeats of 2 folds): each row is tested
      once per repeat.
    - leave_one_out: as many folds as rows, or as groups.
    - bootstrap: as many draws with replacement as rows (or groups); within each class,
      if stratified and not grouped; tested on what was never drawn. ``draws`` says how
      often a row was drawn.
    - time_ordered: ``folds`` tests in a row, each after all that it is trained on.

    Raises:
        SpecError: the scheme or its options are not known, or do not fit together.
        DataError: a column cannot be used, or the rows do not suffice.
        EmptyError: fewer than two rows.
        LimitError: the table would be too long.

    >>> rows = pl.DataFrame({"case": ["a", "b", "c", "d"]})
    >>> split(rows, "k_fold", id="case", folds=2).filter(role="test")["id"].sort().to_list()
    ['a', 'b', 'c', 'd']
    """
    chosen = scheme_of(scheme, options)
    if chosen.kind == "time_ordered" and time is None:
        hint = "name it with time"
        raise SpecError(Problem("scheme", "time_ordered needs the column of times", hint=hint))
    name, frame = _loaded(data)
    rows = prepared(frame, DependenceColumns(id, stratify, group, time), chosen.seed, name)
    columns = [
        c for c in KeptColumns(group, time, weight, slices).columns() if (id, c) != ("id", "id")
    ]
    beside = kept_columns(frame, columns, KEYS, name)
    return _with(_splits(rows, chosen), beside, id_texts(frame, id))


def _with(splits: DataFrame[Splits], beside: pl.DataFrame, ids: pl.Series) -> DataFrame[Splits]:
    """The splits with the columns that stand beside each id."""
    if not beside.width:
        return splits
    rows = beside.insert_column(0, ids.alias("id"))
    return Splits.validate(splits.join(rows, on="id", how="left", maintain_order="left"))


def _loaded(data: FrameLike | Path | str) -> tuple[str, pl.DataFrame]:
    if not isinstance(data, Path | str):
        return "data frame", polars_frame(data, "data frame")
    file, frame = read_whole(Path(data))
    return file.name, frame


def _splits(rows: pl.DataFrame, scheme: Scheme) -> DataFrame[Splits]:
    fits = _fits(rows, scheme)
    if fits * rows.height > MOST:
        message = f"{fits:,} fits of {rows.height:,} rows make {fits * rows.height:,} rows"
        hint = "k_fold with 10 folds estimates the same with less"
        raise LimitError(Problem("too-long", message, hint=hint))
    repeats = [_repeat(rows, scheme, number) for number in range(1, scheme.repeats + 1)]
    return Splits.validate(pl.concat(repeats))


def _fits(rows: pl.DataFrame, scheme: Scheme) -> int:
    if scheme.kind == "leave_one_out":
        return rows["group"].n_unique() if "group" in rows.columns else rows.height
    return scheme.repeats * max(scheme.folds, 1)


def _repeat(rows: pl.DataFrame, scheme: Scheme, repeat: int) -> pl.DataFrame:
    """One repeat, in the order of its folds and of the ids."""
    if scheme.kind in ("hold_out", "repeated_hold_out"):
        fits = [roles_of(rows, scheme.test, scheme.validation, repeat).sort("order")]
    elif scheme.kind == "bootstrap":
        fits = [_bootstrap(rows, repeat)]
    elif scheme.kind == "time_ordered":
        fits = _in_time(rows, scheme.folds)
    elif scheme.kind == "leave_one_out":
        unit = "group" if "group" in rows.columns else "id"
        fits = _against_the_rest(rows.with_columns(fold=pl.col(unit).rank("dense")))
    else:
        fits = _against_the_rest(folds_of(rows, scheme.folds, repeat).sort("order"))
    once = (pl.col("role") == "train").cast(pl.UInt32)
    return pl.concat(
        fit.select(
            "id",
            repeat=pl.lit(repeat, pl.UInt32),
            fold=pl.lit(fold, pl.UInt32),
            role="role",
            draws="draws" if "draws" in fit.columns else once,
        )
        for fold, fit in enumerate(fits, 1)
    )


def _against_the_rest(dealt: pl.DataFrame) -> list[pl.DataFrame]:
    """Every fold as the test, the others as its training part."""
    test, train = pl.lit("test"), pl.lit("train")
    folds = dealt["fold"].unique().sort().to_list()
    return [
        dealt.select("id", role=pl.when(pl.col("fold") == fold).then(test).otherwise(train))
        for fold in folds
    ]


def _bootstrap(rows: pl.DataFrame, repeat: int) -> pl.DataFrame:
    """As many draws with replacement as there are units; of rows, within each stratum."""
    unit = "group" if "group" in rows.columns else "id"
    units = rows.select(unit, "key", "stratum")
    if unit == "group":
        units = units.group_by(unit).agg(pl.col("key").min()).with_columns(stratum=pl.lit(""))
    units = units.sort("stratum", unit).with_row_index("place")
    size = pl.len().over("stratum")
    start = pl.col("place").min().over("stratum")
    chance = uniform(mixed(mixed(pl.col("key"), repeat), 1))
    resampled = units.select(place=(start + (chance * size).floor()).cast(pl.UInt32))
    counts = resampled.group_by("place").agg(draws=pl.len().cast(pl.UInt32))
    held = units.join(counts, on="place", how="left").select(unit, pl.col("draws").fill_null(0))
    role = pl.when(pl.col("draws") > 0).then(pl.lit("train")).otherwise(pl.lit("test"))
    dealt = rows.join(held, on=unit, maintain_order="left")
    return dealt.with_columns(role=role)


def _in_time(rows: pl.DataFrame, folds: int) -> list[pl.DataFrame]:
    """Blocks of time of like size; each but the first is tested on what came before it."""
    first = pl.col("place").min().over("time").cast(pl.UInt64)
    ordered = rows.sort("time", "id").with_row_index("place")
    ordered = ordered.with_columns(block=first * (folds + 1) // rows.height)
    block_count = ordered["block"].n_unique()
    if block_count != folds + 1:
        message = (
            f"{folds} tests in a row need {folds + 1} blocks of time; the times give {block_count}"
        )
        raise DataError(Problem("too-many-folds", message, hint="ask for fewer folds"))
    blocks = ordered.sort("order")
    return [
        blocks.filter(pl.col("block") <= fold).select(
            "id",
            role=pl.when(pl.col("block") == fold).then(pl.lit("test")).otherwise(pl.lit("train")),
        )
        for fold in range(1, folds + 1)
    ]


def out_of_bag_share(splits: DataFrame[Splits]) -> float | None:
    """The share of rows that a bootstrap never drew, over its repeats: near 1/e = 0.368."""
    share = (pl.col("role") == "test").mean()
    resampled = (pl.col("draws") > 1).any()
    fraction, again = splits.select(share, resampled.alias("again")).row(0)
    return float(fraction) if again else None
