"""Gates on the deciding measure over several data sets read what page one has."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from reportgen.sections.gates import gates_table
from tests.page_text import without_chinese
from tests.quick import QUICK

GATES = ["a.accuracy - b.accuracy > 0", "b.accuracy - a.accuracy < 0", "a.accuracy >= 0.76"]


def report(seed: int, spread: float) -> Results:
    """Ten data sets in which a is better by 0.04 on average, with that spread between them."""
    random = np.random.default_rng(seed)
    parts = []
    for index in range(10):
        truth = random.choice(["x", "y", "z"], 150)
        right = {"a": 0.71 + spread * random.normal(), "b": 0.65}
        said = {
            name: np.where(random.random(150) < share, truth, random.choice(["x", "y", "z"], 150))
            for name, share in right.items()
        }
        parts.append(pl.DataFrame({"y": truth, "set": f"d{index}", **said}))
    models = {name: {"label": name} for name in "ab"}
    spec = {"truth": "y", "task": "multiclass", "models": models, "columns": {"dataset": "set"}}
    return evaluate({**spec, "gates": GATES, **QUICK}, pl.concat(parts))


@pytest.mark.parametrize(("seed", "spread"), [(1, 0.12), (2, 0.12), (0, 0.0)])
def test_a_gate_on_a_difference_passes_where_the_test_over_data_sets_rejects(seed, spread):
    results = report(seed, spread)
    first, mirrored, _ = results.gates.to_dicts()
    [test] = results.comparisons.filter(metric="accuracy", comparison="wilcoxon").to_dicts()

    assert (first["state"] == "pass") == (results.decision.relation == "ahead") == test["reject"]
    ends = (
        (test["low"], test["high"]) if test["models"][0] == "a" else (-test["high"], -test["low"])
    )
    assert (first["low"], first["high"]) == pytest.approx(ends)
    assert first["basis"] == "median difference over data sets"
    assert mirrored["state"] == first["state"]
    assert mirrored["observed"] == -first["observed"]


def test_a_gate_on_one_model_reads_its_mean_over_data_sets_with_the_limits_of_page_one():
    results = report(1, 0.12)
    (mean,) = results.metrics.filter(metric="accuracy", model="a", average="folds").to_dicts()
    row = results.gates.row(2, named=True)

    assert (row["observed"], row["low"], row["high"]) == (mean["value"], mean["low"], mean["high"])
    assert row["state"] == "inconclusive"
    cells = [cell for line in gates_table(results).rows for cell in map(str, line.cells.values())]
    assert any("means over data sets" in cell for cell in cells)
    assert not without_chinese(
        results, ["means over data sets", "median difference over data sets"]
    )


def test_limits_of_pooled_rows_pass_no_gate_that_the_test_over_few_data_sets_cannot_decide():
    """Of three data sets the rows alone may say that a is better: not in a fourth."""
    random = np.random.default_rng(1)
    truth = random.random(300) < 0.5
    scores = {"a": truth + 0.5 * random.random(300), "b": truth + 4 * random.random(300)}
    frame = pl.DataFrame({"y": truth, "set": np.arange(300) % 3, **scores})
    models = {name: {"score": name} for name in "ab"}
    gates = ["a.auc - b.auc > 0", "a.auc - b.auc < 0"]
    spec = {"truth": "y", "models": models, "columns": {"dataset": "set"}, "threshold": 1}
    results = evaluate({**spec, "gates": gates, **QUICK}, frame)
    better, worse = results.gates.to_dicts()
    alone = evaluate({**spec, "columns": {}, "gates": gates[:1], **QUICK}, frame)

    assert alone.gates["state"].to_list() == ["pass"]
    assert better["low"] > 0
    assert better["state"] == "inconclusive"
    assert better["why"] == (
        "limits of pooled rows hold for these data sets alone, and there are only 3 data sets, and "
        "Wilcoxon's signed-rank test needs at least 6"
    )
    assert worse["state"] == "fail"
    assert not without_chinese(results, [better["why"]])


@pytest.mark.parametrize("sets", [5, 10])
def test_gates_on_other_measures_read_their_means_over_data_sets_too(sets):
    """Neither accuracy nor F1 decides: limits of pooled rows would be of these data sets alone."""
    random = np.random.default_rng(2)
    truth, set_ = random.random(400) < 0.5, np.arange(400) % sets
    apart = random.normal(1.2, 0.5, sets)[set_]
    scores = {m: 1 / (1 + np.exp(-apart * (2 * truth - 1) - random.normal(size=400))) for m in "ab"}
    frame = pl.DataFrame({"y": truth, "set": set_, **scores})
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"dataset": "set"}, **QUICK}
    gates = ["a.accuracy >= 0.4", "a.f1 >= 0.5", "a.f1.low >= 0.5", "a.f1 - b.f1 > -0.5"]
    results = evaluate({**spec, "gates": gates}, frame)
    first, second, lower, difference = results.gates.to_dicts()
    for gate, metric in ((first, "accuracy"), (second, "f1")):
        (mean,) = results.metrics.filter(metric=metric, model="a", average="folds").to_dicts()
        assert (gate["low"], gate["high"]) == (mean["low"], mean["high"])
    assert lower["observed"] == second["low"]
    assert {gate["state"] for gate in (first, second, lower)} == {"pass"}
    assert difference["state"] == ("pass" if sets > 5 else "inconclusive")  # Wilcoxon needs 6


def test_a_gate_on_a_measure_without_a_value_on_a_data_set_stays_open():
    """Of no data set may a model never predict a positive: precision is undefined there."""
    random = np.random.default_rng(2)
    truth, set_ = random.random(400) < 0.5, np.arange(400) % 5
    scores = {m: np.where(set_ == 3, 0.1, random.random(400) * 0.5 + 0.5 * truth) for m in "ab"}
    frame = pl.DataFrame({"y": truth, "set": set_, **scores})
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"dataset": "set"}, **QUICK}
    [gate] = evaluate({**spec, "gates": ["a.precision >= 0.5"]}, frame).gates.to_dicts()

    assert (gate["state"], gate["why"]) == (
        "inconclusive",
        "limits of pooled rows hold for these data sets alone, and precision has none over data "
        "sets",
    )
