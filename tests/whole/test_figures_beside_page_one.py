"""Figures and tables that agree with the headline of page one, in names, units and decimals."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen import evaluate
from reportgen.charts import figures
from reportgen.sections.slices import SlicesSection
from reportgen.translation.unit_words import with_truth_unit
from tests.page_text import without_chinese
from tests.quick import QUICK


def titles(results):
    return {figure.id: figure for figure in figures(results)}


def test_the_line_of_guessing_is_that_of_the_measure():
    """Costs are compared with the cheaper class, which is no chance."""
    random = np.random.default_rng(5)
    truth = np.arange(400) % 10 == 0
    scores = {n: k * truth + random.random(400) for n, k in (("a", 0.9), ("b", 0.0))}
    frame = pl.DataFrame({"y": truth.astype(int), **scores})
    costs = {"false_negative": 8, "false_positive": 1}
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "costs": costs, "threshold": 0.9, **QUICK}
    results = evaluate({**spec, "comparisons": {"primary": "cost"}}, frame)
    figure = titles(results)["leaders"]

    assert figure.title.startswith("Cost per row")
    assert figure.subtitle.endswith("always predicting the cheaper class.")
    assert not without_chinese(results, [figure.subtitle.split(". ")[-1]])


def test_titles_name_the_model_that_the_headline_names():
    random = np.random.default_rng(5)
    truth = np.arange(300) % 2
    scores = {
        n: k * truth + random.normal(size=300) for n, k in (("a", 1.2), ("b", 1.1), ("c", 0.9))
    }
    frame = pl.DataFrame({"y": truth, **scores})
    models = {name: {"score": name} for name in "abc"}
    results = evaluate({"truth": "y", "models": models, "baseline": "c", **QUICK}, frame)

    assert (results.decision.leader, results.decision.compared_with) == ("a", "c")
    assert titles(results)["roc"].title.endswith("the difference from c is significant")


def demand():
    """Counts of which most are 0, in two shops with errors that differ a little."""
    random = np.random.default_rng(5)
    truth = random.poisson(0.3, 400) * random.gamma(2, 3, 400)
    frame = pl.DataFrame(
        {"y": truth, "a": 0.9 + 0.2 * truth, "zero": np.zeros(400), "shop": np.arange(400) % 3}
    )
    models = {name: {"estimate": name} for name in ("a", "zero")}
    return evaluate({"truth": "y", "models": models, "slices": ["shop"], **QUICK}, frame)


def test_a_median_error_that_favours_the_median_names_no_first_model():
    figure = titles(demand())["error_characteristic"]

    assert figure.title == "Share of the rows within each error"


def test_values_of_slices_have_the_decimals_that_keep_them_apart():
    section = SlicesSection.from_results(demand(), [])
    rows = [row.cells for table in section.gaps for row in table.rows]

    assert rows
    assert all(row["low"] != row["high"] for row in rows if set(row["gap"]) - {*"0."})


def test_a_margin_of_an_error_has_its_unit():
    unit = with_truth_unit(None, "kg", frozenset({"a", "b"}), {"MAE": 1, "MSE": 2, "R²": 0})
    said = "a and b are equivalent in {} within {}0.1"

    assert unit.text(said.format("MAE", "±")) == said.format("MAE", "±") + " kg"
    assert unit.text(said.format("MSE", "a margin of ")).endswith("a margin of 0.1 kg²")
    assert unit.text(said.format("R²", "±")).endswith("±0.1")
