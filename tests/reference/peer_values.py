"""Values with the program that gave them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Values = dict[str, tuple[float | None, str]]
"""By measure, a program's value and its name."""


def number(value: Any) -> float | None:
    """The value as a number; what is no finite number is undefined."""
    if value is None or isinstance(value, str):
        return None
    return float(value) if np.isfinite(value) else None


def values_of(program: str, values: Mapping[str, Any]) -> Values:
    """Each value with the program that gave it."""
    return {name: (number(value), program) for name, value in values.items()}
