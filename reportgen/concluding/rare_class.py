"""When positives are so rare that the top of the list is what counts."""

from __future__ import annotations

from reportgen.records.rows import DataRecord

RARE = 0.1
"""Share of positives below which they are rare."""


def is_rare(data: DataRecord) -> bool:
    """Whether less than a tenth of the rows are positive; their weights count."""
    prevalence = data.get("prevalence")
    return prevalence is not None and 0 < prevalence < RARE
