"""The decisions of all models on the same rows, a bit each: every pair is counted from these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.comparisons import Pairs

Bits = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class DecisionBits:
    """Truth and the predictions of each model, 64 rows to a number; ``defined`` where there is one.

    Rows do not have weights.
    """

    truth: Bits
    predicted_positive: Mapping[str, Bits]
    defined: Mapping[str, Bits]

    @classmethod
    def of(cls, rows: pl.DataFrame, predictions: Mapping[str, pl.Expr]) -> DecisionBits:
        """Make each decision once; ``predictions`` are Boolean, as is the column ``truth``."""
        columns = {str(k): prediction for k, prediction in enumerate(predictions.values())}
        frame = rows.select("truth", **columns)
        decisions = dict(zip(predictions, (frame[name] for name in columns), strict=True))
        return cls(
            _bits(frame["truth"]),
            {name: _bits(column.fill_null(value=False)) for name, column in decisions.items()},
            {name: _bits(column.is_not_null()) for name, column in decisions.items()},
        )

    def joint(self, first: str, second: str) -> pl.DataFrame:
        """The rows by truth and by the predictions of two models, as ``joint_counts`` has them."""
        lines = [line for line in self._cells(first, second) if line[-1]]
        table = pl.DataFrame(lines, schema=_JOINT, orient="row")
        return table.with_columns(squares="rows")

    def pairs(self, first: str, second: str) -> Pairs:
        """How many rows both, one or none of two models got right."""
        cells = dict.fromkeys(_DECISIONS, 0)
        for truth, a, b, rows in self._cells(first, second):
            cells[a == truth, b == truth] += rows
        return Pairs(*cells.values())

    def _cells(self, first: str, second: str) -> Iterator[tuple[bool, bool, bool, int]]:
        """Truth, both predictions, and how many rows have them."""
        a, b = self.predicted_positive[first], self.predicted_positive[second]
        defined = self.defined[first] & self.defined[second]
        for truth, here in ((True, defined & self.truth), (False, defined & ~self.truth)):
            rows, of_a, of_b, both = map(_count, (here, here & a, here & b, here & a & b))
            cells = (both, of_a - both, of_b - both, rows - of_a - of_b + both)
            yield from (
                (truth, *decision, n) for decision, n in zip(_DECISIONS, cells, strict=True)
            )


_DECISIONS = ((True, True), (True, False), (False, True), (False, False))
_JOINT = {
    "truth": pl.Boolean,
    "first": pl.Boolean,
    "second": pl.Boolean,
    "rows": pl.Float64,
}


def _bits(column: pl.Series) -> Bits:
    packed = np.packbits(column.to_numpy())
    return np.append(packed, np.zeros(-len(packed) % 8, np.uint8)).view(np.uint64)


def _count(bits: Bits) -> int:
    return int(np.bitwise_count(bits).sum())
