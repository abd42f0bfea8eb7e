"""Values that other programs give, as ``tests/reference/make_peers.py`` wrote them down."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from reportgen.curves import hull
from reportgen.measuring.binary_model import FRAMES
from reportgen.metrics import (
    METRICS,
    REGISTRY,
    multiclass_agreement,
    multiclass_association,
    multiclass_information,
)
from reportgen.multiclass import class_counts
from reportgen.sweeping import sweep
from reportgen.tables import Matrix
from tests.cases import FOLDER, peers
from tests.interval_limits import limits_of

COUNTED, CROSSED, SCORED = (
    peers(task) for task in ("binary counts", "multiclass", "binary scores")
)


def name_of(case: dict[str, Any]) -> str:
    return str(case["case"])


def close(value: float | None, expected: float | None) -> bool:
    if value is None or expected is None:
        return value is expected
    return value == pytest.approx(expected, rel=1e-8, abs=1e-11)


def steps_of(case: dict[str, Any]) -> Any:
    frame = pl.read_parquet(FOLDER / "data" / case["input"]).head(case["rows"])
    return sweep(frame.with_columns(truth=pl.col(case["truth"]) == 1), score=case["score"])


@pytest.mark.parametrize("case", COUNTED, ids=name_of)
def test_a_measure_of_counts_has_the_value_that_other_programs_give(case):
    counts = pl.DataFrame({name: [float(n)] for name, n in case["counts"].items()})
    for name, expected in case["expected"].items():
        value = counts.select(METRICS[name].build()).item()
        assert close(value, expected), (name, value, expected)


@pytest.mark.parametrize("case", CROSSED, ids=name_of)
def test_a_measure_of_several_classes_has_the_value_that_other_programs_give(case):
    size = range(len(case["matrix"]))
    cells = [(i, j, float(case["matrix"][i][j])) for i in size for j in size]
    names = ["truth", "predicted", "count"]
    matrix = pl.DataFrame(
        cells,
        schema=dict(zip(names, (pl.UInt16, pl.UInt16, pl.Float64), strict=True)),
        orient="row",
    )
    matrix = Matrix.validate(matrix.with_columns(count2="count"))
    frames = {"matrix": matrix, "classes": class_counts(matrix, [str(i) for i in size])}
    registry = REGISTRY["multiclass"]
    expected_values = {
        name: expected for name, expected in case["expected"].items() if name in registry
    }
    assert len(expected_values) >= 20
    for name, expected in expected_values.items():
        value = frames[registry[name].on].select(registry[name].build()).item()
        assert close(value, expected), (name, value, expected)


def test_every_agreement_of_several_classes_has_a_value_of_another_program():
    modules = {
        m.__name__ for m in (multiclass_agreement, multiclass_association, multiclass_information)
    }
    added = {n for n, m in REGISTRY["multiclass"].items() if m.build.__module__ in modules}
    covered = {name for case in CROSSED for name, v in case["expected"].items() if v is not None}
    assert len(added) > 20
    assert added - covered == set()


@pytest.mark.parametrize("case", SCORED, ids=name_of)
def test_a_measure_of_scores_has_the_value_that_other_programs_give(case):
    steps = steps_of(case)
    for name, expected in case["expected"].items():
        metric = METRICS[name]
        value = {"hull": hull, **FRAMES}[metric.on](steps).select(metric.build()).item()
        assert close(value, expected), (name, value, expected)


@pytest.mark.parametrize("case", SCORED[:1], ids=name_of)
def test_the_errors_of_a_recalibration_are_those_that_other_programs_give(case):
    frame = FRAMES["recalibration"](steps_of(case))
    assert len(case["standard_errors"]) == 3
    for name, expected in case["standard_errors"].items():
        interval = METRICS[name].interval
        low, high = limits_of(interval, METRICS[name].build())
        half_width = frame.select((high - low) / 2).item()
        assert half_width == pytest.approx(1.959963985 * expected, rel=1e-6)


@pytest.mark.parametrize("case", SCORED[:1], ids=name_of)
def test_the_error_of_a_shift_allows_for_forecasts_that_are_too_sure(case):
    frame = pl.read_parquet(FOLDER / "data" / case["input"]).head(case["rows"])
    odds = (pl.col(case["score"]) / (1 - pl.col(case["score"]))) ** 3
    frame = frame.select(truth=pl.col(case["truth"]) == 1, score=odds / (1 + odds))
    fit = FRAMES["recalibration"](sweep(frame, score="score"))
    assert fit["in_the_large"].item() == pytest.approx(case["steep"]["value"], rel=1e-8)
    error = case["steep"]["standard_error"]
    assert fit["in_the_large_variance"].item() == pytest.approx(error**2, rel=1e-8)
