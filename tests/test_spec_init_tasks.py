"""A spec is written from data of several classes or of numbers, and builds as it is."""

from __future__ import annotations

import random

import polars as pl
import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from reportgen.initial_spec import init_spec

ROWS = 60
CLASSES = ("cat", "dog", "emu")
TRUTH = [CLASSES[i % 3] for i in range(ROWS)]
SAID = [CLASSES[i % 3 if i % 5 else 0] for i in range(ROWS)]
HEIGHTS = [100 + 7.5 * i for i in range(ROWS)]
CLOSE = [height + (-1) ** i * (i % 7) * 3 for i, height in enumerate(HEIGHTS)]


def scores(start: str, names=CLASSES) -> dict[str, list[float]]:
    """Return a column of scores for each class under names that begin alike."""
    chance = random.Random(0)
    return {f"{start}{name}": [round(chance.random(), 3) for _ in range(ROWS)] for name in names}


def started(folder, ending: str = "parquet", **columns):
    """Return the spec that init writes for these columns, read back, and its predictions."""
    frame = pl.DataFrame(columns)
    path = folder / f"d.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    written = folder / "report.yaml"
    written.write_text(init_spec(path), encoding="utf-8")
    spec = specs.read(written)
    return spec, predictions.read(spec)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_whose_names_end_in_the_classes_are_scores(tmp_path, ending):
    spec, read = started(
        tmp_path,
        ending,
        case_id=list(range(ROWS)),
        animal=TRUTH,
        **scores("p_forest_"),
        tree_says=SAID,
        forest_says=SAID,
        sex=["f" if i % 2 else "m" for i in range(ROWS)],
        fold=[i % 3 for i in range(ROWS)],
    )

    assert (spec.task, spec.truth) == ("multiclass", "animal")
    assert spec.models == {
        "forest": specs.ClassModel(
            scores={name: f"p_forest_{name}" for name in CLASSES}, label="forest_says"
        ),
        "tree": specs.ScoreModel(label="tree_says"),
    }
    assert spec.columns == specs.Columns(id="case_id", fold="fold")
    assert "slices: [sex]" in spec.text
    assert read.classes == CLASSES


def test_classes_that_are_numbers_are_told_from_folds_and_from_each_other(tmp_path):
    names = [str(i) for i in range(12)]
    spec, read = started(
        tmp_path,
        fold=[i % 12 for i in range(ROWS)],
        y=[i % 12 for i in range(ROWS)],
        **scores("lr_p", names),
        **scores("rf_p", names),
    )

    assert spec.truth == "y"
    assert list(spec.models) == ["lr", "rf"]
    assert spec.models["rf"].scores["1"] == "rf_p1"
    assert spec.models["rf"].scores["11"] == "rf_p11"
    assert read.classes == tuple(names)


def test_more_classes_than_are_listed_as_labels_are_found(tmp_path):
    names = [f"Class {i:02}" for i in range(30)]
    spec, _ = started(
        tmp_path,
        target=[names[i % 30] for i in range(ROWS)],
        **scores("prob_", [name.lower().replace(" ", "_") for name in names]),
    )

    assert spec.models["model"].scores["Class 07"] == "prob_class_07"


def test_a_class_without_a_score_column_is_not_passed_over(tmp_path):
    (tmp_path / "x").mkdir()
    some = scores("p_")
    some.pop("p_emu")
    spec, _ = started(tmp_path / "x", y=TRUTH, **some, forest_pred=SAID)

    assert spec.models == {"forest": specs.ScoreModel(label="forest_pred")}


def test_columns_with_the_truths_labels_are_several_classes(tmp_path):
    spec, read = started(tmp_path, y_true=TRUTH, y_pred=SAID, site=["n", "s"] * 30)

    assert spec.task == "multiclass"
    assert spec.models == {"model": specs.ScoreModel(label="y_pred")}
    assert read.classes == CLASSES


def test_columns_that_agree_with_the_truth_are_found_without_telling_names(tmp_path):
    chance = random.Random(1)
    spec, _ = started(
        tmp_path,
        animal=TRUTH,
        forest=SAID,
        noise=[chance.choice(CLASSES) for _ in range(ROWS)],
    )

    assert spec.truth == "animal"
    assert list(spec.models) == ["forest"]


def test_a_truth_of_two_labels_that_is_named_stays_a_report_of_two_classes(tmp_path):
    spec, _ = started(
        tmp_path,
        outcome=[i % 2 for i in range(ROWS)],
        p_forest=[(i % 2) / 2 + i / 200 for i in range(ROWS)],
        true_height=HEIGHTS,
        predicted_height=CLOSE,
    )

    assert spec.task is None
    assert spec.truth == "outcome"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_estimates_of_a_number_are_found_with_intervals_and_quantiles(tmp_path, ending):
    spec, read = started(
        tmp_path,
        ending,
        row=list(range(ROWS)),
        y_true=HEIGHTS,
        ridge_pred=CLOSE,
        ridge_low=[c - 30 for c in CLOSE],
        ridge_high=[c + 30 for c in CLOSE],
        q90_pred=[c + 10 for c in CLOSE],
        sex=["f" if i % 2 else "m" for i in range(ROWS)],
        weight=[1 + i % 3 for i in range(ROWS)],
    )

    assert (spec.task, spec.truth) == ("regression", "y_true")
    assert spec.models == {
        "ridge": specs.EstimateModel(estimate="ridge_pred", low="ridge_low", high="ridge_high"),
        "q90": specs.EstimateModel(estimate="q90_pred", quantile=0.9),
    }
    assert spec.columns == specs.Columns(id="row", weight="weight")
    assert read.task == "regression"


def test_numbers_close_to_the_truth_are_estimates_without_telling_names(tmp_path):
    chance = random.Random(2)
    spec, _ = started(
        tmp_path,
        target=HEIGHTS,
        ridge=CLOSE,
        age=[chance.uniform(20, 90) for _ in range(ROWS)],
    )

    assert spec.models == {"ridge": specs.EstimateModel(estimate="ridge")}


def test_estimates_in_long_form_are_found(tmp_path):
    spec, read = started(
        tmp_path,
        id=[*range(ROWS), *range(ROWS)],
        model=["a"] * ROWS + ["b"] * ROWS,
        y=[*HEIGHTS, *HEIGHTS],
        y_hat=[*CLOSE, *CLOSE[::-1]],
    )

    assert spec.models == specs.LongEstimateModels(column="model", estimate="y_hat")
    assert [model.name for model in read.models] == ["a", "b"]


def test_columns_of_yes_or_no_that_end_as_scores_do_are_several_labels(tmp_path):
    """Whatever they begin with; a feature of yes or no beside them is none."""
    flags = {f"t_{name}": [int(i % 3 == k) for i in range(ROWS)] for k, name in enumerate("abc")}
    models = {**scores("m_", "abc"), **scores("k_", "abc")}
    spec, _ = started(tmp_path, "csv", **flags, **models, smoker=[i % 2 for i in range(ROWS)])

    assert (spec.task, list(spec.models)) == ("multilabel", ["m", "k"])
    assert spec.truth == {name: f"t_{name}" for name in "abc"}


def test_columns_of_yes_or_no_that_end_as_scores_do_are_no_truth_beside_one(tmp_path):
    flags = {f"t_{name}": [int(i % 3 == k) for i in range(ROWS)] for k, name in enumerate("abc")}
    spec, _ = started(
        tmp_path, "csv", y_true=[i % 2 for i in range(ROWS)], **flags, **scores("p_", "abc")
    )

    assert spec.truth == "y_true"


def test_columns_of_yes_or_no_that_end_alike_are_several_labels(tmp_path):
    flags = {f"true_{name}": [int(i % 3 == k) for i in range(ROWS)] for k, name in enumerate("abc")}
    label_columns = {
        f"pred_{name}": [int(i % 4 == k) for i in range(ROWS)] for k, name in enumerate("abc")
    }
    spec, read = started(
        tmp_path, "csv", id=list(range(ROWS)), **flags, **scores("p_", "abc"), **label_columns
    )

    assert (spec.task, read.classes) == ("multilabel", ("a", "b", "c"))
    assert spec.truth == {name: f"true_{name}" for name in "abc"}
    assert [(len(m.scores), len(m.labels)) for m in read.models] == [(3, 3)]


@pytest.mark.parametrize(
    ("truth", "predicted", "model"),
    [("price", "predicted_price", "model"), ("demand", "forecast_arima", "arima")],
)
def test_numbers_that_are_named_as_estimates_tell_the_truth(tmp_path, truth, predicted, model):
    spec, _ = started(tmp_path, "csv", **{truth: HEIGHTS, predicted: CLOSE, "area": HEIGHTS[::-1]})

    assert (spec.task, spec.truth) == ("regression", truth)
    assert spec.models == {model: specs.EstimateModel(estimate=predicted)}


def stated(folder, truth: str, columns: dict[str, list[object]]):
    """Return the spec that init writes where a column is stated to be the truth."""
    pl.DataFrame(columns, strict=False).write_csv(folder / "d.csv")
    (folder / "report.yaml").write_text(init_spec(folder / "d.csv", truth=truth), encoding="utf-8")
    return specs.read(folder / "report.yaml")


def test_a_stated_truth_goes_before_names_and_contents(tmp_path):
    columns = {"obs": [0, 1] * 30, "y": [i // 30 for i in range(60)], "price": HEIGHTS}
    columns |= {"boost": CLOSE, "p": [0.1, 0.9] * 30, "class": TRUTH, "knn": SAID}

    for truth, task, models in (
        ("price", "regression", ["boost"]),
        ("y", "binary", ["model"]),
        ("class", "multiclass", ["knn"]),
    ):
        spec = stated(tmp_path, truth, columns)
        assert (spec.truth, spec.task or "binary", list(spec.models)) == (truth, task, models)


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ("prize", "there is no column 'prize'\n  hint: did you mean 'price'"),
        ("gap", "d.csv, column 'gap', row 3: missing"),
        ("price", "no column predicts 'price'"),
    ],
)
def test_a_stated_truth_that_cannot_be_one_is_refused(tmp_path, truth, message):
    columns = {"price": HEIGHTS, "gap": [None if i == 2 else i for i in range(ROWS)]}

    with pytest.raises(DataError) as refused:
        stated(tmp_path, truth, columns)
    assert message in str(refused.value)


def test_more_classes_than_are_listed_are_classes_and_one_predicted_alone_is_declared(tmp_path):
    names = [f"kind {i}" for i in range(30)]
    truth = [names[i % 29] for i in range(290)]
    said = [names[i % 29 + (i % 13 == 0)] for i in range(290)]
    spec, read = started(tmp_path, "csv", gold=truth, system=said)

    assert set(spec.classes) == set(names)
    assert list(spec.models) == ["system"]
    assert read.frame.height == 290


def test_counts_beside_forecasts_that_are_not_whole_are_numbers(tmp_path):
    sales = [i * i % 11 for i in range(60)]
    forecasts = {"forecast_a": [s + 0.3 for s in sales], "forecast_b": [2.5] * 30 + [4.5] * 30}
    spec, _ = started(tmp_path, "csv", sales=sales, forecast_a=forecasts["forecast_a"])
    assert (spec.task, spec.truth) == ("regression", "sales")

    columns = {"sales": sales} | {k: [*v[:59], v[59] + 0.1] for k, v in forecasts.items()}
    assert list(stated(tmp_path, "sales", columns).models) == ["a", "b"]


def test_percentages_are_scores_with_a_threshold_of_50(tmp_path):
    spec, _ = started(
        tmp_path, "csv", outcome=["No", "Yes"] * 30, risk_pct=[12.5, 80, 55, 43.5] * 15
    )

    assert (spec.positive, spec.threshold) == ("Yes", 50)
    assert [model.score for model in spec.models.values()] == ["risk_pct"]


def test_a_table_in_percent_gets_a_measure_of_its_own(tmp_path):
    table = {"dataset": [f"d{i // 2}" for i in range(12)], "model": ["a", "b"] * 6}
    table["accuracy"] = [80.5 + i % 7 for i in range(12)]
    pl.DataFrame(table).write_csv(tmp_path / "d.csv")

    text = init_spec(tmp_path / "d.csv")
    assert "measure: accuracy_percent\nbetter: higher" in text


def test_intervals_named_with_a_level_are_those_of_their_model(tmp_path):
    """As statsforecast writes them; of several levels the widest."""
    ends = {
        f"ARIMA-{end}-{level}": [c + sign * width for c in CLOSE]
        for level, width in ((80, 20), (95, 30))
        for end, sign in (("lo", -1), ("hi", 1))
    }
    days = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(ROWS)]
    spec, _ = started(tmp_path, "csv", ds=days, y=HEIGHTS, ARIMA=CLOSE, **ends)

    assert spec.models == {
        "ARIMA": specs.EstimateModel(
            estimate="ARIMA", low="ARIMA-lo-95", high="ARIMA-hi-95", level=0.95
        )
    }
    assert spec.columns == specs.Columns(time="ds")
