"""What makes a small evaluation quick where the limits of derived measures are not the point."""

from __future__ import annotations

from typing import Any

QUICK: dict[str, Any] = {"bootstrap": {"replicates": 0}, "intervals": {"ratios": "delta"}}
"""Without resampling, nor the search for limits that takes two fifths of a small evaluation."""
