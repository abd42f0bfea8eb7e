"""Small evaluations of several classes, several labels and numbers, and of many slices."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from reportgen.spec import from_dict
from tests.quick import FEW

CLASSES = ("low", "mid", "high")


def of(mapping: dict[str, Any], frame: pl.DataFrame) -> Results:
    """Evaluate a spec that was never in a file."""
    return evaluate(from_dict({"data": "none.parquet", **FEW, **mapping}, Path()), frame)


def _classes(size: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(3)
    truth = draw.integers(0, size, rows)
    score = draw.gamma(1.0, size=(rows, size)) + 2.5 * (np.arange(size) == truth[:, None])
    return truth, score / score.sum(axis=1, keepdims=True)


@cache
def multiclass(**more: Any) -> Results:
    """Three classes: one model with probabilities, one with labels that never say "high"."""
    truth, score = _classes(3, 240)
    frame = pl.DataFrame(
        {
            "truth": [CLASSES[k] for k in truth],
            **{f"p_{name}": score[:, k] for k, name in enumerate(CLASSES)},
            "said": [CLASSES[min(k, 1)] for k in truth],
            "site": np.where(np.arange(240) % 60 == 0, "tiny", "large"),
        }
    )
    models = {"soft": {"scores": {n: f"p_{n}" for n in CLASSES}}, "hard": {"label": "said"}}
    spec = {"truth": "truth", "models": models, "slices": ["site"], "classes": list(CLASSES)}
    costs = {"costs": {"high": {"low": 5, "mid": 2}}}
    return of({**spec, **(costs if more.get("costs") else {})}, frame)


@cache
def many_classes(size: int = 40) -> Results:
    """More classes than a table has rows for."""
    truth, score = _classes(size, 30 * size)
    names = [f"c{k:02}" for k in range(size)]
    frame = pl.DataFrame(
        {"truth": [names[k] for k in truth]} | {n: score[:, k] for k, n in enumerate(names)}
    )
    return of({"truth": "truth", "models": {"m": {"scores": {n: n for n in names}}}}, frame)


@cache
def multilabel() -> Results:
    """Two labels: one model with scores, one with labels."""
    draw = np.random.default_rng(5)
    truth = draw.random((200, 2)) < 0.4
    score = np.clip(0.5 * truth + draw.random((200, 2)) * 0.6, 0, 1)
    frame = pl.DataFrame(
        {f"is_{n}": truth[:, k] for k, n in enumerate("ab")}
        | {f"p_{n}": score[:, k] for k, n in enumerate("ab")}
        | {f"says_{n}": truth[:, k] ^ (draw.random(200) < 0.1) for k, n in enumerate("ab")}
    )
    models = {
        "soft": {"scores": {n: f"p_{n}" for n in "ab"}},
        "hard": {"labels": {n: f"says_{n}" for n in "ab"}},
    }
    return of({"truth": {n: f"is_{n}" for n in "ab"}, "models": models}, frame)


@cache
def regression(weighted: bool = False) -> Results:
    """Two regression models, one with a prediction interval, and slices."""
    draw = np.random.default_rng(9)
    truth = draw.normal(100, 20, 150)
    near = truth + draw.normal(0, 5, 150)
    frame = pl.DataFrame(
        {
            "truth": truth,
            "near": near,
            "far": truth + draw.normal(3, 15, 150),
            "low": near - 8,
            "high": near + 8,
            "w": draw.random(150) + 0.5,
            "site": np.where(np.arange(150) % 3 == 0, "a", "b"),
        }
    )
    models = {
        "far": {"estimate": "far"},
        "near": {"estimate": "near", "low": "low", "high": "high"},
    }
    columns = {"columns": {"weight": "w"}} if weighted else {}
    return of({"truth": "truth", "models": models, "slices": ["site"], **columns}, frame)


@cache
def fifty_slices() -> Results:
    """A binary report with fifty slices of one column, one of them worse, one of them small."""
    draw = np.random.default_rng(11)
    size = 50 * 120
    site = np.arange(size) % 50
    truth = draw.random(size) < 0.4
    noise = draw.normal(size=size)
    score = np.where(site == 7, -2.0, 2.0) * (truth - 0.5) + 0.7 * noise
    mask = (site != 9) | (np.arange(size) < 600)
    frame = pl.DataFrame(
        {
            "truth": np.where(truth, "yes", "no"),
            "p": 1 / (1 + np.exp(-score)),
            "site": [f"site {k:02}" for k in site],
        }
    ).filter(pl.Series(mask))
    spec = {"truth": "truth", "positive": "yes", "models": {"m": {"score": "p"}}}
    return of({**spec, "slices": ["site"]}, frame)
