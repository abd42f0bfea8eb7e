"""Data sets that are unlike each other, and what a spec says of them: drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

Generator = np.random.Generator
Shape = tuple[dict[str, Any], pl.DataFrame]
"""What the spec says beside the data, and the data."""


def _scores(random: Generator, truth: np.ndarray, signal: float) -> np.ndarray:
    return 1 / (1 + np.exp(-signal * (2 * truth - 1) - random.normal(size=len(truth))))


def _binary(
    random: Generator, rows: int, signals: dict[str, float], share: float = 0.4, **more: Any
) -> Shape:
    truth = random.random(rows) < share
    truth[:2] = [False, True]
    scores = {name: _scores(random, truth, s) for name, s in signals.items()}
    models = {name: {"score": name} for name in signals}
    frame = pl.DataFrame({"y": truth.astype(int), **scores, **more.pop("extra", {})})
    return {"truth": "y", "models": models} | more, frame


def _sizes(random: Generator) -> Shape:
    rows = int(random.choice([4, 7, 10, 15, 20, 30]))
    gates = ["a.auc >= 0.6", "b.accuracy >= 0.99"]
    return _binary(random, rows, {"a": 1.5, "b": 0.3}, 0.5, gates=gates, baseline="a")


def _extremes(random: Generator) -> Shape:
    """A perfect model, a constant one, labels alone and one that is scored in tenths."""
    spec, frame = _binary(random, 60, {"good": 1.0})
    y = pl.col("y")
    frame = frame.with_columns(
        perfect=y * 0.8 + 0.1, constant=pl.lit(0.35), coarse=pl.col("good").round(1)
    ).with_columns(rules=(pl.col("good") > 0.4).cast(int))
    names = ("perfect", "constant", "good", "coarse")
    spec["models"] = {n: {"score": n} for n in names} | {"rules": {"label": "rules"}}
    costs = {"false_negative": 4, "false_positive": 1}
    gates = ["perfect.auc >= 0.99", "rules.precision >= 0.5"]
    return spec | {"baseline": "constant", "costs": costs, "gates": gates}, frame


def _equal(random: Generator) -> Shape:
    spec, frame = _binary(random, 80, {"one": 1.0, "two": 0.8})
    frame = frame.with_columns(copy=pl.col("one"), reversed=1 - pl.col("one"))
    spec["models"] = {n: {"score": n} for n in ("one", "copy", "two", "reversed")}
    return spec | {"comparisons": {"margin": 0.1}}, frame


def _weights(random: Generator) -> Shape:
    spec, frame = _binary(random, 150, {"a": 1.0, "b": 0.7}, 0.5)
    frame = frame.select(
        "y", *((pl.col(m) > 0.5).cast(int) for m in "ab"), w=random.integers(0, 4, 150)
    )
    spec["models"] = {m: {"label": m} for m in "ab"}
    claims = {"claims": ["a.accuracy >= 0.7"]}
    return spec | {"columns": {"weight": "w"}, "comparisons": claims, "baseline": "b"}, frame


def _guesses(random: Generator) -> Shape:
    signals = {f"model {k:02d}": 0.0 for k in range(12)}
    return _binary(random, 200, signals, baseline="model 03")


def _folds(random: Generator) -> Shape:
    rows = np.arange(100)
    extra = {"fold": rows % 5, "site": np.where(rows % 3 == 0, "north", "south")}
    gates = ["a.accuracy by site >= 0.6", "a.auc - c.auc >= 0"]
    spec = {"columns": {"fold": "fold"}, "slices": ["site"], "gates": gates}
    return _binary(random, 100, {"a": 1.0, "b": 0.9, "c": 0.5}, extra=extra, **spec)


def _repeats(random: Generator) -> Shape:
    spec, once = _binary(random, 60, {"a": 1.0, "b": 0.6}, 0.5)
    parts = []
    for repeat in range(5):
        noise = random.normal(scale=0.05, size=(2, 60))
        order = random.permutation(60)
        parts.append(
            once.with_columns(
                id=pl.int_range(60),
                repeat=pl.lit(repeat),
                fold=pl.Series(order % 2),
                a=(pl.col("a") + pl.Series(noise[0])).clip(0, 1),
                b=(pl.col("b") + pl.Series(noise[1])).clip(0, 1),
            )
        )
    columns = {"id": "id", "fold": "fold", "repeat": "repeat"}
    return spec | {"columns": columns, "baseline": "b"}, pl.concat(parts)


def _leave_one_out(random: Generator) -> Shape:
    spec = {"columns": {"fold": "fold"}, "gates": ["a.auc >= 0.9"]}
    return _binary(random, 40, {"a": 1.0, "b": 0.9}, 0.5, extra={"fold": np.arange(40)}, **spec)


def _groups(random: Generator) -> Shape:
    group = np.repeat(np.arange(20), random.geometric(0.1, 20) + 1)
    spec = {"columns": {"group": "group"}, "baseline": "old", "gates": ["new.recall.low >= 0.6"]}
    costs = {"false_negative": 3, "false_positive": 1}
    signals = {"new": 0.9, "old": 0.5}
    return _binary(random, len(group), signals, extra={"group": group}, costs=costs, **spec)


def _time(random: Generator) -> Shape:
    return _binary(
        random, 240, {"a": 0.9, "b": 0.7}, extra={"day": np.arange(240)}, columns={"time": "day"}
    )


def _leak(random: Generator) -> Shape:
    spec, frame = _binary(random, 80, {"a": 1.0, "b": 0.6}, extra={"id": np.arange(80)})
    role = pl.when(pl.col("id") < 30).then(pl.lit("train")).otherwise(pl.lit("test"))
    frame = frame.with_columns(role=role)
    again = frame.filter(role="train").head(10).with_columns(role=pl.lit("test"))
    columns = {"id": "id", "role": "role"}
    return spec | {"columns": columns, "gates": ["a.auc >= 0.7"]}, pl.concat([frame, again])


def _one_class(random: Generator) -> Shape:
    spec, frame = _binary(random, 40, {"a": 1.0, "b": 0.6})
    return spec, frame.with_columns(y=pl.lit(1))


def _rare(random: Generator) -> Shape:
    spec = {"threshold": {"maximise": "f1"}, "prevalence": 0.002}
    costs = {"false_negative": 100, "false_positive": 1}
    return _binary(random, 1500, {"boosted": 1.3, "rules": 0.9}, 0.015, costs=costs, **spec)


def _classes(random: Generator) -> Shape:
    """Four classes, of which one has no rows and one hardly any."""
    truth = random.choice(3, 120, p=[0.6, 0.33, 0.07])
    names = ["cat", "dog", "hen", "yak"]
    columns: dict[str, Any] = {"y": np.array(names)[truth]}
    models: dict[str, Any] = {}
    for model, signal in (("net", 2.2), ("tree", 1.4)):
        logits = signal * np.eye(4)[truth] + random.normal(size=(120, 4)) - [0, 0, 2, 4]
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        columns |= {f"{model}_{n}": shares[:, k] for k, n in enumerate(names)}
        models[model] = {"scores": {n: f"{model}_{n}" for n in names}}
    spec = {"truth": "y", "classes": names, "models": models, "gates": ["net.accuracy >= 0.7"]}
    return spec, pl.DataFrame(columns)


def _class_labels(random: Generator) -> Shape:
    truth = random.choice(["red", "green", "blue"], 130)
    guess = random.choice(["red", "green", "blue"], 130)
    tree = np.where(random.random(130) < 0.7, truth, guess)
    frame = pl.DataFrame({"y": truth, "tree": tree, "guess": guess, "all": ["red"] * 130})
    models = {m: {"label": m} for m in ("tree", "guess", "all")}
    gates = ["tree.macro_f1 >= 0.5", "tree.accuracy - guess.accuracy >= 0.3"]
    return {"truth": "y", "models": models, "baseline": "all", "gates": gates}, frame


def _labels(random: Generator) -> Shape:
    """Three labels, of which one is rare, with rows that have none."""
    truth = random.random((120, 3)) < [0.3, 0.15, 0.05]
    truth[:20] = False
    names = ["sport", "politics", "chess"]
    columns: dict[str, Any] = {f"is_{n}": truth[:, k].astype(int) for k, n in enumerate(names)}
    models: dict[str, Any] = {}
    for model, signal in (("good", 1.5), ("guess", 0.0)):
        columns |= {
            f"{model}_{n}": _scores(random, truth[:, k], signal) for k, n in enumerate(names)
        }
        models[model] = {"scores": {n: f"{model}_{n}" for n in names}}
    return {"truth": {n: f"is_{n}" for n in names}, "models": models}, pl.DataFrame(columns)


def _estimates(random: Generator, truth: np.ndarray, **more: Any) -> Shape:
    errors = {"ridge": 0.5, "forest": 0.6, "mean": 0.0}
    columns = {m: truth + s * random.normal(size=len(truth)) for m, s in errors.items()}
    columns["mean"] = np.full(len(truth), truth.mean())
    models = {m: {"estimate": m} for m in errors}
    spec = {"task": "regression", "truth": "y", "models": models, "baseline": "mean"}
    return spec | more, pl.DataFrame({"y": truth, **columns})


def _outliers(random: Generator) -> Shape:
    truth = random.normal(size=120)
    spec, frame = _estimates(random, truth, gates=["ridge.r2 >= 0.2", "ridge.mae <= 1"])
    far = pl.when(pl.int_range(pl.len()) < 2).then(60.0).otherwise("y")
    return spec, frame.with_columns(y=far)


def _counts(random: Generator) -> Shape:
    truth = random.poisson(1.2, 150).astype(float)
    return _estimates(random, truth, comparisons={"margin": 0.2})


def _zeros(random: Generator) -> Shape:
    spec, frame = _estimates(random, np.zeros(30))
    return spec, frame


def _few_estimates(random: Generator) -> Shape:
    return _estimates(random, random.normal(size=int(random.choice([4, 6, 12]))))


def _values(random: Generator) -> Shape:
    """Five learners on some data sets, of which two lack a value."""
    sets = int(random.choice([3, 4, 7, 12]))
    bonus = {"tree": 0.0, "bayes": 0.01, "svm": 0.04, "boosted": 0.05, "majority": -0.15}
    rows = [
        {"set": f"s{d}", "model": m, "value": round(0.75 + b + 0.03 * random.normal(), 3)}
        for d in range(sets)
        for m, b in bonus.items()
        if (d, m) not in {(2, "svm"), (3, "tree")} or sets < 7
    ]
    columns = {"dataset": "set", "model": "model", "value": "value"}
    spec: dict[str, Any] = {"task": "comparison", "columns": columns, "measure": "accuracy"}
    if random.random() < 0.5:
        spec["baseline"] = "tree"
    return spec, pl.DataFrame(rows)


def _error_rates(random: Generator) -> Shape:
    rows = [
        {"set": k, "model": "tree", "value": e} for k, e in enumerate(random.normal(0.12, 0.02, 8))
    ]
    columns = {"dataset": "set", "model": "model", "value": "value"}
    claims = {"claims": ["tree.error_rate = 0.1", "tree.error_rate <= 0.15"]}
    spec = {"task": "comparison", "columns": columns, "measure": "error_rate"}
    return spec | {"comparisons": claims}, pl.DataFrame(rows)


SHAPES: dict[str, Callable[[Generator], Shape]] = {
    "few rows": _sizes,
    "extremes": _extremes,
    "equal models": _equal,
    "weighted labels": _weights,
    "twelve guesses": _guesses,
    "folds": _folds,
    "repeats": _repeats,
    "leave-one-out": _leave_one_out,
    "groups": _groups,
    "time": _time,
    "leak": _leak,
    "one class": _one_class,
    "rare": _rare,
    "classes": _classes,
    "class labels": _class_labels,
    "labels": _labels,
    "outliers": _outliers,
    "counts": _counts,
    "zeros": _zeros,
    "few estimates": _few_estimates,
    "values": _values,
    "error rates": _error_rates,
}
