"""Every measure of every task has a value of another program, and agrees with it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.measuring.multilabel_model import MultilabelModel
from reportgen.metrics import REGISTRY
from reportgen.multiclass import least_cost_classes, matrix, score_rows
from reportgen.predictions import ModelColumns
from reportgen.sweeping import bins, sweep
from tests.cases import FOLDER, all_cases, peers
from tests.test_reference_tasks import MULTICLASS, REGRESSION

ESTIMATED, LABELLED, SCORED = (
    peers(task) for task in ("regression", "multilabel", "multiclass scores")
)
ORDERED = json.loads((FOLDER / "ordered_classes.json").read_text(encoding="utf-8"))["cases"]
CASES = {
    "regression": ("regression",),
    "multiclass": ("multiclass", "multiclass_prob", "multiclass_cost"),
    "multilabel": (),
}
PEERS = {
    "regression": ("regression",),
    "multiclass": ("multiclass", "multiclass scores"),
    "multilabel": ("multilabel",),
}


def name_of(case: dict[str, Any]) -> str:
    return str(case["case"])


def assert_agrees(case: dict[str, Any], task: str, frames: dict[str, pl.DataFrame]) -> None:
    for name, expected in case["expected"].items():
        metric = REGISTRY[task][name]
        expression = metric.expression(costs=case.get("costs"))
        value = frames[metric.on].select(expression).item()
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("case", ESTIMATED, ids=name_of)
def test_a_measure_of_estimates_has_the_value_that_other_programs_give(case):
    assert_agrees(case, "regression", {"pairs": pl.DataFrame(case["columns"])})


@pytest.mark.parametrize("case", LABELLED, ids=name_of)
def test_a_measure_of_sets_of_labels_has_the_value_that_other_programs_give(case):
    assert_agrees(case, "multilabel", {"rows": labelled(case).sets})


def labelled(case: dict[str, Any]) -> MultilabelModel:
    truth, score = np.array(case["truth"]), np.array(case["score"])
    size = truth.shape[1]
    frame = pl.DataFrame(
        {f"truth:{k}": truth[:, k] for k in range(size)}
        | {f"score:{k}": score[:, k] for k in range(size)}
        | {"weight": np.array(case["weight"], dtype=float)}
    )
    columns = ModelColumns("m", scores=tuple(f"score:{k}" for k in range(size)))
    return MultilabelModel(columns, frame, [str(k) for k in range(size)], weight="weight")


@pytest.mark.parametrize("case", SCORED, ids=name_of)
def test_a_measure_of_scores_of_classes_has_the_value_that_other_programs_give(case):
    score = np.array(case["score"])
    names = [f"p{k}" for k in range(score.shape[1])]
    frame = pl.DataFrame(dict(zip(names, score.T, strict=True))).with_columns(
        truth=pl.Series(case["truth"])
    )
    rows = score_rows(frame, names, truth="truth")
    call = least_cost_classes(names, case["costs"])
    frames = {
        "rows": rows,
        "bins": bins(sweep(rows, truth="correct", score="highest")),
        "least": matrix(frame, len(names), truth="truth", prediction=call),
    }
    assert_agrees(case, "multiclass", frames)


@pytest.mark.parametrize("task", CASES)
def test_every_measure_has_a_value_of_another_program(task):
    """A new measure cannot be added without an outside value to check it."""
    named = {**REGRESSION, **MULTICLASS}
    covered = {
        named.get(name, name)
        for case in all_cases(*CASES[task])
        for name, value in case["expected"].items()
        if value is not None
    }
    of_other_programs = [case for kind in PEERS[task] for case in peers(kind)]
    of_other_programs += ORDERED if task == "multiclass" else []
    for case in of_other_programs:
        covered |= {name for name, value in case["expected"].items() if value is not None}
    assert REGISTRY[task].keys() - covered == set()
