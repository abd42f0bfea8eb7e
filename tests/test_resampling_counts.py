"""Statistics from how often each row occurs are those of the rows themselves."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from reportgen.measuring.bootstrap_intervals import is_resampled
from reportgen.measuring.without_groups import OF_RANKS, MeasuresInParts
from reportgen.metrics.pairs import quantile_of_weighted
from reportgen.metrics.registry import REGISTRY
from reportgen.multiclass import score_rows
from reportgen.resampling import BootstrapSettings, bootstrap_rows, shared_draws
from reportgen.resampling.counted_sums import can_be_counted
from reportgen.resampling.ordered_rows import OrderedRows
from reportgen.resampling.row_draws import OmittedBlocks, RowDraws
from reportgen.resampling.row_statistics import CountedStatistics, RowStatistics
from reportgen.resampling.unit_counts import Replicates, counted_draws

PARTS = MeasuresInParts.of(
    [m for m in REGISTRY["regression"].values() if m.name not in OF_RANKS], {"level": 0.9}
)


def rows(number: int, kind: str = "", seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.normal(size=number)
    estimate = truth + 0.5 * random.standard_t(3, size=number)
    weight = np.ones(number)
    if kind == "ties":
        truth = truth.round(1)
    elif kind == "positive":
        truth, estimate = np.exp(3 * truth), np.exp(estimate)
    elif kind == "zeros":
        truth, estimate = np.where(truth < 1, 0, np.exp(truth)), np.exp(estimate)
    elif kind == "two":
        truth = np.where(np.arange(number) < number // 2, 3.0, 4.0)
    elif kind == "weights":
        weight = random.gamma(0.5, size=number)
    elif kind == "zero weights":
        weight = 1.0 * (random.random(number) < 0.7)
    elif kind == "equal weights":
        weight = np.full(number, 0.3)
    return pl.DataFrame(
        {
            "truth": truth,
            "estimate": estimate,
            "low": estimate - 1,
            "high": estimate + 1.2,
            "weight": weight,
        }
    ).sort(pl.all())


KINDS = ("", "ties", "positive", "zeros", "two", "weights", "zero weights", "equal weights")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("number", "drawn", "groups"), [(30, 30, 0), (700, 200, 0), (150, 25, 25)])
def test_statistics_of_counts_are_those_of_the_rows_that_are_drawn(kind, number, drawn, groups):
    statistics = RowStatistics(list(PARTS.of_aggregates.values()), PARTS.aggregates)
    frame = statistics.read_from(rows(number, kind))
    unit = np.arange(number) % groups if groups else np.arange(number)
    units = groups or number
    draws = RowDraws(unit, np.zeros(units, dtype=np.int64), {0: drawn}, seed=1)
    left_out = OmittedBlocks.of(unit, 1, drawn / units, 20)
    counted = CountedStatistics([frame], statistics)

    for of_counts, of_rows in (
        (draws.counted_values(counted, 25), draws.values([frame], statistics, 25)),
        (left_out.counted_values(counted), left_out.values([frame], statistics)),
    ):
        np.testing.assert_allclose(of_counts, of_rows, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("task", ["regression", "multiclass", "multilabel"])
def test_all_that_measures_of_rows_are_made_of_can_be_counted(task):
    """A constant that is read needs ``About``, or the rows of each replicate are read again."""
    of_rows = [m for m in REGISTRY[task].values() if m.on in ("pairs", "rows")]
    measures = [m for m in of_rows if is_resampled(m, "all") and m.name not in OF_RANKS]
    parts = MeasuresInParts.of(measures, {"level": 0.9}, classes=True)

    assert measures
    assert not parts.of_rows
    assert can_be_counted(parts.aggregates)


def test_measures_of_scores_of_several_classes_are_the_same_counted_and_read():
    random = np.random.default_rng(0)
    scores = random.dirichlet(np.ones(4), 300)
    frame = pl.DataFrame(
        {
            "truth": random.integers(0, 4, 300),
            "a": scores[:, 0],
            "b": scores[:, 1],
            "c": scores[:, 2],
            "d": scores[:, 3],
        }
    )
    given = score_rows(frame, list("abcd"), truth="truth")
    measures = [m for m in REGISTRY["multiclass"].values() if m.on == "rows"]
    parts = MeasuresInParts.of(measures, {}, classes=True)
    options = BootstrapSettings(50, methods=("bca",))
    counted = bootstrap_rows(
        given, parts.of_aggregates, aggregates=parts.aggregates, options=options
    )
    read = bootstrap_rows(given, {m.name: m.expression() for m in measures}, options=options)

    assert counted["low"].count() == len(measures)
    assert_frame_equal(counted, read, rel_tol=1e-9)


@pytest.mark.parametrize("group", [None, "group"])
def test_models_that_share_replicates_have_the_limits_that_they_have_alone(group):
    frames = [
        rows(200).with_columns(group=pl.int_range(200) // 4, estimate=pl.col("truth") + shift)
        for shift in (0.1, -0.3)
    ]
    options = BootstrapSettings(40, methods=("bca",))

    def limits(frame: pl.DataFrame) -> pl.DataFrame:
        return bootstrap_rows(
            frame, PARTS.of_aggregates, aggregates=PARTS.aggregates, group=group, options=options
        )

    alone = [limits(frame) for frame in frames]
    with shared_draws():
        together = [limits(frame) for frame in frames]

    assert all(one.equals(other) for one, other in zip(alone, together, strict=True))
    assert not alone[0].equals(alone[1])


@pytest.mark.parametrize("heavy", [0, 40, 199])
@pytest.mark.parametrize("level", [0.01, 0.5, 0.99])
def test_quantiles_far_from_that_of_all_rows_are_those_of_the_rows_drawn(heavy, level):
    """One row weighs as much as all others: whether it is drawn decides where a quantile is."""
    random = np.random.default_rng(0)
    values, weight = random.normal(size=200), random.gamma(2, size=200)
    order = np.argsort(values)
    weight[order[heavy]] = weight.sum()
    counts = Replicates(counted_draws(np.zeros(200, dtype=np.int64), {0: 200}, 0, 50), 200, None)
    ordered = OrderedRows.of(values, weight)
    window = ordered.window(level, counts.size)
    below, whole = counts.sums(np.column_stack([ordered.before(window), weight])).T

    occurs = counts.entries(np.arange(200)).toarray().astype(int)
    drawn = [np.repeat(np.arange(200), line) for line in occurs]
    expected = [quantile_of_weighted(values[k], weight[k], level) for k in drawn]
    np.testing.assert_allclose(
        ordered.quantiles(level, counts, window, below, whole), expected, rtol=1e-12
    )
    np.testing.assert_array_equal(ordered.extremes(counts), [values[k].min() for k in drawn])


def test_a_replicate_may_lack_all_rows_at_an_end():
    values = np.arange(2000.0)
    counts = Replicates(counted_draws(np.zeros(2000, dtype=np.int64), {0: 3}, 0, 20), 3, None)
    ordered = OrderedRows.of(values, np.ones(2000))
    present = counts.entries(np.arange(2000)).toarray() > 0

    np.testing.assert_array_equal(ordered.extremes(counts), present.argmax(axis=1))
    np.testing.assert_array_equal(
        ordered.extremes(counts, greatest=True), 1999 - present[:, ::-1].argmax(axis=1)
    )
