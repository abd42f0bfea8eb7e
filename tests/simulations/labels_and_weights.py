"""Labels between models; weighted rows in groups: ``… tests.simulations.labels_and_weights 200``.

Reports of two models that differ in nothing. Of three labels the share in which a recommended test
of a pair rejects, rows alone and 40 groups of 15 that share part of what varies; of two and three
classes with weights in such groups the share of limits that hold the measure of a long sample, and
of limits of differences that leave out 0. ``… labels_and_weights groups 4000``: the same labels in
groups, and Student's t of the sums by group alone, which is fast.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
from scipy.special import expit, softmax
from scipy.stats import ttest_1samp

from reportgen.results import Results, evaluate
from tests.coverage.designs import Floats
from tests.simulations.situations import Generator

LABELS = CLASSES = "xyz"
ROWS, SIZE, LONG = 600, 15, 300_000
LABEL_MEASURES = ("f1", "hamming_loss", "mcc", "auc")
MEASURES = ("mcc", "cohen_kappa", "f1", "balanced_accuracy", "accuracy")


def varying(random: Generator, rows: int, size: int, columns: int) -> Floats:
    """Standard normal numbers, of which groups of ``size`` rows share a third of the variance."""
    noise = random.normal(size=(rows, columns))
    if size == 1:
        return noise
    shared = np.repeat(random.normal(size=(rows // size, columns)), size, axis=0)
    result: Floats = np.sqrt(2 / 3) * noise + np.sqrt(1 / 3) * shared
    return result


def of_labels(random: Generator, rows: int, size: int) -> pl.DataFrame:
    """Three labels, rare to frequent, and two models that know as much."""
    truth = varying(random, rows, size, 3) > np.array([1.0, 0.5, 0.0])
    table: dict[str, Any] = {label: truth[:, k].astype(int) for k, label in enumerate(LABELS)}
    for model in "ab":
        score = expit(1.5 * (2 * truth - 1) + 1.5 * varying(random, rows, size, 3))
        table |= {f"{model}{label}": score[:, k] for k, label in enumerate(LABELS)}
    return pl.DataFrame(table).with_columns(group=pl.Series(np.arange(rows) // size))


def of_classes(random: Generator, rows: int, classes: int) -> pl.DataFrame:
    """Classes in groups, two models that know as much, and weights of rows and of groups."""
    truth = varying(random, rows, SIZE, classes).argmax(axis=1)
    group = np.arange(rows) // SIZE
    weight = np.exp(0.4 * random.normal(size=rows // SIZE))[group] * random.choice([1.0, 3.0], rows)
    named = np.array(list(CLASSES))[truth] if classes == 3 else truth
    table: dict[str, Any] = {"truth": named, "group": group, "weight": weight}
    for model in "ab":
        odds = 1.3 * np.eye(classes)[truth] + varying(random, rows, SIZE, classes)
        table |= {f"{model}{k}": v for k, v in enumerate(softmax(odds, axis=1).T)}
    return pl.DataFrame(table)


def label_report(frame: pl.DataFrame, *, groups: bool) -> Results:
    """A report that names measures of labels."""
    spec: dict[str, Any] = {
        "truth": {label: label for label in LABELS},
        "models": {m: {"scores": {label: m + label for label in LABELS}} for m in "ab"},
        "comparisons": {"measures": ["f1", "hamming_loss"]},
        "bootstrap": {"replicates": 199},
    }
    columns = {"columns": {"group": "group"}} if groups else {}
    return evaluate({"data": "frame", **spec, **columns}, frame)


def class_report(frame: pl.DataFrame, classes: int) -> Results:
    """A report of weighted rows in groups."""
    models: dict[str, Any] = {m: {"score": f"{m}1"} for m in "ab"}
    if classes == 3:
        models = {m: {"scores": {c: f"{m}{k}" for k, c in enumerate(CLASSES)}} for m in "ab"}
    columns = {"group": "group", "weight": "weight"}
    spec = {"data": "frame", "truth": "truth", "models": models, "columns": columns}
    return evaluate({**spec, "bootstrap": {"replicates": 0}}, frame)


def values(results: Results) -> dict[tuple[str, str | None], tuple[float | None, ...]]:
    """Value and limits of the measures of model a over all rows."""
    rows = results.metrics.filter(
        pl.col("model") == "a",
        pl.all_horizontal(pl.col("slice", "class").is_null()),
        pl.col("metric").is_in(MEASURES),
    )
    named = rows.select("metric", "average", "value", "low", "high").iter_rows()
    return {(metric, average): tuple(of) for metric, average, *of in named}


def levels_of_labels(rows: int, size: int, reports: int) -> Counter[str]:
    """How many reports recommend a test of a measure, and reject by it, or name a winner."""
    random, counts = np.random.default_rng([rows, size]), Counter[str]()
    for _ in range(reports):
        results = label_report(of_labels(random, rows, size), groups=size > 1)
        chosen = results.comparisons.filter(recommendation="recommended")
        for metric, name, p in chosen.select("metric", "comparison", "p_value").iter_rows():
            counts[f"{metric} by {name}, recommended"] += 1
            counts[f"{metric} by {name}, rejected"] += p < 0.05
        counts["winner"] += results.decision.relation in ("ahead", "mixed")
    return counts


def coverage_of_classes(classes: int, reports: int) -> tuple[Counter[str], Counter[str]]:
    """How often limits exist and hold, and limits of differences exist and leave out 0."""
    random = np.random.default_rng(classes)
    true = values(class_report(of_classes(random, LONG, classes), classes))
    single, pairs = Counter[str](), Counter[str]()
    for _ in range(reports):
        results = class_report(of_classes(random, ROWS, classes), classes)
        for key, (_, low, high) in values(results).items():
            if low is not None and high is not None:
                name = " ".join(filter(None, key))
                single[f"{name}, exists"] += 1
                single[f"{name}, holds"] += low <= (true[key][0] or 0.0) <= high
        named = results.differences.drop_nulls("low").select("metric", "low", "high")
        for metric, low, high in named.iter_rows():
            if metric in MEASURES or metric.startswith("macro"):
                pairs[f"{metric}, exists"] += 1
                pairs[f"{metric}, leaves out 0"] += not low <= 0 <= high
    return single, pairs


def by_sums(sets: int) -> tuple[float, float]:
    """How often t of the sums by group rejects, of the Hamming loss and the subset accuracy."""
    random, rejected = np.random.default_rng(3), np.zeros(2)
    for _ in range(sets):
        frame = of_labels(random, ROWS, SIZE)
        truth = frame.select(list(LABELS)).to_numpy()
        wrong = [(frame.select(m + k for k in LABELS).to_numpy() >= 0.5) != truth for m in "ab"]
        lost = [(w.mean(axis=1), w.any(axis=1).astype(float)) for w in wrong]
        sums = [(a - b).reshape(-1, SIZE).sum(axis=1) for a, b in zip(*lost, strict=True)]
        rejected += [ttest_1samp(values, 0).pvalue < 0.05 for values in sums]
    return tuple(rejected / sets)


def main(reports: str = "200", sets: str = "4000") -> None:
    """Print the counts of each design."""
    if reports == "groups":
        print("labels in 40 groups, by sums:", by_sums(int(sets)))
        return
    for classes in (2, 3):
        for counts in coverage_of_classes(classes, int(reports)):
            print(
                f"{classes} classes, 40 groups, weights:", dict(sorted(counts.items())), flush=True
            )
    for rows, size in ((200, 1), (ROWS, SIZE)):
        counts = levels_of_labels(rows, size, int(reports))
        print(f"labels, {rows} rows in {size}:", dict(sorted(counts.items())), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
