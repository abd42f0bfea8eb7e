"""Each number stands once: what the main table has is not set again further down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reportgen.sections import key_numbers, lookup

if TYPE_CHECKING:
    from reportgen.results import Results


def further(results: Results, names: Sequence[str]) -> list[str]:
    """Those of the measures that the main table does not have."""
    if not lookup.has_section(results, key_numbers.KeyNumbers.id):
        return list(names)
    main = set(key_numbers.chosen(results))
    return [name for name in names if name not in main]


def has_value(results: Results, names: Sequence[str]) -> bool:
    """Whether any of the measures has a value for any model."""
    values = lookup.numbers(results)
    return any(metric in names and n.value is not None for (metric, _), n in values.items())
