"""Differences that are significant but small, and ranks within groups that reverse the lead."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.results import Results
from tests.quick import QUICK
from tests.untranslated import untranslated

MODELS = {name: {"score": name} for name in "ab"}


def scored(rows: int, apart: float, **more: object) -> Results:
    random = np.random.default_rng(9)
    truth = random.random(rows) < 0.4
    noise = random.normal(size=rows)
    a = 1.2 * truth + noise
    b = (1.2 - apart) * truth + noise + apart * random.normal(size=rows)
    return evaluate({"truth": "y", "models": MODELS, **QUICK, **more}, {"y": truth, "a": a, "b": b})


def texts(results: Results, code: str) -> list[str]:
    return [one.text for one in results.decision.caveats if one.code == code]


def test_a_significant_difference_of_many_rows_is_said_to_be_small():
    results = scored(40_000, 0.02)

    assert results.decision.relation == "ahead"
    (text,) = texts(results, "small_difference")
    assert text.startswith("With 40,000 rows even small differences are significant: a is ahead by")
    assert not untranslated(results)


@pytest.mark.parametrize(
    ("rows", "apart", "more"),
    [
        (1_000, 0.6, {}),
        (40_000, 0.02, {"comparisons": {"margin": 0.001}}),
        (1_000, 0.0, {}),
    ],
    ids=["large", "with a margin", "none"],
)
def test_nothing_is_said_of_other_differences(rows, apart, more):
    assert not texts(scored(rows, apart, **more), "small_difference")


def test_decisions_at_a_threshold_that_nobody_declared_decide_nothing_on_another_scale():
    """Cut at 0.5, the logit of a score is not the score; declared, the threshold is meant."""
    random = np.random.default_rng(3)
    truth = random.random(400) < 0.4
    logit = 2 * truth - 1 + random.normal(size=400)
    noise = 0.1 * random.normal(size=400)
    frame = pl.DataFrame({"y": truth, "a": logit + noise, "b": 1 / (1 + np.exp(-logit))})
    primary = {"comparisons": {"primary": "accuracy"}, **QUICK}

    undeclared, declared = (
        evaluate({"truth": "y", "models": MODELS, **primary, **more}, frame)
        for more in ({}, {"threshold": 0.5})
    )

    assert undeclared.decision.relation == "no conclusion"
    assert undeclared.decision.headline.endswith(
        "the threshold in use does not suit the scores of a, which are not probabilities "
        "(McNemar's mid-p test)"
    )
    assert not untranslated(undeclared)
    assert declared.decision.relation != "no conclusion"


def test_of_models_no_better_than_chance_the_headline_names_those_that_are_worse():
    random = np.random.default_rng(7)
    truth = random.random(500) < 0.3
    frame = pl.DataFrame({"y": truth, "a": random.normal(size=500) - 2 * truth})
    frame = frame.with_columns(b=pl.Series(random.normal(size=500)))
    results = evaluate({"truth": "y", "models": MODELS, **QUICK}, frame)

    assert results.decision.headline.startswith("Neither model is significantly better than chance")
    assert results.decision.headline.endswith("; a is significantly worse")
    assert not untranslated(results)


def test_the_headline_says_who_ranks_better_within_groups():
    """One model knows how active each user is, the other what a user likes."""
    random = np.random.default_rng(5)
    user = np.repeat(np.arange(200), 10)
    active = 1.5 * random.normal(size=200)[user]
    truth = random.random(2000) < 1 / (1 + np.exp(1.5 - active))
    frame = pl.DataFrame({"y": truth, "a": active, "b": truth + random.normal(size=2000)})
    frame = frame.with_columns(user=pl.Series(user))
    spec = {"truth": "y", "models": MODELS, "columns": {"group": "user"}, **QUICK}

    within, mixed = (
        evaluate(spec, frame.with_columns(b=pl.col("b") + share * frame["a"])) for share in (0, 2)
    )

    assert within.decision.headline.startswith("a beats b: AUC 0.")
    assert "; b ranks better within groups: AUC 0.2" in within.decision.headline
    assert not untranslated(within)
    assert "within groups" not in mixed.decision.headline

    [text] = [c.text for c in within.decision.caveats if c.code == "within_groups"]
    assert text.startswith("Within groups a ranks worse than over all rows. ")
    for part in (
        "Within groups b ranks better than a.",
        "The AUC of b is 0.",
        "The AUC of a is 0.500 ",
        "The difference within groups, b \N{MINUS SIGN} a, is 0.2",
        "the values within groups count. Part of its AUC comes from distinguishing groups",
    ):
        assert part in text


@pytest.mark.parametrize(("primary", "ranks"), [("average_precision", True), ("accuracy", False)])
def test_the_order_within_groups_is_said_whatever_measure_decides(primary, ranks):
    """One model knows how active each user is, the other what a user likes."""
    random = np.random.default_rng(5)
    user = np.repeat(np.arange(200), 10)
    active = 2.5 * random.normal(size=200)[user]
    truth = random.random(2000) < 1 / (1 + np.exp(-active))
    scores = {"a": active + 0.1 * random.normal(size=2000), "b": truth + random.normal(size=2000)}
    frame = pl.DataFrame({"y": truth, **scores, "user": user})
    spec = {"truth": "y", "models": MODELS, "columns": {"group": "user"}, "threshold": 0.2}
    results = evaluate({**spec, "comparisons": {"primary": primary}}, frame)
    [text] = [c.text for c in results.decision.caveats if c.code == "within_groups"]

    assert results.decision.headline.startswith("a beats b: ")
    assert results.decision.measure == primary
    assert ("; b ranks better within groups: AUC 0." in results.decision.headline) is ranks
    assert "Within groups b ranks better than a." in text
    assert all(f"The AUC of {name} is 0." in text for name in "ab")
    assert not untranslated(results)


def test_the_reason_of_a_difference_is_the_one_that_holds():
    """Both models give probabilities, one of them 0 for an outcome that was observed."""
    truth = [0, 1] * 20
    sure = [0.2, 0.7] * 20
    frame = pl.DataFrame({"y": truth, "a": sure, "b": [0.1, 0.0, *sure[2:]]})
    models = {name: {"score": name} for name in "ab"}
    results = evaluate({"truth": "y", "models": models, "bootstrap": {"replicates": 0}}, frame)

    (row,) = results.differences.filter(pl.col("metric") == "log_loss").to_dicts()
    assert row["undefined"] == "an observed outcome had probability 0"
