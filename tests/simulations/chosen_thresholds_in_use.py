"""Limits at a stated prevalence where rows chose the threshold.

``python -m tests.simulations.chosen_thresholds_in_use RUNS`` draws rows of which 30 or 50 % are
positive, and chooses the threshold that has the most F1, informedness or accuracy, or costs least
in these rows or at the stated prevalence. It prints the share of data sets in which the end of a
95 % interval that a gate reads is on the wrong side of the value that the threshold has where
positives are as frequent as stated: a lower limit above it, of costs and the error rate an upper
limit below it. Nominal is 0.025; each line has the largest share over rows and prevalences, with
limits of a fixed threshold and with those of a report.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.concluding.costs_in_use import cost_of_rates
from reportgen.concluding.model_values import ModelValue
from reportgen.curves import predictive_values
from reportgen.measuring.chosen_thresholds import for_every_threshold
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.metrics import METRICS
from reportgen.records.model import typed
from reportgen.tables import Metrics
from tests.quick import BINARY_SPEC
from tests.simulations.chosen_thresholds import CELLS, COSTS, drawn

NAMES = ("recall", "specificity", "positive_likelihood_ratio", "negative_likelihood_ratio")
MEASURES = tuple(METRICS[name] for name in NAMES)
RULES = ("f1", "informedness", "accuracy", "least cost", "least cost, stated")
ROWS, PREVALENCES, STATED = (100, 300, 1000), (0.3, 0.5), (0.02, 0.1)
SHIFTS = {"no signal": 0.0, "AUC 0.76": 1.0, "AUC 0.92": 2.0}
HIGHER = ("precision", "negative predictive value")


def values(metrics: pl.DataFrame, model: str, stated: float) -> dict[str, ModelValue]:
    """The cost per row and the error rate of a model at the stated prevalence."""
    rates = {
        row["metric"]: ModelValue(row["value"], row["low"], row["high"])
        for row in metrics.filter(model=model).iter_rows(named=True)
    }
    shares = {"cost": COSTS["false_negative"] * stated, "error rate": stated}
    return {
        name: cost_of_rates(
            (of_miss, rates["recall"]), (1 - stated, rates["specificity"]), limited=True
        )
        for name, of_miss in shares.items()
    }


def missed(
    rule: str, rows: int, prevalence: float, shift: float, stated: float, runs: int
) -> Iterator[tuple[str, float, float]]:
    """How often the limits of each measure miss: of a fixed threshold, and of a report."""
    random = np.random.default_rng([rows, round(100 * stated), round(10 * shift), len(rule)])
    odds = stated / (1 - stated) * (1 - prevalence) / prevalence
    times = odds if rule.endswith("stated") else 1.0
    plain = rule.removesuffix(", stated")
    sets = [drawn(plain, rows, prevalence, shift, random, times) for _ in range(runs)]
    counts = pl.DataFrame(np.array([one for one, _ in sets]), schema=list(CELLS), orient="row")
    squares = {f"{cell}2": pl.col(cell) for cell in CELLS}
    limits = MetricSubject("").limits_of(MEASURES).of_counts(counts.with_columns(**squares))
    models = [str(index) for index in range(runs)]
    fixed = typed(
        Metrics,
        [
            row
            for model, one in zip(models, limits, strict=True)
            for row in MetricSubject(model).from_values(MEASURES, one)
        ],
    )
    records = [
        {"name": model, "outputs": ["score"], "threshold_role": "same rows"} for model in models
    ]
    every = for_every_threshold(fixed, records, "binary", BINARY_SPEC)
    shares: dict[str, list[float]] = {}
    for table in (fixed, every):
        predictive = predictive_values(table, stated)
        misses: dict[str, int] = {}
        for (_, true), row in zip(sets, predictive.iter_rows(named=True), strict=True):
            _count(misses, true, row, values(table, row["model"], stated))
        for name, count in misses.items():
            shares.setdefault(name, []).append(count / runs)
    for name, both in shares.items():
        yield name, both[0], both[1]


def _count(
    misses: dict[str, int], true: Floats, row: dict[str, float], costs: dict[str, ModelValue]
) -> None:
    """Count the limits of one data set that are on the wrong side of the truth."""
    tp, fp, fn, tn = true
    stated = row["prevalence"]
    kept, right = stated * tp / (tp + fn), (1 - stated) * tn / (tn + fp)
    fails, alarms = stated - kept, 1 - stated - right
    ends = {
        "precision": (row["positive_low"], kept / (kept + alarms) if kept + alarms else None),
        "negative predictive value": (
            row["negative_low"],
            right / (right + fails) if right + fails else None,
        ),
        "cost": (costs["cost"].high, COSTS["false_negative"] * fails + alarms),
        "error rate": (costs["error rate"].high, fails + alarms),
    }
    for name, (end, value) in ends.items():
        misses.setdefault(name, 0)
        if end is not None and value is not None:
            sign = 1 if name in HIGHER else -1
            misses[name] += sign * (end - value) > 1e-9


def main(runs: str = "1000") -> None:
    """Print the largest shares of each rule."""
    for rule, (signal, shift) in product(RULES, SHIFTS.items()):
        shares: dict[str, list[tuple[float, float]]] = {}
        for rows, prevalence, stated in product(ROWS, PREVALENCES, STATED):
            for name, *both in missed(rule, rows, prevalence, shift, stated, int(runs)):
                shares.setdefault(name, []).append((both[0], both[1]))
        texts = (
            f"{name} {max(a):.3f} → {max(b):.3f}"
            for name, (a, b) in ((name, zip(*each, strict=True)) for name, each in shares.items())
        )
        print(f"{rule}, {signal}: {', '.join(texts)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
