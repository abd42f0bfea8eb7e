"""How the data differ from those of an earlier period, and what that explains of a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.records.trend import SlicePart

ShiftBasis = Literal["reference", "time"]
"""What the rows are compared with: those of ``reference``, or the earlier half of their own."""

CLASSES, ALL_ROWS = "classes", "all rows"
"""What a change is split over beside slices; of all rows there is one part."""

QuantityKind = Literal["truth", "score", "slices"]


@dataclass(frozen=True, slots=True)
class ShiftedQuantity:
    """A distribution in both periods, how far apart the two are, and a test that they are one.

    ``before`` and ``now`` are means, of classes and slices the shares of ``category``, the one
    whose share changed most in units of its standard deviation. ``stability_index_high`` is the
    upper 1 − α limit of the index of the populations, which may be below that of the samples.
    ``untested`` says why there is no test; ``p_adjusted`` is adjusted over all quantities (Holm).
    """

    kind: QuantityKind
    name: str
    model: str | None
    category: str | None
    before: float | None
    now: float | None
    standardised_difference: float | None
    stability_index: float | None
    stability_index_high: float | None
    kolmogorov_smirnov: float | None
    p_value: float | None
    p_adjusted: float | None
    reject: bool | None
    untested: str | None


@dataclass(frozen=True, slots=True)
class ChangeParts:
    """A change of a measure, split over classes or slices into what their mix explains, and within.

    ``mix`` and ``within`` add up to ``change``; limits are null where the split has none, and
    ``interval`` names what they allow for. ``trend_p_value`` is that of no trend over the time
    points, of the first split of a measure, where these are too few for limits.
    """

    model: str
    metric: str
    by: str
    before: float
    now: float
    change: float
    change_low: float | None
    change_high: float | None
    mix: float
    mix_low: float | None
    mix_high: float | None
    within: float
    within_low: float | None
    within_high: float | None
    interval: str | None
    parts: tuple[SlicePart, ...]
    trend_p_value: float | None = None

    @property
    def may_be_none(self) -> bool:
        """Whether its limits hold 0, or there are none."""
        low, high = self.change_low, self.change_high
        return low is None or high is None or low <= 0 <= high


@dataclass(frozen=True, slots=True)
class RecurringRows:
    """Rows that are in the reference under the same id.

    ``all``: every evaluated row is; ``relabelled`` ones have a different truth there.
    """

    rows: int
    all: bool
    relabelled: int


@dataclass(frozen=True, slots=True)
class Shift:
    """Two periods and what differs between them.

    ``before`` and ``now`` say which periods these are where rows have a time, ``rows`` how many
    rows were compared. ``units`` are what the test permutes: rows, groups, examples or blocks of
    time. ``replicates`` is how often. ``recurring`` are rows of the reference, where there are any.
    """

    basis: ShiftBasis
    before: str | None
    now: str | None
    overlap: bool
    rows_before: int
    rows_now: int
    units: str
    alpha: float
    replicates: int
    quantities: tuple[ShiftedQuantity, ...]
    changes: tuple[ChangeParts, ...]
    recurring: RecurringRows | None = None

    @property
    def tested(self) -> tuple[ShiftedQuantity, ...]:
        """The quantities that are tested; their p are corrected together."""
        return tuple(one for one in self.quantities if one.p_adjusted is not None)
