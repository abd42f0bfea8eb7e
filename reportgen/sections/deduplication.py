"""Each number stands once: what the main table has is not set again further down."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.records.model import Results
from reportgen.sections import key_numbers, lookup
from reportgen.tasks import MeasureAverage


def further(results: Results, measures: Sequence[MeasureAverage]) -> list[MeasureAverage]:
    """Those of the measures that the main table does not have."""
    if not lookup.has_section(results, key_numbers.KeyNumbers.id):
        return list(measures)
    main = set(key_numbers.chosen(results))
    return [m for m in measures if m not in main and not key_numbers.is_error_rate(m, results)]


def has_value(results: Results, measures: Sequence[MeasureAverage]) -> bool:
    """Whether any of the measures has a value for any model."""
    values = lookup.numbers(results)
    return any(m in measures and n.value is not None for (m, _), n in values.items())
