"""What metrics take besides their frame: costs of errors, and the parameters of losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypedDict

CostMatrix = Sequence[Sequence[float]]
"""Costs of predicting a class (columns) for the rows of a class (lines)."""


class ErrorCosts(TypedDict):
    """Cost of each kind of error between two classes, per row."""

    false_negative: float
    false_positive: float


class MetricArguments(TypedDict, total=False):
    """Settings of metrics; each metric takes those that it has a parameter for."""

    false_negative: float
    false_positive: float
    costs: CostMatrix | None
    delta: float
    level: float


MetricSettings: TypeAlias = MetricArguments | ErrorCosts
"""Settings by name, such as the costs of a spec."""
