"""A change of level between models reads as autocorrelation: their test says so."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.translation import translator
from tests.simulations.breaks import SIZE, warned

STEM = "Without one change of level the autocorrelation falls from up to 0.9"


def evaluated(shift):
    """Two forecasts of 200 days; the second is worse from day 140 on."""
    random = np.random.default_rng(3)
    truth, day = random.normal(10, 1, 200), np.arange(200)
    errors = random.normal(0, 0.5, (2, 200))
    later = shift * (day >= 140)
    dates = [(dt.date(2026, 1, 1) + dt.timedelta(days=int(k))).isoformat() for k in day]
    frame = pl.DataFrame({"y": truth, "a": truth + errors[0], "b": truth + errors[1] + later})
    models = {name: {"estimate": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"time": "t"}}
    return reportgen.evaluate(spec, frame.with_columns(t=pl.Series(dates)))


def test_page_one_says_that_limits_after_a_break_are_too_wide():
    texts = [c.text for c in evaluated(2.0).decision.caveats]
    (text,) = [text for text in texts if text.startswith(STEM)]

    assert not any("worth fewer than" in other for other in texts)
    into = translator("zh", {"a", "b"})
    into.text(text, "p")
    assert not into.missing


def test_without_a_break_nothing_is_said_of_one():
    assert not any("change of level" in c.text for c in evaluated(0.0).decision.caveats)


@pytest.mark.parametrize("correlation", [0.6, 0.95])
def test_mere_autocorrelation_hardly_ever_seems_to_be_a_break(correlation):
    assert warned(200, correlation, 0.0, 100) <= 0.03


def test_a_break_of_nearly_independent_differences_is_mostly_seen():
    assert warned(200, 0.3, SIZE, 50) >= 0.6
