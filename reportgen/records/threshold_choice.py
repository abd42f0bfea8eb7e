"""How a threshold was chosen: the measure, the limits that had to hold, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from reportgen.spec.gates import Operator


class CertaintyRecord(TypedDict):
    """How sure the choice of a threshold is: where resampled choices lie, and what they reach."""

    chosen: float
    loosest: float | None
    strictest: float | None
    optimism: float
    corrected: float
    replicates: int


class LimitRecord(TypedDict):
    """A limit that a measure has to keep where a threshold is chosen, such as recall >= 0.95."""

    metric: str
    op: Operator
    limit: float


class ChoiceRecord(TypedDict):
    """The measure that a threshold was chosen by, its best value, and how sure the choice is.

    ``limits`` are those that the spec declares ``subject to``.
    """

    metric: str
    value: float
    limits: Sequence[LimitRecord]
    certainty: CertaintyRecord | None
    uncertain: str | None


ThresholdRecord = TypedDict(
    "ThresholdRecord",
    {"class": str, "threshold": float | None, "threshold_choice": ChoiceRecord | None},
)
"""The threshold of one label, and how it was chosen."""
