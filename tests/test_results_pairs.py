"""What is found for all rows or all pairs at once is what one at a time would give."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons import joint_counts, paired_counts
from reportgen.comparisons.dominance import MANY, Line, _joined, _knots, _stretches, compared
from reportgen.comparisons.paired import mean_difference
from reportgen.measuring.binary_model import evaluate_model
from reportgen.measuring.decision_bits import DecisionBits
from reportgen.measuring.mean_losses import mean_losses
from reportgen.measuring.thresholds import Threshold
from reportgen.predictions import ModelColumns
from reportgen.resampling import BootstrapSettings, bootstrap, bootstrap_counts, bootstrap_sweep
from reportgen.resampling.edge_lookup import PART, EdgeLookup
from reportgen.sweeping import ranking_of


@pytest.fixture
def rows() -> pl.DataFrame:
    """Two scores of 40,000 rows, and calls that one model does not always make."""
    random = np.random.default_rng(4)
    truth = random.random(40_000) < 0.3
    a, b = (1 / (1 + np.exp(1 - 2 * truth - random.normal(size=truth.size))) for _ in range(2))
    predicted = pl.Series(b > 0.5).set(pl.Series(random.random(truth.size) < 0.01), None)
    return pl.DataFrame({"truth": truth, "a": a, "b": b, "said": predicted})


@pytest.mark.parametrize("spread", [1.0, 1e-6, 1e9])
@pytest.mark.parametrize("edges", [1, 2, 60, 900])
def test_a_table_finds_the_places_that_a_search_finds(spread, edges):
    random = np.random.default_rng(edges)
    scores = spread * random.normal(size=2 * PART + 5) ** 3
    scores[:4] = -0.0, 0.0, scores.max(), scores.min()
    among = np.unique(np.append(random.choice(scores, edges), [0.0][: edges - 1]))
    places = EdgeLookup.among(among).of(scores)

    assert (places == np.searchsorted(among, scores, side="right")).all()


def test_decisions_are_counted_from_their_bits_as_from_the_rows(rows):
    first, second = pl.col("a") >= 0.4, pl.col("said")
    decisions = DecisionBits.of(rows, {"first": first, "second": second})

    assert decisions.joint("first", "second").equals(joint_counts(rows, first, second))
    assert decisions.pairs("first", "second") == paired_counts(rows, first, second)


@pytest.mark.parametrize(
    ("metric", "loss"),
    [
        ("brier_score", lambda p: (p - pl.col("truth").cast(pl.Float64)) ** 2),
        ("log_loss", lambda p: -pl.when("truth").then(p.log()).otherwise((-p).log1p())),
    ],
)
def test_mean_losses_are_those_of_the_rows_that_both_models_score(rows, metric, loss):
    rows = rows.with_columns(b=pl.when(pl.col("said").is_not_null()).then("b"))
    mean = mean_losses(rows, {"x": "a", "y": "b"}, [("x", "y")], metric)["x", "y"]
    lost = rows.select(first=loss(pl.col("a")), second=loss(pl.col("b")))
    usual = mean_difference(lost.drop_nulls())

    assert mean is not None
    assert mean.df == usual.df
    assert (mean.value, mean.error) == pytest.approx((usual.value, usual.error), rel=1e-12)


def test_losses_that_are_infinite_have_no_mean(rows):
    certain = rows.with_columns(b=pl.lit(0.0))
    assert mean_losses(certain, {"x": "a", "y": "b"}, [("x", "y")], "log_loss") == {
        ("x", "y"): None
    }
    assert mean_losses(certain.clear(), {}, [], "log_loss") == {}


def test_losses_that_are_the_same_have_no_spread(rows):
    same = mean_losses(rows, {"x": "a", "y": "a"}, [("x", "y")], "brier_score")["x", "y"]

    assert same is not None
    assert same.reason == "the differences are all 0"


@pytest.mark.parametrize("turned", [False, True])
def test_long_curves_have_the_regions_that_all_their_bends_give(rows, turned):
    lines = []
    for name in ("a", "b"):
        order = ranking_of(rows, score=name)
        steps = order.table(order.corners())
        x, y = (steps[c].to_numpy() / steps[c][-1] for c in ("fp", "tp"))
        lines.append(Line(y, -x) if turned else Line(x, y))
    every = _joined(_stretches(*lines, _knots(*(line.x for line in lines))))
    regions = compared(*lines)

    assert sum(len(line.x) for line in lines) > MANY
    assert [(r.low, r.high, r.sign) for r in regions] == [(r.low, r.high, r.sign) for r in every]
    assert [r.area for r in regions] == pytest.approx([r.area for r in every], abs=1e-12)


@pytest.mark.parametrize("size", [300, 20_000])
def test_limits_drawn_from_counts_are_those_drawn_from_the_rows(rows, size):
    rows = rows.head(size)
    names = ["f1", "average_precision", "expected_calibration_error", "expected_total_cost"]
    options = BootstrapSettings(50, methods=("bca", "percentile"))
    of_rows = bootstrap(rows, names, score="a", predicted=pl.col("a") >= 0.5, options=options)
    model = evaluate_model(rows, ModelColumns("a", score="a"), Threshold(0.5, "fixed"))
    parts = [
        *bootstrap_counts(model.counts, names, options=options),
        bootstrap_sweep(model.ranking, names, options=options),
    ]

    assert pl.concat(parts).sort("metric").equals(of_rows.sort("metric"))


def test_the_decisions_of_several_models_are_resampled_as_those_of_each(rows):
    models = [
        evaluate_model(rows, ModelColumns(m, score=m), Threshold(0.5, "fixed")) for m in ("a", "b")
    ]
    names, options = (
        ["f1", "yule_q", "savings"],
        BootstrapSettings(60, methods=("bca", "percentile")),
    )
    each = [bootstrap_counts(model.counts, names, options=options)[0] for model in models]
    together = bootstrap_counts(pl.concat([m.counts for m in models]), names, options=options)

    assert not each[0].equals(each[1])
    assert all(a.equals(b) for a, b in zip(each, together, strict=True))
