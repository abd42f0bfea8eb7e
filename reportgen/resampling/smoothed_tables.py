"""Bootstrap of a table of truth by prediction whose rare cells sampling may have left empty.

A cell without a row has none in any replicate, so that the bootstrap of the observed table says
too little of how biased a measure of all cells is. Replicates here are drawn from the table
with as many more rows as there are classes, spread as if truth and prediction were independent.
Fienberg & Holland (1973), doi:10.1080/01621459.1973.10481405.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri

from reportgen.array_types import Floats, Integers
from reportgen.resampling.bootstrap_outcomes import OutcomeRow

MOST_CELLS = 400
"""Tables of more cells are drawn as they are."""

_BATCH = 2**20

ASSOCIATIONS: dict[str, Callable[[float, float, int], float]] = {
    "phi_squared": lambda phi, _rows, _size: phi,
    "cramer_v": lambda phi, _rows, size: float((phi / (size - 1)) ** 0.5),
    "pearson_c": lambda phi, _rows, _size: float((phi / (1 + phi)) ** 0.5),
    "chi_squared": lambda phi, rows, _size: phi * rows,
}
"""Measures that rise with φ², of it, the weight of all rows and the number of classes."""


@dataclass(frozen=True)
class SmoothedTable:
    """The share of each cell, the weight of one row in it, and rows by stratum.

    ``rows`` are those of equal weight that weighted rows are worth.
    """

    share: Floats
    mass: Floats
    stratum: Integers
    rows: Floats

    @classmethod
    def of(cls, count: Floats, squares: Floats, *, stratified: bool) -> SmoothedTable:
        """From the weights of the cells and the sums of their squares, by truth and prediction."""
        size = round(len(count) ** 0.5)
        mass = np.full(len(count), squares.sum() / count.sum())
        np.divide(squares, count, where=count > 0, out=mass)
        rows = (count / mass).reshape(size, size)
        seen = (rows.sum(axis=0) + rows.sum(axis=1)) > 0
        classes = int(seen.sum())
        truth, predicted = (rows.sum(axis=axis) + seen / classes for axis in (1, 0))
        prior = np.outer(truth, predicted)
        smooth = (rows + classes * prior / prior.sum()).ravel()
        of_truth = np.repeat(np.arange(size), size)
        stratum = of_truth if stratified else np.zeros(len(count), np.int64)
        return cls(
            smooth / np.bincount(stratum, smooth)[stratum].clip(1e-300),
            mass,
            stratum,
            np.bincount(stratum, rows.ravel()).astype(np.float64),
        )

    @property
    def centre(self) -> Floats:
        """The weights of the cells that are expected in a replicate."""
        return self.share * self.rows[self.stratum] * self.mass

    def draws(self, replicates: int, seed: int) -> Iterator[Floats]:
        """Weights of the cells, one row per replicate, in batches."""
        step = max(1, _BATCH // len(self.share))
        streams = [
            np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 4, k])))
            for k in range(len(self.rows))
        ]
        for first in range(0, replicates, step):
            counts = np.zeros((min(step, replicates - first), len(self.share)))
            for k, (stream, rows) in enumerate(zip(streams, self.rows, strict=True)):
                here, whole = self.stratum == k, round(float(rows))
                if whole:
                    share = self.share[here] / self.share[here].sum()
                    counts[:, here] = stream.multinomial(whole, share, size=len(counts))
            yield counts * self.mass

    def independent(self, phi_squared: float, confidence: float) -> bool:
        """Whether χ² is below its quantile where truth and prediction are independent."""
        size = round(len(self.share) ** 0.5)
        classes = np.count_nonzero(self.share.reshape(size, size).any(axis=0))
        least = float(chdtri((classes - 1) ** 2, (1 - confidence) / 2))
        return phi_squared * float(self.rows.sum()) < least


def associations(
    of_phi: OutcomeRow, names: list[str], weight: float, size: int, *, independent: bool
) -> Iterator[OutcomeRow]:
    """Measures that rise with φ², with its limits; the lower one is 0 if it may be."""
    low = 0.0 if independent and not math.isnan(of_phi["low"]) else of_phi["low"]
    for name in names:
        value, least, most = (
            ASSOCIATIONS[name](end, weight, size) for end in (of_phi["value"], low, of_phi["high"])
        )
        half = of_phi["standard_error"] / 2
        ends = (max(of_phi["value"] - half, 0.0), of_phi["value"] + half)
        apart = [ASSOCIATIONS[name](end, weight, size) for end in ends]
        error = apart[1] - apart[0]
        yield {
            **of_phi,
            "metric": name,
            "value": value,
            "low": least,
            "high": most,
            "standard_error": error,
        }
