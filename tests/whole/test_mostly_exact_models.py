"""A model that is exact on most rows leads in MAE only where enough rows show its errors."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.results import Results
from tests.page_text import without_chinese
from tests.quick import QUICK
from tests.simulations.mostly_exact_models import rates

REASON = (
    "the model with the smaller mean has no error on more than half of the rows, and fewer than 4 "
    "others decide its mean. More of them may be missing by chance"
)


def of(rows: int, inexact: int, *, large: float = 3.0, small: float = 0.0) -> Results:
    """A normal model, and one with so many ``large`` errors among errors that are ``small``."""
    random = np.random.default_rng(1)
    truth = 4 * random.normal(size=rows)
    second = np.where(np.arange(rows) < inexact, large, small * random.normal(size=rows))
    frame = pl.DataFrame({"y": truth, "a": truth + random.normal(size=rows), "b": truth + second})
    return evaluate({"truth": "y", "models": {m: {"estimate": m} for m in "ab"}, **QUICK}, frame)


def reason(results: Results) -> str | None:
    rows = results.comparisons.filter(comparison="paired_t", metric="mean_absolute_error")
    return rows["why"].item()


@pytest.mark.parametrize(
    ("rows", "inexact", "large", "against"),
    [
        (20, 0, 3.0, True),
        (40, 0, 3.0, True),
        (40, 3, 3.0, True),
        (40, 4, 3.0, False),
        (120, 0, 3.0, False),
        (120, 3, 3.0, False),
        (120, 3, 8.0, True),
    ],
)
def test_few_rows_with_an_error_do_not_decide(rows, inexact, large, against):
    """Without any from 60 rows on, where the difference is 8 standard errors or more."""
    assert (REASON in (reason(of(rows, inexact, large=large)) or "")) == against


def test_small_errors_are_errors():
    assert REASON not in (reason(of(40, 3, small=0.01)) or "")


def test_page_one_names_no_winner_and_the_table_says_why():
    results = of(20, 1)
    [why] = [text for text in results.comparisons["why"].drop_nulls() if REASON in text]
    note = why.replace("the test", "the paired t-test")

    assert results.decision.relation == "no conclusion"
    assert not without_chinese(results, [f"{note[0].upper()}{note[1:]}.", note])


@pytest.mark.parametrize(("rows", "share"), [(20, 0.05), (30, 0.05), (30, 0.1), (100, 0.05)])
def test_a_mostly_exact_model_of_the_same_mean_error_seldom_leads(rows, share):
    rejected, recommended, _ = rates(rows, share, 200, alike=True)

    assert recommended < 0.05 < rejected
