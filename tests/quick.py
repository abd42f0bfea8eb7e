"""What makes a small evaluation quick where the limits of derived measures are not the point."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

from reportgen.spec import Spec

BY_DELTA: dict[str, Any] = {"intervals": {"ratios": "delta"}}
"""Without the search for limits that takes two fifths of a small evaluation."""

QUICK: dict[str, Any] = {"bootstrap": {"replicates": 0}, **BY_DELTA}
"""Without resampling either."""

FEW: dict[str, Any] = {"bootstrap": {"replicates": 200}}
"""With every kind of limits, where how exactly they are resampled is not the point."""

BINARY_SPEC = Spec.model_validate(
    {"data": "d.csv", "truth": "y", "positive": "1", "models": {"m": {"score": "s"}}}
)
"""One where what it declares is not the point: 95 % limits, and the default of each."""

HALF = settings(max_examples=settings().max_examples // 2)
"""Half of the examples of the profile, where each takes long."""
