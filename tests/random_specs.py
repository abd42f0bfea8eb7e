"""Specs and frames at random: every task with any columns, options and sizes together.

A combination may be refused; it may not end in a bug.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import numpy as np
import polars as pl

Columns = dict[str, Any]
Spec = dict[str, Any]

MEASURES: Mapping[str, tuple[str, ...]] = {
    "binary": ("auc", "accuracy", "f1", "recall", "brier_score", "mcc", "average_precision"),
    "multiclass": ("accuracy", "kappa", "mcc", "log_loss", "brier_score", "error_rate"),
    "multilabel": ("hamming_loss", "subset_accuracy"),
    "regression": ("mean_absolute_error", "mean_squared_error", "r2"),
}


def random_spec(seed: int) -> tuple[Spec, pl.DataFrame]:
    """A spec, and the rows that it is about."""
    draw, random = Random(seed), np.random.default_rng(seed)
    task = draw.choice(tuple(MEASURES))
    rows = draw.choice((1, 2, 5, 12, 40, 120, 400))
    names = [f"m{k}" for k in range(draw.choice((1, 2, 3, 6)))]
    spec: Spec = {"task": task, "models": {}, "bootstrap": {"replicates": draw.choice((0, 20))}}
    columns = _TASKS[task](draw, random, rows, names, spec)
    _add_columns(draw, random, spec, columns)
    _add_options(draw, names, MEASURES[task], spec)
    return spec, pl.DataFrame(columns)


def _two_classes(
    draw: Random, random: np.random.Generator, rows: int, names: list[str], spec: Spec
) -> Columns:
    signal = random.normal(size=rows)
    truth = signal + 0.3 * random.normal(size=rows) > draw.choice((0.0, 0.8, 1.9))
    columns: Columns = {"y": np.where(truth, "yes", "no")}
    spec |= {"truth": "y", "positive": "yes", "prevalence": draw.choice((None, 0.1))}
    for name in names:
        scores = 1 / (1 + np.exp(-draw.choice((0, 1, 3)) * signal - random.normal(size=rows)))
        form = draw.choice(("score", "rounded", "constant", "label"))
        spec["models"][name] = {"label" if form == "label" else "score": name}
        columns[name] = {
            "score": scores,
            "rounded": scores.round(1),
            "constant": np.full(rows, 0.5),
            "label": np.where(scores > 0.5, "yes", "no"),
        }[form]
    return columns


def _several_classes(
    draw: Random, random: np.random.Generator, rows: int, names: list[str], spec: Spec
) -> Columns:
    labels = np.array([f"c{k}" for k in range(draw.choice((3, 4, 8)))])
    truth = np.concatenate([np.arange(len(labels)), random.integers(0, len(labels), rows)])
    columns: Columns = {"y": labels[truth]}
    spec["truth"] = "y"
    for name in names:
        logits = random.normal(size=(len(truth), len(labels)))
        logits[np.arange(len(truth)), truth] += draw.choice((0, 1, 4))
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        if draw.random() < 0.25:
            columns[name] = labels[shares.argmax(axis=1)]
            spec["models"][name] = {"label": name}
            continue
        columns |= {f"{name}_{label}": shares[:, k] for k, label in enumerate(labels)}
        spec["models"][name] = {"scores": {str(label): f"{name}_{label}" for label in labels}}
    return columns


def _labels(
    draw: Random, random: np.random.Generator, rows: int, names: list[str], spec: Spec
) -> Columns:
    labels = [f"l{k}" for k in range(draw.choice((2, 3, 6)))]
    truth = random.random((rows, len(labels))) < 0.05 + 0.6 * random.random(len(labels))
    columns: Columns = {label: truth[:, k].astype(int) for k, label in enumerate(labels)}
    spec["truth"] = {label: label for label in labels}
    for name in names:
        logits = draw.choice((0, 0.7, 2)) * (2 * truth - 1) + random.normal(size=truth.shape)
        columns |= {f"{name}_{k}": 1 / (1 + np.exp(-logits[:, k])) for k in range(len(labels))}
        spec["models"][name] = {"scores": {c: f"{name}_{k}" for k, c in enumerate(labels)}}
    return columns


def _numbers(
    draw: Random, random: np.random.Generator, rows: int, names: list[str], spec: Spec
) -> Columns:
    truth = (50 + 10 * random.normal(size=rows)).round(draw.choice((0, 3)))
    columns: Columns = {"y": truth}
    spec["truth"] = "y"
    for name in names:
        errors = random.standard_t(draw.choice((2, 30)), rows)
        columns[name] = truth * draw.choice((1, 0.8)) + draw.choice((0, 1, 5)) * errors
        spec["models"][name] = {"estimate": name}
    return columns


_TASKS: Mapping[str, Callable[..., Columns]] = {
    "binary": _two_classes,
    "multiclass": _several_classes,
    "multilabel": _labels,
    "regression": _numbers,
}


def _add_columns(draw: Random, random: np.random.Generator, spec: Spec, columns: Columns) -> None:
    rows = len(next(iter(columns.values())))
    further = {
        "group": random.integers(0, draw.choice((1, 3, 1 + rows // 4, 1 + rows)), rows),
        "weight": random.choice([1.0, 2.0, 0.5, 3.3], rows),
        "fold": random.integers(0, 5, rows),
        "time": np.arange(rows),
        "id": np.arange(rows),
    }
    chosen = [role for role in further if draw.random() < 0.3]
    columns |= {role: further[role] for role in chosen}
    spec["columns"] = {role: role for role in chosen}
    if draw.random() < 0.4:
        columns["site"] = random.choice(["A", "B", "C"], rows, p=[0.6, 0.35, 0.05])
        spec["slices"] = ["site"]


def _add_options(draw: Random, names: list[str], measures: tuple[str, ...], spec: Spec) -> None:
    def measure() -> str:
        return f"{draw.choice(names)}.{draw.choice(measures)}"

    spec["gates"] = [f"{measure()}{draw.choice(('', '.low'))} >= 0.5"]
    if "slices" in spec:
        spec["gates"].append(f"{measure()} by site >= 0.4")
    compared = {
        "margin": draw.choice((None, 0.05)),
        "claims": draw.choice(([], [f"{measure()} >= 0.5"])),
    }
    spec |= {"comparisons": compared, "measures": draw.choice(("core", "all"))}
    spec["baseline"] = draw.choice((None, names[-1])) if len(names) > 1 else None
    spec["privacy"] = {"small_cells": draw.choice((None, None, None, 5))}
    spec["engine"] = draw.choice(("exact", "exact", "streaming"))
