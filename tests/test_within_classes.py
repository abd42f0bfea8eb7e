"""Which measures the shares of the two classes change: each is measured with one class repeated."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.metrics import METRICS

SPEC = {
    "truth": "y",
    "models": {"m": {"score": "p"}},
    "measures": "all",
    "costs": {"false_negative": 5, "false_positive": 1},
    "bootstrap": {"replicates": 0},
}


def measured(frame):
    of_all = reportgen.evaluate(SPEC, frame).metrics.filter(pl.col("average").is_null())
    return dict(of_all.select("metric", "value").iter_rows())


def test_a_measure_within_the_classes_is_the_same_whatever_their_shares_and_no_other_is():
    random = np.random.default_rng(1)
    positive = random.random(300) < 0.4
    score = np.where(positive, 0.6, 0.4) + random.normal(0, 0.2, 300)
    frame = pl.DataFrame({"y": positive, "p": score.clip(0.01, 0.99).round(3)})
    both = measured(frame)
    repeated = [
        measured(pl.concat([frame, frame.filter(y=label), frame.filter(y=label)]))
        for label in (True, False)
    ]

    rated = [metric for metric in METRICS.values() if metric.group != "count"]
    for metric in rated:
        values = [of[metric.name] for of in (both, *repeated)]
        same = values == pytest.approx([values[0]] * 3, rel=1e-9, abs=1e-12)
        assert same == metric.within_classes, (metric.name, values)
    assert sum(metric.within_classes for metric in rated) > 30
