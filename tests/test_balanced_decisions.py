"""The test of balanced accuracy, for labels of which one class is rare."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

import reportgen
from reportgen.clusters import Groups
from reportgen.comparisons import Question, area_covariance
from reportgen.comparisons.balanced_decisions import areas_of_counts, balanced_decisions

BALANCED = Question(("a", "b"), "balanced_accuracy")


def decisions(seed: int = 0, positives: int = 40, rows: int = 400) -> pl.DataFrame:
    random, truth = np.random.default_rng(seed), np.arange(rows) < positives
    a, b = (random.random(rows) < np.where(truth, hits, 0.05) for hits in (0.9, 0.7))
    return pl.DataFrame({"truth": truth, "a": a, "b": b})


def test_its_error_has_one_more_disagreement_either_way_in_each_class():
    frame = decisions()
    test = balanced_decisions(frame, BALANCED)

    parts = []
    for side in (True, False):
        rows = frame.filter(truth=side)
        away = (rows["a"].cast(int) - rows["b"].cast(int)) * (1 if side else -1)
        n = rows.height
        parts.append((away.mean() / 2, away.var() / (4 * n) + 2 / (4 * (n + 2) ** 2)))
    difference, error = sum(p[0] for p in parts), sum(p[1] for p in parts) ** 0.5
    assert test.estimate == pytest.approx(difference)
    assert test.statistic == pytest.approx(difference / error)
    assert test.p_value == pytest.approx(2 * norm.sf(abs(difference) / error))
    assert test.low == pytest.approx(difference - norm.ppf(0.975) * error)


def test_few_positives_on_which_models_agree_by_chance_do_not_decide():
    """Ten positives that both predict: without the disagreement added p is 0.001."""
    truth = np.arange(310) < 10
    a, b = truth.copy(), truth.copy()
    a[20:32] = True
    frame = pl.DataFrame({"truth": truth, "a": a, "b": b})

    assert balanced_decisions(frame, BALANCED).p_value > 0.5


def test_groups_of_one_row_give_nearly_the_plain_error_and_groups_of_ten_another():
    frame = decisions()
    plain = balanced_decisions(frame, BALANCED)
    single, tens = (
        balanced_decisions(frame, BALANCED, groups=Groups.of(pl.int_range(400, eager=True) // k))
        for k in (1, 10)
    )

    assert single.statistic == pytest.approx(plain.statistic, rel=0.02)
    assert tens.df < single.df
    assert tens.estimate == pytest.approx(plain.estimate)


@pytest.mark.parametrize(("positives", "tested"), [(15, True), (40, False)])
def test_it_is_made_of_labels_where_a_class_is_rare(positives, tested):
    models = {name: {"label": name} for name in "ab"}
    results = reportgen.evaluate(
        {"truth": "truth", "models": models}, decisions(positives=positives)
    )

    assert ("balanced_decisions" in results.comparisons["comparison"]) == tested


def test_counts_of_decisions_give_the_areas_of_the_rows():
    frame = decisions(seed=3)
    of_rows = area_covariance(frame.with_columns(pl.col("a", "b").cast(float)), ["a", "b"])
    counts = frame.group_by("truth", "a", "b").len("rows")
    of_counts = areas_of_counts(counts, ["a", "b"])

    np.testing.assert_allclose(of_counts.areas, of_rows.areas, rtol=1e-12)
    np.testing.assert_allclose(of_counts.covariance, of_rows.covariance, rtol=1e-9)
    np.testing.assert_allclose(of_counts.by_class, of_rows.by_class, rtol=1e-9)
    assert of_counts.sizes == of_rows.sizes


def test_streaming_makes_the_same_test(tmp_path):
    decisions(positives=15).write_csv(tmp_path / "d.csv")
    spec = {"data": "d.csv", "truth": "truth", "models": {n: {"label": n} for n in "ab"}}
    tests = []
    for engine in ("exact", "streaming"):
        path = tmp_path / f"{engine}.yaml"
        path.write_text(json.dumps({**spec, "engine": engine}), encoding="utf-8")
        comparisons = reportgen.evaluate(path).comparisons
        tests.append(comparisons.filter(comparison="balanced_decisions"))

    exact, streamed = tests
    for name in ("statistic", "p_value", "low", "high"):
        assert streamed[name].item() == pytest.approx(exact[name].item(), rel=1e-9)
