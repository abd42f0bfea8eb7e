"""``init`` understands what the tools of the field write, and what it writes builds."""

from __future__ import annotations

import polars as pl
import pytest
import yaml

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


@breadth("name", LAYOUTS, 5)
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
    for key in ("score", "label", "low"):
        if key in expected:
            assert next(iter(models.values()))[key] == expected[key]
    if expected["task"] == "binary" and expected.get("score"):
        areas = results.metrics.filter(pl.col("slice").is_null(), metric="auc")["value"]
        assert areas.min() > 0.6  # of the positive class, not of the other


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_built(name, tmp_path):
    built = reportgen.build(_started(name, tmp_path))

    assert set(built.files) == {"html", "pdf", "json", "markdown"}


@pytest.mark.parametrize(
    ("labels", "hint"),
    [
        (("LABEL_1", "LABEL_0"), "'label' has '0' and '1': write the labels alike"),
        (("Yes", "No"), "'label' has 'no' and 'yes', 'predicted_label' has 'No' and 'Yes'"),
    ],
    ids=["behind a prefix", "in other letters"],
)
def test_confidence_in_labels_that_the_truth_writes_otherwise_is_no_score(tmp_path, labels, hint):
    truth = named("1", "0") if labels[0] == "LABEL_1" else named("yes", "no")
    predicted = named(*labels, SCORE > 0.5)
    confidence = [max(score, 1 - score) for score in SCORE]
    table = {"label": truth, "predicted_label": predicted, "score": confidence}
    pl.DataFrame(table).write_csv(tmp_path / "d.csv")

    with pytest.raises(DataError) as refused:
        init_spec(tmp_path / "d.csv")

    assert hint in str(refused.value)


def test_lists_in_cells_are_named(tmp_path):
    pl.DataFrame({"label": [0, 1] * 9, "logits": [[0.1, 0.9]] * 18}).write_ndjson(
        tmp_path / "d.jsonl"
    )

    with pytest.raises(DataError, match="'logits' holds several values in a cell"):
        init_spec(tmp_path / "d.jsonl")


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

    assert "# Left out: 'prediction_score' (confidence in the predicted label)" in spec
    assert "score:" not in spec.partition("models:")[2].partition("threshold")[0]


@pytest.mark.parametrize(
    ("cells", "hint"),
    [
        (["1,234.5", "12,345,678"], "write thousands without a mark between them"),
        (["1'234", "0.5"], "write thousands without a mark between them"),
        (["1\u202f234", "0.5"], "write thousands without a mark between them"),
        (["1,234", "2,345"], "or add decimal: ',' if that is a decimal comma"),
        (["1,234", "0,345"], "hint: add decimal: ',' to the spec"),
    ],
)
def test_thousands_are_refused_with_how_to_write_them(tmp_path, cells, hint):
    lines = ["y;p", *(f"{k % 2};{cell}" for k, cell in enumerate(cells))]
    (tmp_path / "d.csv").write_text("\n".join(lines), encoding="utf-8")
    spec = {"data": "d.csv", "separator": ";", "truth": "y", "models": {"m": {"score": "p"}}}
    with pytest.raises(DataError) as refused:
        predictions.read(specs.from_dict(spec, tmp_path))

    assert hint in str(refused.value)


def test_semicolons_and_decimal_commas_are_written_into_the_spec(tmp_path):
    spec = specs.read(_started("german", tmp_path))

    assert (spec.separator, spec.decimal) == (";", ",")
    scores = predictions.read(spec).frame["score:0"].to_list()
    assert scores == SCORE.tolist()


def test_a_line_break_in_quotes_does_not_hide_the_separator(tmp_path):
    cells = ['1;ja;0,5;"a\nb; ""x"""', "2;nein;0,2;c", '3;ja;0,7;"d\n\n"']
    (tmp_path / "d.csv").write_text("\n".join(["id;y;p;note", *cells, ""]), encoding="utf-8")
    (tmp_path / "report.yaml").write_text(init_spec(tmp_path / "d.csv"), encoding="utf-8")
    spec = specs.read(tmp_path / "report.yaml")

    assert (spec.separator, spec.decimal) == (";", ",")
    assert predictions.read(spec).frame["score:0"].to_list() == [0.5, 0.2, 0.7]


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("1.234,5", "write thousands without a mark between them: 1234.5"),
        ("1.234", "write thousands without a mark between them: 1234.5"),
        ("0.234", "a point stands in numbers with a decimal comma"),
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


def test_models_of_a_table_are_columns_or_values():
    models = {"a": "a", "b": "b"}

    with pytest.raises(reportgen.ReportgenError, match=r"columns: \{models: \[COLUMN"):
        specs.from_dict({"task": "comparison", "columns": {"dataset": "d"}, "models": models})


def test_a_wide_value_that_is_not_finite_is_named_with_its_column():
    table = {"d": ["x", "y"], "a": [0.5, float("inf")], "b": [0.4, 0.3]}
    spec = {
        "task": "comparison",
        "better": "higher",
        "columns": {"dataset": "d", "models": ["a", "b"]},
    }

    with pytest.raises(DataError, match="column 'a', row 2"):
        reportgen.evaluate(spec, table)


@pytest.mark.parametrize(
    ("columns", "declared"),
    [
        ({"date": ["2026-01-31", "2026-02-01"]}, {"time": "date"}),
        ({"at": ["2026-01-31T10:00", "2026-02-01T09:30"]}, {"time": "at"}),
        ({"date": ["20260131", "20260201"]}, {"time": "date"}),
        ({"created": ["2026-01-31", "2026-02-01"], "case": ["a", "b"]}, {"id": "case"}),
        ({"date": ["2026-01-31", "2026-02-01"], "fold": [1, 2]}, {"fold": "fold"}),
        ({"date": ["31.01.2026", "01.02.2026"]}, {}),
        ({"birth_date": ["1980-01-31", "1990-02-01"]}, {}),
    ],
)
def test_dates_order_rows_and_identify_none(tmp_path, columns, declared):
    """A date is the time where nothing else is declared, since few tests hold beside it."""
    table = pl.DataFrame({c: v * 10 for c, v in columns.items()})
    more = {"y_true": ["no", "yes"] * 10, "p_model": [0.25, 0.75] * 10}
    unique = {"case": [f"c{k}" for k in range(20)]} if "case" in columns else {}
    table.with_columns(**{c: pl.Series(v) for c, v in (more | unique).items()}).write_csv(
        tmp_path / "d.csv"
    )
    text = init_spec(tmp_path / "d.csv")

    assert yaml.safe_load(text).get("columns", {}) == declared
    assert ("# time: " in text) == (len(columns) == 2)
    assert ("write dates as in 2026-05-31" in text) == ("31.01.2026" in columns.get("date", []))


@pytest.mark.parametrize(
    ("scores", "threshold"),
    [
        ([0.25, 0.75], 0.5),
        ([-1.5, 2.5], 0),
        ([12.5, 87.5], 50),
        ([310, 820.5], {"maximise": "f1"}),
    ],
)
def test_the_threshold_is_on_the_scale_of_the_scores(tmp_path, scores, threshold):
    table = {"y_true": ["no", "yes"] * 5, "score": [s + k / 100 for k in range(5) for s in scores]}
    pl.DataFrame(table).write_csv(tmp_path / "d.csv")

    assert yaml.safe_load(init_spec(tmp_path / "d.csv"))["threshold"] == threshold


@pytest.mark.parametrize(
    ("header", "row", "hint"),
    [
        ("case,outcome,probability", "c{0},{1},{2} %", "write a proportion, such as 0.25 for 25 %"),
        ("data set,C4.5,C4.5+m", "d{0},0.8{0} (1),0.7{0} (2)", "write the number alone"),
        (",C4.5,C4.5+m", "d{0},0.8{0},0.7{0}", "name the column that has no name"),
    ],
)
def test_what_keeps_a_table_from_being_understood_is_named(tmp_path, header, row, hint):
    rows = [row.format(k, ("no", "yes")[k % 2], 10 * k) for k in range(8)]
    (tmp_path / "d.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")

    with pytest.raises(DataError) as refused:
        init_spec(tmp_path / "d.csv")
    assert hint in str(refused.value)


def test_a_table_of_values_is_recognised_by_its_shape_and_predictions_are_not(tmp_path):
    table = LAYOUTS["demsar"][0]()
    table.rename({"Data set": "Name"}).write_csv(tmp_path / "d.csv")
    assert "task: comparison" in init_spec(tmp_path / "d.csv")

    table.rename({"Data set": "case", "C4.5": "p_tree"}).write_csv(tmp_path / "d.csv")
    with pytest.raises(DataError, match="no truth column"):
        init_spec(tmp_path / "d.csv")


@pytest.mark.parametrize(
    ("columns", "models"),
    [
        ({"target": [0, 1], "target_pred": [0.1, 0.9]}, ["model"]),
        ({"y": [0, 1], "p_logit": [0.1, 0.9]}, ["logit"]),
        ({"y": [0, 1], "logit": [0.1, 0.9], "knn": [0.2, 0.7]}, ["logit", "knn"]),
        ({"y": [0, 1], "previous": [0.1, 0.9], "new": [0.2, 0.7]}, ["previous_model", "new"]),
    ],
)
def test_a_model_is_not_named_for_the_truth_for_every_word_of_scores_or_for_a_word_of_gates(
    tmp_path, columns, models
):
    table = pl.DataFrame({c: v * 5 for c, v in columns.items()})
    table.write_csv(tmp_path / "d.csv")

    assert list(yaml.safe_load(init_spec(tmp_path / "d.csv"))["models"]) == models


def test_a_workbook_of_two_sheets_is_refused(tmp_path):
    writer = pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    with writer.Workbook(tmp_path / "d.xlsx") as book:
        for name in ("a", "b"):
            book.add_worksheet(name).write_row(0, 0, ["y", "p"])

    with pytest.raises(reportgen.ReportgenError, match="2 sheets have rows: 'a', 'b'"):
        init_spec(tmp_path / "d.xlsx")


@pytest.mark.parametrize(
    ("encoding", "positive", "negative"),
    [
        ("utf-16", "bösartig", "gutartig"),
        ("cp1252", "bösartig", "gutartig"),
        ("gb2312", "恶性", "良性"),
    ],
)
def test_the_encoding_of_a_text_is_told_by_its_bytes(tmp_path, encoding, positive, negative):
    text = pl.DataFrame({"truth": named(positive, negative), "score": SCORE}).write_csv()
    (tmp_path / "d.csv").write_bytes(text.encode(encoding))
    (tmp_path / "report.yaml").write_text(init_spec(tmp_path / "d.csv"), encoding="utf-8")
    spec = specs.read(tmp_path / "report.yaml")

    assert spec.encoding == encoding
    assert spec.positive == positive
    assert predictions.read(spec).frame.height == len(SCORE)


def test_a_table_without_names_of_columns_is_refused(tmp_path):
    frame = pl.DataFrame({"y": named("1", "0"), "p": SCORE})
    frame.write_csv(tmp_path / "d.csv", include_header=False)

    with pytest.raises(DataError, match="the first line holds numbers"):
        init_spec(tmp_path / "d.csv")


def test_infinite_log_odds_are_named(tmp_path):
    pl.DataFrame({"y": [0, 1] * 4, "logit": [float("-inf"), 2.0] * 4}).write_csv(tmp_path / "d.csv")

    with pytest.raises(DataError, match="'logit' has missing or infinite values"):
        init_spec(tmp_path / "d.csv")


def test_labels_alone_get_no_threshold(tmp_path):
    table = {"truth": named("yes", "no"), "rules": named("yes", "no", SCORE > 0.5)}
    pl.DataFrame(table).write_csv(tmp_path / "d.csv")

    assert "threshold" not in init_spec(tmp_path / "d.csv")


def test_classes_that_differ_in_case_alone_have_scores_of_their_own(tmp_path):
    vowels = ["hAd", "had", "hid"]
    table: dict[str, list[object]] = {"truth": vowels * 40}
    for place, vowel in enumerate(vowels):
        table[f"tree_{vowel}"] = [0.5 if k % 3 == place else 0.25 for k in range(120)]
    pl.DataFrame(table).write_csv(tmp_path / "vowels.csv")

    spec = yaml.safe_load(init_spec(tmp_path / "vowels.csv"))

    assert spec["models"] == {"tree": {"scores": {v: f"tree_{v}" for v in vowels}}}
