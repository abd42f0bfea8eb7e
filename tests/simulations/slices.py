"""Situations of gaps between two slices: groups that lie in one, and groups that cross them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from reportgen.clusters import Groups
from reportgen.comparisons import Comparison
from reportgen.results.gaps import SHARES, gaps
from reportgen.results.losses import Losses
from reportgen.results.shares_by_row import GroupedShares
from tests.report_data import Rows
from tests.simulations.situations import Generator, asked, situation

CELLS = {"tp": (True, True), "fp": (False, True), "fn": (True, False), "tn": (False, False)}
"""Truth and decision of each cell."""

MEASURES = tuple(SHARES)


def _values(rows: pl.DataFrame, label: str) -> Iterator[dict[str, object]]:
    """The measures that are shares, and the counts that they are made of, of one slice."""
    counts = {cell: rows.filter(truth=of[0], predicted=of[1]).height for cell, of in CELLS.items()}
    shares = {
        name: sum(counts[c] for c in hits) / whole
        for name, (hits, of) in SHARES.items()
        if (whole := sum(counts[c] for c in of))
    }
    for name, value in {**counts, **shares}.items():
        yield {"slice": label, "metric": name, "model": "a", "value": float(value)}


def tested(frame: pl.DataFrame, groups: Groups | None, column: str) -> dict[str, float]:
    """The p of the gap of each measure between the two slices of a column, not corrected."""
    rows = frame.select(
        pl.col("truth").cast(pl.Boolean), predicted=pl.col("a") >= 0.5, s=pl.col(column)
    )
    labels = {value: f"{column} = {value}" for value in ("u", "v")}
    values = [r for v, label in labels.items() for r in _values(rows.filter(s=v), label)]
    schema = {"class": pl.String, "average": pl.String}
    metrics = pl.DataFrame(values).with_columns(
        pl.lit(None, dtype).alias(name) for name, dtype in schema.items()
    )
    sliced = pl.DataFrame(
        {"slicing": [[column]] * 2, "slice": list(labels.values()), "small": [False] * 2}
    )
    shares = None
    if groups is not None:
        losses = Losses("accuracy", "error_rate", "zero_one", of={"a": pl.col("wrong")})
        wrong = rows.with_columns(wrong=pl.col("truth") != pl.col("predicted"))
        shares = GroupedShares(wrong.rename({"s": f"slice:{column}"}), losses, groups)
    found = gaps(metrics, sliced, "binary", ["a"], shares=shares)  # type: ignore[arg-type]
    return dict(found.drop_nulls("p_value").select("metric", "p_value").iter_rows())


DESIGNS = {"nested": "site", "crossing": "part"}
"""Columns of slices that whole groups lie in, and that divide every group."""


def _gaps(data: Rows, name: str, column: str) -> None:
    """The test of each measure, ``gap:`` before its name as it is no comparison of models."""

    @situation(name)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        frame = data(random, 1)
        groups = Groups.of(frame["group"]) if data.rows > 1 else None
        found = tested(frame, groups, column)
        for metric in MEASURES:
            record = asked(metric, ("a",)).record("two_proportions")
            yield replace(record, comparison=f"gap:{metric}", p_value=found.get(metric))


for _units, _rows, _unequal in ((40, 15, False), (40, 15, True), (20, 30, True), (10, 15, False)):
    for _design, _column in DESIGNS.items():
        _of = f"{_units} groups of {_rows}{' on average' if _unequal else ''}"
        _data = Rows(_units, _rows, 0.6, models="a", unequal=_unequal)
        _gaps(_data, f"{_of}, {_design} slices", _column)
_gaps(Rows(200, models="a"), "200 independent rows in two slices", "part")
