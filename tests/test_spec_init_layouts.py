"""``init`` understands what the tools of the field write, and what it writes builds."""

from __future__ import annotations

import polars as pl
import pytest

import reportgen
from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from reportgen.initial_spec import init_spec
from tests.breadth import breadth
from tests.layouts import LAYOUTS, SCORE, named, write


def _started(name: str, folder):
    """Write a layout and its spec; return the spec's path."""
    make, ending, _ = LAYOUTS[name]
    data = folder / f"data.{ending}"
    write(make(), data, name=name)
    path = folder / "report.yaml"
    path.write_text(init_spec(data), encoding="utf-8")
    return path


@breadth("name", LAYOUTS, 8)
def test_a_layout_is_understood_and_evaluated(name, tmp_path):
    if name == "workbook":
        pytest.importorskip("fastexcel")
    expected = LAYOUTS[name][2]
    path = _started(name, tmp_path)
    overrides = [] if expected["task"] == "comparison" else ["bootstrap.replicates=0"]
    results = reportgen.evaluate(specs.read(path, overrides))
    data, models = results.data, results.spec["models"]

    assert (results.spec["task"] or data["task"]) == expected["task"]
    assert results.metrics["model"].n_unique() == expected.get("models", 1)
    assert data.get("rows", 0) == expected.get("rows", data.get("rows", 0))
    for key in ("positive", "folds", "repeats"):
        if key in expected:
            assert data[key] == expected[key], key
    for key in ("score", "label"):
        if key in expected:
            assert models["model"][key] == expected[key]
    if expected["task"] == "binary" and expected.get("score"):
        areas = results.metrics.filter(pl.col("slice").is_null(), metric="auc")["value"]
        assert areas.min() > 0.6  # of the positive class, not of the other


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_built(name, tmp_path):
    built = reportgen.build(_started(name, tmp_path))

    assert set(built.files) == {"html", "pdf", "json", "markdown"}


def test_scores_of_both_classes_are_one_model_whatever_they_are_called(tmp_path):
    table = pl.DataFrame(
        {"y": named("yes", "no"), "alpha": (1 - SCORE).round(2), "beta": SCORE.round(2)}
    )
    table.write_csv(tmp_path / "d.csv")
    spec = init_spec(tmp_path / "d.csv")

    assert "{score: beta}" in spec
    assert "{score: alpha}" not in spec


def test_a_confidence_in_the_predicted_label_is_no_score(tmp_path):
    write(LAYOUTS["pycaret"][0](), tmp_path / "d.csv", name="pycaret")
    spec = init_spec(tmp_path / "d.csv")

    assert "'prediction_score': confidence in the predicted label" in spec
    assert "score:" not in spec.partition("models:")[2].partition("threshold")[0]


def test_semicolons_and_decimal_commas_are_written_into_the_spec(tmp_path):
    spec = specs.read(_started("german", tmp_path))

    assert (spec.separator, spec.decimal) == (";", ",")
    scores = predictions.read(spec).frame["score:0"].to_list()
    assert scores == SCORE.tolist()


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("1.234,5", "a point stands in numbers with a decimal comma"),
        ("1.234", "a point stands in numbers with a decimal comma"),
        ("0,5,5", "not a number"),
    ],
)
def test_a_number_that_is_not_written_so_is_refused(tmp_path, cell, hint):
    (tmp_path / "d.csv").write_text(f"y;p\n1;0,5\n0;{cell}\n1;0,2\n", encoding="utf-8")
    spec = specs.from_dict(
        {
            "data": ["d.csv"],
            "separator": ";",
            "decimal": ",",
            "truth": "y",
            "models": {"m": {"score": "p"}},
        },
        tmp_path,
    )
    with pytest.raises(DataError, match="row 2") as refused:
        predictions.read(spec)
    assert hint in str(refused.value)


def test_a_decimal_comma_that_the_spec_does_not_say_is_named(tmp_path):
    (tmp_path / "d.csv").write_text('y,p\n1,"0,5"\n0,"0,1"\n', encoding="utf-8")
    spec = specs.from_dict(
        {"data": ["d.csv"], "truth": "y", "models": {"m": {"score": "p"}}}, tmp_path
    )
    with pytest.raises(DataError, match="add decimal: ','"):
        predictions.read(spec)


def test_a_row_of_means_is_no_data_set(tmp_path):
    table = LAYOUTS["demsar"][0]()
    means = table.mean().with_columns(pl.lit("Average rank").alias("Data set"))
    pl.concat([table, means]).write_csv(tmp_path / "d.csv")

    with pytest.raises(DataError, match="row 9 is of 'Average rank'"):
        init_spec(tmp_path / "d.csv")


def test_a_wide_table_gives_what_the_long_one_gives():
    wide = LAYOUTS["demsar"][0]()
    long = wide.unpivot(index="Data set", variable_name="m", value_name="v")
    models = [name for name in wide.columns if name != "Data set"]
    base = {"task": "comparison", "measure": "auc"}
    of_wide = base | {"columns": {"dataset": "Data set", "models": models}}
    of_long = base | {"columns": {"dataset": "Data set", "model": "m", "value": "v"}}

    first, second = (reportgen.evaluate(s, t) for s, t in ((of_wide, wide), (of_long, long)))
    assert first.metrics.equals(second.metrics)
    assert first.comparisons.equals(second.comparisons)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"dataset": "d", "models": ["a"], "value": "v"}, "names both models and value"),
        ({"dataset": "d", "model": "m"}, "does not name value"),
        ({"dataset": "d", "models": ["d", "a"]}, "is a model and also dataset"),
        ({"dataset": "d", "models": ["a", "a"]}, "is a model and also another model"),
    ],
)
def test_a_table_is_long_or_wide(columns, says):
    with pytest.raises(reportgen.ReportgenError, match=says):
        specs.from_dict({"task": "comparison", "columns": columns})


def test_a_wide_value_that_is_not_finite_is_named_with_its_column():
    table = {"d": ["x", "y"], "a": [0.5, float("inf")], "b": [0.4, 0.3]}
    spec = {"task": "comparison", "columns": {"dataset": "d", "models": ["a", "b"]}}

    with pytest.raises(DataError, match="column 'a', row 2"):
        reportgen.evaluate(spec, table)


def test_a_workbook_of_two_sheets_is_refused(tmp_path):
    writer = pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    with writer.Workbook(tmp_path / "d.xlsx") as book:
        for name in ("a", "b"):
            book.add_worksheet(name).write_row(0, 0, ["y", "p"])

    with pytest.raises(reportgen.ReportgenError, match="2 sheets have rows: 'a', 'b'"):
        init_spec(tmp_path / "d.xlsx")
