"""Better or worse than always predicting the most frequent class, whose share the rows estimate."""

import re

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.concluding.chance import not_better
from reportgen.intervals.delta import SQUARES
from reportgen.intervals.shares import added_distances
from reportgen.measuring.binary_model import evaluate_metrics, evaluate_model
from reportgen.measuring.cell_slopes import TableCells
from reportgen.measuring.table_limits import cell_limits
from reportgen.metric_names import CELLS
from reportgen.metrics import REGISTRY
from reportgen.records.decision import AtChance
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.breadth import sample_size
from tests.quick import BINARY_SPEC, FEW, QUICK
from tests.simulations.above_guessing import MODEL, Design, better
from tests.test_translation import assert_translated

GAIN = "accuracy_gain"
OF_TWO, OF_SEVERAL = sample_size(500, 1_500), sample_size(80, 250)
"""Simulated tables; of several classes one takes as long as a thousand of two."""


def most(samples):
    """One-sided 0.025, and three standard errors of a simulated level."""
    return 0.025 + 3 * (0.025 * 0.975 / samples) ** 0.5


def tables(shares, rows, samples):
    random = np.random.default_rng(5)
    return random.multinomial(rows, np.ravel(shares), samples).astype(float)


def limits_of_two(shares, rows, confidence):
    """Limits of the tables of two classes, whose cells are as in ``CELLS``."""
    counts = tables(shares, rows, OF_TWO)
    cells = dict(zip(CELLS + SQUARES, np.hstack([counts, counts]).T, strict=True))
    frame = pl.DataFrame(cells)
    metric = REGISTRY["binary"][GAIN]
    value = frame.select(metric.build()).to_series().to_numpy()
    distances = added_distances(frame, {GAIN: (metric.build(), metric.interval)}, confidence)
    below, above = np.array(distances[GAIN].to_list()).T
    return value - below, value + above


def limits_of_several(shares, rows, confidence):
    size, ends = len(shares), []
    for count in tables(shares, rows, OF_SEVERAL).reshape(-1, size, size):
        value = (np.trace(count) - count.sum(axis=1).max()) / rows
        limits = cell_limits(TableCells(count, count), {GAIN: value}, confidence)
        ends.append(limits.get(GAIN, (-1.0, 1.0)))
    return np.array(ends).T


def no_better(truth, predicted):
    """Shares of a model that is correct as often as the most frequent class occurs."""
    truth, predicted = np.array(truth), np.array(predicted)
    by_chance = float((truth * predicted).sum())
    known = (truth.max() - by_chance) / (1 - by_chance)
    return known * np.diag(truth) + (1 - known) * np.outer(truth, predicted)


@pytest.mark.parametrize("rows", [50, 400])
@pytest.mark.parametrize(
    ("positive", "predicted"), [(0.5, 0.25), (0.5, 0.75), (0.45, 0.25), (0.4, 0.75), (0.3, 0.25)]
)
def test_of_two_classes_a_model_no_better_is_seldom_said_to_be(rows, positive, predicted):
    tp = fp = predicted / 2
    shares = (tp, fp, positive - tp, 1 - positive - fp)
    low, _ = limits_of_two(shares, rows, 0.95)
    _, high = limits_of_two(shares, rows, 1 - 0.05 / 2)  # the better of two guesses
    assert (low > 0).mean() <= most(OF_TWO)
    assert (high < 0).mean() <= 2 * most(OF_TWO)


@pytest.mark.parametrize("rows", [50, 400])
@pytest.mark.parametrize("truth", [(0.5, 0.3, 0.2), (0.34, 0.33, 0.33), (0.7, 0.2, 0.1)])
def test_of_several_classes_a_model_no_better_is_seldom_said_to_be(rows, truth):
    shares = no_better(truth, (0.2, 0.4, 0.4))
    low, _ = limits_of_several(shares, rows, 0.95)
    _, high = limits_of_several(shares, rows, 1 - 0.05 / 3)
    assert (low > 0).mean() <= most(OF_SEVERAL)
    assert (high < 0).mean() <= 2 * most(OF_SEVERAL)


def test_a_model_is_better_only_if_the_limits_of_the_difference_say_so_too():
    """0.561 is above 0.555, which the same rows estimate."""
    model = AtChance("m", "accuracy", 0.61, 0.561, 0.657, 0.555, above=(0.055, -0.03, 0.141))
    [row] = not_better([model], 0.95, 400)
    assert (row.worse, row.simultaneous, row.above) == (False, False, model.above)
    clear = AtChance("m", "accuracy", 0.61, 0.561, 0.657, 0.555, above=(0.055, 0.01, 0.1))
    assert not_better([clear], 0.95, 400) == []


def test_a_model_is_worse_by_limits_that_hold_for_each_guess():
    model = AtChance("m", "accuracy", 0.46, 0.42, 0.499, 0.5, above=(-0.04, -0.08, -0.001))
    [row] = not_better([model], 0.95, 400)
    assert not row.worse
    far = AtChance("m", "accuracy", 0.36, 0.32, 0.4, 0.5, above=(-0.14, -0.2, -0.08))
    assert not_better([far], 0.95, 400)[0].worse


def labelled(*negatives, rows=400, positive=222):
    """Models that predict so many negatives correctly, and so many positives as negative."""
    row = np.arange(rows)
    columns = {
        f"m{k}": (row >= wrong) & (row < rows - correct)
        for k, (correct, wrong) in enumerate(negatives, 1)
    }
    models = {name: {"label": name} for name in columns}
    frame = pl.DataFrame({"y": row < positive, **columns})
    return evaluate({"truth": "y", "positive": "true", "models": models, **QUICK}, frame)


OF_DIFFERENCE, OF_VALUE = r"\(\+0\.\d+, −0\.\d+ to \+0\.\d+\)", r"\(0\.\d+ to 0\.\d+\)"


@pytest.mark.parametrize(
    ("negatives", "limits"),
    [
        (((111, 89), (100, 90)), OF_DIFFERENCE),  # the limits of m1 alone exclude the guess
        (((105, 95), (100, 90)), OF_VALUE),
        (((111, 89),), OF_DIFFERENCE),
    ],
)
def test_a_headline_has_one_kind_of_limits_and_says_which(negatives, limits):
    results = labelled(*negatives)
    decision = results.decision
    said = decision.sentence.count("he difference from 0.555, a share estimated from the same rows")
    several = limits == OF_DIFFERENCE and len(negatives) > 1

    assert decision.relation == "at chance"
    assert len(re.findall(limits, decision.headline)) == (0 if several else len(negatives))
    assert said == (limits == OF_DIFFERENCE)
    assert ("m1 +0.055, −0.0" in decision.sentence) == several
    assert not re.search(r" m1 \+0\.\d+, \+", decision.sentence)
    into = translator("zh", names_of(results.to_dict()))
    into.text(decision.headline)
    into.text(decision.sentence, "p")
    assert not into.missing


@pytest.mark.parametrize("runs", [40, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "design", [Design(40, 100, 0.1, (0.53, 0.47)), Design(2000, 1, 0, (0.35, 0.32, 0.33))]
)
def test_the_guess_that_is_better_in_the_sample_is_not_the_only_one_to_beat(design, runs):
    """By the more frequent class of the sample alone, 0.04 to 0.07 of such reports said so."""
    is_better, _ = better(design, runs)

    assert is_better <= most(runs)


@pytest.mark.parametrize("name", ["accuracy_gain", "savings"])
def test_in_groups_a_model_is_to_beat_the_guess_that_is_worse_in_the_sample_too(name):
    """Which of two classes is the more frequent one in 40 groups that differ nobody knows."""
    random = np.random.default_rng(3)
    group = np.repeat(np.arange(40), 100)
    truth = random.random(4000) < np.where(group % 2 == 0, 0.17, 0.77)
    label = truth & (random.random(4000) < 0.06)
    frame = pl.DataFrame({"group": group, "truth": truth, "label": label})
    ends = []
    for rows in (frame, frame.drop("group")):
        model = evaluate_model(rows, MODEL, None)
        costs = {"false_negative": 1.0, "false_positive": 1.0}
        [[row]] = evaluate_metrics([model], BINARY_SPEC, costs, {name})
        ends.append((row["value"], row["low"]))

    (value, in_groups), (_, alone) = ends
    assert in_groups < 0 < alone < value


def test_of_several_classes_a_gain_has_the_lowest_limit_of_those_over_each():
    """The second class is hardly more frequent than the first one, and mostly predicted."""
    count = np.array([[40.0, 650.0, 0.0], [0.0, 700.0, 0.0], [0.0, 650.0, 0.0]])
    gain = (np.trace(count) - count.sum(axis=1).max()) / count.sum()
    low, high = cell_limits(TableCells(count, count), {GAIN: gain}, 0.95)[GAIN]

    assert low < 0 < gain < high


@pytest.mark.parametrize(
    ("primary", "other", "measure", "constant"),
    [
        ("mae", 50, "d2_absolute_error", "the median"),
        ("mse", 50, "r2", "the mean"),
        ("mae", 0.2, "r2", None),
    ],
)
def test_absolute_errors_are_those_of_the_median_squared_ones_those_of_the_mean(
    primary, other, measure, constant
):
    """More than half of the truths are 0: that has the least absolute error of all constants."""
    random = np.random.default_rng(2)
    truth = np.where(random.random(300) < 0.6, 0, random.gamma(1, 100, 300))
    estimates = other + 0 * truth if other > 1 else truth * other
    frame = pl.DataFrame({"y": truth, "zero": np.zeros(300), "other": estimates})
    models = {name: {"estimate": name} for name in ("zero", "other")}
    spec = {"truth": "y", "models": models, "comparisons": {"primary": primary}}
    results = evaluate({**spec, "bootstrap": {"replicates": 100}}, frame)

    assert {row.measure for row in results.decision.at_chance} == {measure}
    if constant is not None:
        assert f"than always predicting {constant}" in results.decision.headline
    assert_translated(results)


def test_accuracy_does_not_judge_a_threshold_that_was_chosen_for_f1():
    """At the threshold of the best F1 more rows are wrong than where nothing is positive."""
    row = np.arange(600)
    random = np.random.default_rng(3)
    truth = row % 5 == 0
    score = 1 / (1 + np.exp(1.2 - 1.3 * truth - random.normal(0, 1, 600)))
    role = np.where(row < 300, "validation", "test")
    frame = pl.DataFrame({"y": truth, "m": score, "k": ~truth & (row % 3 > 0), "role": role})
    models = {"m": {"score": "m"}, "k": {"label": "k"}}
    spec = {
        "truth": "y",
        "positive": "true",
        "models": models,
        "columns": {"role": "role"},
        **QUICK,
    }
    by_default = evaluate(spec, frame).decision
    chosen = evaluate({**spec, "threshold": {"maximise": "f1"}}, frame).decision

    assert [row.model for row in by_default.at_chance if row.measure == "accuracy"]
    assert not [row for row in chosen.at_chance if row.measure == "accuracy"]
    assert chosen.relation != "at chance"


def in_folds(fold, **more):
    """A model whose errors are far above those of the mean, and whose decisions cost more."""
    random = np.random.default_rng(8)
    truth = random.normal(size=200)
    frame = pl.DataFrame(
        {
            "y": truth > 0 if "costs" in more else truth,
            "m": random.random(200) if "costs" in more else random.normal(size=200),
            "f": np.arange(200) % 5,
        }
    )
    output = "score" if "costs" in more else "estimate"
    columns = {} if fold is None else {"fold": fold}
    return evaluate(
        {"truth": "y", "models": {"m": {output: "m"}}, "columns": columns, **FEW, **more}, frame
    )


def test_limits_of_pooled_folds_are_too_narrow_to_call_a_model_significantly_worse():
    costs = {"costs": {"false_negative": 9, "false_positive": 1}}
    rows, folds = in_folds(None), in_folds("f")
    of_costs, of_costs_in_folds = in_folds(None, **costs), in_folds("f", **costs)

    assert [row.worse for row in rows.decision.at_chance] == [True]
    assert [row.worse for row in folds.decision.at_chance] == [False]
    assert "not significantly better than always predicting the mean" in folds.decision.headline
    text = " ".join([of_costs.decision.headline, *(c.text for c in of_costs.decision.caveats)])
    assert "significantly more than always predicting the cheaper class" in text
    decision = of_costs_in_folds.decision
    text = " ".join([decision.headline, decision.sentence, *(c.text for c in decision.caveats)])
    assert "significantly more" not in text
    assert "no less in these rows than always predicting the cheaper class" in text


@pytest.mark.parametrize(("correct", "worse"), [((42, 38), True), ((44, 40), False)])
def test_a_model_is_worse_than_the_better_of_two_guesses_by_limits_that_hold_for_both(
    correct, worse
):
    """Which class is the frequent one these rows chose: 84 of 200 are worse than one alone."""
    truth = np.repeat([1, 0], [104, 96])
    right = np.concatenate([np.arange(n) < k for n, k in zip((104, 96), correct, strict=True)])
    frame = pl.DataFrame({"y": truth, "p": np.where(right, truth, 1 - truth)})
    results = evaluate({"truth": "y", "models": {"m": {"label": "p"}}, **QUICK}, frame)

    assert [row.worse for row in results.decision.at_chance] == [worse]


@pytest.mark.parametrize("primary", ["average_precision", "mcc", "ks_statistic", "gini"])
def test_models_that_guess_are_said_to_whatever_measure_decides(primary):
    """Of average precision guessing has no value of its own: the AUC says it."""
    random = np.random.default_rng(3)
    truth = (random.random(400) < 0.3).astype(int)
    frame = pl.DataFrame({"y": truth, "a": random.random(400), "b": random.random(400)})
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}, **FEW}
    results = evaluate({**spec, "comparisons": {"primary": primary}}, frame)
    decision = results.decision
    said = [c.text for c in decision.caveats if c.code == "at_chance"]

    assert (decision.relation == "at chance") == (primary == "gini")
    assert len(said) == (primary != "gini")
    assert all(text.startswith("a and b are not significantly better than chance") for text in said)
    assert_translated(results)


def test_classes_that_are_guessed_are_said_to_be_where_kappa_decides():
    random = np.random.default_rng(3)
    truth, a, b = random.choice(["x", "y", "z"], (3, 400))
    frame = pl.DataFrame({"y": truth, "a": a, "b": b})
    spec = {"truth": "y", "models": {m: {"label": m} for m in "ab"}, **FEW}
    results = evaluate({**spec, "comparisons": {"primary": "cohen_kappa"}}, frame)
    [said] = [c.text for c in results.decision.caveats if c.code == "at_chance"]

    assert "better than chance (a: macro recall 0.3" in said
    assert_translated(results)


def test_scores_that_find_a_few_positives_alone_are_not_called_guesses():
    """A quarter of the positives stand at the top, and the rest are ranked as by chance."""
    random = np.random.default_rng(3)
    truth = random.random(1500) < 0.15
    top = truth & (random.random(1500) < 0.25)
    scores = {n: np.where(top, 0.9, 0.8 * random.random(1500)) - 0.15 * truth * ~top for n in "ab"}
    frame = pl.DataFrame({"y": truth.astype(int), **scores})
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}, **FEW}
    for primary in ("lift_at_10_percent", "average_precision"):
        decision = evaluate({**spec, "comparisons": {"primary": primary}}, frame).decision
        assert not [c for c in decision.caveats if c.code == "at_chance"]


def test_scores_that_rank_rows_are_named_where_their_accuracy_is_that_of_guessing():
    random = np.random.default_rng(1)
    truth = random.random(600) < 0.6
    score = 0.7 * (truth - 0.6) + random.normal(size=600)
    frame = pl.DataFrame({"y": truth.astype(int), "m": 1 / (1 + np.exp(-(0.405 + 0.49 * score)))})
    spec = {"truth": "y", "positive": 1, "models": {"m": {"score": "m"}}, **QUICK}
    results = evaluate({**spec, "comparisons": {"primary": "accuracy"}}, frame)
    into = translator("zh", names_of(results.to_dict()))
    into.text(results.decision.sentence, "p")

    assert results.decision.relation == "at chance"
    assert results.decision.sentence.startswith(
        "The scores of m nevertheless rank rows better than chance: AUC 0.672 (95"
    )
    assert not into.missing
