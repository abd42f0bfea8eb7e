"""Few time points of many rows each: page one says what to declare instead."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

import reportgen
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.breadth import breadth
from tests.quick import QUICK


def texts(rows: int, points: int) -> tuple[str, reportgen.Results]:
    random = np.random.default_rng(3)
    month = np.repeat(np.arange(1, points + 1), rows)
    signal = random.normal(size=len(month))
    truth = random.random(len(month)) < expit(1.2 * signal)
    frame = pl.DataFrame(
        {
            "y": truth,
            "month": [f"2026-{k:02d}" for k in month],
            "a": expit(signal),
            "b": expit(signal + random.normal(size=len(month))),
        }
    )
    models = {"a": {"score": "a"}, "b": {"score": "b"}}
    spec = {"truth": "y", "models": models, "columns": {"time": "month"}, **QUICK}
    results = reportgen.evaluate(spec, frame)
    (text,) = [c.text for c in results.decision.caveats if c.code == "no_valid_test"]
    return text, results


@breadth(("rows", "points", "says"), [(60, 6, True), (20, 6, False), (40, 14, False)], 2)
def test_page_one_says_what_to_declare_instead_of_time(rows, points, says):
    text, results = texts(rows, points)

    advice = (
        f"month has {rows} rows per time point: declare it under slices, or an earlier period as "
        "reference, instead of time, unless rows of one point depend on each other."
    )
    assert (advice in text) is says
    into = translator("zh", names_of(results.to_dict()))
    into.text(text, "li")
    assert not into.missing


@pytest.mark.parametrize(
    ("points", "skill", "relation"),
    [
        (24, 3.0, "ahead"),
        (24, 0.6, "no conclusion"),
        (18, 3.0, "no conclusion"),
    ],
)
def test_a_difference_far_from_0_stands_though_points_of_time_are_few(points, skill, relation):
    """AUC 0.96 against 0.59 in 24 months of 200 rows was no conclusion, and so were its gates."""
    random = np.random.default_rng(2)
    time = np.repeat(np.arange(points), 40)
    truth = random.random(len(time)) < 0.3
    a, b = (by * truth + random.normal(size=len(time)) for by in (skill, 0.3))
    frame = pl.DataFrame({"t": time, "y": truth.astype(int), "a": a, "b": b})
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"time": "t"}, **QUICK}
    results = reportgen.evaluate({**spec, "gates": ["a.auc - b.auc > 0"]}, frame)

    assert results.decision.relation == relation
    assert results.gates["state"].to_list() == ["pass" if relation == "ahead" else "inconclusive"]
