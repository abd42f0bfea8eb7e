"""What makes a small evaluation quick where the limits of derived measures are not the point."""

from __future__ import annotations

from typing import Any

BY_DELTA: dict[str, Any] = {"intervals": {"ratios": "delta"}}
"""Without the search for limits that takes two fifths of a small evaluation."""

QUICK: dict[str, Any] = {"bootstrap": {"replicates": 0}, **BY_DELTA}
"""Without resampling either."""
