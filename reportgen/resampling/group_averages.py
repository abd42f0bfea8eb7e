"""Groups that are larger than a replicate: what each of them gives is averaged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reportgen.array_types import Floats, chunks
from reportgen.resampling.limits import acceleration

_TOGETHER = 2**20


@dataclass(frozen=True)
class GroupAverages:
    """``values`` of each statistic (columns) in each group (rows), and the weight of each group.

    A statistic of all rows differs from the weighted mean of its values in the groups by what does
    not depend on which groups are there, where these are large: the mean of resampled groups is
    spread as it is. A group in which a statistic is undefined has no weight.
    """

    values: Floats
    weight: Floats

    @cached_property
    def _weights(self) -> Floats:
        return np.where(np.isfinite(self.values), self.weight[:, None], 0.0)

    @cached_property
    def _weighted(self) -> Floats:
        return self._weights * np.where(np.isfinite(self.values), self.values, 0.0)

    def replicates(self, number: int, seed: int, value: Floats) -> Floats:
        """So many replicates of as many groups as there are, about the ``value`` of each statistic.

        NaN where no group that is drawn has a value.
        """
        stream = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 2])))
        groups = len(self.values)
        even = np.full(groups, 1 / groups)
        parts = [
            self._means(stream.multinomial(groups, even, size=size).astype(np.float64))
            for part in chunks(number, max(1, _TOGETHER // groups))
            for size in [part.stop - part.start]
        ]
        shifted: Floats = np.concatenate(parts) + value - self._means(np.ones((1, groups)))
        return shifted

    def accelerations(self) -> Floats:
        """BCa's acceleration of each statistic, from leaving out one group at a time."""
        without = self._means(1.0 - np.eye(len(self.values)))
        each, one = np.ones(len(without)), np.zeros(len(without), dtype=np.int64)
        return np.array([acceleration(-column, each, one) for column in without.T])

    def _means(self, counts: Floats) -> Floats:
        """Weighted means of the groups, each as often as a line counts it."""
        # Sums of NumPy, not of BLAS: the same on any number of threads.
        sums, weights = (
            np.einsum("rg,gk->rk", counts, of) for of in (self._weighted, self._weights)
        )
        means: Floats = np.divide(sums, weights, out=np.full(sums.shape, np.nan), where=weights > 0)
        return means
