"""Cases and samples of which a few are drawn each time, and all under ``make slow``."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest

_WHOLE = [False]


def draw_all() -> None:
    """Have ``sample_size`` give whole samples from now on: before tests are collected."""
    _WHOLE[0] = True


def sample_size(quick: int, whole: int) -> int:
    """How many samples a simulation draws: few each time, all of them under ``make slow``.

    Its bound is to allow for the standard error of so many.
    """
    return whole if _WHOLE[0] else quick


def breadth(names: Any, values: Iterable[Any], quick: int | Collection[Any], **more: Any) -> Any:
    """Parametrise a test; all values are slow but the first so many, or but those given."""
    listed = list(values)
    chosen = listed[:quick] if isinstance(quick, int) else list(quick)
    assert all(value in listed for value in chosen)
    is_one = isinstance(names, str) and "," not in names

    def of(value: Any) -> Any:
        if value in chosen or (not isinstance(value, str) and hasattr(value, "marks")):
            return value
        return pytest.param(*((value,) if is_one else value), marks=pytest.mark.slow)

    return pytest.mark.parametrize(names, [of(value) for value in listed], **more)
