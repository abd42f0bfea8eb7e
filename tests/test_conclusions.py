"""Rules that a conclusion rests on: each test fails when the rule is turned round or left out."""

from __future__ import annotations

import os
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import reportgen
from reportgen.builds.publish import publish, staged, switch, writing
from reportgen.comparisons import TESTS
from reportgen.measuring.bootstrap_632 import no_information, plus
from reportgen.measuring.context import Losses
from reportgen.measuring.thresholds import chosen
from reportgen.results import Results
from reportgen.sections.comparisons import ComparisonsSection as Section
from reportgen.splitting import split
from reportgen.sweeping import sweep
from tests import charts_results
from tests.quick import QUICK


def evaluated(frame: pl.DataFrame, models: dict[str, dict[str, str]], **more: object) -> Results:
    return reportgen.evaluate(
        {"data": "frame", "truth": "y", "models": models, **QUICK, **more}, frame
    )


def test_the_leader_is_the_model_with_the_least_error_where_less_is_better():
    random = np.random.default_rng(1)
    y = random.normal(size=200)
    spreads = {"coarse": 1.0, "fine": 0.2, "middle": 0.5}
    noisy = {name: y + random.normal(size=200, scale=s) for name, s in spreads.items()}
    results = evaluated(
        pl.DataFrame({"y": y, **noisy}),
        {name: {"estimate": name} for name in spreads},
        task="regression",
        baseline="coarse",
    )

    assert results.decision.leader == "fine"
    assert results.decision.estimate is not None


def test_the_leader_is_the_model_with_the_highest_auc():
    random = np.random.default_rng(2)
    y = random.random(300) < 0.5
    noisy = {f"m{k}": y + random.normal(size=300, scale=s) for k, s in enumerate((3.0, 0.8, 1.5))}
    results = evaluated(pl.DataFrame({"y": y, **noisy}), {m: {"score": m} for m in noisy})

    assert results.decision.leader == "m1"


@pytest.mark.parametrize("measure", ["auc", "mean_squared_error"])
def test_of_models_that_do_not_differ_significantly_the_one_with_the_best_estimate_leads(measure):
    random = np.random.default_rng(8)
    less_is_better = measure == "mean_squared_error"
    y = random.normal(size=40) if less_is_better else np.arange(40) % 2 == 0
    noisy = {name: y + random.normal(size=40, scale=0.6) for name in "abc"}
    kind = "estimate" if less_is_better else "score"
    more = {"task": "regression"} if less_is_better else {}
    results = evaluated(pl.DataFrame({"y": y, **noisy}), {m: {kind: m} for m in noisy}, **more)

    values = results.metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()), metric=measure
    )
    best = values.sort("value", descending=not less_is_better)["model"][0]
    assert results.decision.relation == "level"
    assert results.decision.leader == best


def test_of_thresholds_that_are_as_good_the_strictest_is_chosen():
    """F1 is 2/3 at 0.8 (one of two positives, nothing else) and at 0.2 (both, and two more)."""
    frame = pl.DataFrame({"truth": [1, 0, 0, 1], "score": [0.8, 0.6, 0.4, 0.2]})
    steps = sweep(frame.cast({"truth": pl.Boolean}))

    assert chosen(steps, "f1", maximise=True) == (0.8, pytest.approx(2 / 3))


def test_the_no_information_error_is_that_of_all_pairs_of_truths_and_predictions():
    """Efron & Tibshirani (1997), eq. 27: the mean loss over all n² pairs."""
    random = np.random.default_rng(3)
    truth, predicted = random.random(40) < 0.3, random.random(40) < 0.6
    frame = pl.DataFrame({"truth": truth, "p": predicted})
    decisions = Losses("accuracy", "error_rate", "zero_one", of={})
    expected = (truth[:, None] != predicted[None, :]).mean()
    assert no_information(frame, pl.col("p"), decisions) == pytest.approx(expected)

    y, f = random.normal(size=40), random.normal(size=40, loc=0.5)
    squares = Losses("mean_squared_error", "mean_squared_error", "squared", of={})
    error = no_information(pl.DataFrame({"truth": y, "f": f}), pl.col("f"), squares)
    assert error == pytest.approx(((y[:, None] - f[None, :]) ** 2).mean())


def test_the_632_plus_estimate_is_that_of_the_paper():
    """Efron & Tibshirani (1997), eq. 29 to 32, by hand: R = 0.6, weight 0.632/(1 − 0.368·0.6)."""
    empirical, outside, gamma = 0.1, 0.4, 0.6
    weight = 0.632 / (1 - 0.368 * 0.6)
    assert plus(empirical, outside, gamma) == pytest.approx((1 - weight) * 0.1 + weight * 0.4)
    assert plus(empirical, 0.7, gamma) == pytest.approx(
        0.368 * 0.1 + 0.632 * 0.7 + 0.5 * 0.368 * 0.632 / (1 - 0.368)
    )


def several_claims() -> Results:
    random = np.random.default_rng(4)
    y = random.random(400) < 0.4
    scores = {m: y + random.normal(size=400, scale=s) for m, s in (("a", 1.0), ("b", 1.3))}
    frame = pl.DataFrame({"y": y, "site": np.arange(400) % 3, **scores}).cast({"site": pl.String})
    return evaluated(
        frame,
        {m: {"score": m} for m in scores},
        slices=["site"],
        comparisons={"claims": ["a.error_rate <= 0.1"]},
    )


def test_the_p_of_the_whole_report_is_corrected_for_every_test_that_decides():
    """Holm by hand, over the recommended tests, the claim, gaps and differences by slice."""
    results = several_claims()
    decides = results.comparisons.filter(
        pl.col("recommendation") == "recommended",
        pl.col("p_value").is_not_null(),
        pl.col("shows") == "difference",
    )
    tested = results.gaps.filter(pl.col("p_value").is_not_null())
    varies = [one for record in results.data["pairs_by_slice"] for one in record["varies"]]
    p_values = [*decides["p_value"], *tested["p_value"], *(one["p_value"] for one in varies)]
    assert (decides["models"].list.len() == 1).any()
    assert tested.height
    assert varies

    m = len(p_values)
    order = sorted(range(m), key=lambda i: p_values[i])
    expected, highest = [0.0] * m, 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (m - place) * p_values[i]))
        expected[i] = highest

    adjusted = [*decides["p_report"], *tested["p_report"], *(one["p_report"] for one in varies)]
    assert adjusted == pytest.approx(expected)
    assert results.comparisons["p_report"].count() == decides.height


def folds_of(accuracies: list[int]) -> Results:
    """Ten rows a fold, of which so many are predicted correctly."""
    rows = [
        {"id": f"{fold}-{k}", "fold": fold, "y": k % 2, "a": k % 2 if k < right else 1 - k % 2}
        for fold, right in enumerate(accuracies)
        for k in range(10)
    ]
    frame = pl.DataFrame(rows).with_columns(b="y")
    columns = {"id": "id", "fold": "fold"}
    return evaluated(frame, {m: {"label": m} for m in "ab"}, columns=columns)


def test_limits_over_folds_stay_within_the_values_that_a_measure_may_have():
    results = folds_of([10, 10, 10, 6])
    row = results.metrics.filter(metric="accuracy", model="a", average="folds").row(0, named=True)
    assert row["value"] == pytest.approx(0.9)
    assert row["high"] == 1.0
    assert 0 < row["low"] < 0.9

    error = results.generalisation.filter(quantity="test_error", metric="error_rate", model="a")
    assert error["low"].item() == 0.0


def test_a_claim_under_k_fold_is_tested_over_folds_and_not_over_pooled_rows():
    random = np.random.default_rng(5)
    cases = pl.DataFrame({"row": range(200)})
    rows = split(cases, "k_fold", folds=10, seed=1).filter(role="test")
    y = random.random(200) < 0.5
    frame = rows.with_columns(y=y, a=y ^ (random.random(200) < 0.2), b=y)
    results = evaluated(
        frame,
        {m: {"label": m} for m in "ab"},
        columns={"id": "id", "fold": "fold"},
        comparisons={"claims": ["a.error_rate <= 0.05"]},
    )
    claims = {
        row["comparison"]: row for row in results.comparisons.to_dicts() if row["models"] == ["a"]
    }

    over_folds, pooled = claims["corrected_one_sample_t"], claims["binomial"]
    assert (over_folds["recommendation"], over_folds["unit"]) == ("recommended", "folds")
    assert pooled["recommendation"] == "valid"
    assert "all folds as one model" in pooled["why"]
    values = results.folds.filter(metric="accuracy", model="a", role="test")["value"].to_numpy()
    error = np.std(1 - values, ddof=1) * np.sqrt(1 / 10 + 1 / 9)
    t = (np.mean(1 - values) - 0.05) / error
    assert over_folds["p_value"] == pytest.approx(stats.t.sf(t, 9))


def tail(row: dict[str, Any]) -> float | None:
    """The probability beyond a statistic by the distribution of its letter, or None without one."""
    statistic, df, more = row["statistic"], row["df"], row["df_denominator"]
    if statistic is None or row["p_value"] is None or row["comparison"] == "bonferroni_dunn":
        return None
    if row["symbol"] in ("z", "t"):
        beyond = stats.t.sf(statistic, (row["symbol"] == "t" and df) or inf)
        two_sided = row["shows"] == "difference" and row["effect"] != "value"
        return 2 * min(beyond, 1 - beyond) if two_sided else beyond
    if row["symbol"] in ("χ²", "Q"):
        return stats.chi2.sf(statistic, df)
    return stats.f.sf(statistic, df, more) if row["symbol"] == "F" else None


def of_a_number() -> Results:
    random = np.random.default_rng(7)
    y = random.normal(size=120)
    noisy = {m: y + random.normal(size=120, scale=s) for m, s in (("a", 0.5), ("b", 0.6))}
    models = {m: {"estimate": m} for m in noisy}
    return evaluated(
        pl.DataFrame({"y": y, **noisy}), models, task="regression", comparisons={"margin": 0.3}
    )


def of_ranks() -> Results:
    random = np.random.default_rng(6)
    names = ("a", "b", "c")
    rows = [
        {"dataset": f"d{d}", "model": m, "value": float(random.normal(loc=0.3 * k))}
        for d in range(12)
        for k, m in enumerate(names)
    ]
    columns = {"dataset": "dataset", "model": "model", "value": "value"}
    spec = {"task": "comparison", "data": "frame", "columns": columns, "measure": "auc"}
    comparisons = {"rope": 0.01, "margin": 0.5}
    return reportgen.evaluate({**spec, "comparisons": comparisons}, pl.DataFrame(rows))


def of_folds() -> Results:
    return folds_of([10, 8, 9, 6, 7])


@pytest.mark.parametrize(
    "make", [charts_results.rich, of_a_number, several_claims, of_ranks, of_folds]
)
def test_the_letter_of_a_statistic_is_that_of_the_distribution_which_gives_its_p(make):
    rows = [row for row in make().comparisons.to_dicts() if tail(row) is not None]

    assert rows
    for row in rows:
        assert row["p_value"] == pytest.approx(min(tail(row), 1.0), rel=1e-6), row["comparison"]


def test_a_statistic_is_printed_with_the_letter_of_its_record():
    tests = Section.from_results(charts_results.rich(), []).tests
    cells = {getattr(row.cells["statistic"], "text", row.cells["statistic"]) for row in tests.rows}

    assert any(text.startswith(f"{TESTS['delong'].symbol} = ") for text in cells)
    assert any(text.startswith("min(n10, n01) = ") for text in cells)


def test_every_file_is_synced_before_the_folder_gets_its_name(tmp_path, monkeypatch):
    """A crash after the rename must not find a named folder with empty files."""
    events: list[str] = []
    sync, rename = os.fsync, Path.rename
    monkeypatch.setattr(
        os,
        "fsync",
        lambda fd: (events.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))), sync(fd)),
    )
    monkeypatch.setattr(
        Path, "rename", lambda self, to: (events.append("rename"), rename(self, to))[1]
    )
    with writing(tmp_path), staged(tmp_path, "one") as stage:
        (stage / "report.html").write_text("page")
        (stage / "results.json").write_text("numbers")
        publish(stage, tmp_path / "one")
        events.append("published")
        switch(tmp_path / "one")

    renamed, published = events.index("rename"), events.index("published")
    assert {"report.html", "results.json"} <= set(events[:renamed])
    assert events[renamed + 1 : published] == [tmp_path.name]
    assert events[published + 1 :] == [tmp_path.name]


def test_a_score_equal_to_the_threshold_counts_as_predicted_positive_in_tests_of_pairs():
    """Two models that differ only in rows at the threshold: a at 0.5, b just below it."""
    below = float(np.nextafter(0.5, 0))
    frame = pl.DataFrame(
        {
            "y": [True, True, True, False, False, False],
            "a": [0.5, 0.5, 0.9, 0.1, 0.5, 0.2],
            "b": [below, below, 0.9, 0.1, below, 0.2],
        }
    )
    results = evaluated(frame, {m: {"score": m} for m in "ab"}, baseline="b")
    row = results.comparisons.filter(comparison="mcnemar_midp").row(0, named=True)

    assert row["models"] == ["a", "b"]
    assert row["cross_table"] == [3.0, 2.0, 1.0, 0.0]  # both, only a, only b, neither
    assert row["estimate"] == pytest.approx(1 / 6)
