"""Page one answers the question that a declared margin asks, beside who is better."""

from __future__ import annotations

from math import ceil
from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.records.decision import Decision
from reportgen.sections.verdict import state_text
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def decided(
    rows: int,
    signals: tuple[float, ...],
    *,
    margin: float,
    baseline: str | None = "m0",
    shared: float = 0.98,
    seed: int = 1,
) -> Decision:
    """The decision on models of these strengths, whose errors are correlated."""
    random = np.random.default_rng(seed)
    positive, common = random.random(rows) < 0.5, shared * random.normal(size=rows)
    unshared = (1 - shared**2) ** 0.5
    scores = [
        s * (2 * positive - 1) + common + unshared * random.normal(size=rows) for s in signals
    ]
    frame = pl.DataFrame({"y": positive, **{f"m{k}": s for k, s in enumerate(scores)}})
    spec = {
        "truth": "y",
        "models": {f"m{k}": {"score": f"m{k}"} for k in range(len(signals))},
        **QUICK,
        "comparisons": {"margin": margin},
    }
    return reportgen.evaluate(spec | ({"baseline": baseline} if baseline else {}), frame).decision


@pytest.mark.parametrize(
    ("signals", "baseline"), [((1.0, 0.97), "m0"), ((0.97, 1.0), "m0"), ((1.0, 0.97), None)]
)
def test_a_significant_difference_within_the_margin_is_called_so(signals, baseline):
    decision = decided(4000, signals, margin=0.02, baseline=baseline)

    assert decision.relation == "ahead"
    assert decision.headline.endswith("), within the margin of 0.02")
    assert "are equivalent in AUC within a margin of 0.02: " in decision.sentence


def test_a_significant_difference_about_as_large_as_the_margin_is_not():
    decision = decided(4000, (1.0, 0.9), margin=0.023)

    assert decision.relation == "ahead"
    assert "margin" not in decision.headline
    expected = "Non-inferiority of m1 to m0 in AUC within 0.023 is not established: "
    assert expected in decision.sentence


def test_several_models_beyond_the_margin_are_named_together():
    """Those that are worse by more, and those of which the limits hold the margin."""
    beyond = decided(4000, (1.0, 0.9, 0.85), margin=0.015)
    around = decided(4000, (1.0, 0.9, 0.9), margin=0.023)
    within = "in AUC within the margin of 0.023 is not established."

    assert "m1 and m2 are worse than m0 by more than the margin of 0.015." in beyond.sentence
    assert f"Non-inferiority of m1 and m2 to m0 {within}" in around.sentence


def test_equivalence_that_is_not_established_is_said_where_no_baseline_is_declared():
    decision = decided(300, (1.0, 0.97), margin=0.001, baseline=None, shared=0.8)
    assert "Equivalence of m0 and m1 in AUC within 0.001 is not established: " in decision.sentence


def test_a_model_that_is_non_inferior_to_the_baseline_is_called_so():
    decision = decided(600, (1.0, 1.06), margin=0.025, shared=0.8, seed=4)

    assert (decision.relation, decision.leader) == ("level", "m1")
    assert "m1 is non-inferior to m0 in AUC, within a margin of 0.025: " in decision.sentence


def test_several_models_within_the_margin_are_named_together():
    decision = decided(3000, (1.0, 0.98, 0.9, 0.97), margin=0.03, shared=0.95, seed=3)

    assert "m3 and m2 are equivalent to m0 in AUC within the margin of 0.03." in decision.sentence


def test_the_state_says_which_intervals_an_open_gate_and_the_test_of_a_margin_read():
    """Of 900 rows 139 are right by the new model alone and 126 by the old one alone."""
    truth = np.arange(900) % 2
    old, new = truth.copy(), truth.copy()
    old[:139], new[139:265] = 1 - old[:139], 1 - new[139:265]
    spec = {
        "truth": "y",
        "models": {"old": {"label": "old"}, "new": {"label": "new"}},
        "baseline": "old",
        "gates": ["new.accuracy - old.accuracy > -0.02"],
        **QUICK,
    }

    def state(alpha: float) -> str:
        of = {"margin": 0.02, "alpha": alpha}
        frame = pl.DataFrame({"y": truth, "old": old, "new": new})
        results = reportgen.evaluate({**spec, "comparisons": of}, frame)
        assert results.decision.gates.inconclusive == 1
        text = state_text(results)
        into = translator("zh", names_of(results.to_dict()))
        into.text(text)
        assert not into.missing
        return text

    assert state(0.05).endswith(
        "gates read 95\xa0% intervals (a one-sided level of 2.5\xa0%), the test of "
        "non-inferiority a 90\xa0% interval (a one-sided level of 5\xa0%)"
    )
    assert "one-sided" not in state(0.025)


@pytest.mark.parametrize(
    ("seed", "headline", "state"),
    [
        (1, "; new is non-inferior within the margin of 0.02 (one-sided 5\xa0%)", "pass"),
        (8, "; non-inferiority within 0.02 is not established", "inconclusive"),
    ],
)
def test_the_headline_has_the_margin_and_the_sentence_the_level_of_test_and_gate(
    seed, headline, state
):
    random = np.random.default_rng(seed)
    truth = random.random(500) < 0.5
    base = 1.4 * truth + random.normal(size=500)
    scores = {name: base + 0.45 * random.normal(size=500) for name in ("new", "old")}
    spec = {
        "truth": "y",
        "models": {name: {"score": name} for name in scores},
        "baseline": "old",
        "comparisons": {"margin": 0.02},
        **QUICK,
    }
    frame = pl.DataFrame({"y": truth, **scores})
    gated = reportgen.evaluate({**spec, "gates": ["new.auc - old.auc >= -0.02"]}, frame)
    levels = (
        " The test of non-inferiority has a one-sided level of 5\xa0%; gates read 95\xa0% "
        "intervals, a one-sided level of 2.5\xa0%."
    )

    assert gated.decision.state == state
    assert gated.decision.headline.endswith(headline)
    assert levels in gated.decision.sentence
    assert levels not in reportgen.evaluate(spec, frame).decision.sentence
    into = translator("zh", names_of(gated.to_dict()))
    for text in (gated.decision.headline, gated.decision.sentence):
        into.text(text)
    assert not into.missing


@pytest.mark.parametrize(("margin", "is_beyond"), [(0.02, True), (0.06, False)])
def test_a_model_that_is_worse_by_more_than_the_margin_is_said_to_be(margin, is_beyond):
    """The difference is about 0.07: limits beyond the margin refute what it asks."""
    decision = decided(3_000, (1.0, 0.75), margin=margin, shared=0.9)
    into = translator("zh", {"m0": "m0", "m1": "m1"})
    into.text(decision.headline)
    into.text(decision.sentence, "p")

    assert decision.relation == "ahead"
    assert decision.headline.endswith(f", more than the margin of {margin}") is is_beyond
    worse = f"m1 is worse than m0 by more than the margin of {margin}."
    assert (worse in decision.sentence) is is_beyond
    assert ("is not established" in decision.sentence) is not is_beyond
    assert not into.missing


def test_the_rows_needed_answer_the_question_of_non_inferiority_from_the_discordance():
    """Of 200 rows 11 are predicted correctly by one model alone; 3,400 suffice, in simulations."""
    row = np.arange(200)
    positive = row % 2 == 0
    old, new = positive ^ (row < 26), positive ^ ((row >= 6) & (row < 31))
    frame = pl.DataFrame({"y": positive, "old": old, "new": new})
    spec = {"truth": "y", "positive": "true", **QUICK, "comparisons": {"margin": 0.01}}
    models = {name: {"label": name} for name in ("old", "new")}
    asked = reportgen.evaluate({**spec, "models": models, "baseline": "old"}, frame).decision
    plain = reportgen.evaluate({**spec, "models": models}, frame).decision
    z = {share: NormalDist().inv_cdf(share) for share in (0.8, 0.95, 0.975)}

    assert asked.units_needed == ceil(11 / 200 * ((z[0.95] + z[0.8]) / 0.01) ** 2)
    assert plain.units_needed == ceil(11 / 200 * ((z[0.975] + z[0.8]) / 0.01) ** 2)
    assert "About 3,500 rows would show non-inferiority within 0.01 with prob" in asked.sentence
    assert "About 4,400 rows would detect a difference of 0.01 with prob" in plain.sentence
    into = translator("zh", {"old": "old", "new": "new"})
    into.text(asked.sentence, "p")
    assert not into.missing


def test_data_sets_are_not_said_to_overlap():
    random = np.random.default_rng(3)
    positive = random.random(600) < 0.5
    scores = {name: positive + random.normal(0, 1.2, 600) for name in "ab"}
    frame = pl.DataFrame({"y": positive, **scores, "d": np.arange(600) // 100})
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"dataset": "d"}, **QUICK}
    results = reportgen.evaluate(spec, frame)
    (text,) = (one.text for one in results.decision.caveats if one.code == "pooled_fits")

    assert text == (
        "The sections on all rows pool 6 data sets: their limits hold for further rows of these, "
        "not for new ones."
    )
    into = translator("zh", names_of(results.to_dict()))
    into.text(text)
    assert not into.missing
