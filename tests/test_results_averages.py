"""Averages over classes and labels, with their intervals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from reportgen.clusters import Groups, mean_effect
from reportgen.intervals import modified_wilson, normal_quantile
from reportgen.measuring import class_averages
from reportgen.measuring.class_averages import averages, of_matrix
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.metric_names import joined
from reportgen.multiclass import class_counts
from reportgen.results import evaluate
from reportgen.tables import Matrix

CASES = json.loads(
    Path(__file__).with_name("reference").joinpath("average_limits.json").read_text()
)["cases"]


def frame(case: dict) -> pl.DataFrame:
    """Rows with a truth and a call, of classes or of labels."""
    if "matrix" in case:
        cells = [(i, j, n) for i, row in enumerate(case["matrix"]) for j, n in enumerate(row)]
        return pl.DataFrame(
            [(f"c{i}", f"c{j}") for i, j, n in cells for _ in range(n)],
            schema=["y", "call"],
            orient="row",
        )
    rows = [(*t, *g) for t, g, n in case["patterns"] for _ in range(n)]
    return pl.DataFrame(rows, schema=["t0", "t1", "g0", "g1"], orient="row")


def averaged(rows: pl.DataFrame, **more) -> dict[str, dict]:
    if "call" in rows.columns:
        task_spec = {"truth": "y", "task": "multiclass", "models": {"m": {"label": "call"}}}
    else:
        task_spec = {
            "truth": {"a": "t0", "b": "t1"},
            "models": {"m": {"labels": {"a": "g0", "b": "g1"}}},
        }
    metrics = evaluate(
        {"data": "d.csv", "bootstrap": {"replicates": 0}, **task_spec, **more}, rows
    ).metrics
    records = metrics.filter(pl.col("average").is_not_null()).to_dicts()
    return {joined(row["metric"], row["average"]): row for row in records}


def by_delta(case: dict) -> dict[str, dict]:
    """The averages by the delta method alone."""
    if "matrix" not in case:
        return averaged(frame(case), intervals={"ratios": "delta"})
    size = len(case["matrix"])
    cells = [(i, j, n, n) for i, row in enumerate(case["matrix"]) for j, n in enumerate(row)]
    schema = {"truth": pl.UInt16, "predicted": pl.UInt16, "count": pl.Float64, "count2": pl.Float64}
    table = Matrix.validate(pl.DataFrame(cells, schema=schema, orient="row"))
    counts = class_counts(table, [f"c{k}" for k in range(size)])
    rows = averages(counts, MetricSubject("m"), of_matrix(MetricSubject("m"), table))
    return {joined(row["metric"], row["average"]): row for row in rows}


@pytest.mark.parametrize("name", CASES)
def test_an_average_has_the_value_and_the_error_of_another_program(name):
    averages = by_delta(CASES[name])
    for measure, expected in CASES[name]["expected"].items():
        row = averages[measure.replace(" ", "_")]
        half_width = normal_quantile(0.95) * expected["error"]
        assert row["value"] == pytest.approx(expected["value"], rel=1e-12)
        assert row["low"] == pytest.approx(max(expected["value"] - half_width, 0), rel=1e-9)
        assert row["high"] == pytest.approx(min(expected["value"] + half_width, 1), rel=1e-9)
        assert row["interval"] == "delta"


@pytest.mark.parametrize("name", CASES)
def test_a_weight_scales_nothing_but_the_size(name):
    rows = frame(CASES[name])
    plain = averaged(rows)
    heavy = averaged(rows.with_columns(w=pl.lit(2.5)), columns={"weight": "w"})
    for measure, row in plain.items():
        if row["low"] is None:
            assert heavy[measure]["low"] is None
            continue
        assert heavy[measure]["value"] == pytest.approx(row["value"], rel=1e-12)
        assert heavy[measure]["low"] == pytest.approx(row["low"], rel=1e-9)


def test_limits_of_macro_recall_are_those_of_independent_shares_squared_and_added():
    case = CASES["four"]["matrix"]
    sizes = np.sum(case, axis=1).astype(float)
    recall = np.diag(case) / sizes
    row = averaged(frame(CASES["four"]))["macro_recall"]
    variance, z = recall * (1 - recall) / sizes, normal_quantile(0.95)
    number = variance.sum() ** 2 / (variance**2).sum()
    for end, limits in zip(("low", "high"), modified_wilson(recall, sizes), strict=True):
        skewed = np.abs(limits - recall) / z - np.sqrt(variance)
        errors = np.sqrt(variance) + skewed / np.sqrt(number)
        distance = z * np.sqrt((errors**2).sum()) / len(sizes)
        assert abs(row[end] - row["value"]) == pytest.approx(distance, rel=1e-9)
    assert row["interval"] == "square-and-add"


def test_a_perfect_decision_has_limits_and_a_class_without_a_value_has_none():
    perfect = averaged(pl.DataFrame({"y": ["a", "b", "c"] * 4, "call": ["a", "b", "c"] * 4}))
    for name in ("macro_f1", "weighted_precision", "macro_recall"):
        assert 0.5 < perfect[name]["low"] < perfect[name]["high"] == 1
    assert perfect["micro_f1"]["low"] == pytest.approx(
        modified_wilson(np.ones(1), np.array([12]))[0]
    )
    never = averaged(pl.DataFrame({"y": ["a", "b", "c"] * 4, "call": ["a", "b", "a"] * 4}))
    assert never["macro_precision"]["value"] is None
    assert never["macro_precision"]["undefined"] == "a class or label has no value"


def test_one_number_has_one_interval():
    """Micro averages are the accuracy, weighted recall too, macro recall the balanced accuracy."""
    rows = frame(CASES["four"])
    spec = {"truth": "y", "task": "multiclass", "models": {"m": {"label": "call"}}}
    table = evaluate({"data": "d.csv", **spec}, rows).metrics.filter(pl.col("class").is_null())
    by_name = {
        joined(r["metric"], r["average"]) if r["average"] else r["metric"]: r
        for r in table.iter_rows(named=True)
    }
    for names in (
        ("accuracy", "micro_precision", "micro_recall", "micro_f1", "weighted_recall"),
        ("error_rate", "micro_false_negative_rate", "weighted_false_negative_rate"),
        ("balanced_accuracy", "macro_recall"),
    ):
        first, *others = [by_name[name] for name in names]
        assert first["low"] is not None
        for row in others:
            assert row["value"] == pytest.approx(first["value"], rel=1e-12)
            keys = ("low", "high", "interval")
            assert [row[key] for key in keys] == [first[key] for key in keys]
    missed, recall = by_name["macro_false_negative_rate"], by_name["macro_recall"]
    assert missed["high"] == pytest.approx(1 - recall["low"], rel=1e-12)


def test_every_average_lies_within_its_own_interval():
    rows = frame(CASES["four"])
    spec = {"truth": "y", "task": "multiclass", "models": {"m": {"label": "call"}}}
    table = evaluate({"data": "d.csv", **spec}, rows).metrics.drop_nulls(["average", "low"])

    assert table.height > 30
    assert table.filter(~pl.col("value").is_between("low", "high")).is_empty()


def test_a_micro_average_in_groups_varies_as_the_accuracy_that_it_is():
    """Also where one group has most of the rows: by one intraclass correlation of all groups."""
    random = np.random.default_rng(6)
    code = np.repeat(np.arange(12), [240, *[8] * 11])
    truth = random.integers(0, 3, len(code))
    correct = random.random(len(code)) < 0.75 + 0.25 * np.sin(code)
    rows = pl.DataFrame(
        {"group": code, "truth": truth, "predicted": np.where(correct, truth, (truth + 1) % 3)}
    )
    table = np.zeros((3, 3))
    np.add.at(table, (rows["truth"].to_numpy(), rows["predicted"].to_numpy()), 1)
    matrix = pl.DataFrame({"count": table.ravel(), "count2": table.ravel()})
    by_group = rows.group_by("group", "truth", "predicted").len("count")
    of_recall = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)) / len(code)

    result = of_matrix(MetricSubject("m"), matrix, by_group)(of_recall[None])[0]

    variance, effect = mean_effect(correct.astype(float), Groups(code, 12))
    number = len(code)
    assert result == pytest.approx(variance * effect.inflation(0.95) * (number - 1) / number)
    assert effect.degrees_of_freedom > 8  # not those of the largest group


@pytest.mark.parametrize("labels", [1, 3])
def test_the_variance_of_few_labels_is_that_of_all_rows(labels, monkeypatch):
    """Rows that have and are given the same labels are one row there."""
    random = np.random.default_rng(0)
    truth, given = random.random((2, 5000, labels)) < 0.3
    weight = random.gamma(2, size=5000) * (random.random(5000) < 0.9)
    gradient = random.normal(size=(7, labels, 4))
    few = class_averages.LabelledRows(truth, given, weight).by_pattern
    by_pattern = class_averages.of_labels(MetricSubject("m"), truth, given, weight)(gradient)
    monkeypatch.setattr(class_averages.LabelledRows, "by_pattern", property(lambda rows: rows))

    assert len(few.weight) <= 4**labels
    np.testing.assert_allclose(
        by_pattern,
        class_averages.of_labels(MetricSubject("m"), truth, given, weight)(gradient),
        rtol=1e-12,
    )


def test_rows_of_many_labels_stay_apart():
    truth, given = np.random.default_rng(0).random((2, 1000, 5)) < 0.3
    rows = class_averages.LabelledRows(truth, given, np.ones(1000))

    assert rows.by_pattern is rows


def test_no_plain_mean_of_areas_has_a_value_where_a_class_has_no_rows():
    random = np.random.default_rng(0)
    shares = random.dirichlet(np.ones(3), 60)
    columns = {f"s{c}": shares[:, k] for k, c in enumerate("xyz")}
    rows = pl.DataFrame({"y": random.choice(["x", "y"], 60), **columns})
    spec = {"truth": "y", "task": "multiclass", "classes": list("xyz")}
    models = {"m": {"scores": {c: f"s{c}" for c in "xyz"}}}
    results = evaluate({**spec, "models": models, "bootstrap": {"replicates": 0}}, rows)

    areas = results.metrics.filter(pl.col("average").is_not_null(), metric="auc")
    undefined = dict(areas.filter(pl.col("value").is_null()).select("average", "undefined").rows())
    assert undefined == dict.fromkeys(["macro", "macro of pairs"], "a class has no value")
