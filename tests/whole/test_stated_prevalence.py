"""The leader's precision where positives are as frequent as the spec states."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.charts import figures
from reportgen.concluding.values_in_use import values_in_use
from reportgen.errors import SpecError
from reportgen.records.basis import IN_USE
from reportgen.sections.gates import gates_table
from reportgen.sections.models_by_rank import models_table
from tests.page_text import without_chinese
from tests.simulations.costs_in_use import DESIGNS, coverage


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(5)
    positive = np.arange(400) < 200
    return pl.DataFrame({"y": positive, "p": 1.5 * positive + random.normal(size=400) - 0.7})


def decided(frame, **more):
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "bootstrap": {"replicates": 0}}
    return reportgen.evaluate(spec | more, frame)


def caveats(results):
    return [c.text for c in results.decision.caveats if c.code == "stated_prevalence"]


def test_the_precision_is_that_of_bayes_rule(frame):
    results = decided(frame, prevalence=0.02)

    values = dict(
        results.metrics.filter(pl.col("slice").is_null()).select("metric", "value").iter_rows()
    )
    recall, false_alarms = values["recall"], 1 - values["specificity"]
    precision = 0.02 * recall / (0.02 * recall + 0.98 * false_alarms)
    [text] = caveats(results)
    assert text.replace("\xa0", " ").startswith(
        "50.0 % of these rows are positive, against 2.0 % in the population that the spec states: "
        f"there the precision of m is {precision:.3f} ("
    )


@pytest.mark.parametrize("more", [{}, {"prevalence": 0.5}, {"prevalence": 0.52}])
def test_nothing_is_said_where_the_rows_are_as_the_spec_states(frame, more):
    assert caveats(decided(frame, **more)) == []


OF_ROWS = "Values are at the share of positives of these rows, 50.0 %."
COSTS = {"false_negative": 10, "false_positive": 1}


def test_page_one_has_the_cost_at_the_stated_prevalence_and_tables_say_which_they_have(frame):
    results = decided(frame, prevalence=0.02, costs=COSTS)
    [model], rates = results.decision.models, {"recall": 1.0, "specificity": 1.0}
    rows = results.metrics.filter(pl.col("slice").is_null(), pl.col("metric").is_in(rates))
    (missed, *of_missed), (alarms, *of_alarms) = (
        [1 - row[key] for key in ("value", "high", "low")]
        for row in sorted(rows.to_dicts(), key=lambda row: row["metric"])
    )

    assert model.cost == pytest.approx(0.02 * 10 * missed + 0.98 * alarms)
    ends = zip(of_missed, of_alarms, strict=True)
    widths = [np.hypot(0.2 * (a - missed), 0.98 * (b - alarms)) for a, b in ends]
    assert [model.cost_low, model.cost_high] == pytest.approx(
        [model.cost - widths[0], model.cost + widths[1]]
    )
    heads = [column.label.replace("\xa0", " ") for column in models_table(results).columns]
    assert heads[-1] == "Cost per row at 2.0 % (95 % CI)"
    about = results.decision.about("cost_sensitive_error_rate")
    [beside] = [caveat.text for caveat in about if caveat.code == "measures_of_rows"]
    assert beside.replace("\xa0", " ") == OF_ROWS
    [text] = caveats(results)
    assert text.endswith(" No test compares costs at that prevalence, so costs do not decide.")
    [alone] = caveats(decided(frame, prevalence=0.02))
    assert "costs" not in alone


def test_errors_at_another_threshold_are_counted_per_cases_in_use(frame):
    costs = COSTS | {"false_negative": 4}
    change = decided(frame, prevalence=0.02, costs=costs).decision.action
    score, truth = frame["p"].to_numpy(), frame["y"].to_numpy()
    missed = 0.02 * np.mean((score[truth] >= 0.5) & (score[truth] < change.proposed))
    alarms = 0.98 * np.mean((score[~truth] >= 0.5) & (score[~truth] < change.proposed))

    assert change.false_negatives_in_use == pytest.approx(missed)
    assert change.false_positives_in_use == pytest.approx(-alarms)
    assert (
        f"(optimistic), per 1,000 cases in use: {round(1000 * missed, 1):g} more missed, "
        f"{round(1000 * alarms, 1):g} fewer false alarms."
    ) in change.text
    assert f"{change.false_negatives} more" not in change.text


def test_the_advice_is_for_the_stated_prevalence_and_not_for_that_of_the_rows(frame):
    """At 2 % hardly any threshold costs less than predicting nobody positive."""
    results = decided(frame, prevalence=0.02, costs=COSTS)
    action, score, truth = results.decision.action, frame["p"].to_numpy(), frame["y"].to_numpy()
    missed, alarms = np.mean(score[truth] < 0.5), np.mean(score[~truth] >= 0.5)

    assert action.cost_now == pytest.approx(0.02 * 10 * missed + 0.98 * alarms)
    assert action.constant_cost == pytest.approx(0.02 * 10)
    assert action.proposed > 0.5 > decided(frame, costs=COSTS).decision.action.proposed
    assert "These costs are for a prevalence of 2.0" in action.text
    [guess] = [row for row in results.decision.at_chance if "cost" in row.measure]
    assert (guess.chance, guess.prevalence) == pytest.approx((0.02 * 10, 0.02))
    assert guess.worse == (guess.low > guess.chance)


def test_costs_of_the_rows_do_not_decide_where_another_prevalence_is_stated(frame):
    random = np.random.default_rng(6)
    both = frame.with_columns(q=pl.col("p") + random.normal(size=400))
    models = {"m": {"score": "p"}, "k": {"score": "q"}}
    measures = [
        decided(both, models=models, costs=COSTS, threshold=0.5, **more).decision.measure
        for more in ({}, {"prevalence": 0.02})
    ]

    assert measures == ["cost_sensitive_error_rate", "auc"]


def test_limits_of_costs_in_use_hold_the_true_cost():
    assert all(coverage(design, 200) >= 0.9 for design in DESIGNS)


def test_a_gate_on_what_the_prevalence_moves_says_which_prevalence_it_has(frame):
    gates = ["m.f1 >= 0.5", "m.recall >= 0.5", "m.f_beta(0.7) >= 0.3", "m.precision >= 0.1"]
    results = decided(frame, prevalence=0.02, gates=gates)
    notes = " ".join(gates_table(results).notes).replace("\xa0", " ")

    assert "m.f1 >= 0.5; m.f_beta(0.7) >= 0.3: " + OF_ROWS in notes


def test_gates_and_claims_on_what_follows_from_both_rates_are_read_at_the_stated_prevalence(frame):
    """A precision of 0.8 in rows of two like classes is 0.1 where 2 % are positive."""
    limits = {"precision": ">= 0.5", "negative_predictive_value": ">= 0.9", "cost": "<= 0.5"}
    limits |= {"accuracy": ">= 0.5", "error_rate": "<= 0.01"}
    texts = [f"m.{name} {limit}" for name, limit in limits.items()]
    more = {"comparisons": {"claims": texts[:1]}, "costs": COSTS}
    results = decided(frame, prevalence=0.02, gates=[*texts, "m.precision.low >= 0.01"], **more)
    rates = dict(
        results.metrics.filter(pl.col("slice").is_null()).select("metric", "value").iter_rows()
    )
    missed, alarms = 0.02 * (1 - rates["recall"]), 0.98 * (1 - rates["specificity"])
    kept, right = 0.02 * rates["recall"], 0.98 * rates["specificity"]
    expected = {
        "precision": kept / (kept + alarms),
        "negative_predictive_value": right / (right + missed),
        "cost": 10 * missed + alarms,
        "accuracy": kept + right,
        "error_rate": missed + alarms,
    }

    rows = results.gates.to_dicts()
    values = {row["gate"].split()[0].removeprefix("m."): row["observed"] for row in rows}
    assert values == pytest.approx(expected | {"precision.low": rows[0]["low"]})
    assert {row["basis"] for row in rows} == {"stated prevalence"}
    assert [row["state"] for row in rows] == ["fail", "pass", "pass", "pass", "fail", "pass"]
    assert "its limits refute the claim" in results.decision.sentence or (
        "refuted" in results.decision.headline
    )
    assert not without_chinese(results, [results.decision.sentence, gates_table(results).notes[-1]])
    assert values_in_use(results) is values_in_use(results)  # of many claims they are computed once


def test_thresholds_of_these_rows_leave_gates_and_claims_limits_for_every_threshold(frame):
    """At 2 % the precision of 0.8 is 0.1, whatever threshold the rows chose."""
    texts = ["m.precision >= 0.5", "m.recall >= 0.1", "m.cost <= 5"]
    more = {"comparisons": {"claims": texts[:2]}, "costs": COSTS, "threshold": {"maximise": "f1"}}
    results = decided(frame, prevalence=0.02, gates=texts, **more)
    here = decided(frame, gates=texts, **more)

    assert results.gates["state"].to_list() == ["fail", "pass", "pass"]
    assert here.gates["state"].to_list() == ["pass", "pass", "pass"]
    assert [r["basis"] for r in results.gates.to_dicts()][::2] == ["stated prevalence"] * 2
    verdict = f"{results.decision.headline} {results.decision.sentence}"
    assert "refuted" in verdict
    assert "Limits of precision are for a prevalence of" in verdict
    assert not without_chinese(results, [results.decision.sentence])


@pytest.mark.parametrize("limit", [0.3, 0.99])
def test_a_gate_on_what_the_prevalence_moves_neither_passes_nor_fails_at_another_one(frame, limit):
    gates = [f"m.{metric} >= {limit}" for metric in ("f1", "recall", "auc")]
    at_another, at_this = (decided(frame, gates=gates, prevalence=p) for p in (0.02, 0.5))

    of_rows = at_this.gates["state"].to_list()
    assert of_rows == ["pass" if limit == 0.3 else "fail"] * 3
    assert at_another.gates["state"].to_list() == ["inconclusive", *of_rows[1:]]
    why = str(at_another.gates["why"][0])
    assert "share of positives, 50.0\N{NO-BREAK SPACE}% of these rows and 2.0" in why
    assert not without_chinese(at_another, [f"{why}."])


def labels(size=800):
    """Two models of labels: a misses more positives, b has more false alarms."""
    random = np.random.default_rng(7)
    positive = np.arange(size) % 2 == 0
    alarms = {"a": (0.7, 0.1), "b": (0.89, 0.3)}
    predicted = {
        name: random.random(size) < np.where(positive, *rates) for name, rates in alarms.items()
    }
    return pl.DataFrame({"y": positive, **predicted})


def test_what_depends_on_the_share_of_positives_does_not_decide_where_another_one_is_stated():
    """Half of the rows are positive, 2 % of the population: there a is far more accurate."""
    models = {name: {"label": name} for name in "ab"}
    here, results = (
        decided(labels(), models=models, costs=COSTS, **more) for more in ({}, {"prevalence": 0.02})
    )
    of_shares = results.comparisons.filter(
        pl.col("metric").is_in(["accuracy", "cost_sensitive_error_rate"])
    )
    [balanced] = results.comparisons.filter(metric="balanced_accuracy").to_dicts()
    reason = of_shares["why"][0]
    [why] = [c.text for c in results.decision.caveats if c.code == "measure"]

    assert here.decision.measure == "cost_sensitive_error_rate"
    assert results.decision.measure == "balanced_accuracy"
    assert balanced["recommendation"] == "recommended"
    assert set(of_shares["recommendation"]) == {"valid"}
    assert reason.replace("\xa0", " ") == (
        "the measure depends on the share of positives, 50.0 % of these rows and 2.0 % of the "
        "population that the spec states"
    )
    assert why == (
        "Balanced accuracy decides: accuracy depends on the share of positives, which is not that "
        "of the population."
    )
    assert not without_chinese(results, [reason, why])


def test_limits_of_predictive_values_exist_where_a_rate_has_a_limit_of_zero():
    """Five rows, whose recalls and specificities of 0 and 1 have limits of 0."""
    rows = {"y": [1, 0, 1, 0, 0], "p": [0.67, -1.1, 2.41, -1.58, -0.84], "fold": [2, 8, 5, 6, 3]}
    more = {"q": [-2.62, -3.0, 0.72, 0.04, -1.1], "r": [0.5, 0.67, 0.44, 0.74, 0.46]}
    models = {name: {"score": name} for name in "pqr"}
    results = decided(
        pl.DataFrame({**rows, **more}),
        models=models,
        prevalence=0.05,
        threshold={"maximise": "f1"},
        columns={"fold": "fold"},
    )
    values = results.curves["predictive_values"]

    for end in ("positive_low", "positive_high", "negative_low", "negative_high"):
        assert values[end].drop_nulls().is_between(0, 1).all()


def test_the_cost_curve_marks_the_stated_prevalence(frame):
    """Half of the rows are positive, and a miss costs ten alarms: 10/11, and at 2 % 0.2/1.18."""
    texts = [
        next(one for one in figures(results) if one.id == "cost_curve").subtitle
        for results in (decided(frame, costs=COSTS), decided(frame, costs=COSTS, prevalence=0.02))
    ]

    assert "prevalence and costs of this report (0.909" in texts[0]
    assert "stated prevalence and costs (0.169" in texts[1]


@pytest.mark.parametrize("claim", ["m.f1 >= 0.3", "m.brier_score <= 0.4"])
def test_a_claim_on_what_the_prevalence_moves_is_not_decided_at_another_one(frame, claim):
    """By a test, or by limits: a precision of 0.8 among like classes is 0.1 at 2 %."""
    claims = {"comparisons": {"claims": [claim]}}
    at_another, at_this = (decided(frame, prevalence=p, **claims) for p in (0.02, 0.5))

    assert "of the population that the spec states" not in at_this.decision.sentence
    assert "supported" not in at_another.decision.headline
    assert "of the population that the spec states" in at_another.decision.sentence
    assert not without_chinese(at_another, [at_another.decision.sentence])


@pytest.mark.parametrize(
    ("column", "moved"), [({"fold": "part"}, True), ({"dataset": "part"}, False)]
)
def test_gates_and_claims_over_folds_are_read_at_the_stated_prevalence(frame, column, moved):
    """A precision of about 0.8 among like classes is about 0.1 at 2 %; data sets stay open."""
    parts = frame.with_columns(part=pl.int_range(400) % 8)
    claims = {"comparisons": {"claims": ["m.precision >= 0.5"]}}
    more = {"columns": column, "gates": ["m.precision >= 0.5"], **claims}
    here, there = (decided(parts, prevalence=p, **more) for p in (0.5, 0.02))
    [gate] = there.gates.to_dicts()

    assert (gate["basis"] == IN_USE) == (gate["observed"] < 0.2) == moved
    assert gate["state"] == ("fail" if moved else "inconclusive")
    at_work = "Limits of precision are for a prevalence of 2.0" in there.decision.sentence
    assert at_work == ("far below the claimed minimum" in there.decision.sentence) == moved
    assert "prevalence" not in here.decision.sentence
    assert not without_chinese(there, [there.decision.sentence])


def test_probabilities_for_another_share_of_positives_are_not_worse_for_being_so():
    """``for_use`` has the right probabilities where 10 % are positive, ``for_rows`` in the rows."""
    random = np.random.default_rng(8)
    rank = random.normal(size=1500) + 1.2 * (positive := np.arange(1500) < 750)
    scores = {
        name: 1 / (1 + np.exp(0.72 - 1.2 * rank - shift + 0.2 * random.normal(size=1500)))
        for name, shift in (("for_rows", 0.0), ("for_use", np.log(0.1 / 0.9)))
    }
    frame = pl.DataFrame({"y": positive, **scores})
    spec = {"truth": "y", "models": {name: {"score": name} for name in scores}}
    here, there = (reportgen.evaluate(spec | more, frame) for more in ({}, {"prevalence": 0.1}))

    of_rows = {"calibration_in_the_large", "untested_probabilities"}
    assert of_rows <= {caveat.code for caveat in here.decision.caveats}
    assert not of_rows & {caveat.code for caveat in there.decision.caveats}
    [title] = [one.title for one in figures(there) if one.id == "calibration"]
    assert title.startswith("Lowest expected calibration error at 50.0\xa0% positive: ")


@pytest.mark.parametrize(
    ("more", "code"), [({"prevalence": 0.3}, "prevalence"), ({"threshold": 0.3}, "threshold")]
)
def test_what_is_of_two_classes_is_refused_where_the_data_show_several(more, code):
    frame = pl.DataFrame({"y": ["a", "b", "c"] * 20, "m": ["a", "b", "b"] * 20})
    spec = {"truth": "y", "models": {"m": {"label": "m"}}, **more}

    with pytest.raises(SpecError, match=f"{code} is for .*several classes") as error:
        reportgen.evaluate(spec, frame)
    assert error.value.problems[0].hint == "remove it"
