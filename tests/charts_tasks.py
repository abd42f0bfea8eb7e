"""Small evaluations of several classes, of several labels and of numbers, for the charts' tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from reportgen.spec import from_dict
from tests.charts_results import LONG, QUOTED, SCRIPT
from tests.quick import FEW


def evaluated(frame: pl.DataFrame, models: Mapping[str, Any], **more: Any) -> Results:
    """Evaluate the models on the frame, whose truth is in the column ``truth``."""
    spec = {"data": "none.parquet", "truth": "truth", "models": models, **FEW, **more}
    return evaluate(from_dict(spec, Path()), frame)


def classified(
    names: Sequence[str],
    truth: np.ndarray | None = None,
    *,
    models: int = 1,
    uncalled: int | None = None,
    **more: Any,
) -> Results:
    """Probabilities of growing strength; classes 0 and 1, 2 and 3, … are easily confused."""
    size, draw = len(names), np.random.default_rng(7)
    places = np.tile(np.arange(size), 12) if truth is None else truth
    pairs = (places[:, None] ^ 1) == np.arange(size)
    frame = {"truth": [names[k] for k in places]}
    scored = {}
    for i in range(models):
        height = (2 + i) * np.eye(size)[places] + 1.5 * pairs
        height = height + draw.normal(size=(len(places), size))
        if uncalled is not None:
            height[:, uncalled] -= 30
        share = np.exp(height) / np.exp(height).sum(axis=1, keepdims=True)
        columns = {name: f"p{i}_{k}" for k, name in enumerate(names)}
        frame |= {column: share[:, k] for k, column in enumerate(columns.values())}
        scored[f"model {i}"] = {"scores": columns}
    return evaluated(pl.DataFrame(frame), scored, **more)


@cache
def classes() -> Results:
    """Two models with scores and one with labels, of classes whose names are to be escaped."""
    names = ["好瓜", SCRIPT, QUOTED, LONG, "ordinary"]
    draw = np.random.default_rng(8)
    truth = draw.integers(0, 5, 150)
    frame = {"truth": [names[k] for k in truth]}
    models: dict[str, Any] = {}
    for i, model in enumerate((SCRIPT, LONG)):
        height = (3 - i) * np.eye(5)[truth] + draw.normal(size=(150, 5))
        share = np.exp(height) / np.exp(height).sum(axis=1, keepdims=True)
        models[model] = {"scores": {name: f"p{i}_{k}" for k, name in enumerate(names)}}
        frame |= {f"p{i}_{k}": share[:, k] for k in range(5)}
    frame["said"] = [names[k] for k in np.where(draw.random(150) < 0.7, truth, 0)]
    models["好瓜"] = {"label": "said"}
    return evaluated(pl.DataFrame(frame), models)


@cache
def labelled() -> Results:
    """Two models of four labels, one of them rare."""
    draw, names = np.random.default_rng(9), ["sport", "科学", LONG, "rare"]
    truth = draw.random((160, 4)) < [0.5, 0.3, 0.2, 0.05]
    frame = {f"t{k}": truth[:, k] for k in range(4)}
    models = {}
    for i in range(2):
        score = 1 / (1 + np.exp(-(3 * truth - 1.5 + (1 + i) * draw.normal(size=(160, 4)))))
        frame |= {f"p{i}_{k}": score[:, k] for k in range(4)}
        models[f"model {i}"] = {"scores": {name: f"p{i}_{k}" for k, name in enumerate(names)}}
    truths = {name: f"t{k}" for k, name in enumerate(names)}
    return evaluated(pl.DataFrame(frame), models, truth=truths)


@cache
def forecasts(days: int = 700, models: int = 2, **more: Any) -> Results:
    """Daily values with a season, without those of days 240 to 299, and forecasts of them."""
    draw, day = np.random.default_rng(7), np.arange(days)
    season = 100 + 20 * np.sin(day / 58)
    truth = season + draw.normal(0, 6, days)
    dates = np.datetime64("2024-01-01") + day
    given = {f"model {i}": {"estimate": f"e{i}"} for i in range(models)}
    columns = {f"e{i}": season + draw.normal(0, 2 + i, days) for i in range(models)}
    frame = pl.DataFrame({"truth": truth, "day": dates.astype(str), **columns})
    kept = frame.filter((pl.Series(day) < 240) | (pl.Series(day) >= 300))
    return evaluated(kept, given, columns={"time": "day"}, **more)


def estimated(rows: int = 80, models: int = 1, unit: float = 1.0, spoilt: float = 0.0) -> Results:
    """Estimates with growing errors; the last model has an interval, ``spoilt`` is one estimate."""
    draw = np.random.default_rng(4)
    truth = draw.gamma(3, 10, rows)
    frame = {"truth": truth * unit}
    given: dict[str, Any] = {}
    for i in range(models):
        estimate = truth + (2 + i) * draw.normal(size=rows) + i
        frame[f"e{i}"] = estimate * unit
        given[f"model {i}"] = {"estimate": f"e{i}"}
    frame["low"], frame["high"] = frame["e0"] - 4 * unit, frame["e0"] + 4 * unit
    if spoilt:
        frame["e0"][0] = spoilt
        frame["low"], frame["high"] = frame["e0"] - 4 * unit, frame["e0"] + 4 * unit
    given["model 0"] |= {"low": "low", "high": "high"}
    return evaluated(pl.DataFrame(frame), given)
