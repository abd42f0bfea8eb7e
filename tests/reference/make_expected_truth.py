"""Write expected_truth.json: truth against what a model predicts of it, by statsmodels and SciPy.

Events: the mid-p test of a Poisson number against its mean, and its limits. Predicted probabilities
are alike, with p and the counts such that numbers over 1 − p are integers, as statsmodels wants
them. Errors: the t-test of symmetric errors, which have no skewness to allow for.

    uv run --no-project --with statsmodels --with scipy
        python tests/reference/make_expected_truth.py
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.stats import ttest_1samp
from statsmodels.stats.rates import confint_poisson, test_poisson

EVENTS = [(40, 30, 0.5), (100, 70, 0.5), (30, 24, 0.4), (30, 6, 0.6)]
"""Rows, events, and the predicted probability of every row: those of a number that varies no more
than p says."""

ERRORS = [[-1.0, 0.5, 2.0], [0.1, 0.2, 0.4, 0.8, 1.0, 1.1], [-3.5, -2.0, -2.0, -0.5]]


def of_events(rows: int, events: int, forecast: float) -> dict[str, float]:
    """The test of the rarer of events and non-events, whose limits are those of the events."""
    is_rarer = forecast <= 0.5
    number, p = (events, forecast) if is_rarer else (rows - events, 1 - forecast)
    count, mean = round(number / (1 - p)), rows * p / (1 - p)
    tested = test_poisson(count, 1, value=mean, method="midp-c")
    low, high = (limit * (1 - p) for limit in confint_poisson(count, 1, method="midp-c"))
    if not is_rarer:
        low, high = rows - high, rows - low
    expected = rows * forecast
    limits = {"low": float(low) / expected, "high": float(high) / expected}
    given = {"rows": rows, "events": events, "forecast": forecast}
    return {**given, "p": float(tested.pvalue), **limits}


def of_errors(errors: list[float]) -> dict[str, object]:
    """The t-test of their mean against 0, with its limits."""
    tested = ttest_1samp(np.array(errors), 0.0)
    limits = tested.confidence_interval(0.95)
    return {
        "errors": errors,
        "p": float(tested.pvalue),
        "low": float(limits.low),
        "high": float(limits.high),
    }


if __name__ == "__main__":
    values = {
        "oracles": {name: version(name) for name in ("statsmodels", "scipy")},
        "events": [of_events(*one) for one in EVENTS],
        "errors": [of_errors(errors) for errors in ERRORS],
    }
    path = Path(__file__).parent / "expected_truth.json"
    path.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
