"""Comparisons of rows that are in order of time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import polars as pl

from reportgen.comparisons import Comparison, diebold_mariano
from reportgen.results.compare import WEIGHTED, Terms
from reportgen.results.losses import Losses

IN_TIME = "rows are in order of time, and it allows for losses that depend on those before"
INDEPENDENT = "rows are in order of time, and it takes them as independent"


def compared_in_time(
    rows: pl.DataFrame, losses: Losses, terms: Terms, horizon: int | None
) -> list[Comparison]:
    """Diebold-Mariano of every pair on the mean loss at each point of time; else nothing.

    The effect is of the measure that the report's tests speak of: of accuracy
    where a loss is that of a wrong decision.
    """
    if "time" not in rows.columns:
        return []
    ordered = sorted(losses.models, key=lambda name: name == terms.baseline)
    return [_of_pair(rows, losses, terms, pair, horizon) for pair in combinations(ordered, 2)]


def _of_pair(
    rows: pl.DataFrame,
    losses: Losses,
    terms: Terms,
    pair: tuple[str, str],
    horizon: int | None,
) -> Comparison:
    question = terms.asked(pair, losses.measure)
    reason = terms.unpaired or (WEIGHTED if terms.weight else None)
    if reason:
        nothing = pl.DataFrame(schema={"first": pl.Float64, "second": pl.Float64})
        return diebold_mariano(nothing, question).undefined_because(reason)
    first, second = (losses.of[name].cast(pl.Float64) for name in pair)
    if losses.kind == "zero_one":
        first, second = 1 - first, 1 - second
    points = (
        rows.lazy()
        .select("time", first=first, second=second)
        .drop_nulls()
        .group_by("time")
        .mean()
        .sort(*in_order(rows["time"]))
        .collect(engine="in-memory")
    )
    found = diebold_mariano(points, question, horizon=horizon)
    return found if found.undefined else replace(found, standing="recommended")


def in_order(time: pl.Series) -> Iterator[pl.Expr]:
    """What sorts points of time: as numbers where all are, else as text, which suits ISO dates."""
    number = pl.col("time").cast(pl.Float64, strict=False)
    if time.cast(pl.Float64, strict=False).null_count() == time.null_count():
        yield number
    yield pl.col("time")


def advised_in_time(records: Sequence[Comparison]) -> list[Comparison]:
    """The tests over rows: one that allows for time goes before those that do not."""
    timed = {(r.models, r.metric) for r in records if _is_timed(r) and not r.undefined}
    return [_advised(r, timed) for r in records]


def _advised(record: Comparison, timed: Collection[tuple[tuple[str, ...], str]]) -> Comparison:
    if record.undefined or not timed:
        return record
    if _is_timed(record):
        return replace(record, why=IN_TIME)
    if (record.models, record.metric) in timed:
        return replace(record, standing="avoid", why=INDEPENDENT)
    return replace(record, caveats=(*record.caveats, INDEPENDENT))


def _is_timed(record: Comparison) -> bool:
    return record.comparison == "diebold_mariano"
