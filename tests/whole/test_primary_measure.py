"""The measure that decides where the spec names one."""

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.errors import SpecError
from reportgen.sections.key_numbers import chosen
from reportgen.translation import translator
from reportgen.translation.names import names_of

QUICK = {"replicates": 200}


def scores(**comparisons):
    return {
        "truth": "y",
        "models": {name: {"score": name} for name in "ab"},
        "comparisons": comparisons,
        "bootstrap": QUICK,
    }


def ranked(rows=400):
    """The scores of a rank better, at 0.5 those of b decide better."""
    random = np.random.default_rng(8)
    truth = random.random(rows) < 0.5
    a = np.clip(0.3 * (truth + random.normal(size=rows) * 0.6), 0, 1)
    b = np.where(random.random(rows) < 0.75, truth, ~truth) * 0.5 + 0.25
    return pl.DataFrame({"y": truth, "a": a, "b": b})


def triage(rows=600):
    """Nurses err by one level, the machine seldom but far; five levels."""
    random = np.random.default_rng(1)
    truth = random.integers(1, 6, rows)
    near = np.clip(truth + random.choice([-1, 0, 1], rows, p=[0.2, 0.6, 0.2]), 1, 5)
    far = np.where(random.random(rows) < 0.76, truth, 6 - truth)
    return pl.DataFrame({"y": truth, "nurse": near, "machine": far})


OF_CLASSES = {
    "task": "multiclass",
    "truth": "y",
    "models": {"nurse": {"label": "nurse"}, "machine": {"label": "machine"}},
    "bootstrap": QUICK,
}


def test_the_primary_measure_decides_and_another_one_that_speaks_against_it_is_said():
    results = reportgen.evaluate(OF_CLASSES, triage())
    assert (results.decision.measure, results.decision.leader) == ("accuracy", "machine")

    results = reportgen.evaluate(
        OF_CLASSES | {"comparisons": {"primary": "quadratic_kappa"}}, triage()
    )
    decision = results.decision
    assert (decision.measure, decision.leader) == ("quadratic_kappa", "nurse")
    assert decision.headline.startswith("nurse beats machine: kappa, quadratic weights ")
    (text,) = (c.text for c in decision.caveats if c.code == "against_leader")
    assert text.startswith("machine is significantly ahead of nurse in accuracy: ")
    assert ("quadratic_kappa", None) in chosen(results)
    into = translator("zh", names_of(results.to_dict()))
    for text in (decision.headline, decision.sentence, *(c.text for c in decision.caveats)):
        into.text(text, "li")
    assert not into.missing


def test_an_average_over_classes_may_decide():
    results = reportgen.evaluate(OF_CLASSES | {"comparisons": {"primary": "macro_f1"}}, triage())

    f1 = results.metrics.filter(pl.col("slice").is_null(), metric="f1", average="macro")
    values = dict(f1.select("model", "value").iter_rows())
    assert {m.model: m.value for m in results.decision.models} == values


@pytest.mark.parametrize(
    ("primary", "test", "leader"),
    [
        ("auc", "delong", "a"),
        ("accuracy", "mcnemar_midp", "b"),
        ("mcc", "paired_permutation", "b"),
        ("cost_sensitive_error_rate", "paired_permutation", "b"),
    ],
)
def test_a_measure_with_tests_of_its_own_is_compared_by_these(primary, test, leader):
    results = reportgen.evaluate(scores(primary=primary), ranked())

    of_measure = results.comparisons.filter(metric=primary, recommendation="recommended")
    assert of_measure["comparison"].to_list() == [test]
    assert (results.decision.measure, results.decision.leader) == (primary, leader)
    assert not any(c.code == "measure" for c in results.decision.caveats)


def test_absolute_errors_decide_where_they_are_primary_though_they_favour_the_median():
    random = np.random.default_rng(4)
    truth = random.exponential(size=500)
    frame = pl.DataFrame({"y": truth, "mean": 1.0 + random.normal(size=500) * 0.01})
    frame = frame.with_columns(median=pl.col("mean") - 0.3)
    spec = {"truth": "y", "models": {n: {"estimate": n} for n in ("mean", "median")}}

    assert reportgen.evaluate(spec, frame).decision.measure == "mean_squared_error"
    primary = {"comparisons": {"primary": "mae"}}
    decision = reportgen.evaluate(spec | primary, frame).decision
    assert (decision.measure, decision.leader) == ("mean_absolute_error", "median")
    assert not any(c.code == "favoured_median" for c in decision.caveats)


def test_without_a_test_of_the_deciding_measure_the_tests_of_others_are_said():
    random = np.random.default_rng(7)
    rate = random.gamma(0.3, 0.4, 4_000)
    frame = pl.DataFrame({"y": random.poisson(rate * 0.5), "glm": rate * 0.5 + 0.01, "flat": 0.06})
    spec = {"truth": "y", "models": {n: {"estimate": n} for n in ("glm", "flat")}}
    spec |= {"comparisons": {"measures": ["poisson_deviance"]}, "bootstrap": QUICK}
    decision = reportgen.evaluate(spec, frame).decision

    assert decision.relation == "no conclusion"
    (text,) = (c.text for c in decision.caveats if c.code == "ahead_elsewhere")
    assert text.startswith("glm is significantly ahead of flat in Poisson deviance: ")


def test_the_primary_measure_has_an_interval():
    random = np.random.default_rng(7)
    rate = random.gamma(2, 1, 300)
    frame = pl.DataFrame({"y": random.poisson(rate), "m": rate})
    spec = {"truth": "y", "task": "regression", "models": {"m": {"estimate": "m"}}}
    spec |= {"bootstrap": QUICK}

    def low(**more):
        metrics = reportgen.evaluate(spec | more, frame).metrics
        return metrics.filter(metric="poisson_deviance")["low"].item()

    assert low() is None
    assert low(comparisons={"primary": "poisson_deviance"}) is not None


@pytest.mark.parametrize(
    ("primary", "message"),
    [("roc", "a curve does not rank models"), ("rmse", "there is no measure"), ("x", "no mea")],
)
def test_what_cannot_decide_is_refused(primary, message):
    with pytest.raises(SpecError, match=message):
        reportgen.evaluate(scores(primary=primary), ranked())


def test_a_table_of_values_has_one_measure():
    table = pl.DataFrame({"d": [1, 1, 2, 2], "m": list("abab"), "v": [0.1, 0.2, 0.3, 0.5]})
    spec = {"task": "comparison", "columns": {"dataset": "d", "model": "m", "value": "v"}}
    with pytest.raises(SpecError, match="no effect where task is comparison"):
        reportgen.evaluate(spec | {"comparisons": {"primary": "auc"}}, table)


def test_counts_have_no_test_of_a_further_measure(tmp_path):
    ranked().write_parquet(tmp_path / "p.parquet")
    spec = scores(primary="f1") | {"engine": "streaming", "data": str(tmp_path / "p.parquet")}
    results = reportgen.evaluate(spec)

    assert results.decision.measure == "f1"
    assert results.decision.relation == "no conclusion"
    assert any("tests of f1" in skipped["what"] for skipped in results.skipped)


def test_tests_that_the_spec_turns_off_are_no_fault_of_the_data():
    off = {"bootstrap": {"replicates": 0}}
    decision = reportgen.evaluate(scores(primary="average_precision") | off, ranked(80)).decision
    assert decision.headline == (
        "No conclusion on which model is better: "
        "bootstrap.replicates is 0, which turns off the tests of average precision"
    )
    assert decision.caveats[0].text.startswith("The tests of average precision were not run: ")


def test_a_measure_without_a_test_is_said_to_have_none():
    """Micro average precision may decide, but nothing tests it: how tests are made is no reason."""
    random = np.random.default_rng(3)
    truth = random.integers(0, 3, 200)
    scores = np.exp(random.normal(size=(2, 200, 3)) + 2 * np.eye(3)[truth])
    columns = {
        f"{model}{k}": (part / part.sum(1, keepdims=True))[:, k]
        for model, part in zip("ab", scores, strict=True)
        for k in range(3)
    }
    models = {name: {"scores": {c: f"{name}{k}" for k, c in enumerate("uvw")}} for name in "ab"}
    frame = pl.DataFrame({"t": np.array([*"uvw"])[truth], **columns})
    primary = {
        "comparisons": {"primary": "micro_average_precision"},
        "bootstrap": {"replicates": 50},
    }
    decision = reportgen.evaluate({"truth": "t", "models": models, **primary}, frame).decision

    assert decision.headline.endswith("which model is better: there is no test of this measure")


def test_where_the_headline_concludes_nothing_on_the_baseline_another_measure_that_does_is_first():
    """Of the many pairs and measures that are decided page one names two."""
    random = np.random.default_rng(44)
    rate = np.exp(0.5 + 0.6 * random.normal(size=600))
    truth = random.poisson(rate)
    noisy = rate * np.exp(0.5 * random.normal(size=600))
    frame = pl.DataFrame({"y": truth, "good": rate, "avg": truth.mean(), "noisy": noisy})
    models = {name: {"estimate": name} for name in ("good", "avg", "noisy")}
    spec = {"truth": "y", "task": "regression", "models": models, "baseline": "avg"}
    spec |= {"comparisons": {"primary": "poisson_deviance"}, "bootstrap": QUICK}
    decision = reportgen.evaluate(spec, frame).decision
    texts = [c.text for c in decision.caveats if c.code == "ahead_elsewhere"]

    assert decision.headline.startswith("No conclusion on good against avg")
    assert texts[0].startswith("good is significantly ahead of avg in MAE: ")
    assert texts[1].startswith("good is significantly ahead of noisy in Poisson deviance: ")
