"""Models fold by fold, of results with models of both kinds."""

from __future__ import annotations

import polars as pl
import pytest

import reportgen
from reportgen.charts import folds
from reportgen.render import pages
from tests.quick import QUICK

FRAME = pl.DataFrame({"row": range(60)}).with_columns(
    truth=pl.col("row") % 3 == 0,
    fold=pl.col("row") % 4,
    p=(pl.col("row") * 7 % 60) / 60,
    q=(pl.col("row") * 11 % 60) / 60,
    said=pl.col("row") % 5 == 0,
    also=pl.col("row") % 2 == 0,
)


def figure(models: dict[str, dict[str, str]]):
    spec = {
        "data": "unused",
        "truth": "truth",
        "models": models,
        "columns": {"fold": "fold", "id": "row"},
        **QUICK,
    }
    (one,) = folds.figures(reportgen.evaluate(spec, FRAME))
    return one


@pytest.mark.parametrize(
    ("models", "title", "columns"),
    [
        (
            {"a": {"score": "p"}, "b": {"label": "said"}, "c": {"score": "q"}},
            "AUC in each of",
            ["a", "c"],
        ),
        (
            {"a": {"score": "p"}, "b": {"label": "said"}, "c": {"label": "also"}},
            "highest accuracy in",
            ["a", "b", "c"],
        ),
    ],
    ids=["two have scores", "one has scores"],
)
def test_folds_are_drawn_by_the_first_measure_that_two_models_have(models, title, columns):
    chart = figure(models)

    assert title in chart.title
    assert chart.table.columns == ["Fold", *columns]


def test_a_model_may_be_called_what_a_column_of_the_drawing_is_called():
    chart = figure({"fold": {"score": "p"}, "Fold": {"score": "q"}})

    assert chart.table.columns == ["Fold", "fold", "Fold (model)"]
    assert chart.table["fold"].null_count() == 0


def test_the_table_of_folds_prints_names_of_models_as_they_are():
    chart = figure({"extra_trees": {"score": "p"}, "svm_rbf": {"score": "q"}})

    printed = pages.data(chart.table, chart.named)

    assert printed is not None
    assert printed.columns == ("Fold", "extra_trees", "svm_rbf")


def test_symbols_of_nearly_equal_values_stand_side_by_side():
    values = pl.DataFrame({"a": [0.5, 0.5, 0.1], "b": [0.5, 0.9, None], "c": [0.5, 0.51, 0.9]})

    aside = folds._aside(values, 0.8)

    assert aside["a"][0] < aside["b"][0] == 0 < aside["c"][0]
    assert aside["a"][1] < 0 == aside["b"][1] < aside["c"][1]
    assert aside.row(2) == (0, 0, 0)
