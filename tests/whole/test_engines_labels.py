"""Several labels that are counted in parts: the numbers of rows in memory."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import ReportgenError, evaluate
from tests.breadth import breadth
from tests.engine_data import (
    assert_parts_add_up,
    assert_same_numbers,
    assert_same_tests,
    by_engine,
    written,
)
from tests.quick import QUICK

LABELS = ("hot", "new", "red")
MODELS = {
    **{m: {"scores": {c: f"{m}_{c}" for c in LABELS}} for m in "pq"},
    "said": {"labels": {c: f"said_{c}" for c in LABELS}},
}


def labelled(number: int, seed: int = 0, digits: int | None = None) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    columns = {}
    for k, label in enumerate(LABELS):
        truth = random.random(number) < 0.25 + 0.2 * k
        columns[label] = truth.astype(int)
        for model, strength in (("p", 1.5), ("q", 0.8)):
            score = 1 / (1 + np.exp(-(random.normal(size=number) + strength * (truth - 0.5))))
            columns[f"{model}_{label}"] = score if digits is None else score.round(digits)
        columns[f"said_{label}"] = np.where(random.random(number) < 0.8, truth, ~truth)
    return pl.DataFrame(
        {
            **columns,
            "w": random.choice([0, 0.25, 1.5, 2], number),
            "site": random.integers(0, 3, number).astype(str),
            "fold": random.integers(0, 4, number).astype(str),
            "role": random.choice(["train", "test"], number),
        }
    )


def spec(data, engine="streaming", **more):
    return {
        "data": str(data),
        "truth": {label: label for label in LABELS},
        "models": MODELS,
        "engine": engine,
        **QUICK,
        **more,
    }


WHOLE = {"intervals": {"ratios": "square_and_add"}}
"""With the search for limits that others leave out."""

CASES = {
    "many": (labelled(500), {"comparisons": {"margin": 0.05}, "threshold": 0.4, **WHOLE}),
    "weights and slices": (
        labelled(400),
        {"columns": {"weight": "w"}, "slices": ["site"], **WHOLE},
    ),
    "ties": (labelled(300, digits=1), {}),
    "folds of both sides": (labelled(300), {"columns": {"role": "role", "fold": "fold"}}),
    "a label of no row": (labelled(100).with_columns(hot=pl.lit(0)), {}),
    "one row": (labelled(1), {}),
}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    return by_engine(CASES, spec, tmp_path_factory.mktemp("cases"))


@breadth("case", CASES, ["weights and slices", "folds of both sides", "one row"])
def test_numbers_of_counts_are_those_of_rows(evaluated, case):
    """Equal but for the rounding of sums, or between the bounds that the cells leave."""
    rows, counts = evaluated(case)

    assert_same_numbers(rows, counts)
    assert counts.data["models"] == rows.data["models"]
    assert counts.data["classes"] == rows.data["classes"]


@breadth("case", ["many", "folds of both sides", "one row"], ["folds of both sides"])
def test_tests_of_sets_are_those_of_rows(evaluated, case):
    rows, counts = evaluated(case)

    assert_same_tests(rows, counts)
    assert counts.folds.equals(rows.folds)


@pytest.mark.slow
def test_parts_in_any_order_give_the_same_digits(tmp_path):
    """Of files and of counts of shards."""
    frame = CASES["weights and slices"][0][:200]
    more = {"columns": {"weight": "w"}}
    parts = [frame[:50], frame[50:120], frame[120:]]
    assert_parts_add_up(tmp_path, frame, parts, lambda data: spec(data, **more))


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"columns": {"group": "site", "weight": "w"}}, "weighted rows in groups"),
        ({"columns": {"time": "site"}}, "order of time"),
        ({"threshold": {"maximise": "f1"}}, "chosen among the scores"),
    ],
    ids=["weights in groups", "time", "chosen thresholds"],
)
def test_what_counts_cannot_stand_for_is_refused(tmp_path, more, reason):
    with pytest.raises(ReportgenError, match=reason):
        evaluate(spec(written(labelled(20), tmp_path / "p.parquet"), **more))


def test_a_column_that_is_no_flag_is_refused(tmp_path):
    frame = labelled(20).with_columns(hot=pl.int_range(20))

    with pytest.raises(ReportgenError, match="0 and 1, or false and true"):
        evaluate(spec(written(frame, tmp_path / "p.parquet")))
