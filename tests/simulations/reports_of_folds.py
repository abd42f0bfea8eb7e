"""Whole reports of groups left out one at a time, and of 3 × 10 folds: what they conclude.

``python -m tests.simulations.reports_of_folds 100``: reports of two learners of which neither is
better, each from features of its own that say as much. Of each design the share of reports in which
a recommended test of a pair rejects, by measure, that in which it is recommended, and the share in
which page one names a winner.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from scipy.special import softmax

from reportgen.results import Results, evaluate
from tests.coverage.designs import Floats
from tests.simulations.situations import Generator

TASKS = ("binary", "multiclass", "regression")
CLASSES = "xyz"
SIZE, FEATURES = 10, 3
"""Rows of a group, and features of a learner."""

Fit = tuple[int, int, Floats]
"""Repeat, fold, and the rows that it is tested on."""


def splits(random: Generator, rows: int, *, groups: bool) -> Iterator[Fit]:
    """Each group of rows alone, or ten random parts three times."""
    if groups:
        for group in range(rows // SIZE):
            yield 0, group, np.flatnonzero(np.arange(rows) // SIZE == group)
        return
    for repeat in range(3):
        part = random.permutation(rows) % 10
        for fold in range(10):
            yield repeat, fold, np.flatnonzero(part == fold)


def predicted(task: str, seen: Floats, truth: Floats, test: Floats) -> Floats:
    """Of the rows of a test part: probabilities of the classes by centroids, or least squares."""
    train = np.setdiff1d(np.arange(len(truth)), test)
    if task == "regression":
        design = np.column_stack([np.ones(len(truth)), seen])
        fit = np.linalg.lstsq(design[train], truth[train], rcond=None)[0]
        return np.asarray(design[test] @ fit)
    classes = np.unique(truth)
    centres = np.stack([seen[train][truth[train] == k].mean(axis=0) for k in classes])
    away = np.square(seen[test][:, None] - centres).sum(axis=2)
    return np.asarray(softmax(-away / 2, axis=1))


def data(random: Generator, task: str, rows: int, *, groups: bool) -> tuple[Floats, Floats]:
    """Truth, and the features of both learners; of groups half of their noise is shared."""
    noise = random.normal(size=(2, rows, FEATURES))
    if groups:
        shared = np.repeat(random.normal(size=(2, rows // SIZE, FEATURES)), SIZE, axis=1)
        noise = np.sqrt(0.5) * (noise + shared)
    if task == "regression":
        latent = random.normal(size=rows)
        return latent, latent[:, None] + 1.5 * noise
    truth = random.integers(0, 2 if task == "binary" else 3, rows)
    centres = np.eye(FEATURES)[truth]
    return truth.astype(float), 1.2 * centres + noise


def frame_of(random: Generator, task: str, rows: int, *, groups: bool) -> pl.DataFrame:
    """The predictions of both learners in all fits."""
    truth, seen = data(random, task, rows, groups=groups)
    fits = []
    for repeat, fold, test in splits(random, rows, groups=groups):
        columns: dict[str, Any] = {"id": test, "repeat": repeat, "fold": fold}
        columns |= {"group": test // SIZE, "truth": truth[test]}
        for model, own in zip("ab", seen, strict=True):
            given = predicted(task, own, truth, test)
            if task == "regression":
                columns[model] = given
            else:
                columns |= {
                    f"{model}{c}": given[:, k] for k, c in enumerate(CLASSES[: given.shape[1]])
                }
        fits.append(pl.DataFrame(columns))
    frame = pl.concat(fits)
    if task == "regression":
        return frame
    named = pl.col("truth").cast(pl.Int64)
    labels = dict(enumerate(CLASSES))
    return frame.with_columns(truth=named.replace_strict(labels) if task == "multiclass" else named)


def report(random: Generator, task: str, rows: int, *, groups: bool) -> Results:
    """A report of one data set."""
    outputs: dict[str, Any] = {
        "binary": {m: {"score": f"{m}y"} for m in "ab"},
        "multiclass": {m: {"scores": {c: f"{m}{c}" for c in CLASSES}} for m in "ab"},
        "regression": {m: {"estimate": m} for m in "ab"},
    }
    columns = {
        "id": "id",
        "fold": "fold",
        **({"group": "group"} if groups else {"repeat": "repeat"}),
    }
    spec = {"data": "frame", "truth": "truth", "models": outputs[task], "columns": columns}
    frame = frame_of(random, task, rows, groups=groups)
    return evaluate({**spec, "bootstrap": {"replicates": 0}}, frame)


def concluded(task: str, rows: int, reports: int, *, groups: bool) -> Counter[str]:
    """How many reports recommend a test of a measure, how many reject, and name a winner."""
    random, counts = np.random.default_rng([rows, TASKS.index(task), groups]), Counter[str]()
    for _ in range(reports):
        results = report(random, task, rows, groups=groups)
        recommended = results.comparisons.filter(
            pl.col("slice").is_null(), pl.col("recommendation") == "recommended"
        )
        for metric, name, p in recommended.select("metric", "comparison", "p_value").iter_rows():
            counts[f"{metric} by {name}, recommended"] += 1
            counts[f"{metric} by {name}, rejected"] += p < 0.05
        decision = results.decision
        significant = any(model.significant for model in decision.models)
        counts["winner"] += decision.relation in ("ahead", "mixed") or significant
    return counts


def main(reports: str = "100") -> None:
    """Print the counts of each design."""
    for groups in (True, False):
        for task in TASKS:
            rows = 300 if groups else 150
            counts = concluded(task, rows, int(reports), groups=groups)
            of = f"{rows // SIZE} groups, each left out" if groups else f"{rows} rows, 3 × 10 folds"
            print(f"{task}, {of}, {reports} reports:", dict(sorted(counts.items())), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
