"""Weighted rows in words: shares of rows and of weight, which differ, are not mixed."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.charts import figures
from reportgen.results import Results
from reportgen.sections import summary
from reportgen.sections.verdict import facts
from reportgen.translation import translator
from tests.quick import QUICK


@cache
def weighted() -> Results:
    """Half of the rows are positive, with a quarter of the weight."""
    random = np.random.default_rng(3)
    positive = np.arange(400) % 2 == 0
    weight = np.where(positive, 1.0, 3.0)
    frame = pl.DataFrame({"y": positive, "m": random.random(400), "w": weight})
    spec = {"truth": "y", "models": {"m": {"score": "m"}}, "columns": {"weight": "w"}}
    return reportgen.evaluate(spec | {"threshold": 0.5} | QUICK, frame)


def test_the_share_of_positives_is_that_of_rows_and_that_of_weight():
    assert "50.0\u00a0% of rows, 25.0\u00a0% of weight" in facts(weighted())
    assert "50.0\u00a0% positive, 25.0\u00a0% by weight (" in summary.facts(weighted())


def test_a_confusion_table_of_weights_has_shares_of_them_in_its_title():
    """Sums of weights look like more rows than there are."""
    figure = next(one for one in figures(weighted()) if one.id.startswith("confusion"))

    assert "% of weight wrong: " in figure.title
    assert "of 800" not in figure.title


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("m: 25.2 % of 有 and 6.8 % of 无 reach the threshold", "“有”中有 25.2%、“无”中有 6.8%"),
        ("1,200 weighted rows · 600 有 (50.0 % of rows, 32.2 % of weight)", "“有” 600 个"),
        ("1,200 rows · 600 positive (50.0 %)", "正例 600 个"),
    ],
)
def test_names_of_classes_are_quoted_in_chinese(english, chinese):
    """有 and 无 are verbs too."""
    assert chinese in translator("zh", ["m", "有", "无"]).text(english)
