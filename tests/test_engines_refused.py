"""What engines that count refuse: each refusal has a spec here and a row in docs/clusters.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen import ReportgenError, evaluate
from reportgen.engines.refusals import REFUSALS, needs_rows
from reportgen.spec import from_dict
from tests.engine_data import rows, spec, written

LABELS = {"truth": {n: f"t{n}" for n in "uv"}, "models": {"m": {"scores": {"u": "a", "v": "b"}}}}
MANY = [str(k) for k in range(101)]

SPECS = {
    "thresholds of labels that are chosen": LABELS | {"threshold": {"maximise": "f1"}},
    "models in long form without ids, or on rows of their own": {
        "models": {"column": "site", "score": "a"}
    },
    "more than 100 classes with scores": {
        "models": {"m": {"scores": {name: f"s{name}" for name in MANY}}}
    },
    "more than 100 labels with scores": {
        "truth": {name: f"t{name}" for name in MANY},
        "models": {"m": {"scores": {name: f"s{name}" for name in MANY}}},
    },
    "more than 30 models that estimate a number": {
        "models": {f"m{k}": {"estimate": f"m{k}"} for k in range(31)}
    },
    "order in time": {"columns": {"time": "site"}},
    "repeats": {"columns": {"repeat": "site"}},
    "groups of weighted rows, but of regression": {"columns": {"group": "site", "weight": "w"}},
    "graded answers": {"graded": True},
    "shift against a `reference`": {"reference": "p.parquet"},
    "`small_cells` with weights": {"columns": {"weight": "w"}, "privacy": {"small_cells": 5}},
    "`small_cells` of estimates of a number": {
        "models": {"m": {"estimate": "a"}},
        "privacy": {"small_cells": 5},
    },
    "costs that differ from row to row": {
        "costs": {"false_negative": {"column": "w"}, "false_positive": 1}
    },
}
"""A spec that is refused for each reason."""


def asked(what: str):
    given = spec("p.parquet", **SPECS[what])
    if given.get("graded"):
        del given["truth"]
        return given | {"models": {"m": {"label": "a"}}}
    if "positive" in given and not all("score" in m for m in _models(given)):
        del given["positive"]
    return given


def _models(given):
    return given["models"].values() if "column" not in given["models"] else [given["models"]]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.what)
def test_each_refusal_is_of_its_spec_and_only_of_that(refusal):
    assert needs_rows(from_dict(asked(refusal.what))) is refusal


def test_what_is_counted_is_not_refused():
    for more in ({}, {"columns": {"group": "site"}}, {"columns": {"weight": "w"}}):
        assert needs_rows(from_dict(spec("p.parquet", **more))) is None


def test_the_documentation_lists_every_refusal_and_no_other():
    page = Path(__file__).parents[1] / "docs" / "clusters.md"
    table = page.read_text(encoding="utf-8").partition("## Which engine evaluates what")[2]
    refused = [line for line in table.splitlines() if "| refused: " in line]

    assert refused[0].startswith("| tables of values |")
    assert refused[1:] == [refusal.line for refusal in REFUSALS]


def test_a_refusal_names_the_engine_that_does_it(tmp_path):
    data = written(rows(100), tmp_path / "p.parquet")

    with pytest.raises(
        ReportgenError, match="order of time, which only the exact engine does"
    ) as e:
        evaluate(spec(data, columns={"time": "site"}))

    assert "engine: " not in e.value.problems[0].message  # the place and the code have it
