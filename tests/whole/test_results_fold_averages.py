"""Macro and micro averages over several tests of two classes, against scikit-learn by test."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

import reportgen
from reportgen.sections import generalisation
from reportgen.spec.reading import from_dict
from tests.breadth import breadth
from tests.quick import QUICK

OUTSIDE = {"precision": precision_score, "recall": recall_score, "f1": f1_score}


def frame() -> pl.DataFrame:
    random = np.random.default_rng(0)
    x = random.normal(size=400)
    return pl.DataFrame(
        {
            "y": x + random.normal(size=400) > 0.3,
            "p": (1 / (1 + np.exp(-x))).round(2),
            "test": random.integers(0, 5, size=400),
            "w": random.choice([1.0, 2.0], size=400),
            "id": range(400),
        }
    )


def spec(unit: str, **more: object) -> dict[str, object]:
    models = {"m": {"score": "p"}}
    columns = {unit: "test", "id": "id"}
    plain = {"data": "f", "truth": "y", "models": models, "columns": columns}
    return plain | QUICK | more


def averages(results: reportgen.Results) -> dict[tuple[str, str], float]:
    rows = results.metrics.filter(pl.col("average").str.contains(" of (folds|data sets)"))
    return {(r["average"], r["metric"]): r["value"] for r in rows.to_dicts()}


@pytest.mark.parametrize(("unit", "where"), [("fold", "folds"), ("dataset", "data sets")])
@breadth("weighted", [False, True], [True])
def test_macro_is_the_mean_over_tests_and_micro_comes_from_summed_counts(unit, where, weighted):
    data, more = frame(), {}
    if weighted:
        more = {"columns": {unit: "test", "weight": "w"}}
    values = averages(reportgen.evaluate(spec(unit, **more), data))
    parts = [part for _, part in data.group_by("test", maintain_order=True)]

    def outside(name: str, rows: pl.DataFrame) -> float:
        mass = rows["w"] if weighted else None
        return float(OUTSIDE[name](rows["y"], rows["p"] >= 0.5, sample_weight=mass))

    means = {name: np.mean([outside(name, part) for part in parts]) for name in OUTSIDE}
    for name, mean in means.items():
        assert values[f"macro of {where}", name] == pytest.approx(mean)
        assert values[f"micro of {where}", name] == pytest.approx(outside(name, data))
    p, r = means["precision"], means["recall"]
    assert values[f"macro of {where}", "f1_of_macro"] == pytest.approx(2 * p * r / (p + r))


def test_of_several_data_sets_each_is_one_test_whatever_its_folds():
    data = frame().with_columns(fold=pl.col("id") % 3)
    columns = {"dataset": "test", "fold": "fold", "id": "id"}
    whole = averages(reportgen.evaluate(spec("dataset"), data))

    assert averages(reportgen.evaluate(spec("dataset", columns=columns), data)) == whole


def test_a_test_without_predicted_positives_leaves_macro_undefined():
    data = frame().with_columns(p=pl.when(pl.col("test") == 2).then(0.0).otherwise("p"))
    metrics = reportgen.evaluate(spec("fold"), data).metrics
    (row,) = metrics.filter(metric="precision", average="macro of folds").to_dicts()

    assert (row["value"], row["undefined"]) == (None, "a fold has no value")
    assert metrics.filter(metric="precision", average="micro of folds")["value"][0] > 0


def test_training_rows_are_not_counted_and_one_test_has_no_averages():
    data = frame()
    train = data.with_columns(role=pl.lit("train"), y=~pl.col("y"), id=pl.col("id") + 1000)
    both = pl.concat([data.with_columns(role=pl.lit("test")), train])
    columns = {"fold": "test", "id": "id", "role": "role"}

    assert averages(reportgen.evaluate(spec("fold", columns=columns), both)) == averages(
        reportgen.evaluate(spec("fold"), data)
    )
    assert averages(reportgen.evaluate(spec("fold", columns={"id": "id"}), data)) == {}


def test_streaming_gives_the_same(tmp_path):
    frame().write_parquet(tmp_path / "p.parquet")
    for unit in ("fold", "dataset"):
        requested = spec(unit, data=str(tmp_path / "p.parquet"))
        exact, counted = (
            averages(reportgen.evaluate({**requested, "engine": engine}))
            for engine in ("exact", "streaming")
        )
        assert counted == pytest.approx(exact)
        assert counted


def test_gates_read_them_and_the_report_shows_them(tmp_path):
    frame().write_parquet(tmp_path / "p.parquet")
    gates = ["m.macro_of_folds_f1 >= 0.99", "m.micro_of_folds_precision > 0.1"]
    requested = spec("fold", data=str(tmp_path / "p.parquet"), gates=gates)
    done = reportgen.build(from_dict(requested), out=tmp_path / "out", formats=["html"])

    assert done.failed_gates == [gates[0]]
    assert done.results.gates["basis"].to_list() == ["macro of folds", "micro of folds"]
    page = done.files["html"].read_text("utf-8")
    assert "Macro and micro averages over the test sets" in page
    assert "Macro over folds" in page
    [row] = generalisation.averages_over_tests(done.results).rows
    assert len(row.cells) == 1 + 4 + 3  # the model; macro has F1 of means, micro has not
