"""What a user has installed is enough: the packages that reportgen requires, and no others."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OTHERS_REFUSED = """
import sys
from importlib.abc import MetaPathFinder

OTHERS = set({others!r})


class Refusing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OTHERS:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Refusing())
"""
"""Read by each process at its start, those too that a command starts."""

DATA = """
import numpy as np
import polars as pl

random = np.random.default_rng(0)
n = 120
truth = random.random(n) < 0.4
number = random.standard_normal(n)
rows = {
    "truth": truth,
    "a": truth + random.standard_normal(n),
    "b": truth + random.standard_normal(n),
    "predicted": random.random(n) < 0.5,
    "kind": np.array(["x", "y", "z"])[random.integers(0, 3, n)],
    "first": np.array(["x", "y", "z"])[random.integers(0, 3, n)],
    "second": np.array(["x", "y", "z"])[random.integers(0, 3, n)],
    "number": number,
    "near": number + random.standard_normal(n),
    "far": number + 2 * random.standard_normal(n),
    "group": random.integers(0, 20, n),
    "weight": random.integers(1, 4, n),
    "day": np.arange(n),
}
frame = pl.DataFrame(rows)
"""

EVALUATION = """
import reportgen

tasks = {
    "binary": ("truth", {"a": {"score": "a"}, "b": {"score": "b"}, "c": {"label": "predicted"}}),
    "multiclass": ("kind", {m: {"label": m} for m in ("first", "second")}),
    "regression": ("number", {m: {"estimate": m} for m in ("near", "far")}),
    "multilabel": (
        {"u": "truth", "v": "predicted"},
        {"m": {"scores": {"u": "a", "v": "b"}}},
    ),
}
quick = {"bootstrap": {"replicates": 50}}
for declared, models in tasks.values():
    for columns in ({}, {"group": "group"}, {"weight": "weight"}, {"time": "day"}):
        spec = {"data": "x", "truth": declared, "models": models, "columns": columns, **quick}
        for engine in ("exact",) if "time" in columns else ("exact", "streaming"):
            results = reportgen.evaluate({**spec, "engine": engine}, frame)
            assert results.metrics.height
print("done")
"""

COMMANDS = """
from pathlib import Path
from reportgen.cli import main

probabilities = ((pl.col(name).tanh() + 1) / 2 for name in "ab")
frame.select("truth", *probabilities).write_csv("rows.csv")
short = ["--set", "sections=[verdict, discrimination]"]
for words in (
    ["init", "rows.csv"],
    ["check", "report.yaml"],
    ["build", "report.yaml", "--format", "html,pdf,json", "--date", "2026-01-01", *short],
    ["build", "report.yaml", "--format", "json", "--set", "engine=streaming", *short],
    ["compare", "reports/rows/latest~1", "reports/rows/latest"],
    ["render", "reports/rows/latest/results.json", "--format", "html", "--out", "again"],
):
    try:
        main([*words, "--quiet"])
    except SystemExit as end:
        assert end.code == 0, words
assert [path.stat().st_size > 1000 for path in Path("reports").rglob("report.*")] == [True] * 2
print("done")
"""


def required(name: str, extra: str, done: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The distributions that one requires here with an extra, each with the extra of it."""
    if (name, extra) in done:
        return done
    done.add((name, extra))
    try:
        requirements = distribution(name).requires or []
    except PackageNotFoundError:
        return done
    for one in map(Requirement, requirements):
        if one.marker is None or one.marker.evaluate({"extra": extra}):
            for asked in ("", *one.extras):
                required(canonicalize_name(one.name), asked, done)
    return done


def others() -> list[str]:
    """The modules of all other distributions."""
    needed = {name for name, _ in required("reportgen-eval", "", set())}
    modules = packages_distributions()
    result = [
        module for module, of in modules.items() if not needed & {*map(canonicalize_name, of)}
    ]
    assert "cloudpickle" in result
    return result


@pytest.mark.parametrize("script", [EVALUATION, COMMANDS], ids=["evaluation", "commands"])
def test_all_that_a_user_does_needs_the_required_packages_alone(script, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(OTHERS_REFUSED.format(others=others()))
    places = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    done = subprocess.run(
        [sys.executable, "-c", DATA + script],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": places},
    )

    assert done.stdout.splitlines()[-1:] == ["done"], done.stdout + done.stderr
