"""What makes a small evaluation quick where the limits of derived measures are not the point."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

BY_DELTA: dict[str, Any] = {"intervals": {"ratios": "delta"}}
"""Without the search for limits that takes two fifths of a small evaluation."""

QUICK: dict[str, Any] = {"bootstrap": {"replicates": 0}, **BY_DELTA}
"""Without resampling either."""

FEW: dict[str, Any] = {"bootstrap": {"replicates": 200}}
"""With every kind of limits, where how exactly they are resampled is not the point."""

HALF = settings(max_examples=settings().max_examples // 2)
"""Half of the examples of the profile, where each takes long."""
