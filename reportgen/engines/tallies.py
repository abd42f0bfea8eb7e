"""What is added up of rows that are counted together: their number, weights and scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats, chunks
from reportgen.engines.packed_keys import PackedKeys
from reportgen.engines.partial import WEIGHTS, to_fixed_point

_LIMB = 32
_MOST_ROWS = 2**21
"""The halves of so many whole numbers of 64 bits add up to floats that have all their digits."""

_BLOCK = 2**14
"""So many rows at a time stay near the processor."""

_PLACES_PER_ROW, _FEW_PLACES = 4, 2**16
"""Codes above so many for each row are grouped: places of them would be mostly empty."""


@dataclass(frozen=True)
class Tally:
    """The number of rows, their weights where they have any, and extremes and sum of a score.

    Weighted rows have the weight as ``value``, and as whole numbers those of ``WEIGHTS``.
    """

    weighted: bool = False
    score: str | None = None

    def by(self, rows: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
        """The totals of the rows that are alike in all ``keys``, with these.

        >>> rows = pl.DataFrame({"score": [0.25, 1.0, 0.5]})
        >>> keys = pl.DataFrame({"truth": ["b", "a", "b"], "k": [7, 5, 7]})
        >>> table = Tally(score="score").by(rows, keys).sort("k")
        >>> table.drop("scores").rows()
        [(1, 1.0, 1.0, 'a', 5), (2, 0.25, 0.5, 'b', 7)]
        >>> [number / 2**64 for number in table["scores"]]
        [1.0, 0.75]
        """
        packed = PackedKeys.of(keys)
        if packed is None:
            return self._grouped(rows, keys)
        table = None if self.weighted else self._in_places(rows, packed.codes)
        if table is None:
            table = self._grouped(rows, packed.codes.to_frame())
        return packed.unpacked(table)

    def _grouped(self, rows: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
        names = list(WEIGHTS) if self.weighted else []
        totals = {"rows": pl.len()} | {name: pl.col(name).sum() for name in names}
        columns = [rows.select(names)] if names else []
        if self.score is not None:
            weight = pl.col("value") if self.weighted else 1.0
            score = pl.col(self.score)
            summed = rows.select(score, sum=to_fixed_point(score.clip(0, 1) * weight))
            columns.append(summed)
            totals |= {"low": score.min(), "high": score.max(), "scores": pl.col("sum").sum()}
        whole = pl.concat([keys, *columns], how="horizontal")
        return whole.lazy().group_by(keys.columns).agg(**totals).collect()

    def _in_places(self, rows: pl.DataFrame, codes: pl.Series) -> pl.DataFrame | None:
        """The totals of rows without weights by codes that are small, in a quarter of the time.

        Null where they are not.
        """
        place = codes.to_numpy()
        most = max(_PLACES_PER_ROW * len(place), _FEW_PLACES)
        if len(place) > _MOST_ROWS or place.max() >= most:
            return None
        number = np.bincount(place)
        some = np.flatnonzero(number)
        table = pl.DataFrame({codes.name: some, "rows": number[some]})
        if self.score is None:
            return table
        score = rows[self.score].to_numpy()
        sums = np.zeros((2, len(number)))
        low, high = np.full(len(number), np.inf), np.full(len(number), -np.inf)
        for part in chunks(len(place), _BLOCK):
            here, values = place[part], score[part]
            np.minimum.at(low, here, values)
            np.maximum.at(high, here, values)
            for of_half, half in zip(sums, _halves(values), strict=True):
                np.add.at(of_half, here, half)
        upper, lower = (pl.lit(pl.Series(half[some].astype(np.int64))) for half in sums)
        whole = upper.cast(pl.Int128) * pl.lit(1 << _LIMB, pl.Int128) + lower
        return table.with_columns(low=low[some], high=high[some], scores=whole)


def _halves(score: Floats) -> tuple[Floats, Floats]:
    """Scores in the unit interval as ``to_fixed_point`` has them, in two parts of 32 bits each.

    Floats add these up without rounding.
    """
    scaled = np.clip(score, 0, 1) * 2.0**_LIMB
    upper = np.floor(scaled)
    return upper, np.floor((scaled - upper) * 2.0**_LIMB)
