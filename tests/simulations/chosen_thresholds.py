"""Limits at a threshold that the rows chose: ``python -m tests.simulations.chosen_thresholds``.

The share of data sets in which a 95 % limit that a gate reads is on the wrong side of the value
that the chosen threshold has in further rows: a lower limit above it, of costs an upper limit below
it. Nominal is 0.025. Each line is a rule and a measure, the largest share over rows and classes:
with limits of a fixed threshold, and with those of a report (``reportgen/measuring`` has them).
Data sets in which the measure has no value count as no miss. 2,000 data sets each:

- f1, no signal: precision 0.206 → 0.006, recall 0.200 → 0.011, specificity 0.080 → 0.002,
  accuracy 0.108 → 0.005, f1 0.189 → 0.008, informedness 0.218 → 0.012, mcc 0.218 → 0.012, cost
  0.159 → 0.017
- f1, AUC 0.76: precision 0.115 → 0.004, recall 0.165 → 0.007, specificity 0.065 → 0.004, accuracy
  0.118 → 0.005, f1 0.123 → 0.005, informedness 0.163 → 0.006, mcc 0.133 → 0.006, cost 0.137 →
  0.019
- informedness, no signal: precision 0.184 → 0.006, recall 0.250 → 0.009, specificity 0.149 →
  0.005, accuracy 0.209 → 0.007, f1 0.192 → 0.007, informedness 0.270 → 0.011, mcc 0.265 → 0.011,
  cost 0.170 → 0.018
- informedness, AUC 0.76: precision 0.087 → 0.003, recall 0.114 → 0.006, specificity 0.070 →
  0.004, accuracy 0.108 → 0.005, f1 0.102 → 0.006, informedness 0.117 → 0.005, mcc 0.126 → 0.007,
  cost 0.139 → 0.026
- accuracy, no signal: precision 0.130 → 0.004, recall 0.165 → 0.008, specificity 0.139 → 0.005,
  accuracy 0.266 → 0.013, f1 0.172 → 0.007, informedness 0.234 → 0.009, mcc 0.234 → 0.009, cost
  0.194 → 0.009
- accuracy, AUC 0.76: precision 0.102 → 0.006, recall 0.157 → 0.004, specificity 0.062 → 0.003,
  accuracy 0.128 → 0.004, f1 0.113 → 0.004, informedness 0.160 → 0.003, mcc 0.108 → 0.003, cost
  0.116 → 0.009
- least cost, no signal: precision 0.201 → 0.003, recall 0.210 → 0.003, specificity 0.037 → 0.002,
  accuracy 0.072 → 0.004, f1 0.146 → 0.003, informedness 0.189 → 0.004, mcc 0.155 → 0.004, cost
  0.065 → 0.004
- least cost, AUC 0.76: precision 0.114 → 0.004, recall 0.162 → 0.007, specificity 0.057 → 0.003,
  accuracy 0.101 → 0.006, f1 0.127 → 0.004, informedness 0.157 → 0.006, mcc 0.143 → 0.011, cost
  0.164 → 0.027
- precision at recall 0.9, no signal: precision 0.075 → 0.003, recall 0.074 → 0.005, specificity
  0.092 → 0.003, accuracy 0.086 → 0.003, f1 0.080 → 0.003, informedness 0.106 → 0.005, mcc 0.108 →
  0.005, cost 0.079 → 0.004
- precision at recall 0.9, AUC 0.76: precision 0.058 → 0.003, recall 0.053 → 0.004, specificity
  0.036 → 0.003, accuracy 0.057 → 0.003, f1 0.069 → 0.004, informedness 0.051 → 0.003, mcc 0.057 →
  0.004, cost 0.058 → 0.010
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl
from scipy.stats import norm

from reportgen.array_types import Floats
from reportgen.measuring.chosen_thresholds import for_every_threshold
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.metrics import METRICS, Metric
from reportgen.metrics.settings import ErrorCosts
from reportgen.records.model import typed
from reportgen.tables import Metrics
from tests.quick import BINARY_SPEC

CELLS = ("tp", "fp", "fn", "tn")
COSTS: ErrorCosts = {"false_negative": 5.0, "false_positive": 1.0}
RULES = {
    "f1": METRICS["f1"],
    "informedness": METRICS["informedness"],
    "accuracy": METRICS["accuracy"],
    "least cost": METRICS["cost_sensitive_error_rate"],
    "precision at recall 0.9": METRICS["precision"],
}
NAMES = ("precision", "recall", "specificity", "accuracy", "f1", "informedness", "mcc")
MEASURES = tuple(METRICS[name] for name in (*NAMES, "cost_sensitive_error_rate"))
ROWS, PREVALENCES, SHIFTS = (100, 300, 1000), (0.1, 0.5), {"no signal": 0.0, "AUC 0.76": 1.0}
MODEL = [{"name": "a", "outputs": ["score"], "threshold_role": "same rows"}]


def drawn(
    rule: str,
    rows: int,
    prevalence: float,
    shift: float,
    random: np.random.Generator,
    odds: float = 1.0,
) -> tuple[Floats, Floats]:
    """The counts at the threshold that is best by a rule, and their expectation in further rows.

    The rule reads counts whose positives are ``odds`` times as frequent as in the rows.
    """
    positive = np.zeros(rows, dtype=bool)
    while positive.all() or not positive.any():
        positive = random.random(rows) < prevalence
    score = random.normal(size=rows) + shift * positive
    order = np.argsort(-score)
    tp, fp = (np.append(0.0, np.cumsum(of)) for of in (positive[order], ~positive[order]))
    counts = np.column_stack([tp, fp, tp[-1] - tp, fp[-1] - fp])
    read = counts * [odds, 1.0, odds, 1.0]
    value = pl.DataFrame(read, schema=list(CELLS)).select(RULES[rule].expression(**COSTS))
    sign = 1.0 if RULES[rule].better == "higher" else -1.0
    height = sign * value.to_series().fill_null(np.nan).to_numpy()
    if rule.endswith("recall 0.9"):
        height[tp < 0.9 * tp[-1]] = np.nan
    best = int(np.nanargmax(height))
    threshold = score[order[best - 1]] if best else np.inf
    shares = (prevalence * norm.sf(threshold - shift), (1 - prevalence) * norm.sf(threshold))
    true = [*shares, prevalence - shares[0], 1 - prevalence - shares[1]]
    return counts[best], np.array(true)


def missed(
    rule: str, rows: int, prevalence: float, shift: float, runs: int
) -> Iterator[tuple[Metric, float, float]]:
    """How often the limits of each measure miss: of a fixed threshold, and of a report."""
    random = np.random.default_rng([rows, round(10 * prevalence), round(10 * shift), len(rule)])
    sets = [drawn(rule, rows, prevalence, shift, random) for _ in range(runs)]
    counts, true = (
        pl.DataFrame(np.array(part), schema=list(CELLS), orient="row")
        for part in zip(*sets, strict=True)
    )
    squares = {f"{cell}2": pl.col(cell) for cell in CELLS}
    limits = (
        MetricSubject("a").limits_of(MEASURES).of_counts(counts.with_columns(**squares), **COSTS)
    )
    expected = true.select(**{m.name: m.expression(**COSTS) for m in MEASURES})
    model = MetricSubject("a")
    fixed = typed(Metrics, [row for one in limits for row in model.from_values(MEASURES, one)])
    every = for_every_threshold(fixed, MODEL, "binary", BINARY_SPEC)
    for metric in MEASURES:
        end, sign = ("low", 1) if metric.better == "higher" else ("high", -1)
        of_true = expected[metric.name]
        yield (
            metric,
            *(
                float((sign * (t.filter(metric=metric.name)[end] - of_true) > 1e-9).sum()) / runs
                for t in (fixed, every)
            ),
        )


def main(runs: str = "2000") -> None:
    """Print the largest share of each rule and measure, and the largest of all."""
    for rule, (signal, shift) in product(RULES, SHIFTS.items()):
        shares: dict[str, list[tuple[float, float]]] = {}
        for rows, prevalence in product(ROWS, PREVALENCES):
            for metric, *both in missed(rule, rows, prevalence, shift, int(runs)):
                shares.setdefault(metric.name, []).append((both[0], both[1]))
        texts = (
            f"{name.removesuffix('_sensitive_error_rate')} {max(a):.3f} → {max(b):.3f}"
            for name, (a, b) in ((name, zip(*each, strict=True)) for name, each in shares.items())
        )
        print(f"{rule}, {signal}: {', '.join(texts)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
