"""Differences between two models by slice: ``python -m tests.simulations.pairs_by_slice``.

The share of data sets in which a difference that is the same in all slices is said to vary
(level), in which any of the simultaneous limits leaves its slice's true difference out (missed),
and in which a difference is said to vary that is reversed in one slice (power). ``like``: the
models' scores correlate by 0.95; ``skewed``: errors of estimates with heavy tails; ``good``: AUCs
near 0.97; ``weighted``: lognormal weights (σ = 0.8), by which rows are worth about half as many.
Groups of ten rows share a part of the noise, and have rows in all slices.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from reportgen.clusters import Groups, t_quantile
from reportgen.comparing.pairs_by_slice import PairDifferences, PairInSlicing, of_slicing
from reportgen.measuring.context import Losses
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.measuring.slices import of_rows

ALPHA = 0.05
PAIR = ("a", "b")


@dataclass(frozen=True)
class Design:
    """Slices of so many rows each, in the measure."""

    metric: str
    slices: int
    rows: int
    prevalence: float = 0.3
    like: bool = False
    good: bool = False
    skewed: bool = False
    group: int = 0
    unequal: bool = False
    weighted: bool = False

    def __str__(self) -> str:
        marks = ("like", "good", "skewed", "unequal", "weighted")
        named = "".join(f", {name}" for name in marks if getattr(self, name))
        groups = f", groups of {self.group}" if self.group else ""
        sizes = f"{self.slices} slices of {self.rows}"
        return f"{self.metric}, {sizes}, {self.prevalence:g}{named}{groups}"

    def data(
        self, reversed_: float, random: np.random.Generator
    ) -> tuple[GroupedShares, Losses, pl.DataFrame]:
        """Rows of two models; in the first slice their roles are swapped where ``reversed_``."""
        whole = self.slices * self.rows
        shares = np.geomspace(1, 6 if self.unequal else 1, self.slices)
        of_slice = random.choice(self.slices, whole, p=shares / shares.sum())
        code = np.arange(whole) // (self.group or 1)
        random.shuffle(code)
        apart = 3.0 if self.good else 1.2
        truth = random.random(whole) < self.prevalence

        def noise() -> np.ndarray:
            own = random.standard_normal(whole)
            if not self.group:
                return own
            return np.sqrt(0.4) * random.standard_normal(whole)[code] + np.sqrt(0.6) * own

        shared, first, second = noise(), noise(), noise()
        if self.like:
            first, second = (0.95 * shared + np.sqrt(1 - 0.95**2) * one for one in (first, second))
        if self.metric == "mean_squared_error":
            if self.skewed:
                first, second = (
                    np.sign(one) * (np.exp(np.abs(one)) - 1) for one in (first, second)
                )
            worse = np.where((of_slice == 0) & (reversed_ > 0), 1 / 1.5, 1.5)
            a, b = first, second * worse
            number = random.standard_normal(whole)
            frame = pl.DataFrame({"truth": number, "a": number + a, "b": number + b})
            squared = {name: (pl.col("truth") - pl.col(name)) ** 2 for name in PAIR}
            losses = Losses(self.metric, self.metric, "squared", of=squared)
        else:
            weak = apart * np.where((of_slice == 0) & (reversed_ > 0), 1.4, 0.6)
            frame = pl.DataFrame(
                {"truth": truth, "a": apart * truth + first, "b": weak * truth + second}
            )
            wrong = {name: (pl.col(name) > apart / 2) != pl.col("truth") for name in PAIR}
            scores = {name: name for name in PAIR} if self.metric == "auc" else {}
            losses = Losses("accuracy", "error_rate", "zero_one", of=wrong, scores=scores)
        frame = frame.with_columns(pl.Series("slice:s", of_slice).cast(pl.String))
        groups = Groups.of(pl.Series(code))
        frame = frame.with_columns(group=groups.code) if self.group else frame
        if self.weighted:
            frame = frame.with_columns(w=random.lognormal(0, 0.8, whole))
        large = of_rows(frame, [("s",)], binary=self.metric != "mean_squared_error")
        shares_of = GroupedShares(frame, losses, groups, weight="w" if self.weighted else None)
        return shares_of, losses, large.filter(~pl.col("small"))

    def compared(self, reversed_: float, random: np.random.Generator) -> PairInSlicing | None:
        """The comparison by slice of one data set."""
        shares, losses, large = self.data(reversed_, random)
        differences = PairDifferences(shares, losses, self.metric)
        return next(iter(of_slicing(differences, [PAIR], ("s",), large)), None)


DESIGNS = (
    *(
        Design(metric, k, n, prevalence)
        for metric in ("accuracy", "auc")
        for k, n in ((2, 60), (2, 500), (6, 100), (20, 60))
        for prevalence in (0.3,)
    ),
    *(Design(metric, 3, 300, 0.05) for metric in ("accuracy", "auc")),
    *(Design(metric, 6, 200, like=True) for metric in ("accuracy", "auc")),
    *(Design(metric, 6, 200, good=True) for metric in ("accuracy", "auc")),
    *(Design(metric, 6, 200, unequal=True) for metric in ("accuracy", "auc")),
    *(Design(metric, k, 200, group=10) for metric in ("accuracy", "auc") for k in (2, 6)),
    *(Design(metric, 6, 200, group=10, unequal=True) for metric in ("accuracy", "auc")),
    *(
        Design("mean_squared_error", k, n, skewed=skewed)
        for k, n in ((2, 60), (6, 100))
        for skewed in (False, True)
    ),
    Design("mean_squared_error", 6, 200, group=10),
    *(Design(m, k, n, weighted=True) for m in ("accuracy", "auc") for k, n in ((2, 60), (6, 200))),
    Design("auc", 6, 100, good=True),
    *(
        Design(metric, 6, n, good=True, weighted=True)
        for metric in ("accuracy", "auc")
        for n in (200, 600)
    ),
    *(Design(metric, 6, 200, group=10, weighted=True) for metric in ("accuracy", "auc")),
    *(Design("mean_squared_error", k, n, weighted=True) for k, n in ((2, 60), (6, 300))),
)
"""What is simulated."""


def rejected(design: Design, reversed_: float, runs: int) -> float:
    """The share of data sets in which the difference is said to vary."""
    return rates(design, reversed_, runs, None)[0]


def rates(design: Design, reversed_: float, runs: int, true: float | None) -> tuple[float, float]:
    """The share in which the difference is said to vary, and in which limits miss ``true``."""
    random = np.random.default_rng(sum(map(ord, str(design))))
    varies = missed = 0
    for _ in range(runs):
        one = design.compared(reversed_, random)
        if one is None:
            continue
        varies += one.p_value is not None and one.p_value < ALPHA
        confidence = 1 - ALPHA / len(one.slices)
        missed += true is not None and any(
            abs(part.part.value - true) > t_quantile(confidence, part.freedom) * part.error
            for part in one.slices
        )
    return varies / runs, missed / runs


def true_difference(design: Design) -> float:
    """The difference on many rows of one slice."""
    one = replace(design, slices=1, rows=1_000_000).compared(0.0, np.random.default_rng(1))
    assert one is not None
    return one.slices[0].part.value


def main(runs: str = "1000", show: Callable[[str], None] = print) -> None:
    """Print level and power of each design, and how often a limit of a slice is wrong."""
    for design in DESIGNS:
        level, missed = rates(design, 0.0, int(runs), true_difference(design))
        power = rejected(design, 1.0, max(int(runs) // 10, 1))
        show(f"{design}: level {level:.3f}, missed {missed:.3f}, power {power:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
