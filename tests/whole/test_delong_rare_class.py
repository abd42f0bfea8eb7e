"""Two AUCs of a rare class, whose few scores may vary too little by chance."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtri

import reportgen
from reportgen.comparisons import AreaCovariance, Question, area_covariance, delong_pair
from reportgen.comparisons.delong import BY_CHANCE, delong_rare_class_pair, has_rare_class
from reportgen.intervals.area_scores import hanley_variance

AREAS = Question(("a", "b"), "auc")


def _areas(seed: int, positives: int, rows: int) -> AreaCovariance:
    """Two AUCs of 0.95; the scores of positives of the second spread four times as widely."""
    random, truth = np.random.default_rng(seed), np.arange(rows) < positives
    shared, *own = random.standard_normal((3, rows))
    scores = [(shared + noise) / np.sqrt(2) for noise in own]
    for spread, score in zip((0.5, 2.0), scores, strict=True):
        score[truth] = np.sqrt(1 + spread**2) * ndtri(0.95) + spread * score[truth]
    frame = pl.DataFrame({"truth": truth, "a": scores[0], "b": scores[1]})
    return area_covariance(frame, ["a", "b"])


def test_few_scores_of_a_rare_class_that_happen_to_vary_little_do_not_decide():
    """Of 20 positives of 400 DeLong's test rejected in a sixth of the data sets."""
    estimates = [_areas(seed, 20, 400) for seed in range(40)]
    alone = [delong_pair(one, (0, 1), AREAS) for one in estimates]
    widened = [delong_rare_class_pair(one, (0, 1), AREAS) for one in estimates]

    assert sum(record.p_value < 0.05 for record in alone) > 3
    assert sum(record.p_value < 0.05 for record in widened) <= 2
    for one, other in zip(alone, widened, strict=True):
        assert one.estimate == other.estimate
        assert one.p_value <= other.p_value
        assert (other.p_value < 0.05) == (other.low * other.high > 0)


def test_variances_of_a_rare_class_go_halfway_to_those_of_hanley_and_mcneil():
    sizes, areas = (20.0, 400.0), np.array([0.95, 0.85])
    expected = float(hanley_variance(np.array(0.9), *sizes))
    covariance = np.diag([expected / 4, expected * 2])
    record = delong_rare_class_pair(AreaCovariance(areas, covariance, sizes), (0, 1), AREAS)

    variance = (expected / 4 + expected) / 2 + expected * 2
    assert record.statistic == pytest.approx(0.1 / variance**0.5)


def test_models_that_correlate_closely_differ_no_less_surely_than_delong_says():
    """A larger variance of the surer model alone would make the difference vary less."""
    areas, variance = np.array([0.95, 0.85]), np.array([1e-4, 8e-4])
    covariance = np.diag(variance)
    covariance[0, 1] = covariance[1, 0] = 0.9 * np.sqrt(variance.prod())
    estimates = AreaCovariance(areas, covariance, (20.0, 400.0))
    alone, widened = (of(estimates, (0, 1), AREAS) for of in (delong_pair, delong_rare_class_pair))

    assert widened.statistic == pytest.approx(alone.statistic)


@pytest.mark.parametrize(("positives", "rows"), [(20, 79), (200, 900)])
def test_only_a_class_that_is_rare_has_a_test_of_its_own(positives, rows):
    assert not has_rare_class(_areas(0, positives, rows))
    assert has_rare_class(_areas(0, positives - 1, rows + 1))
    assert not has_rare_class(_areas(0, rows - positives, rows))


def test_the_test_for_a_rare_class_is_recommended_and_delongs_stands_beside_it():
    random, truth = np.random.default_rng(2), np.arange(400) < 40
    noise = random.standard_normal((2, 400))
    frame = pl.DataFrame({"y": truth, "a": noise[0] + 2 * truth, "b": noise[1] + 0.5 * truth})
    spec = {"truth": "y", "models": {"a": {"score": "a"}, "b": {"score": "b"}}, "threshold": 1.0}
    tests = reportgen.evaluate(spec, frame).comparisons.filter(metric="auc")
    advice = dict(tests.select("comparison", "recommendation").iter_rows())

    assert advice == {"delong": "valid", "delong_rare_class": "recommended"}
    assert BY_CHANCE in tests.filter(comparison="delong")["caveats"].item().to_list()


def test_rows_in_groups_and_a_margin_rest_on_the_same_variances():
    random, truth = np.random.default_rng(4), np.arange(400) % 20 == 0
    noise = random.standard_normal((2, 400))
    frame = pl.DataFrame({"y": truth, "a": noise[0] + 2 * truth, "b": noise[1] + 2 * truth})
    frame = frame.with_columns(g=pl.int_range(400) // 5)
    spec = {
        "truth": "y",
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        "threshold": 1.0,
        "columns": {"group": "g"},
        "comparisons": {"margin": 0.1},
    }
    tests = {
        row["comparison"]: row
        for row in reportgen.evaluate(spec, frame).comparisons.filter(metric="auc").to_dicts()
    }

    rare, plain = tests["delong_rare_class"], tests["obuchowski"]
    assert rare["recommendation"] == "recommended"
    assert rare["p_value"] >= plain["p_value"]
    assert tests["equivalence_score"]["low"] == rare["low"]
    assert tests["equivalence_score"]["df"] == rare["df"] == plain["df"]
