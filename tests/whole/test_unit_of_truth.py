"""The unit of the truth of a regression, beside its numbers, labels and axes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import polars as pl
import pytest

from reportgen import render
from reportgen.errors import ReportgenError
from reportgen.metrics import REGISTRY
from reportgen.render import pages
from reportgen.render.page_style import PageStyle
from reportgen.results import evaluate
from reportgen.sections.data import Data
from reportgen.sections.verdict import facts
from reportgen.spec import from_dict
from reportgen.translation import translator
from reportgen.translation.unit_words import with_truth_unit
from tests.example_results import example_results


def with_unit(unit, **more):
    results = example_results("diabetes")
    return replace(results, spec={**results.spec, "unit": unit, **more})


def job(results):
    return pages.job(results, ["html", "pdf"], attachments={}, notes={}, page_style=PageStyle())


def words(page: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", page)).split())


def test_measures_of_the_error_grow_with_the_unit_as_their_power_says():
    """All values 10 times as large: RMSE is, MSE 100 times, R² not at all."""
    random = np.random.default_rng(4)
    truth = random.gamma(3.0, 5.0, 200) + 1
    estimate = truth * random.uniform(0.6, 1.4, 200)
    columns = {"truth": truth, "estimate": estimate, "low": estimate - 3, "high": estimate + 2}
    frames = [pl.DataFrame({k: v * c for k, v in columns.items()}) for c in (1.0, 10.0)]
    scaled = {}
    for name, metric in REGISTRY["regression"].items():
        one, ten = (f.with_columns(weight=pl.lit(1.0)) for f in frames)
        values = [f.select(metric.expression()).to_series()[0] for f in (one, ten)]
        power = np.log10(values[1] / values[0])
        if abs(power - round(power)) < 1e-9 and round(power) in (1, 2):
            scaled[name] = round(power)

    powers = {m.name: m.unit_power for m in REGISTRY["regression"].values() if m.unit_power}
    assert scaled.items() >= powers.items()
    assert not {name for name in powers if "r2" in name}


def test_page_one_tables_and_axes_name_the_unit():
    made = job(with_unit(["mg/dl"]))
    text = words(made.pdf)

    assert "has the lowest MSE, 3,026 (mg/dl)²; forest" in text
    assert "MSE, mean over folds, (mg/dl)² (95 % CI)" in text
    assert "truth 152.1 mg/dl on average, standard deviation 77.1 mg/dl" in text
    assert "RMSE (mg/dl)" in text
    assert "MSE ((mg/dl)²)" in text
    assert not re.search(r"R² (of )?[\d.]+ mg/dl", text)
    assert "R² (mg/dl)" not in text
    titles = json.dumps(made.charts["estimates"], ensure_ascii=False)
    assert "True value (mg/dl)" in titles
    assert "Estimate (mg/dl)" in titles
    assert "MAE (mg/dl)" in render.summary(with_unit(["mg/dl"]))


def test_differences_have_it_where_every_measure_of_the_sentence_does():
    unit = with_truth_unit(None, "EUR", frozenset({"MAE 2"}), {"MAE": 1, "R²": 0})

    assert unit.text("a leads with MAE 6.1; b is 2.3 higher") == (
        "a leads with MAE 6.1 EUR; b is 2.3 EUR higher"
    )
    assert unit.text("a leads with R² 0.6; b is 0.3 lower") == (
        "a leads with R² 0.6; b is 0.3 lower"
    )
    assert unit.text("MAE 0.3 higher, R² 0.2 lower") == "MAE 0.3 EUR higher, R² 0.2 lower"
    assert unit.text("MAE 10 % lower") == "MAE 10 % lower"
    share = "predicting the median has an MAE 38\u00a0% below predicting the mean"
    assert unit.text(share) == share


def test_the_number_of_a_model_has_it():
    unit = with_truth_unit(None, "g", frozenset({"m 2"}), {"MAE": 1, "MSE": 2, "R²": 0})

    assert unit.text("The MAE of m 2 is 0.374 (0.346 to 0.408).").startswith(
        "The MAE of m 2 is 0.374 g ("
    )
    assert "0.228 g² (" in unit.text("The MSE of m 2 is 0.228 (0.195 to 0.280).")
    assert unit.text("The R² of m 2 is 0.9.") == "The R² of m 2 is 0.9."


def test_a_difference_of_percentages_is_in_percentage_points():
    labels = {"MAE": 1, "MSE": 2, "R²": 0}
    unit = with_truth_unit(None, "%", frozenset(), labels)
    chinese = with_truth_unit(translator("zh", frozenset()), "%", frozenset(), labels)
    leads = "a leads with MAE 4.685; b is 1.391 higher (1.042 to 1.740)"
    beats = "a beats b: MAE 1.391 lower (1.042 to 1.740)"

    assert unit.text(leads) == (
        "a leads with MAE 4.685 %; b is 1.391 percentage points higher (1.042 to 1.740)"
    )
    assert unit.text(beats) == "a beats b: MAE 1.391 percentage points lower (1.042 to 1.740)"
    assert unit.text("a beats b: MSE 1.3 lower") == "a beats b: MSE 1.3 %² lower"
    assert unit.text("a significantly ahead in MAE by 1.3").endswith("by 1.3 percentage points")
    assert "1.391 个百分点" in chinese.text(beats)


def test_chinese_pages_name_it_too():
    text = words(job(with_unit(["mg/dl"], language="zh")).pdf)

    assert "RMSE（mg/dl）" in text
    assert "真实值（mg/dl）" in words(
        json.dumps(job(with_unit(["mg/dl"], language="zh")).charts, ensure_ascii=False)
    )


def test_markup_in_a_unit_stays_text():
    assert "<b>EUR" not in job(with_unit(["<b>EUR"])).html


@pytest.mark.parametrize("unit", [["EUR", "USD"], [""]])
def test_a_unit_is_one_text(unit, tmp_path):
    spec = {"data": "a.csv", "truth": "y", "models": {"a": {"estimate": "f"}}, "unit": unit}
    with pytest.raises(ReportgenError) as fault:
        from_dict(spec, tmp_path)

    assert "unit" in fault.value.problems[0].place


def test_classes_have_no_unit(tmp_path):
    spec = {"data": "a.csv", "truth": "y", "models": {"a": {"score": "f"}}, "unit": "EUR"}
    with pytest.raises(ReportgenError, match="unit is for numbers"):
        from_dict({**spec, "positive": "1"}, tmp_path)


def test_the_loss_of_any_quantile_is_in_the_unit():
    random = np.random.default_rng(6)
    frame = pl.DataFrame({"y": random.normal(size=80), "a": 1.6, "b": random.normal(2, 1, 80)})
    models = {name: {"estimate": name, "quantile": 0.95} for name in "ab"}
    spec = {"truth": "y", "models": models, "unit": "mg/dl", "bootstrap": {"replicates": 100}}
    text = words(job(evaluate(spec, frame)).html)

    assert "Pinball loss at the 0.95 quantile (mg/dl)" in text


def test_truths_on_a_small_scale_have_their_digits_on_page_one_and_among_the_data():
    random = np.random.default_rng(3)
    truth = 1e-9 * random.normal(size=60)
    frame = pl.DataFrame({"y": truth, "m": truth + 1e-10 * random.normal(size=60)})
    spec = {"truth": "y", "models": {"m": {"estimate": "m"}}, "unit": "m"}
    results = evaluate({**spec, "bootstrap": {"replicates": 0}}, frame)

    for text in (facts(results), str(Data.from_results(results, []).facts)):
        assert f"standard deviation {1e9 * truth.std(ddof=1):.2f} × 10⁻⁹" in text
        assert "< 0.0" not in text


@pytest.mark.parametrize(
    ("english", "language", "shown"),
    [
        ("a beats b: pinball loss at the median 0.5 lower (0.1 to 0.9)", None, "0.5 h lower (0.1"),
        ("a significantly ahead in MSE by 2.5 and MAE by 0.5", None, "by 2.5 h² and MAE by 0.5 h"),
        ("a is furthest off at 2001-06-01: 0.957 too high", None, "0.957 h too high"),
        ("a is furthest off at 2001-06-01: 0.957 too high", "zh", "偏高 0.957 h"),
        ("a significantly ahead in MSE by 2.5", "zh", "a 的 MSE 显著领先 2.5 h²"),
    ],
)
def test_differences_in_titles_and_headlines_are_in_the_unit(english, language, shown):
    labels = {"MSE": 2, "MAE": 1, "pinball loss at the median": 1, "R²": 0}
    names = frozenset("ab")
    within = None if language is None else translator(language, set(names))

    assert shown in with_truth_unit(within, "h", names, labels).text(english)
