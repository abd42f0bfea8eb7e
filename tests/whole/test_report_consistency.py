"""Reports on unlike data sets do not contradict themselves, and the check of that can fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reportgen
from tests.report_consistency import contradictions
from tests.unlike_data import SHAPES

SMALL = ("few rows", "folds", "weighted labels", "few estimates", "values", "error rates")


def built(folder: Path, name: str, seed: int, *formats: str) -> Path:
    """The folder of a report on a data set of this shape."""
    random = np.random.default_rng([seed, *map(ord, name)])
    spec, frame = SHAPES[name](random)
    done = reportgen.build(
        {"name": name, **spec}, frame, out=folder, formats=("json", "markdown", *formats)
    )
    return done.path


@pytest.mark.parametrize("name", SMALL)
def test_a_report_does_not_contradict_itself(name, tmp_path):
    assert contradictions(built(tmp_path, name, 1)) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SHAPES)
def test_no_report_on_unlike_data_contradicts_itself(name, seed, tmp_path):
    pages = ("html", "pdf") if seed == 0 else ()
    assert contradictions(built(tmp_path, name, seed, *pages)) == []


def _edit(path: Path, change: Any) -> None:
    results = json.loads((path / "results.json").read_text())
    change(results)
    (path / "results.json").write_text(json.dumps(results))


def test_a_planted_contradiction_is_reported(tmp_path):
    path = built(tmp_path, "folds", 1)
    recommended = [
        row
        for row in json.loads((path / "results.json").read_text())["comparisons"]
        if row["recommendation"] == "recommended" and row["simultaneous_low"] is not None
    ]
    assert recommended

    def turn(results: Any) -> None:
        for row in results["comparisons"]:
            if row["recommendation"] == "recommended" and row["simultaneous_low"] is not None:
                row["reject"] = not row["reject"]

    def claim(results: Any) -> None:
        results["decision"]["sentence"] += " a is significantly ahead of c by 0.12345."

    _edit(path, turn)
    assert sum("but reject is" in text for text in contradictions(path)) >= len(recommended)
    _edit(path, turn)
    _edit(path, claim)
    texts = contradictions(path)
    assert any("summary.md lacks" in text for text in texts)
    assert any("0.12345" in text for text in texts)

    def take_away(results: Any) -> None:
        results["decision"]["caveats"].append(
            {"code": "x", "severity": "severe", "text": "Copies."}
        )
        results["decision"]["relation"] = "no conclusion"
        results["decision"]["headline"] = "a beats c in R²"

    _edit(path, take_away)
    assert any("no conclusion, but: a beats c" in text for text in contradictions(path))
    assert any("R² of all rows is said to be a mean" in text for text in contradictions(path))
    ahead = {"relation": "ahead", "state": "inconclusive"}
    _edit(path, lambda results: results["decision"].update(ahead) or results["gates"].clear())
    assert any("the state is inconclusive, but" in text for text in contradictions(path))
    assert any("takes the conclusion away, but" in text for text in contradictions(path))

    def advise(results: Any) -> None:
        results["decision"] |= {"relation": "no conclusion", "action": {"text": "Keep it."}}
        results["decision"]["caveats"][0]["text"] = "Nobody: choose a lower one."

    _edit(path, advise)
    assert any("asks for another threshold, but" in text for text in contradictions(path))

    summary = path / "summary.md"
    summary.write_text(
        summary.read_text()
        + "\n| AUC | **0.9** (0.8–1.0) |\n\n1 rows have an accuracy of 0.98765.\n"
    )
    texts = contradictions(path)
    assert any("0.98765" in text for text in texts)
    assert any("reads badly" in text for text in texts)
    assert any("no conclusion, but in bold: | AUC" in text for text in texts)

    _edit(path, lambda results: results["spec"].update(language="zh"))
    assert any("not translated: " in text for text in contradictions(path))
