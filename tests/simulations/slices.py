"""Situations of gaps between two slices: groups that lie in one, and groups that cross them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl
from scipy.special import ndtri

from reportgen.clusters import Groups
from reportgen.comparing.gap_influences import ERRORS
from reportgen.comparing.gaps import gaps
from reportgen.comparing.slice_contrasts import Contrasts
from reportgen.comparisons import Comparison
from reportgen.measuring.context import Losses
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.metrics import cells_of_share
from tests.report_data import Rows
from tests.simulations.situations import Generator, asked, situation

CELLS = {"tp": (True, True), "fp": (False, True), "fn": (True, False), "tn": (False, False)}
"""Truth and decision of each cell."""

NAMES = ("error_rate", "precision", "recall", "false_positive_rate", "detection_prevalence")
SHARES = {name: cells for name in NAMES if (cells := cells_of_share(name)) is not None}
"""What the shares among the gaps count, and of what."""

MEASURES = (*SHARES, "auc", *ERRORS)


def values_of(rows: pl.DataFrame, label: str) -> Iterator[dict[str, object]]:
    """The measures that are shares, and the counts that they are made of, of one slice."""
    counts = {cell: rows.filter(truth=of[0], predicted=of[1]).height for cell, of in CELLS.items()}
    shares = {
        name: sum(counts[c] for c in cells) / whole
        for name, (cells, of) in SHARES.items()
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
    values = [r for v, label in labels.items() for r in values_of(rows.filter(s=v), label)]
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
    p_values = gaps(metrics, sliced, "binary", ["a"], shares=shares)
    return dict(p_values.drop_nulls("p_value").select("metric", "p_value").iter_rows())


DESIGNS = {"nested": "site", "crossing": "part"}
"""Columns of slices that whole groups lie in, and that divide every group."""


def _gaps(data: Rows, name: str, column: str) -> None:
    """The test of each measure, ``gap:`` before its name as it is no comparison of models."""

    @situation(name)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        frame = data(random, 1)
        groups = Groups.of(frame["group"]) if data.rows > 1 else None
        p_values = tested(frame, groups, column)
        for metric in SHARES:
            yield _record(metric, p_values.get(metric))
        yield _record("auc", contrasted(frame, column, "auc"))


def _record(metric: str, p_value: float | None) -> Comparison:
    record = asked(metric, ("a",)).record("two_proportions")
    return replace(record, comparison=f"gap:{metric}", p_value=p_value)


def contrasted(frame: pl.DataFrame, column: str, metric: str) -> float | None:
    """The p of the gap in a measure that is no share, between the slices u and v of a column."""
    losses = Losses(
        "accuracy",
        "error_rate",
        "zero_one",
        of={},
        predicted={"a": pl.col("a")},
        scores={"a": "a"},
    )
    truth = pl.Boolean if metric == "auc" else pl.Float64
    shares = GroupedShares(
        frame.with_columns(pl.col("truth").cast(truth)), losses, Groups.of(frame["group"])
    )
    slices = tuple((frame[column] == value).to_numpy() for value in ("u", "v"))
    return Contrasts(shares).p_value("a", metric, (slices[0], slices[1]))


def _numbers(data: Rows, name: str, column: str) -> None:
    """Errors of predictions of a number."""

    @situation(name)
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        frame = data(random, 1)
        for metric in ERRORS:
            yield _record(metric, contrasted(frame, column, metric))


def _unlike_slices(sizes: tuple[int, int], area: float, tails: str) -> None:
    """Independent rows in slices of these sizes: scores with an AUC, errors with these tails."""

    @situation(f"slices of {sizes[0]} and {sizes[1]} rows, AUC {area:g}, {tails} errors")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        whole = sum(sizes)
        truth = random.random(whole) < 0.4
        errors = random.standard_normal(whole)
        if tails == "heavy":
            errors = errors / np.sqrt(random.chisquare(5, whole) / 5)
        scores = random.standard_normal(whole) + truth * np.sqrt(2) * float(ndtri(area))
        facts = {"group": np.arange(whole), "s": np.repeat(["u", "v"], sizes)}
        yield _record(
            "auc", contrasted(pl.DataFrame(facts | {"truth": truth, "a": scores}), "s", "auc")
        )
        numbers = pl.DataFrame(facts | {"truth": np.zeros(whole), "a": errors})
        for metric in ERRORS:
            yield _record(metric, contrasted(numbers, "s", metric))


for _sizes in ((30, 30), (30, 300), (200, 200)):
    for _area, _tails in ((0.6, "normal"), (0.8, "heavy"), (0.95, "normal")):
        _unlike_slices(_sizes, _area, _tails)

for _units, _rows, _unequal in ((40, 15, False), (40, 15, True), (20, 30, True), (10, 15, False)):
    for _design, _column in DESIGNS.items():
        _of = f"{_units} groups of {_rows}{' on average' if _unequal else ''}"
        _data = Rows(_units, _rows, 0.6, models="a", unequal=_unequal)
        _gaps(_data, f"{_of}, {_design} slices", _column)
for _units, _unequal in ((40, False), (20, True), (10, False)):
    for _design, _column in DESIGNS.items():
        _name = (
            f"{_units} groups of 15{' on average' if _unequal else ''}, numbers, {_design} slices"
        )
        _data = Rows(_units, 15, 0.6, models="a", unequal=_unequal, task="regression")
        _numbers(_data, _name, _column)
_gaps(Rows(200, models="a"), "200 independent rows in two slices", "part")
