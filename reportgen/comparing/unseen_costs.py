"""A declared class without rows: what its errors cost, these rows do not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from reportgen.comparisons.records import Comparison
from reportgen.comparisons.wording import bounded, plain
from reportgen.metric_names import COST
from reportgen.records.rows import DataRecord, class_sizes, evaluation_of
from reportgen.text import numbers

BEYOND = 0.05
"""The share of a class that no row has is less than a limit that it exceeds so rarely."""


class UnseenCost(NamedTuple):
    """The class, what an error in it costs at most, and what that may add to the cost of a row."""

    name: str
    of_error: float
    per_row: float

    @classmethod
    def of(cls, data: DataRecord, costs: Mapping[str, object] | None) -> UnseenCost | None:
        """That of the class without rows that may cost most; None where each class has rows.

        No row of n has a class of share 1 − 0.05^(1/n), the rule of three, in 0.05 of samples.
        """
        units = evaluation_of(data).independent_units or data["rows_evaluated"]
        share = 1 - BEYOND ** (1 / units) if units else 1.0
        sizes, unseen = class_sizes(data), []
        for name, of_class in (costs or {}).items():
            most = max(of_class.values(), default=0.0) if isinstance(of_class, Mapping) else 0.0
            if sizes.get(name) == 0 and most > 0:
                unseen.append(cls(name, most, share * most))
        return max(unseen, key=lambda one: one.per_row, default=None)

    @property
    def in_words(self) -> str:
        """What the errors may cost, as a sentence without its period."""
        costs = f"cost up to {plain(self.of_error)} and may add {numbers.number(self.per_row)}"
        return f"Errors in {bounded(self.name)} {costs} to the cost per row"

    def __str__(self) -> str:
        """The same as a reason."""
        return f"no row has the class {bounded(self.name)}: e{self.in_words[1:]}"


def against_unseen(record: Comparison, unseen: UnseenCost | None) -> Iterator[str]:
    """The reason against a test of costs whose limits such a class could move beyond 0."""
    if unseen is None or record.metric != COST or record.low is None or record.high is None:
        return
    from_zero = max(record.low, -record.high)  # positive where the limits are on one side of 0
    if 0 < from_zero <= unseen.per_row:
        yield str(unseen)
