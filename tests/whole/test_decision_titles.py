"""Every number in the title and the caption of a figure is one of the results, as printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import polars as pl
import pytest

from reportgen.charts import figures
from tests.breadth import breadth
from tests.example_results import example_results as results

QUICK = ("breast_cancer", "learners", "watermelon")
NAMES = ("breast_cancer", "diabetes", "digit_properties", "digits", "learners", "watermelon")

NUMBER = re.compile(r"(?<![\w.])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:\s?%)?")


def numbers(value: Any) -> Iterator[float]:
    """Every number of plain values."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, dict):
        yield from (n for inner in value.values() for n in numbers(inner))
    elif isinstance(value, list | tuple):
        yield float(len(value))
        yield from (n for inner in value for n in numbers(inner))


@cache
def values_of(name: str) -> tuple[float, ...]:
    """The numbers that are not points of curves, the places of the peaks, and sums of counts."""
    report = results(name)
    record = report.to_dict()
    curves = record.pop("curves")
    pool = set(numbers(record))
    for line in curves.get("threshold", ()):
        values = [v for v in line["value"] if v is not None]
        pool |= {max(values), *numbers(line["threshold"])} if values else set()
    rejected = (
        report.comparisons.drop_nulls("reject")
        .group_by("metric", "comparison")
        .agg(pl.col("reject").sum(), n=pl.len())
    )
    pool |= set(rejected["reject"].to_list()) | set(rejected["n"].to_list())
    of_classes = report.metrics.drop_nulls(["class", "value"])
    means = of_classes.group_by("metric", "class").agg(pl.col("value").mean())
    labels = [label for label in of_classes["class"].unique() if label.isdigit()]
    return tuple(float(n) for n in (*pool, *means["value"], *labels))


def printed(text: str, value: float) -> bool:
    """Whether a number prints like this: with its decimals, as a percentage, without a sign."""
    share = text.endswith("%")
    plain = text.rstrip("%\u00a0 ").replace("−", "-").replace(",", "").rstrip(".")
    digits = len(plain.partition(".")[2])
    number = abs(100 * value if share else value)
    return abs(round(number, digits) - abs(float(plain))) < 1e-9 or _significant(plain, number)


def _significant(plain: str, number: float) -> bool:
    """Thresholds and sizes are printed with three or four significant digits."""
    expected = abs(float(plain))
    return any(float(f"{number:.{n}g}") == expected for n in (3, 4))


WORDS = re.compile(r"C4\.5\S*|\b\d+ ?× ?\d+|F1|R²|0 to 1|\b1 the best|\b95\s%|5 × 2")


@breadth("name", NAMES, QUICK)
def test_every_number_in_a_title_is_one_of_the_results(name):
    for figure in figures(results(name)):
        table_numbers = set(numbers(figure.table.to_dicts())) if figure.table is not None else set()
        pool = (*values_of(name), *table_numbers, 0.0, 1.0)
        for text in NUMBER.findall(WORDS.sub(" ", figure.title)):
            assert any(printed(text, value) for value in pool), (figure.id, figure.title, text)


@breadth("name", NAMES, QUICK)
def test_no_title_says_found_or_shown_of_a_test(name):
    for figure in figures(results(name)):
        text = f"{figure.title} {figure.subtitle} {figure.alt}"
        assert not re.search(r"was found|not shown|told apart|tells? .* apart|separates", text), (
            text
        )


@breadth("name", NAMES, QUICK)
def test_the_best_of_a_title_has_the_best_value_of_all_models(name):
    """ "Highest AUC: forest, 0.984" stands where no model has more."""
    metrics = results(name).metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null())
    )
    measures = {"AUC": "auc", "average precision": "average_precision", "accuracy": "accuracy"}
    for figure in figures(results(name)):
        match = re.match(r"(?:Highest|Lowest) ([\w ]+): (.+?), ([\d.,]+)", figure.title)
        if match is None or match[1] not in measures:
            continue
        values = metrics.filter(metric=measures[match[1]]).drop_nulls("value")
        best = values.sort("value", descending=True).row(0, named=True)
        assert (match[2], float(match[3])) == (
            best["model"],
            pytest.approx(best["value"], abs=6e-4),
        )


@breadth("name", ["breast_cancer", "digits", "diabetes"], 1)
def test_pooled_values_rank_no_model_where_means_over_folds_decide(name):
    assert results(name).data["evaluation"]["pooled_fits"]
    titles = [figure.title for figure in figures(results(name))]

    ranked = re.compile("(Highest|Lowest) (AUC|accuracy|average precision|RMSE|R²|expected)")
    assert not [title for title in titles if ranked.match(title)]
    if len(results(name).data["models"]) > 1:
        assert [title for title in titles if re.match(r"Pooled .*: .* \(.*\) to .* \(.*\)", title)]


@breadth("name", NAMES, QUICK)
def test_f1_is_nowhere_above_the_peak_that_a_title_names(name):
    report = results(name)
    for figure in figures(report):
        if not figure.id.startswith("threshold") or "peaks at" not in figure.title:
            continue
        peak = float(re.search(r"peaks at ([\d.]+)", figure.title)[1])
        now = report.metrics.filter(pl.col("slice").is_null(), metric="f1")["value"].drop_nulls()
        curve = report.curves["threshold"].filter(metric="f1")["value"].drop_nulls()
        assert peak == pytest.approx(max(now.max(), curve.max()), abs=6e-4)
