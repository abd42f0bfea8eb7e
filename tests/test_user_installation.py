"""What a user has installed is enough: the packages that reportgen requires, and no others."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

SCRIPT = """
import json, sys
from importlib.abc import MetaPathFinder

allowed = set(json.loads(sys.argv[1]))
others = set(json.loads(sys.argv[2])) - allowed


class Refusing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in others:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Refusing())
import numpy as np
import polars as pl
import reportgen

random = np.random.default_rng(0)
n = 240
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
tasks = {
    "binary": ("truth", {"a": {"score": "a"}, "b": {"score": "b"}, "c": {"label": "predicted"}}),
    "multiclass": ("kind", {m: {"label": m} for m in ("first", "second")}),
    "regression": ("number", {m: {"estimate": m} for m in ("near", "far")}),
    "multilabel": (
        {"u": "truth", "v": "predicted"},
        {"m": {"scores": {"u": "a", "v": "b"}}},
    ),
}
declared, models = tasks[sys.argv[3]]
quick = {"bootstrap": {"replicates": 100}}
for columns in ({}, {"group": "group"}, {"weight": "weight"}, {"time": "day"}):
    spec = {"data": "x", "truth": declared, "models": models, "columns": columns, **quick}
    results = reportgen.evaluate(spec, frame)
    assert results.metrics.height
print("done")
"""


def required(name: str, done: set[str]) -> set[str]:
    """The distributions that one requires here, without its extras."""
    if name in done:
        return done
    done.add(name)
    try:
        requirements = distribution(name).requires or []
    except PackageNotFoundError:
        return done
    for text in requirements:
        one = Requirement(text)
        if one.marker is None or one.marker.evaluate({"extra": ""}):
            required(one.name.lower().replace("_", "-"), done)
    return done


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression", "multilabel"])
def test_every_task_is_evaluated_with_the_required_packages_alone(task):
    modules = packages_distributions()
    needed = required("reportgen-eval", set())
    allowed = [
        module
        for module, of in modules.items()
        if needed & {name.lower().replace("_", "-") for name in of}
    ]
    assert "cloudpickle" not in allowed
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(allowed), json.dumps(list(modules)), task],
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )

    assert done.stdout == "done\n", done.stderr
