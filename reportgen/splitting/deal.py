"""Dealing rows to parts: one part per row, groups kept together, strata spread evenly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from reportgen.errors import DataError, Problem
from reportgen.predictions.source import counted
from reportgen.splitting.input_rows import mixed


def folds_of(rows: pl.DataFrame, folds: int, repeat: int) -> pl.DataFrame:
    """``rows`` with the fold of each, from 1: sizes differ by at most 1, in every stratum too.

    Raises:
        DataError: more folds than rows, groups, or rows of a stratum.
    """
    if "group" in rows.columns:
        return _grouped(rows, [1 / folds] * folds, repeat).with_columns(fold=pl.col("part") + 1)
    _enough(rows, folds)
    place = pl.int_range(pl.len(), dtype=pl.UInt32)
    return _shuffled(rows, repeat).with_columns(fold=place % folds + 1)


def roles_of(rows: pl.DataFrame, test: float, validation: float, repeat: int) -> pl.DataFrame:
    """``rows`` with the role of each: shares of test and validation rows, in every stratum too.

    Within a stratum in random order, rows are taken at even steps, so that each
    count is within one row of its share.

    Raises:
        DataError: a role is left without rows, or without those of a stratum.
    """
    if "time" in rows.columns:
        dealt = _latest(rows, test, validation)
    elif "group" in rows.columns:
        shares = [1 - test - validation, test, validation]
        used = [share for share in shares if share > 0]
        names = [
            n for n, share in zip(("train", "test", "validation"), shares, strict=True) if share > 0
        ]
        dealt = _grouped(rows, used, repeat).with_columns(
            role=pl.col("part").replace_strict(dict(enumerate(names)), return_dtype=pl.String)
        )
    else:
        size, tested = rows.height, round(rows.height * test)
        everyone = pl.repeat(value=True, n=pl.len())
        dealt = _shuffled(rows, repeat).with_columns(test=_taken(everyone, tested, size))
        held = _taken(~pl.col("test"), round(size * validation), size - tested)
        role = pl.when("test").then(pl.lit("test")).when(held).then(pl.lit("validation"))
        dealt = dealt.with_columns(role=role.otherwise(pl.lit("train")))
    _every_role(dealt, validation > 0)
    return dealt


def _shuffled(rows: pl.DataFrame, repeat: int) -> pl.DataFrame:
    keyed = rows.with_columns(step=mixed(pl.col("key"), repeat))
    return keyed.sort("stratum", "step", "id")


def _taken(free: pl.Expr, number: int, count: int) -> pl.Expr:
    """Mark ``number`` of the ``count`` rows that are free, at even steps."""
    before = free.cast(pl.UInt64).cum_sum() - free.cast(pl.UInt64)
    return free & ((before + 1) * number // count > before * number // count)


def _latest(rows: pl.DataFrame, test: float, validation: float) -> pl.DataFrame:
    """The latest rows are the test; rows of one time have one role."""
    first = pl.col("place").min().over("time")
    tested, held = (round(rows.height * share) for share in (test, validation))
    role = (
        pl.when(first >= rows.height - tested)
        .then(pl.lit("test"))
        .when(first >= rows.height - tested - held)
        .then(pl.lit("validation"))
        .otherwise(pl.lit("train"))
    )
    return rows.sort("time", "id").with_row_index("place").with_columns(role=role)


def _grouped(rows: pl.DataFrame, shares: Sequence[float], repeat: int) -> pl.DataFrame:
    """``rows`` with the part of each: whole groups, large ones first, each to where it fits best.

    A group goes to the part that brings the strata's counts closest to their
    shares, squared and relative to the stratum. Groups of like size (within a
    factor of two) are dealt in random order.
    """
    strata = rows["stratum"].unique().sort()
    groups = (
        rows.group_by("group")
        .agg(pl.col("key").min(), *_counts(strata), size=pl.len())
        .with_columns(step=mixed(pl.col("key"), repeat), bits=pl.col("size").log(2).floor())
        .sort("bits", "step", "group", descending=[True, False, False])
    )
    if groups.height < len(shares):
        message = f"{groups.height} groups cannot fill {len(shares)} parts"
        raise DataError(Problem("too-few-groups", message, hint="ask for fewer parts"))
    amounts = groups.select(f"stratum:{i}" for i in range(len(strata))).to_numpy()
    parts = pl.Series("part", _best_parts(amounts, np.asarray(shares)), dtype=pl.UInt32)
    return rows.join(groups.select("group", parts), on="group", maintain_order="left")


def _counts(strata: pl.Series) -> list[pl.Expr]:
    return [(pl.col("stratum") == s).sum().alias(f"stratum:{i}") for i, s in enumerate(strata)]


def _best_parts(amounts: np.ndarray, shares: np.ndarray) -> list[int]:
    relative = amounts / amounts.sum(axis=0)
    filled = np.zeros((len(shares), amounts.shape[1]))
    empty, parts = set(range(len(shares))), []
    for place, group in enumerate(relative):
        worse = ((2 * filled * group + group**2) / shares[:, None]).sum(axis=1) - 2 * group.sum()
        if len(empty) >= len(relative) - place:  # as many groups left as parts without one
            worse[[i for i in range(len(shares)) if i not in empty]] = np.inf
        part = int(np.argmin(worse))
        filled[part] += group
        empty.discard(part)
        parts.append(part)
    return parts


def _enough(rows: pl.DataFrame, folds: int) -> None:
    if folds > rows.height:
        message = f"{folds} folds of {rows.height} rows"
        raise DataError(Problem("too-many-folds", message, hint=f"ask for at most {rows.height}"))
    sizes = rows["stratum"].value_counts().sort("count", "stratum")
    smallest, count = sizes.row(0)
    if sizes.height > 1 and count < folds:
        message = f"{folds} folds, but the class {smallest!r} has {counted(count, 'row', 'rows')}"
        hint = f"ask for at most {max(count, 2)} folds, or do not stratify"
        raise DataError(Problem("too-many-folds", message, hint=hint))


def _every_role(dealt: pl.DataFrame, validation: bool) -> None:
    roles = ("train", "test", "validation") if validation else ("train", "test")
    there = dealt.group_by("stratum").agg(pl.col("role").unique(), pl.len()).sort("stratum")
    timed = "time" in dealt.columns
    for role in roles:
        missing = there if not (dealt["role"] == role).any() else there.head(0)
        if not timed and not missing.height:
            missing = there.filter(~pl.col("role").list.contains(role))
        if not missing.height:
            continue
        stratum, _, count = missing.row(0)
        whose = (
            f"the class {stratum!r} with {counted(count, 'row', 'rows')}"
            if there.height > 1
            else "the rows"
        )
        message = f"{whose} would have no {role} part"
        hint = (
            "ask for other shares, or do not stratify"
            if there.height > 1
            else "ask for other shares"
        )
        raise DataError(Problem("empty-part", message, hint=hint))
