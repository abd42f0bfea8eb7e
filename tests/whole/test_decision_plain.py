"""What page one says of models at or below chance, of floors of p, and of reasons."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen import render
from reportgen.charts import figures
from reportgen.concluding.chance import COST, not_better
from reportgen.records.decision import AtChance
from reportgen.records.rows import rows_of
from reportgen.results import Results, evaluate
from reportgen.sections.decisions import counts
from reportgen.sections.generalisation import OVERLAPPING, GeneralisationSection
from reportgen.sections.key_numbers import KeyNumbers
from reportgen.sections.ledger import ledger
from reportgen.tables.comparisons import ComparisonRow
from tests.quick import QUICK
from tests.untranslated import untranslated

TRUTH = np.arange(80) % 2 == 0
NOISE = np.random.default_rng(5).uniform(size=80)
REVERSED = {"m": NOISE - 0.6 * TRUTH, "k": NOISE**2 - 0.5 * TRUTH, "coin": NOISE}


def report(scores: dict[str, Any], truth: Any = TRUTH, **spec: Any) -> Results:
    """Two classes."""
    frame = pl.DataFrame({"y": truth, **scores, "set": np.arange(len(truth)) // 2 % 8})
    models = {name: {"score": name} for name in scores if name not in spec.get("slices", ())}
    return evaluate({"truth": "y", "models": models, **QUICK, **spec}, frame)


def caveats(results: Results, code: str) -> list[str]:
    return [c.text for c in results.decision.caveats if c.code == code]


@pytest.mark.parametrize(
    ("models", "beginning"),
    [
        (["m"], "m is significantly worse than chance: AUC 0."),
        (["m", "k"], "Both models are significantly worse than chance in AUC: k 0."),
        (["coin"], "coin is not significantly better than chance: AUC 0."),
        (["m", "coin"], "Neither model is significantly better than chance in AUC: coin 0."),
    ],
)
def test_models_that_rank_backwards_are_said_to_be_worse_than_chance(models, beginning):
    assert report({m: REVERSED[m] for m in models}).decision.headline.startswith(beginning)


@pytest.mark.parametrize(
    ("seed", "ending"),
    [
        (6, "the best is m4, 0.590 (0.471 to 0.702 after correction)"),
        (8, "the best is m6, 0.579 (0.498 to 0.656)"),
    ],
)
def test_one_of_twelve_models_that_guess_is_not_said_to_be_better_or_worse(seed, ending):
    """By its own interval m4 of the first would be better, and m3 of the second worse."""
    random = np.random.default_rng(seed)
    scores = {f"m{model}": random.random(200) for model in range(12)}
    results = report(scores, np.arange(200) % 2 == 0)
    headline = results.decision.headline

    assert headline == f"No model is significantly better than chance in AUC: {ending}"
    assert caveats(results, "at_chance") == []


@pytest.mark.parametrize(
    ("low", "simultaneous"), [(-0.001, [False, False]), (0.01, [True, True]), (0.05, [])]
)
def test_costs_are_below_the_trivial_one_by_limits_that_hold_for_all_models(low, simultaneous):
    """A saving of 0.1 has a limit that is 1.144 times as far away, if it holds for both models."""
    saved = (0.1, low, 0.2)
    costs = [AtChance(name, COST, 0.5, 0.42, 0.58, 0.55, above=saved) for name in "ab"]

    assert [row.simultaneous for row in not_better(costs, 0.95, 100)] == simultaneous


def test_models_at_chance_are_named_where_no_test_allows_a_conclusion():
    """The prior of each training set ranks left-out rows backwards where all are pooled."""
    folds = np.arange(80)
    truth = np.random.default_rng(8).uniform(size=80) < 0.4
    prior = np.array([truth[folds != fold].mean() for fold in folds])
    frame = pl.DataFrame({"y": truth, "prior": prior, "coin": NOISE, "f": folds})
    spec = {"truth": "y", "models": {m: {"score": m} for m in ("prior", "coin")}}
    results = evaluate({**spec, **QUICK, "columns": {"fold": "f"}}, frame)
    [worse] = caveats(results, "at_chance")

    assert results.decision.headline == "No conclusion on which model is better"
    assert 0.5 < results.numbers("coin")["auc"] < 0.6  # without limits it is not judged
    assert worse.startswith("prior is below chance (AUC 0.")
    assert worse.endswith(": pooling scores of separately fitted folds can lower it.")


def test_a_model_that_ranks_backwards_is_told_what_to_check():
    frame = pl.DataFrame({"y": NOISE > 0.5, "m": -NOISE})
    results = evaluate({"truth": "y", "models": {"m": {"score": "m"}}, **QUICK}, frame)

    assert results.decision.headline.startswith("m is significantly worse than chance: AUC 0.000")
    assert (
        "Check which class is positive and which way the scores run." in results.decision.sentence
    )


def test_labels_have_no_threshold_at_which_they_cost_more():
    frame = pl.DataFrame({"y": NOISE > 0.7, "m": NOISE < 0.5})
    costs = {"false_negative": 1, "false_positive": 1}
    spec = {"truth": "y", "models": {"m": {"label": "m"}}, "costs": costs}
    texts = caveats(evaluate({**spec, **QUICK}, frame), "at_chance")

    [text] = [text for text in texts if "cheaper class" in text]
    assert text.startswith("m costs significantly more than always predicting the cheaper class (")


def test_a_model_that_costs_a_little_more_than_one_class_is_not_said_to_be_perhaps_cheaper():
    truth = np.arange(40) < 10
    frame = pl.DataFrame(
        {"y": truth, "m": truth ^ np.isin(np.arange(40), [*range(7), *range(34, 39)])}
    )
    costs = {"false_negative": 1, "false_positive": 1}
    spec = {"truth": "y", "models": {"m": {"label": "m"}}, "costs": costs}
    texts = caveats(evaluate({**spec, **QUICK}, frame), "at_chance")

    (text,) = [
        text for text in texts if text.startswith("m costs no less in these rows than always")
    ]
    assert text.endswith(
        " the cheaper class (0.250 per row). Its relative saving is −0.200 (−0.807 to 0.407)."
    )


def test_the_true_mean_is_said_to_be_worse_than_the_mean_of_few_rows_in_5_percent_of_samples():
    """By its limit in large samples it was in 0.10 of samples of ten rows."""
    random = np.random.default_rng(11)
    rows = random.normal(size=(40_000, 10))
    r2 = 1 - (rows**2).sum(axis=1) / ((rows - rows.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    worse = [not_better([AtChance("m", "r2", value, -9.0, -1e-9, 0.0)], 0.95, 10) for value in r2]

    share = np.mean([row.worse for [row] in worse])
    assert share == pytest.approx(0.05, abs=0.004)


def test_a_constant_is_worse_than_the_mean_only_beyond_what_means_of_other_rows_differ_by():
    """R² of a constant is never above 0, so that its interval never reaches above it."""
    truth = np.random.default_rng(3).normal(5.0, 2.0, size=200)
    error = truth.std(ddof=1) / np.sqrt(200)
    constants = {"near": truth.mean() + 3 * error, "far": truth.mean() + 7 * error}
    frame = pl.DataFrame({"y": truth, **{n: np.full(200, c) for n, c in constants.items()}})
    spec = {"truth": "y", "models": {name: {"estimate": name} for name in constants}}
    results = evaluate({**spec, "bootstrap": {"replicates": 200}}, frame)

    assert results.decision.headline.endswith("; far is significantly worse")
    assert not caveats(results, "at_chance")  # it would be the same sentence again


def test_the_mean_itself_has_no_interval_without_width():
    truth = np.random.default_rng(3).poisson(2.0, size=100).astype(float)
    frame = pl.DataFrame({"y": truth, "mean": truth.mean(), "good": 0.8 * truth + 0.2})
    spec = {"truth": "y", "models": {"mean": {"estimate": "mean"}, "good": {"estimate": "good"}}}
    results = evaluate({**spec, "bootstrap": {"replicates": 100}}, frame)

    assert caveats(results, "at_chance") == []
    assert caveats(results, "constant") == ["mean always predicts the mean of these rows."]


def test_a_floor_of_p_above_alpha_once_corrected_is_named_of_a_chosen_test():
    """Six data sets of three models: Wilcoxon's p is 1/32 at least, times 3 comparisons."""
    rows = [
        {"dataset": f"d{i}", "model": m, "auc": 0.6 + 0.1 * j + 0.01 * i * (j + 1)}
        for i in range(6)
        for j, m in enumerate("abc")
    ]
    spec = {"task": "comparison", "measure": "auc"}
    columns = {"dataset": "dataset", "model": "model", "value": "auc"}
    spec |= {"columns": columns, "comparisons": {"test": "wilcoxon"}}
    results = evaluate(spec, pl.DataFrame(rows))

    assert results.decision.p_adjusted == pytest.approx(3 / 32)
    assert caveats(results, "least_p") == [
        "On these data the adjusted p cannot fall below 0.0938 (Wilcoxon's signed-rank test, Holm "
        "over 3 comparisons): no difference can be significant at α = 0.05."
    ]


def test_a_reason_stands_once_where_the_headline_has_it():
    truth = np.arange(80) < 2
    decision = report({"a": NOISE + truth, "b": NOISE**2}, truth, threshold=9).decision
    words = " ".join([decision.headline, decision.sentence, *(c.text for c in decision.severe)])

    assert decision.relation == "no conclusion"
    assert words.count("variance") + words.count("holds its level only from") == 1


def test_models_behind_the_most_frequent_class_are_not_said_to_be_at_chance():
    truth = np.arange(80) < 2
    headline = report({"m": np.where(truth, 0.9, NOISE)}, truth, gates=[]).decision.headline
    labels = {"models": {"m": {"label": "m"}}}
    text = report({"m": NOISE > 0.5}, truth, **labels).decision.headline

    assert headline.startswith("m: average precision 0.222 (95\xa0% CI 0.000 to 1.000), AUC 0.910")
    assert text.startswith(
        "m is significantly worse than always predicting the most frequent class: accuracy 0."
    )
    assert text.endswith("against 0.975")


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        (np.where(TRUTH, 0.0, 0.5), "an observed outcome had probability 0"),
        (4 * NOISE, "the scores are not probabilities"),
    ],
)
def test_of_two_reasons_against_log_loss_the_one_that_applies_is_given(score, reason):
    row = report({"m": score}).metrics.filter(metric="log_loss").row(0, named=True)

    assert (row["value"], row["undefined"]) == (None, reason)


def estimates(**spec: Any) -> Results:
    """Two models of numbers, with weights and times."""
    truth, noise = np.random.default_rng(3).normal(5.0, 2.0, size=60), NOISE[:60]
    errors = {"a": truth + noise, "b": truth - 2 * noise**2}
    frame = pl.DataFrame({"y": truth, **errors, "w": noise + 0.5, "t": np.arange(60)})
    frame = frame.with_columns(g=pl.col("t") // 6)
    models = {"models": {"a": {"estimate": "a"}, "b": {"estimate": "b"}}}
    return evaluate({"truth": "y", **models, **QUICK, **spec}, frame)


def test_weights_that_a_test_does_not_allow_for_are_said_with_its_name():
    weighted = estimates(columns={"weight": "w", "time": "t"})
    row = weighted.metrics.filter(metric="spearman_rho").row(0, named=True)

    assert weighted.decision.headline == (
        "No conclusion on which model is better: rows are weighted, which the Diebold–Mariano "
        "test does not allow for"
    )
    assert row["undefined"] == "rows are weighted"


def test_too_few_groups_are_not_called_rows():
    headline = estimates(columns={"weight": "w", "group": "g"}).decision.headline

    assert "there are only 10 groups, and the t-test for weighted rows" in headline


def test_a_constant_truth_is_on_page_one():
    frame = pl.DataFrame({"y": np.full(60, 3.0), "a": 3 + NOISE[:60], "b": np.full(60, 3.0)})
    spec = {"truth": "y", "models": {"a": {"estimate": "a"}, "b": {"estimate": "b"}}, **QUICK}
    results = evaluate(spec, frame)

    assert caveats(results, "constant_truth") == [
        "All true values are equal, so R² and correlations are undefined."
    ]
    row = results.metrics.filter(metric="spearman_rho").row(0, named=True)
    assert row["undefined"] == "truth or estimate is constant"
    assert not caveats(estimates(), "constant_truth")


@pytest.mark.parametrize("weights", [{}, {"columns": {"weight": "w"}}])
def test_a_truth_whose_deviation_is_but_rounded_is_constant(weights: dict[str, Any]) -> None:
    frame = pl.DataFrame({"y": [3.3] * 99, "a": [3.3] * 99, "b": [3.2] * 99, "w": [1.0, 2, 4] * 33})
    spec = {"truth": "y", "models": {"a": {"estimate": "a"}, "b": {"estimate": "b"}}, **QUICK}
    results = evaluate({**spec, **weights}, frame)

    assert frame["y"].std() != 0
    assert results.data["distribution"]["standard_deviation"] == 0
    assert "rows, truth 3.300 in every row;" in render.summary(results)
    assert len(caveats(results, "constant_truth")) == 1
    assert results.decision.sentence == "a has the lowest MSE, 0."
    assert not untranslated(results)


def test_one_false_alarm_is_one():
    wrong = np.where(np.arange(80) == 1, 0.9, np.where(TRUTH, 0.8, 0.1))
    titles = [f.title for f in figures(report({"m": wrong})) if f.id.startswith("confusion")]

    assert [re.sub("^.*missed, ", "", title) for title in titles] == ["1 false alarm"]


def test_decisions_by_label_are_not_said_to_be_made_by_a_threshold():
    """Labels of a model with scores, too, decide: what its scores reach is another matter."""
    predicted = NOISE > 0.3
    models = {"models": {"m": {"score": "m", "label": "say"}}}
    frame = pl.DataFrame({"y": TRUTH, "m": NOISE, "say": predicted})
    results = evaluate({"truth": "y", **models, **QUICK}, frame)
    texts = {f.id: f"{f.title} {f.subtitle}" for f in figures(results)}
    (row,) = counts(results).rows

    assert "are predicted positive" in texts["score_distribution_0"]
    assert "threshold" not in texts["score_distribution_0"] + texts["confusion_0"]
    assert row.cells["threshold"] == "–"
    assert "reach the threshold" in str([f.title for f in figures(report({"m": NOISE}))])


def test_classes_whose_labels_are_numbers_are_called_positives_and_negatives():
    texts = {f.id: f"{f.title} {f.subtitle}" for f in figures(report({"m": NOISE}))}

    assert "of the positives and " in texts["score_distribution_0"]
    assert "separate the positives from the negatives?" in texts["score_distribution_0"]


@pytest.mark.slow
def test_data_sets_are_not_called_folds():
    data_sets = report({"m": NOISE - TRUTH, "k": NOISE}, TRUTH, columns={"dataset": "set"})
    (figure,) = (f for f in figures(data_sets) if f.id == "folds")
    pooled = KeyNumbers.from_results(data_sets, []).tables[0].notes

    assert "data sets" in figure.title
    assert not re.search("fold", f"{figure.title} {figure.subtitle} {figure.alt} {pooled}", re.I)
    folds = report({"m": NOISE - TRUTH, "k": NOISE}, TRUTH, columns={"fold": "set"})
    assert "folds" in next(f.title for f in figures(folds) if f.id == "folds")


def test_test_rows_that_were_trained_on_show_nothing_of_overfitting():
    roles = np.array(["train"] * 60 + ["test"] * 40)
    ids = np.r_[np.arange(60), np.arange(40)]
    truth = np.r_[TRUTH[:60], TRUTH[:40]]
    scores = np.r_[0.8 * TRUTH[:60] + 0.1, NOISE[:40]]
    frame = pl.DataFrame({"y": truth, "m": scores, "id": ids, "role": roles})
    spec = {"truth": "y", "models": {"m": {"score": "m"}}, **QUICK}
    columns = {"columns": {"id": "id", "role": "role"}}
    results = evaluate({**spec, **columns}, frame)
    apart = evaluate({**spec, **columns}, frame.with_columns(id=pl.int_range(pl.len())))

    assert verdicts(results) == {None}
    assert verdicts(apart) == {"overfitting"}
    section = GeneralisationSection.from_results(results, [])
    assert section.findings == (OVERLAPPING,)


def verdicts(results: Results) -> set[str | None]:
    """What the gap of the error rate shows."""
    rows = results.generalisation.filter(quantity="gap", metric="error_rate")
    return set(rows["verdict"])


def test_a_claim_is_counted_once_whatever_tests_it():
    """Over folds a rate has a test of its own, beside that of all rows."""
    claims = ["m.error_rate <= 0.9", "m.recall >= 0.1"]
    frame = pl.DataFrame({"y": TRUTH, "m": 0.5 * NOISE + 0.4 * TRUTH, "f": np.arange(80) // 2 % 5})
    spec = {"truth": "y", "models": {"m": {"score": "m"}}, "columns": {"fold": "f"}, **QUICK}
    decision = evaluate({**spec, "comparisons": {"claims": claims}}, frame).decision

    assert decision.headline == "m: none of the 2 claims is refuted, 1 has no recommended test"
    assert decision.sentence.count("error rate") == 1
    assert (
        ", in line with the claimed minimum 0.1; no test of it is recommended: "
        in decision.sentence
    )
    claims = ["m.recall >= 0.9"]
    decision = evaluate({**spec, "comparisons": {"claims": claims}}, frame).decision
    assert (
        ", an interval that includes the claimed minimum 0.9; no test of it is" in decision.sentence
    )


def test_estimates_of_a_mean_and_of_a_quantile_are_not_ranked_by_their_squared_errors():
    truth = np.random.default_rng(3).normal(size=200)
    frame = pl.DataFrame({"y": truth, "q50": np.zeros(200), "q90": np.full(200, 1.28)})
    models = {"mean": {"estimate": "q50"}, "q90": {"estimate": "q90", "quantile": 0.9}}
    decision = evaluate({"truth": "y", "models": models, **QUICK}, frame).decision

    assert decision.headline == (
        "No conclusion on which model is better: the models estimate different quantities "
        "(mean the mean and q90 the 0.9 quantile)"
    )
    assert decision.sentence.startswith("Only mean estimates the mean: its MSE is ")
    assert [row.model for row in decision.at_chance] == ["mean"]
    assert [caveat.code for caveat in decision.severe] == ["different_quantities"]


def test_no_title_names_one_of_two_models_that_are_equal():
    same = report({"old": NOISE - TRUTH, "copy": NOISE - TRUTH})
    titles = [f.title for f in figures(same) if f.title.startswith(("Highest", "Lowest"))]

    assert len(titles) > 2
    assert all(": old and copy, " in title for title in titles)


def test_a_difference_that_cannot_be_is_not_the_smallest_detectable():
    few = report({"m": NOISE[:3], "k": 1 - NOISE[:3]}, TRUTH[:3])
    (table,) = [t for t in [ledger(few, list(rows_of(few.comparisons, ComparisonRow)))] if t]
    cells = {str(row.cells["detectable"]) for row in table.rows if "ccuracy" in str(row.group)}

    assert "above 1" in cells
