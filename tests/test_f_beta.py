"""F-beta of any beta, wherever a spec names a measure."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from sklearn.metrics import fbeta_score

import reportgen
from reportgen.cli.catalogue import catalogue
from reportgen.errors import SpecError
from reportgen.metric_names import canonical
from reportgen.metrics import METRICS, REGISTRY
from reportgen.spec.reading import from_dict
from tests.breadth import breadth


def frame() -> pl.DataFrame:
    random = np.random.default_rng(0)
    x = random.normal(size=300)
    return pl.DataFrame(
        {
            "y": x + random.normal(size=300) > 0.3,
            "a": 1 / (1 + np.exp(-x)),
            "b": 1 / (1 + np.exp(-x - random.normal(size=300))),
        }
    )


def spec(**more: object) -> dict[str, object]:
    models = {"a": {"score": "a"}, "b.c": {"score": "b"}}
    return {"data": "f", "truth": "y", "models": models, "bootstrap": {"replicates": 20}} | more


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("f_beta(0.7)", "f_beta(0.7)"),
        ("F-beta(.70)", "f_beta(0.7)"),
        ("Fβ(3)", "f_beta(3)"),
        ("f_beta(1)", "f1"),
        ("f_beta(2.0)", "f2"),
        ("f_beta(0.5)", "f_half"),
    ],
)
def test_any_beta_has_one_name(written, name):
    assert canonical(written) == name
    assert name in METRICS


@pytest.mark.parametrize("name", ["f_beta(0)", "f_beta(-1)", "f_beta()", "f_beta(x)", "g(1)"])
def test_what_is_no_beta_is_no_measure(name):
    assert canonical(name) not in METRICS
    with pytest.raises(
        SpecError, match="is one of many" if name == "f_beta()" else "there is no metric"
    ):
        from_dict(spec(measures=[name]))


@breadth("beta", [0.1, 0.5, 0.7, 1, 1.5, 2, 10], [0.5])
def test_its_value_is_that_of_scikit_learn(beta):
    data = frame()
    results = reportgen.evaluate(spec(gates=[f"a.f_beta({beta:g}) > 0"]), data)
    rows = results.metrics.filter(metric=canonical(f"f_beta({beta:g})"), model="a")

    expected = fbeta_score(data["y"], data["a"] >= 0.5, beta=beta)
    assert rows["value"].to_list() == [pytest.approx(expected, abs=1e-12)]
    assert rows["low"][0] < expected < rows["high"][0]


def test_the_spec_may_name_it_in_measures_gates_comparisons_claims_and_thresholds():
    requested = spec(
        measures=["auc", "f_beta(0.7)"],
        gates=["a.f_beta(0.7).low >= 0.2", "a.f_beta(1.5) - b.c.f_beta(1.5) > -0.5"],
        comparisons={"measures": ["f_beta(0.7)"], "claims": ["a.f_beta(4) >= 0.1"]},
        threshold={"maximise": "f_beta(3)", "subject to": {"f_beta(0.3)": ">= 0.1"}},
    )
    results = reportgen.evaluate(requested, frame())

    assert set(results.metrics["metric"]) >= {
        f"f_beta({beta})" for beta in ("0.7", "1.5", "4", "3", "0.3")
    }
    assert "f_beta(1.5)" in results.differences["metric"].to_list()
    assert "paired_permutation" in results.comparisons.filter(metric="f_beta(0.7)")["comparison"]
    assert "f_beta(0.7)" in results.curves["threshold"]["metric"].to_list()
    rule = results.data["models"][0]["threshold_rule"]
    assert rule.startswith("maximises F3 with F0.3 >= 0.1")


def test_a_gate_reads_it_and_the_report_prints_it(tmp_path):
    frame().write_csv(tmp_path / "p.csv")
    requested = spec(
        data=str(tmp_path / "p.csv"), measures=["auc", "f_beta(0.7)"], gates=["a.f_beta(0.7) > 0.9"]
    )
    done = reportgen.build(from_dict(requested), out=tmp_path / "out", formats=["markdown", "json"])

    assert done.failed_gates == ["a.f_beta(0.7) > 0.9"]
    assert "F0.7" in done.files["markdown"].read_text("utf-8")
    written = json.loads(done.files["json"].read_text("utf-8"))
    assert any(row["metric"] == "f_beta(0.7)" for row in written["metrics"])


def test_it_is_not_added_to_the_registry_and_is_one_of_two_classes():
    before = list(METRICS)
    assert METRICS["f_beta(0.9)"].label == "F0.9"
    assert "1.81·TP" in METRICS["f_beta(0.9)"].formula
    assert list(METRICS) == before
    assert "f_beta(0.9)" not in REGISTRY["multiclass"]
    with pytest.raises(SpecError):
        from_dict({"data": "f", "truth": "y", "models": {"m": {"scores": {"a": "p", "b": "q",
                   "c": "r"}}}, "measures": ["f_beta(0.9)"]})  # fmt: skip


def test_counted_in_streaming_it_is_the_same(tmp_path):
    data = frame().with_columns(pl.col("a").round(2), pl.col("b").round(2))
    data.write_parquet(tmp_path / "p.parquet")
    requested = spec(data=str(tmp_path / "p.parquet"), measures=["f_beta(0.7)"])
    exact, counted = (
        reportgen.evaluate({**requested, "engine": engine}).metrics.filter(metric="f_beta(0.7)")
        for engine in ("exact", "streaming")
    )
    assert exact["value"].to_list() == pytest.approx(counted["value"].to_list(), abs=1e-12)


def test_the_catalogue_explains_any_beta():
    done = CliRunner().invoke(catalogue, ["f_beta(0.7)"], catch_exceptions=False)
    assert "1.49·TP / (1.49·TP + 0.49·FN + FP)" in done.stdout
