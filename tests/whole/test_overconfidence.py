"""Probabilities of several classes or labels that are too sure, or no better than the shares."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.page_text import without_chinese
from tests.quick import QUICK

CLASSES = ("cat", "dog", "hen")
ROWS = 600


def scores(power: float) -> np.ndarray:
    """Calibrated probabilities of three classes, each to this power."""
    raised = np.random.default_rng(4).dirichlet((1.0, 1.0, 1.0), ROWS) ** power
    return raised / raised.sum(axis=1, keepdims=True)


def of_classes(costs: dict | None = None, **powers: float) -> Results:
    """Models that predict the same classes, with probabilities to different powers."""
    random = np.random.default_rng(5)
    truth = [CLASSES[random.choice(3, p=row)] for row in scores(1.0)]
    columns, models = {"y": truth}, {}
    for name, power in powers.items():
        columns |= {f"{name}_{c}": scores(power)[:, k] for k, c in enumerate(CLASSES)}
        models[name] = {"scores": {c: f"{name}_{c}" for c in CLASSES}}
    spec = {"truth": "y", "models": models, **QUICK, **({"costs": costs} if costs else {})}
    return evaluate(spec, pl.DataFrame(columns))


def texts(results: Results, code: str) -> list[str]:
    into = translator("zh", names_of(results.to_dict()))
    into.text(results.decision.headline)
    for caveat in results.decision.caveats:
        into.text(caveat.text)
    assert not into.missing
    return [one.text for one in results.decision.caveats if one.code == code]


@pytest.mark.parametrize(("power", "word"), [(6.0, "overconfident"), (0.3, "underconfident")])
def test_what_models_expect_of_their_predictions_is_set_against_what_is_correct(power, word):
    results = of_classes(m=power)
    sure = scores(power).max(axis=1).mean()
    accuracy = results.metrics.filter(pl.col("slice").is_null(), metric="accuracy")["value"][0]

    assert texts(results, "overconfident") == [
        f"m is {word}: the mean probability of its predicted classes is {100 * sure:.1f}\xa0%, but "
        f"{100 * accuracy:.1f}\xa0% of them are correct."
    ]


def test_calibrated_probabilities_of_classes_get_no_sentence():
    results = of_classes(m=1.0)

    assert not texts(results, "overconfident")
    assert not texts(results, "log_loss_of_shares")


def test_a_log_loss_that_is_no_better_than_that_of_the_class_shares_is_named():
    (text,) = texts(of_classes(m=6.0), "log_loss_of_shares")

    assert text.startswith("The log loss of m, ")
    assert ", is not below that of always predicting the shares of the classes, 1.09" in text


def test_what_several_models_have_in_common_is_one_sentence():
    results = of_classes(calm=0.3, calmer=0.2, sharp=6.0, sharper=9.0)
    sure = {power: 100 * scores(power).max(axis=1).mean() for power in (6.0, 9.0)}

    over, under = texts(results, "overconfident")[::-1]
    assert over.startswith("sharp and sharper are overconfident: the mean probability of their ")
    assert f"classes is {sure[6.0]:.1f} to {sure[9.0]:.1f}\xa0%, but " in over
    assert under.startswith("calm and calmer are underconfident: ")
    (shares,) = texts(results, "log_loss_of_shares")
    losses = results.metrics.filter(pl.col("slice").is_null(), metric="log_loss")
    values = dict(losses.select("model", "value").iter_rows())
    both = f"{values['sharp']:.3f} to {values['sharper']:.3f}"
    assert shares.startswith(f"The log losses of sharp and sharper, {both}, are not below that")


def test_models_that_are_correct_on_the_same_rows_are_compared_by_their_probabilities():
    results = of_classes(fair=1.0, sharp=6.0)

    assert results.decision.headline.startswith("fair and sharp are correct on the same rows (acc")
    assert results.decision.state == "no gates"
    (text,) = texts(results, "better_probabilities")
    assert text.startswith("fair has better probabilities than sharp: log loss 0.")


def test_models_that_give_each_row_the_same_labels_need_no_test():
    random = np.random.default_rng(0)
    frame = {"y_u": random.random(60) < 0.5, "y_v": random.random(60) < 0.3}
    scores = {
        f"{m}_{k}": 0.2 + 0.5 * frame[f"y_{k}"] + 0.1 * random.random(60)
        for m in "ab"
        for k in "uv"
    }
    models = {m: {"scores": {k: f"{m}_{k}" for k in "uv"}} for m in "ab"}
    truth = {k: f"y_{k}" for k in "uv"}
    spec = {"truth": truth, "models": models, "threshold": 0.5}
    results = evaluate({**spec, **QUICK}, pl.DataFrame({**frame, **scores}))

    assert results.decision.headline.startswith("a and b are correct on the same rows (subset acc")
    assert results.decision.state == "no gates"
    assert not without_chinese(results, [results.decision.headline])


def test_models_that_cost_the_same_on_every_row_are_said_to():
    costs = {a: {b: 1 for b in CLASSES if b != a} for a in CLASSES}
    costs[CLASSES[0]][CLASSES[1]] = 5
    results = of_classes(costs, fair=1.0, sharp=6.0)

    assert results.decision.headline.startswith("fair and sharp cost the same on every row (cost")
    assert results.decision.state == "inconclusive"  # as a constant prediction costs no more
    assert len(texts(results, "costs_of_constant")) == 2
    assert not results.decision.sentence
    (text,) = texts(results, "needs_no_test")
    assert text == "No test of the models is needed: the differences of the costs are all 0."


def test_a_class_that_had_probability_0_and_came_makes_the_log_loss_infinite():
    frame = pl.DataFrame({"y": [*CLASSES] * 8, "a": [0.8, 0.1, 0.0] * 8, "b": [0.1, 0.8, 0.3] * 8})
    frame = frame.with_columns(c=1 - pl.col("a") - pl.col("b"))
    frame = frame.with_columns(
        c=pl.when(y="hen").then(0.0).otherwise("c"), b=pl.when(y="hen").then(1.0).otherwise("b")
    )
    models = {"m": {"scores": dict(zip(CLASSES, "abc", strict=True))}}
    results = evaluate({"truth": "y", "models": models, **QUICK}, frame)

    expected = "m gave the observed class of a row probability 0: its log loss is infinite."
    assert texts(results, "infinite_log_loss") == [expected]


@pytest.mark.parametrize(("power", "named"), [(5.0, True), (1.0, False)])
def test_labels_that_are_stated_too_surely_are_named(power, named):
    random = np.random.default_rng(6)
    p = random.beta(1.2, 1.2, (2, ROWS))
    truth = random.random((2, ROWS)) < p
    sharp = p**power / (p**power + (1 - p) ** power)
    frame = pl.DataFrame({"x": truth[0], "z": truth[1], "px": sharp[0], "pz": sharp[1]})
    spec = {"truth": {"x": "x", "z": "z"}, "models": {"m": {"scores": {"x": "px", "z": "pz"}}}}
    said = texts(evaluate({**spec, **QUICK}, frame), "overconfident")

    assert bool(said) is named
    stated = "m is overconfident: the mean probability of its predictions is 9"
    assert all(stated in text for text in said)


def test_scores_that_are_no_probabilities_are_neither_over_nor_underconfident():
    """A score of −1 in a few rows takes the measures of probability away, and this with them."""
    given = scores(0.3)
    right = np.arange(ROWS) >= 30
    truth = [CLASSES[k] for k in np.where(right, given.argmax(axis=1), given.argmin(axis=1))]
    missing = given.copy()
    missing[:20, 2] = -1
    stated = []
    for columns in (given, missing):
        frame = pl.DataFrame({"y": truth, **{c: columns[:, k] for k, c in enumerate(CLASSES)}})
        models = {"m": {"scores": {c: c for c in CLASSES}}}
        stated.append(
            texts(evaluate({"truth": "y", "models": models, **QUICK}, frame), "overconfident")
        )

    assert [len(one) for one in stated] == [1, 0]
