"""Detection error tradeoff, gain, decision curve, rejection and Murphy diagram; their fits."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.curves import (
    RANKING_CURVES,
    det,
    error_reject,
    gain,
    isotonic,
    masses,
    murphy,
    net_benefit,
    of_ranking,
    recalibration,
)
from reportgen.curves.ranking import line
from reportgen.measuring.binary_model import FRAMES
from reportgen.metrics import METRICS
from reportgen.metrics.top_fraction import true_positives_in_top
from reportgen.records.model import Results
from reportgen.sweeping import sweep
from reportgen.tables import CURVES
from reportgen.tables.curves import Curve, curve
from tests.cases import agrees, all_cases, rows

MAKERS = {f.__name__: f for f in (det, gain, net_benefit, error_reject, murphy)}
TOPPED = [c for c in all_cases("binary") if any(n.startswith("gain@top") for n in c["expected"])]


def scored(seed: int = 0, size: int = 400, decimals: int = 2) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.random(size) < 0.4
    score = np.clip(0.3 * truth + 0.7 * random.random(size), 0, 1).round(decimals)
    return pl.DataFrame({"truth": truth, "score": score, "weight": random.integers(1, 4, size)})


DEGENERATE = {
    "no rows": pl.DataFrame(schema={"truth": pl.Boolean, "score": pl.Float64}),
    "one row": pl.DataFrame({"truth": [True], "score": [0.7]}),
    "only negatives": pl.DataFrame({"truth": [False] * 3, "score": [0.0, 0.5, 1.0]}),
    "all tied": pl.DataFrame({"truth": [True, False], "score": [0.5, 0.5]}),
    "any real score": pl.DataFrame({"truth": [True, False, True], "score": [-3.5, 0.0, 12.0]}),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("kind", DEGENERATE)
def test_a_curve_of_degenerate_rows_fits_its_declaration(name, kind):
    table = MAKERS[name](sweep(DEGENERATE[kind]), model="m")
    assert table.columns == list(CURVES[name].table.to_schema().columns)
    assert kind != "no rows" or table.is_empty()


@pytest.mark.parametrize("name", ["net_benefit", "murphy"])
def test_a_curve_of_probabilities_has_no_rows_for_other_scores(name):
    assert MAKERS[name](sweep(DEGENERATE["any real score"])).is_empty()


@pytest.mark.parametrize("name", ["masses", "isotonic", "recalibration"])
@pytest.mark.parametrize("kind", DEGENERATE)
def test_a_fit_of_degenerate_rows_is_made_or_null(name, kind):
    steps = sweep(DEGENERATE[kind])
    assert FRAMES[name](steps).height <= max(1, steps.height - 1)


def test_the_detection_error_tradeoff_is_that_of_scikit_learn():
    from scipy.stats import norm
    from sklearn.metrics import det_curve

    frame = scored(1, decimals=16)
    curve = det(sweep(frame)).filter(pl.col("threshold").is_not_null())
    alarm, miss, threshold = det_curve(frame["truth"].to_numpy(), frame["score"].to_numpy())
    # scikit-learn leaves out points at the ends that change neither rate.
    points = curve.filter(pl.col("threshold").is_in(threshold.tolist())).reverse()
    assert points.height == len(threshold) > 200
    assert points["false_positive_rate"].to_list() == pytest.approx(alarm.tolist())
    assert points["false_negative_rate"].to_list() == pytest.approx(miss.tolist())
    inner = curve.drop_nulls("false_positive_deviate")
    expected = norm.ppf(inner["false_positive_rate"].to_numpy())
    assert inner["false_positive_deviate"].to_list() == pytest.approx(expected.tolist())
    assert not inner["false_positive_rate"].is_in([0.0, 1.0]).any()


@pytest.mark.parametrize("case", TOPPED, ids=lambda c: c["case"])
def test_gain_and_lift_of_the_top_rows_are_those_that_outside_programs_give(case):
    spec = case["spec"]
    frame = rows(case).with_columns(truth=pl.col(spec["y_true"]) == spec["positive"])
    steps = sweep(frame, score=spec["y_score"])
    curve, size = gain(steps), frame.height
    for name in (n for n in case["expected"] if n.startswith(("gain@top", "lift@top"))):
        kind, _, count = name.partition("@top")
        (point,) = curve.filter((pl.col("share") * size - int(count)).abs() < 1e-6).to_dicts()
        assert agrees(case, name, point["recall" if kind == "gain" else "lift"]), name
        true_positives = steps.select(true_positives_in_top(int(count) / size)).item()
        assert true_positives / steps["tp"][-1] == pytest.approx(point["recall"])


def test_the_top_tenth_takes_ties_in_proportion():
    frame = pl.DataFrame(
        {"truth": [True, False, True, False] + [False] * 36, "score": [0.9] * 8 + [0.1] * 32}
    )
    precision = sweep(frame).select(METRICS["precision_at_10_percent"].build()).item()
    assert precision == pytest.approx(2 / 8)


def test_the_area_under_the_murphy_diagram_is_half_the_brier_score():
    steps = sweep(scored(2))
    curve = murphy(steps, points=200_001)
    area = np.trapezoid(curve["score"].to_numpy(), curve["threshold"].to_numpy())
    brier = steps.select(METRICS["brier_score"].build()).item()
    assert 2 * area == pytest.approx(brier, abs=1e-5)


def test_acting_always_is_worth_the_prevalence_less_the_price_of_the_rest():
    frame = pl.DataFrame({"truth": [True, False, False, False], "score": [0.9, 0.8, 0.3, 0.1]})
    curve = net_benefit(sweep(frame)).filter(threshold=0.5)
    assert curve.select("net_benefit", "treat_all", "treat_none").row(0) == (0.0, -0.5, 0.0)


def test_rejection_starts_at_the_error_rate_of_all_rows_and_keeps_the_surest_last():
    frame = pl.DataFrame(
        {"truth": [True, False, True, False, True], "score": [0.9, 0.6, 0.4, 0.1, 0.55]}
    )
    curve = error_reject(sweep(frame), 0.5)
    assert curve["rejected"].to_list() == pytest.approx([0, 0.2, 0.6])
    assert curve["error_rate"].to_list() == pytest.approx([0.4, 0.5, 0])


def test_isotonic_estimates_are_those_of_scikit_learn():
    from sklearn.isotonic import IsotonicRegression

    for weight in (None, "weight"):
        frame = scored(3)
        steps = sweep(frame, weight=weight)
        fit = IsotonicRegression().fit(
            frame["score"].to_numpy(),
            frame["truth"].cast(pl.Float64).to_numpy(),
            sample_weight=frame[weight].to_numpy() if weight else None,
        )
        estimates = isotonic(steps)
        expected = fit.predict(estimates["score"].to_numpy())
        assert estimates["calibrated"].to_list() == pytest.approx(expected.tolist(), abs=1e-12)


def test_miscalibration_less_discrimination_plus_uncertainty_is_the_brier_score():
    steps = sweep(scored(4))
    value = {
        name: FRAMES[METRICS[name].on](steps).select(METRICS[name].build()).item()
        for name in (
            "corp_miscalibration",
            "corp_discrimination",
            "brier_uncertainty",
            "brier_score",
        )
    }
    total = value["corp_miscalibration"] - value["corp_discrimination"] + value["brier_uncertainty"]
    assert total == pytest.approx(value["brier_score"], abs=1e-12)


def test_bins_of_equal_mass_are_as_even_as_ties_allow():
    even = masses(sweep(scored(5, 400, 16)))
    assert even["count"].to_list() == [40.0] * 10
    tied = masses(sweep(scored(5, 400, 1)))
    assert tied["count"].sum() == 400
    assert (tied["high"][:-1].to_numpy() < tied["low"][1:].to_numpy()).all()


@pytest.mark.parametrize("odds", [0.0, 3.0, 700.0])
def test_a_fit_without_a_maximum_is_null(odds):
    low, high = 1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))
    apart = pl.DataFrame({"truth": [True, True, False], "score": [high, high, low]})
    fit = recalibration(sweep(apart)).to_dicts()[0]
    assert fit["slope"] is None
    assert fit["intercept"] is None


def test_a_calibrated_forecast_has_slope_one_and_intercept_zero():
    truth = [True] * 1 + [False] * 3 + [True] * 3 + [False] * 1
    frame = pl.DataFrame({"truth": truth, "score": [0.25] * 4 + [0.75] * 4})
    fit = recalibration(sweep(frame)).to_dicts()[0]
    assert fit["slope"] == pytest.approx(1)
    assert fit["intercept"] == pytest.approx(0, abs=1e-12)
    assert fit["in_the_large"] == pytest.approx(0, abs=1e-12)


def test_weights_of_any_scale_leave_the_error_of_a_recalibration_alone():
    frame = scored(6).with_columns(score=pl.col("score").clip(0.01, 0.99))
    scaled = frame.with_columns(weight=pl.col("weight") * 1000.0)
    one, other = (recalibration(sweep(f, weight="weight")).row(0) for f in (frame, scaled))
    assert one == pytest.approx(other, rel=1e-9)


def test_results_hold_the_new_curves_and_read_them_back(tmp_path):
    from reportgen.results import evaluate
    from reportgen.spec import from_dict

    scored(7).drop("weight").write_parquet(tmp_path / "rows.parquet")
    spec = {
        "data": "rows.parquet",
        "truth": "truth",
        "positive": "true",
        "models": {"m": {"score": "score"}},
    }
    results = evaluate(from_dict(spec, tmp_path))
    assert {"det", "gain", "net_benefit"} <= results.curves.keys()
    assert Results.from_json(results.to_json()).curves["gain"].equals(results.curves["gain"])


@pytest.mark.parametrize("kind", ["next to 1", "around one half"])
def test_many_crowded_forecasts_are_recalibrated_as_their_log_odds_are(kind):
    random = np.random.default_rng(84)
    truth = random.random(30_000) < 0.02
    small = 10.0 ** (-11 * random.random(30_000))
    small[:2] = 2**-40, 2**-40 + 2**-53
    crowded = {
        "next to 1": np.where(
            (np.arange(30_000) < 2) | (random.random(30_000) < 0.3), 1 - small, small
        ),
        "around one half": 0.5 + 1e-5 * (random.normal(size=30_000) + 2.5 * truth),
    }
    forecast = crowded[kind]
    odds = np.log(forecast) - np.log1p(-forecast)

    fit = recalibration(sweep(pl.DataFrame({"truth": truth, "score": forecast}))).to_dicts()[0]

    chance = 1 / (1 + np.exp(-fit["intercept"] - fit["slope"] * odds))
    assert (truth - chance).sum() == pytest.approx(0, abs=1e-2)
    assert ((truth - chance) * odds / odds.std()).sum() == pytest.approx(0, abs=1e-2)
    in_the_large = 1 / (1 + np.exp(-fit["in_the_large"] - odds))
    assert (truth - in_the_large).sum() == pytest.approx(0, abs=1e-2)


class Missed(Curve):
    """Share of the positives below each threshold."""

    threshold: pl.Float64
    missed: pl.Float64


def test_a_curve_is_one_function_below_its_table(monkeypatch):
    """Declared and made in one place, it is in the results and comes back from the file."""
    for registry in (CURVES, RANKING_CURVES):
        monkeypatch.setitem(registry, "missed", None)  # so that it is gone afterwards
    curve("missed", "share missed")(Missed)

    @of_ranking("missed")
    def missed(swept, model: str = "model") -> pl.DataFrame:
        table = swept.table().filter(pl.col("threshold").is_finite())
        share = pl.col("fn") / (pl.col("tp") + pl.col("fn"))
        return Missed.validate(line(model, table.select("threshold", missed=share)))

    frame = scored(size=50).with_columns(squared=pl.col("score") ** 2)
    models = {"one": {"score": "score"}, "other": {"score": "squared"}}
    results = evaluate({"truth": "truth", "models": models}, frame)

    values = results.curves["missed"].filter(model="other")["missed"]
    assert (values[0], values[-1]) == (pytest.approx(1, abs=0.1), 0)
    assert Results.from_json(results.to_json()).curves["missed"].equals(results.curves["missed"])


def test_a_curve_without_a_table_is_refused():
    with pytest.raises(ValueError, match="no table"):
        of_ranking("unheard of")(murphy)
