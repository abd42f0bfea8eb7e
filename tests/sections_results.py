"""Small evaluations for the tests of the sections."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from reportgen.concluding.section_reading import with_reading
from reportgen.results import Results, evaluate, typed
from reportgen.results.definitions import definitions
from reportgen.spec import Spec, from_dict
from reportgen.tables import Metrics
from tests.quick import FEW

HOSTILE = "</script><script>alert(1)</script>"
MENTION = "a|b @octocat `c` #12"


@cache
def frame(rows: int = 300) -> pl.DataFrame:
    """Scores of known strength, labels, a column that never says yes, slices and roles."""
    draw = np.random.default_rng(7)
    truth = draw.random(rows) < 0.3

    def score(strength: float) -> np.ndarray[Any, np.dtype[np.float64]]:
        return 1 / (1 + np.exp(-strength * (truth - 0.4) - draw.normal(size=rows)))

    strong = score(2.5)
    return pl.DataFrame(
        {
            "truth": np.where(truth, "yes", "no"),
            "strong": strong,
            "weak": score(0.5),
            "same": strong,
            "near": strong + 0.02 * (np.arange(rows) % 3 - 1),
            "margin": 10 * score(1.0) - 5,
            "label": np.where(strong > 0.5, "yes", "no"),
            "never": ["no"] * rows,
            "site": np.where(np.arange(rows) % 40 == 0, "tiny", "large"),
            "sex": np.where(np.arange(rows) % 2 == 0, "f", "m"),
            "role": np.where(np.arange(rows) < 60, "validation", "test"),
        }
    )


def results_of(models: dict[str, Any], **more: Any) -> Results:
    """Evaluate the models on the frame."""
    spec = {
        "data": "none.parquet",
        "truth": "truth",
        "positive": "yes",
        "models": models,
        **FEW,
        **more,
    }
    return evaluate(spec_of(spec), frame())


def spec_of(mapping: dict[str, Any]) -> Spec:
    """A spec that was never in a file."""
    return from_dict(mapping, Path())


@cache
def rich() -> Results:
    """Four models: hostile names, one that is no probability, labels only, one undefined."""
    return results_of(
        {
            HOSTILE: {"score": "strong"},
            MENTION: {"score": "margin"},
            "rules": {"label": "label"},
            "never": {"label": "never"},
        },
        title="Title <b>of</b> it",
        slices=["site", ["site", "sex"]],
    )


@cache
def everything() -> Results:
    """The same with every measure printed."""
    results = replace(rich(), spec={**rich().spec, "measures": "all"})
    return replace(results, definitions=definitions(results))


BETTER = from_dict(
    {
        "data": "none.parquet",
        "truth": "truth",
        "positive": "yes",
        "models": {"weak": {"score": "weak"}, "strong": {"score": "strong"}},
    },
    Path(),
)
"""The spec of ``better``."""


@cache
def better() -> Results:
    """The second model is better than the first, which is the baseline."""
    return results_of({"weak": {"score": "weak"}, "strong": {"score": "strong"}})


@cache
def worse() -> Results:
    """The second model is worse than the baseline."""
    return results_of({"strong": {"score": "strong"}, "weak": {"score": "weak"}}, baseline="strong")


@cache
def single() -> Results:
    """One model."""
    return results_of({"strong": {"score": "strong"}})


@cache
def twins() -> Results:
    """Two models with the same scores: no test has a value."""
    return results_of({"strong": {"score": "strong"}, "same": {"score": "same"}})


@cache
def close() -> Results:
    """Two models between which nothing is shown."""
    return results_of({"strong": {"score": "strong"}, "near": {"score": "near"}})


@cache
def many(count: int) -> Results:
    """The numbers of one model under many names."""
    results = single()
    names = [f"model {i}" for i in range(count)]
    rows = [row | {"model": name} for name in names for row in results.metrics.to_dicts()]
    models = [{**results.data["models"][0], "name": name} for name in names]
    data = {**results.data, "models": models}
    return with_reading(replace(results, metrics=typed(Metrics, rows), data=data))
