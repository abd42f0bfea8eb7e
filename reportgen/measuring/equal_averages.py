"""Averages over classes that are another measure by definition, and share its interval."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.tables.results import MetricRow

SAME_NUMBER = {
    ("precision", "micro"): "accuracy",
    ("recall", "micro"): "accuracy",
    ("recall", "weighted"): "accuracy",
    ("recall", "macro"): "balanced_accuracy",
    ("f1", "micro"): "accuracy",
    ("f_half", "micro"): "accuracy",
    ("f2", "micro"): "accuracy",
    ("false_negative_rate", "macro"): "balanced_accuracy",
    ("false_negative_rate", "micro"): "error_rate",
    ("false_negative_rate", "weighted"): "error_rate",
    ("false_discovery_rate", "micro"): "error_rate",
}
"""Averages that are another measure by definition, or 1 minus it, and so have its interval."""


def one_interval(rows: Sequence[MetricRow]) -> list[MetricRow]:
    """Return the rows, each average that is another measure with the interval of that measure.

    A row of an average that is none, or without a row of that measure, is as it was.
    """
    of_all = {row["metric"]: row for row in rows if row["average"] is row["class"] is None}
    return [with_interval_of(of_all.get(_same_number(row), row), row) for row in rows]


def _same_number(row: MetricRow) -> str:
    """The measure that an average is by definition; empty where it is none."""
    return SAME_NUMBER.get((row["metric"], row["average"] or ""), "")


def with_interval_of(same: MetricRow, row: MetricRow) -> MetricRow:
    """Return a row with the interval of the same number, where both have one.

    A false-negative rate is 1 minus the balanced accuracy: its limits change places.
    """
    low, high = same["low"], same["high"]
    if low is None or high is None or row["value"] is None:
        return row
    if same["metric"] == "balanced_accuracy" and row["metric"] == "false_negative_rate":
        low, high = 1 - high, 1 - low
    return {**row, "low": low, "high": high, "interval": same["interval"]}
