"""When a class is so rare that a report is read otherwise."""

from __future__ import annotations

from reportgen.records.rows import DataRecord

RARE = 0.05
"""Share of the rows below which a class is rare; weights count."""


def has_rare_class(data: DataRecord) -> bool:
    """Whether one of two classes is rare: always predicting the other does well.

    Neither accuracy nor a calibration error is a finding then.
    """
    return is_rare(data) or _below(1 - (data.get("prevalence") or 0))


def is_rare(data: DataRecord) -> bool:
    """Whether positives are rare: the top of the list counts."""
    return _below(data.get("prevalence"))


def _below(share: float | None) -> bool:
    return share is not None and 0 <= share < RARE
