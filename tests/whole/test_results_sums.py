"""Each kernel gives what the expression of its metric gives on the sweep."""

from dataclasses import astuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from reportgen.clusters import Groups, degrees_of_freedom, variance_of_sum
from reportgen.counting import counts
from reportgen.curves import hull, isotonic, masses, recalibration
from reportgen.curves.ranking import hull_rows
from reportgen.intervals import (
    AVERAGE_PRECISION,
    INFLUENCE_LOGIT,
    INFLUENCE_LOGIT_INTERPOLATED,
)
from reportgen.intervals.areas import effective_size
from reportgen.intervals.average_precision import PrecisionSpread
from reportgen.measuring.binary_model import evaluate_metrics, evaluate_model
from reportgen.measuring.kernels import KERNELS, ScoreSums, loss_variances
from reportgen.measuring.thresholds import Threshold
from reportgen.metrics import METRICS
from reportgen.metrics.ranking import delong_variance
from reportgen.metrics.row_losses import LOSSES
from reportgen.polylines import upper_hull
from reportgen.predictions import ModelColumns
from reportgen.small_queries import selected
from reportgen.sweeping import (
    DistinctScores,
    Rises,
    TiedScores,
    as_ranking,
    bins,
    ranking_of,
    with_squares,
)
from tests.quick import BINARY_SPEC, HALF

ROWS = st.lists(st.tuples(st.booleans(), st.integers(-3, 12), st.integers(0, 3)), max_size=30)


def frame_of(rows, scale=10):
    columns = {"truth": pl.Boolean, "score": pl.Float64, "w": pl.Float64}
    return pl.DataFrame(
        [(t, s / scale, float(w)) for t, s, w in rows], schema=columns, orient="row"
    )


EXPRESSIONS = {
    source: {m.name: m.build() for m in METRICS.values() if m.on == source and m.name in KERNELS}
    for source in ("sweep", "isotonic", "hull")
}
BOTH_CLASSES = METRICS["auc"].build().is_not_null()
SIZES = {
    name: pl.when(BOTH_CLASSES).then(effective_size(cell, f"{cell}2"))
    for name, cell in (("positives", "tp"), ("negatives", "fp"))
}
SPREADS = [name for name in PrecisionSpread.__annotations__ if name != "df"]
OF_PRECISION = {
    "precision": pl.when(BOTH_CLASSES).then(AVERAGE_PRECISION.spread),
    "interpolated": pl.when(BOTH_CLASSES)
    .then(INFLUENCE_LOGIT_INTERPOLATED.spread.struct.field("variance"))
    .fill_null(0.0),
    **{
        f"precision_{name}": pl.when(BOTH_CLASSES).then(INFLUENCE_LOGIT.spread.struct.field(name))
        for name in SPREADS
    },
}
EXPRESSIONS["sweep"] |= SIZES | {"variance": delong_variance()} | OF_PRECISION


def by_expression(order):
    """Every metric on the frames that kernels sum, and the variances, from the whole tables."""
    sweep = with_squares(order.table())
    frames = {"sweep": sweep, "isotonic": isotonic(order), "hull": sweep[hull_rows(order)]}
    values = {}
    for source, frame in frames.items():
        values |= selected(frame, EXPRESSIONS[source]).row(0, named=True)
    return {n: v if v is not None and np.isfinite(v) else np.nan for n, v in values.items()}


def by_kernel(order):
    sums = ScoreSums(order, hull_rows(order))
    values = {name: kernel.value(sums) for name, kernel in KERNELS.items()}
    values |= sums.area_sizes._asdict() | {"precision": sums.precision_rows}
    apart = INFLUENCE_LOGIT_INTERPOLATED.at(sums.precision_spread, len(order))
    values["interpolated"] = (apart and apart["variance"]) or 0.0
    spread = sums.precision_spread or dict.fromkeys(SPREADS)
    values |= {f"precision_{name}": value for name, value in spread.items() if name != "df"}
    return {name: np.nan if value is None else value for name, value in values.items()}


@pytest.mark.parametrize("weight", [None, "w"])
@HALF
@given(rows=ROWS)
def test_every_kernel_gives_what_the_expression_of_its_metric_gives(rows, weight):
    order = ranking_of(frame_of(rows), weight=weight)

    assert by_kernel(order) == pytest.approx(by_expression(order), rel=1e-9, abs=1e-13, nan_ok=True)


@pytest.mark.parametrize("digits", [2, 16], ids=["ties", "distinct"])
def test_every_kernel_gives_the_same_over_many_blocks(digits):
    random = np.random.default_rng(4)
    score = random.random(50_000).round(digits)
    order = ranking_of(pl.DataFrame({"score": score, "truth": random.random(50_000) < score**2}))

    assert by_kernel(order) == pytest.approx(by_expression(order), rel=1e-10)


@pytest.mark.parametrize("least", [1e-12, 1e-6, 1e-3, 1e-2])
def test_the_log_loss_of_sure_forecasts_keeps_its_digits(least):
    random = np.random.default_rng(6)
    score = least * np.exp(random.random(2**14))
    right = random.random(2**14) < 0.5
    order = ranking_of(pl.DataFrame({"score": np.where(right, 1 - score, score), "truth": right}))

    expected = by_expression(order)["log_loss"]
    assert by_kernel(order)["log_loss"] == pytest.approx(expected, rel=1e-12)


@given(rows=ROWS, threshold=st.integers(-4, 13))
def test_decisions_on_scores_are_counted_in_the_ranking_as_in_the_rows(rows, threshold):
    frame = frame_of(rows).with_columns(
        score=pl.when(pl.col("w") > 0).then(pl.col("score")),  # some rows have no score
    )
    columns, at = ModelColumns("m", score="score"), Threshold(threshold / 10, "fixed")

    decisions = {"m": pl.col("score") >= at.value}
    assert evaluate_model(frame, columns, at).counts.equals(counts(frame, predicted=decisions))


@given(rows=ROWS)
def test_a_ranking_and_its_sweep_hold_the_same(rows):
    order = ranking_of(frame_of(rows), weight="w")
    steps = order.table()

    assert as_ranking(steps).table().equals(steps)
    assert order.table(range(steps.height)).equals(steps)
    assert hull(steps).equals(order.table(hull_rows(order)))
    assert bins(steps).equals(bins(order))
    assert masses(steps).equals(masses(order))


@given(rows=ROWS)
def test_the_corners_of_a_ranking_draw_its_whole_curve(rows):
    order = ranking_of(frame_of(rows))
    few = order.table(order.corners())

    every = order.table()

    interpolated = np.interp(every["fp"] + every["tp"], few["fp"] + few["tp"], few["tp"])
    assert interpolated == pytest.approx(every["tp"].to_numpy())


@given(rows=ROWS, threshold=st.integers(-4, 13))
def test_scores_from_a_threshold_up_are_found(rows, threshold):
    frame = frame_of(rows)

    reached = ranking_of(frame).count_at_or_above([threshold / 10])[0]

    assert reached == frame.filter(pl.col("score") >= threshold / 10)["score"].n_unique()


def test_the_hull_of_many_points_is_that_of_all():
    random = np.random.default_rng(2)
    steps = random.random((2, 40_000)) < [[0.5], [0.5]]
    x, y = steps.cumsum(axis=1).astype(float)
    vertices = upper_hull(x, y)

    slopes = np.diff(y[vertices]) / np.diff(x[vertices])
    assert (np.diff(slopes) < 0).all()
    assert (np.interp(x, x[vertices], y[vertices]) >= y - 1e-6).all()


@pytest.mark.parametrize("slope", [0.3, 1.0, 12.0])
def test_a_recalibration_of_gathered_forecasts_solves_the_equations_of_all(slope):
    """At the greatest likelihood the residuals vanish; the variances are those of all rows.

    They are those of the information matrix, or of the sandwich where it is larger.
    """
    random = np.random.default_rng(7)
    odds = random.normal(size=60_000) / slope
    truth = random.random(60_000) < expit(0.5 + slope * odds)
    frame = pl.DataFrame({"score": expit(odds), "truth": truth})

    fit = recalibration(ranking_of(frame)).row(0, named=True)

    odds = logit(frame["score"].to_numpy())
    chance = expit(fit["intercept"] + fit["slope"] * odds)
    design = np.vstack([np.ones(len(odds)), odds])
    information = (design * chance * (1 - chance)) @ design.T
    off = np.linalg.solve(information, design @ (truth - chance))
    assert off == pytest.approx([0, 0], abs=1e-9 * (1 + slope))
    variances = [fit["intercept_variance"], fit["slope_variance"]]
    added = np.linalg.solve(information, design * (truth - chance))
    expected = np.maximum(np.diag(np.linalg.inv(information)), np.square(added).sum(axis=1))
    assert variances == pytest.approx(expected, rel=1e-7)
    alone = expit(fit["in_the_large"] + odds)
    assert (truth - alone).sum() / (alone * (1 - alone)).sum() == pytest.approx(0, abs=1e-9)


@given(rows=ROWS)
def test_a_ranking_without_ties_counts_as_one_with_steps_does(rows):
    untied = ranking_of(frame_of([(t, s + k / 100, w) for k, (t, s, w) in enumerate(rows)]))
    each = np.arange(len(untied) + 1)
    steps = TiedScores(untied.score, *untied.counts(each, "tp", "fp"))
    requested = np.arange(-1.0, len(rows) + 2) / 2

    assert isinstance(untied, DistinctScores)
    for name in ("tp", "fp"):
        assert untied.first(name, requested).tolist() == steps.first(name, requested).tolist()
    assert (
        untied.threshold_for_count(requested).tolist()
        == steps.threshold_for_count(requested).tolist()
    )
    assert untied.corners().tolist() == steps.corners().tolist()
    assert hull_rows(untied).tolist() == hull_rows(steps).tolist()
    for one, other in zip(untied.rises(), steps.rises(), strict=True):
        assert [c.tolist() for c in astuple(one)] == [c.tolist() for c in astuple(other)]


@pytest.mark.parametrize("weight", [None, "w"])
@given(rows=ROWS)
def test_the_scores_of_positives_have_the_counts_of_the_sweep(weight, rows):
    order = ranking_of(frame_of(rows), weight=weight)
    every = order.chunk(slice(0, len(order)))
    at = np.flatnonzero(every.positives > 0)
    tied = {"gained": every.positives[at], "tied": every.negatives[at]}
    squared = {"gained2": every.positives2[at], "tied2": every.negatives2[at]}
    running = dict(zip(("tp", "fp"), order.counts(at + 1, "tp", "fp"), strict=True))

    rises = [dict(zip(Rises.__slots__, astuple(part), strict=True)) for part in order.rises()]
    for name, expected in {**tied, **squared, **running}.items():
        observed = [value for part in rises for value in part[name]]
        assert observed == pytest.approx(expected.tolist())
    fp = [value for part in rises for value in part["between"] + part["tied"]]
    assert np.cumsum(fp).tolist() == pytest.approx(running["fp"].tolist())


def test_the_first_row_of_a_count_beyond_the_number_of_scores_is_found():
    """Rows are many more than distinct scores."""
    order = ranking_of(pl.DataFrame({"score": [0.2, 0.1] * 500, "truth": [True, False] * 500}))

    assert order.first("tp", [1, 400, 501]).tolist() == [1, 1, 2]
    assert order.first("fp", [1, 400, 501]).tolist() == [2, 2, 2]


@pytest.mark.parametrize("digits", [None, 1], ids=["all different", "tied"])
@pytest.mark.parametrize("repeats", [1, 4])
def test_the_variance_of_a_mean_loss_is_that_of_its_rows_as_groups(digits, repeats):
    """With the degrees of freedom of the sums, here of single rows or of their copies."""
    random = np.random.default_rng(3)
    score = random.uniform(0.02, 0.98, 300)
    score = score if digits is None else score.round(digits).clip(0.02, 0.98)
    truth = random.random(300) < score
    score[:2], truth[:2] = (0, 1), (False, True)  # sure and right
    copies = {"truth": np.tile(truth, repeats), "score": np.tile(score, repeats)}
    groups = Groups(np.tile(np.arange(300), repeats), 300)
    order = ranking_of(pl.DataFrame(copies))
    losses = {
        "brier_score": (score - truth) ** 2,
        "log_loss": -np.log(np.where(truth, score, 1 - score)),
    }
    result = loss_variances(order, {n: loss.mean() for n, loss in losses.items()}, repeats)
    for name, loss in losses.items():
        influence = np.tile(loss - loss.mean(), repeats) / (300 * repeats)
        variance, _, effect = result[name]
        assert variance == pytest.approx(variance_of_sum(influence, groups), rel=1e-9)
        df = degrees_of_freedom(groups.sums(influence))
        assert effect.degrees_of_freedom == pytest.approx(df, rel=1e-9)


def test_equal_weights_leave_the_variance_of_a_mean_loss_as_it_is():
    random = np.random.default_rng(4)
    score = random.uniform(0.02, 0.98, 300).round(1).clip(0.02, 0.98)
    frame = pl.DataFrame({"truth": random.random(300) < score, "score": score, "w": 3.0})
    means = {"brier_score": 0.2, "log_loss": 0.6}

    plain = loss_variances(ranking_of(frame), means)
    for name, of_weighted in loss_variances(ranking_of(frame, weight="w"), means).items():
        assert of_weighted.variance == pytest.approx(plain[name].variance, rel=1e-12)
        df = plain[name].effect.degrees_of_freedom
        assert of_weighted.effect.degrees_of_freedom == pytest.approx(df, rel=1e-12)


@pytest.mark.parametrize("weight", [None, "w"])
@given(rows=ROWS)
def test_a_stretch_of_a_ranking_has_its_running_counts(weight, rows):
    order = ranking_of(frame_of(rows), weight=weight)
    for start in range(len(order)):
        stretch = slice(start, min(start + 3, len(order)))
        at = np.arange(stretch.start + 1, stretch.stop + 1)
        of_classes, running = order.through(stretch), order.counts(at, "tp", "fp")

        assert [c.tolist() for c in of_classes] == [c.tolist() for c in running]
        assert order.rows(stretch) == pytest.approx(
            order.chunk(stretch).positives + order.chunk(stretch).negatives
        )


@given(score=st.lists(st.floats(0, 1), max_size=5))
def test_a_loss_of_one_outcome_for_all_is_that_of_each(score):
    forecasts = np.array(score)
    for loss in LOSSES.values():
        for outcome in (1.0, 0.0):
            each = loss(forecasts, np.full(len(forecasts), outcome))
            assert loss(forecasts, outcome).tolist() == each.tolist()


def test_limits_of_a_mean_loss_are_wide_where_one_row_carries_it():
    score = np.array([*np.full(29, 0.03), 0.05])
    truth = np.arange(30) == 29
    frame = pl.DataFrame({"truth": truth, "score": score})
    model = evaluate_model(
        frame, ModelColumns(name="m", score="score", label=None), Threshold(0.5, "fixed")
    )
    row = next(
        row for row in evaluate_metrics([model], BINARY_SPEC, {})[0] if row["metric"] == "log_loss"
    )
    assert row["interval"] == "mean loss"
    # Nearly one degree of freedom: the lone loss is far from all others. The upper limit grows
    # like a plain one there, so that it stays of the size of the losses.
    assert row["low"] < row["value"] / 20
    assert 5 * row["value"] < row["high"] < 20 * row["value"]


def test_running_counts_of_many_rows_are_those_of_a_few():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"truth": rng.random(300) < 0.3, "score": rng.random(300)})
    ranking = ranking_of(frame)
    assert isinstance(ranking, DistinctScores)
    requested = rng.integers(0, 301, 200)
    for name in ("tp", "fp"):
        one_by_one = [ranking.running(name, requested[k : k + 1])[0] for k in range(len(requested))]
        assert ranking.running(name, requested).tolist() == one_by_one
    assert ranking.running("tp", np.arange(301))[-1] == frame["truth"].sum()
