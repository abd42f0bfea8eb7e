"""Where accuracy decides, the headline says how the models rank the rows and what else differs."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.engine_data import written
from tests.quick import FEW, QUICK


def evaluated(frame: pl.DataFrame) -> Results:
    models = {name: {"score": name} for name in frame.columns if name != "y"}
    return evaluate({"truth": "y", "models": models, **QUICK}, frame)


def untranslated(results: Results) -> dict:
    into = translator("zh", names_of(results.to_dict()))
    into.text(results.decision.headline)
    into.text(results.decision.sentence)
    return into.missing


def test_models_that_rank_the_rows_alike_differ_in_their_probabilities():
    """One model's scores are the other's, moved up: accuracy at 0.5 is no matter of ranking."""
    random = np.random.default_rng(2)
    p = random.beta(1.2, 2.4, size=900)
    frame = pl.DataFrame({"y": random.random(900) < p, "fair": p, "high": p**0.45})
    decision = (results := evaluated(frame)).decision
    row = results.differences.filter(metric="brier_score").row(0, named=True)

    assert (decision.measure, decision.leader) == ("accuracy", "fair")
    assert decision.headline.rpartition("; ")[2].startswith("both rank the rows alike (AUC 0.")
    assert "Their probabilities differ: fair − high is −" in decision.sentence
    assert f"−{abs(row['value']):.3f} in Brier score" in decision.sentence
    assert "At the thresholds in use fair − high is −" in decision.sentence
    assert " in recall (−" in decision.sentence
    assert not untranslated(results)


def test_ties_that_rounding_makes_are_no_difference_of_the_ranking():
    """Some high scores are rounded to 1.0: that is no reason to compare the AUC."""
    random = np.random.default_rng(2)
    p = random.beta(1.2, 2.4, size=900)
    rounded = np.round(p**0.45, 3)
    frame = pl.DataFrame({"y": random.random(900) < p, "fair": p, "high": rounded})
    decision = (results := evaluated(frame)).decision

    assert results.metrics.filter(metric="auc")["value"].n_unique() == 2
    assert (decision.measure, decision.leader) == ("accuracy", "fair")
    assert decision.headline.rpartition("; ")[2].startswith("both rank the rows alike (AUC 0.")
    assert "Their probabilities differ: fair − high is −" in decision.sentence
    assert any("rank the rows alike but for rounding" in one.text for one in decision.caveats)


def test_of_models_that_rank_and_decide_alike_the_probabilities_are_said_to_differ():
    random = np.random.default_rng(2)
    p = random.beta(1.2, 1.2, size=900)
    sharp = np.where(p >= 0.5, 1 - (1 - p) ** 3, p**3)
    results = evaluated(pl.DataFrame({"y": random.random(900) < p, "fair": p, "sharp": sharp}))
    decision = results.decision

    assert (decision.relation, decision.state) == ("no conclusion", "no gates")
    assert decision.headline.startswith("fair and sharp rank the rows and decide alike (AUC 0.")
    assert "Their probabilities differ: fair − sharp is −" in decision.sentence
    assert not untranslated(results)


def test_a_single_model_is_not_said_to_rank_the_rows_like_another():
    """Half of the rows repeat another one, which takes the conclusion away."""
    random = np.random.default_rng(5)
    p = random.random(100)
    frame = pl.DataFrame({"y": random.random(100) < p, "m": p})
    decision = evaluated(pl.concat([frame, frame])).decision

    assert decision.relation == "no conclusion"
    assert decision.headline.startswith("No conclusion on how good m is: 100 of 200 test rows")


def test_equal_areas_of_different_rankings_are_not_said_to_be_alike():
    """The scores of two negatives are exchanged, which changes no area."""
    truth = np.arange(18) < 7
    score = np.random.default_rng(3).permutation(np.arange(1, 19)) / 20
    other = score.copy()
    first, last = 7 + np.argsort(score[7:])[[0, -1]]
    other[[first, last]] = score[[last, first]]
    results = evaluated(pl.DataFrame({"y": truth, "a": score, "b": other}))

    areas = results.metrics.filter(pl.col("slice").is_null(), metric="auc")["value"]
    assert areas[0] == areas[1]
    assert results.decision.measure == "accuracy"
    assert "alike" not in results.decision.headline + results.decision.sentence


def test_models_no_more_accurate_than_guessing_may_rank_the_rows():
    truth = np.arange(18) % 3 == 0
    noise = np.random.default_rng(1).normal(size=(2, 18))
    scores = 1 / (1 + np.exp(-2.6 * truth + 2.9 - 0.7 * noise))
    results = evaluated(pl.DataFrame({"y": truth, "a": scores[0], "b": scores[1]}))
    areas = results.metrics.filter(pl.col("slice").is_null(), metric="auc")

    decision = results.decision
    assert areas["low"].min() > 0.5
    assert (decision.relation, decision.measure) == ("no conclusion", "auc")
    assert decision.headline.startswith("No conclusion on which model is better: the rarer class")
    assert f" has the highest AUC, {areas['value'].max():.3f} (" in decision.sentence
    assert not untranslated(results)


def test_a_rescaled_copy_does_not_change_what_a_model_is_judged_by():
    """One positive in ten: at 0.5 calibrated scores predict hardly any row to be positive."""
    random = np.random.default_rng(7)
    p = random.beta(0.8, 7.2, size=1000).clip(0, 0.49)
    frame = pl.DataFrame({"y": random.random(1000) < p, "good": p, "double": 2 * p})
    alone = evaluated(frame.drop("double")).decision
    together = (results := evaluated(frame)).decision

    assert (alone.measure, together.measure) == ("auc", "auc")
    area = alone.headline.removeprefix("good: AUC ").split()[0]
    assert together.headline.startswith(f"good and double rank the rows alike (AUC {area}, 0.")
    assert "Their probabilities differ: good − double is −" in together.sentence
    assert together.state == alone.state == "no gates"
    assert "constant" not in together.sentence
    assert not untranslated(results)


def test_models_that_decide_alike_share_the_headline():
    """The third model ranks the rows as they do; its scores are lower, so that it decides worse."""
    random = np.random.default_rng(2)
    p = random.beta(1.2, 1.2, size=600)
    sharp = np.where(p >= 0.5, 1 - (1 - p) ** 3, p**3)
    frame = pl.DataFrame({"y": random.random(600) < p, "a": p, "b": sharp, "c": p**1.1})
    accuracy = {name: ((frame[name] >= 0.5) == frame["y"]).mean() for name in "abc"}
    results = evaluated(frame)
    decision = results.decision

    assert accuracy["a"] == accuracy["b"] > accuracy["c"]
    assert decision.headline.startswith("a and b have the same accuracy, 0.")
    assert "; c does not differ significantly from a; all rank" in decision.headline
    assert not untranslated(results)


def test_labels_no_more_accurate_than_guessing_may_be_informed():
    """Positives are one in five: a reader who recalls most of them errs on many others."""
    random = np.random.default_rng(4)
    truth = random.random(300) < 0.2
    labels = {m: np.where(truth, random.random(300) < 0.8, random.random(300) < 0.2) for m in "ab"}
    frame = pl.DataFrame({"y": truth, **labels})
    models = {m: {"label": m} for m in "ab"}
    results = evaluate({"truth": "y", "models": models, **QUICK}, frame)

    assert results.decision.relation == "at chance"
    assert results.decision.headline.endswith("; in informedness both are better than chance")
    assert "Informedness (recall + specificity − 1): " in results.decision.sentence
    assert not untranslated(results)


def test_estimates_with_errors_of_the_same_size_need_no_test():
    """Their prediction intervals differ, of which page one speaks below."""
    random = np.random.default_rng(1)
    known, noise = random.normal(20, 5, 400), random.normal(size=400)
    columns = {"y": known + noise, "p": known, "q": known}
    for model, width in (("p", 1.28), ("q", 0.4)):
        columns |= {f"{model}_low": known - width, f"{model}_high": known + width}
    models = {
        m: {"estimate": m, "low": f"{m}_low", "high": f"{m}_high", "level": 0.8} for m in "pq"
    }
    results = evaluate({"truth": "y", "models": models, **QUICK}, pl.DataFrame(columns))
    decision = results.decision

    assert decision.headline.startswith("p and q have errors of the same size in every row (MSE ")
    assert decision.state == "no gates"
    assert not untranslated(results)
    [text] = [one.text for one in decision.caveats if one.code == "needs_no_test"]
    assert text.startswith("No test of the models is needed: the differences of the ")


def test_two_perfect_rankings_need_no_test():
    truth = np.arange(200) % 3 == 0
    scores = {
        name: np.where(truth, 0.8, 0.2) + np.arange(200) % step / 100
        for name, step in (("one", 7), ("two", 11))
    }
    decision = (results := evaluated(pl.DataFrame({"y": truth, **scores}))).decision

    assert decision.headline.startswith("one and two rank every positive above every negative (AUC")
    assert (decision.relation, decision.state) == ("no conclusion", "no gates")
    assert decision.caveats[0].text.startswith("No test of the models is needed: both models rank")
    assert not untranslated(results)


def test_counted_models_that_rank_the_rows_alike_are_told_as_in_memory(tmp_path):
    random = np.random.default_rng(2)
    p = random.beta(1.2, 2.4, size=1_500)
    frame = pl.DataFrame({"y": random.random(1_500) < p, "fair": p, "high": p**0.45})
    other = frame.with_columns(high=pl.col("high") + 0.03 * random.normal(size=1_500).clip(-1, 1))
    models = {name: {"score": name} for name in ("fair", "high")}

    def headline(rows: pl.DataFrame, engine: str) -> str:
        data = str(written(rows, tmp_path / f"{rows.height}.parquet"))
        results = evaluate(
            {"data": data, "truth": "y", "models": models, "engine": engine, **QUICK}
        )
        assert results.data["engine"]["name"] == engine
        return results.decision.headline

    assert headline(frame, "streaming") == headline(frame, "exact")
    assert "; both rank the rows alike (AUC 0." in headline(frame, "exact")
    assert "alike" not in headline(other.filter(pl.col("high").is_between(0, 1)), "streaming")


@pytest.mark.parametrize(("off", "relation"), [(0.1, "ahead"), (0.02, "level")])
def test_of_models_with_the_same_errors_the_headline_says_whose_intervals_are_best(off, relation):
    """Three with one estimate, or nearly: intervals that are right, too narrow and too wide."""
    random = np.random.default_rng(4)
    signal = random.normal(size=400)
    truth = signal + 2 * random.normal(size=400)
    columns, models = {"y": truth}, {}
    for name, half, share in (("right", 2.56, 0.0), ("narrow", 1.2, 0.0), ("wide", 6.0, off)):
        given = signal * (1 - share)
        columns |= {name: given, f"{name}_low": given - half, f"{name}_high": given + half}
        ends = {"low": f"{name}_low", "high": f"{name}_high"}
        models[name] = {"estimate": name, "level": 0.8, **ends}
    results = evaluate({"truth": "y", "models": models, **FEW}, pl.DataFrame(columns))

    headline = results.decision.headline
    assert results.decision.relation == relation
    assert headline.startswith("right and narrow have the same MSE, ")
    assert re.search(
        r"; right has the best prediction intervals \(Winkler score 7\.\d+\)$", headline
    )
    assert not untranslated(results)
