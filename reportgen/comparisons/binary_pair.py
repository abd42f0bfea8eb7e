"""Two models of two classes on the same rows, for bootstrap and permutation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from scipy.sparse import coo_array

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparisons.model_pair import Draws, batches, units_of
from reportgen.metrics import METRICS
from reportgen.metrics.settings import MetricSettings
from reportgen.resampling import bootstrap_pair
from reportgen.resampling.bootstrap_outcomes import DifferenceOutcome, first_difference
from reportgen.resampling.bootstrap_settings import BootstrapSettings
from reportgen.resampling.replicate_measures import ResampledMeasure, evaluate_replicates, measures
from reportgen.resampling.resampling_units import UNITS, blocks, products
from reportgen.resampling.score_cells import DECISIONS, ScoreCells, score_cells
from reportgen.sweeping import sweep

_AT_ONCE = 2**22

KINDS = 8
"""Kinds of rows by truth and two decisions."""


@dataclass(frozen=True)
class BinaryPair:
    """A measure of two models of two classes: of their scores, or of what they predict.

    Decisions (``predicted``) are exchanged as they are, and so are scores of measures of
    probabilities; for measures of rankings the scores are first turned into ranks within each
    model, so that two scales compare. Beyond 1,000 distinct values neighbouring ones are taken as
    one. ``group`` names a column whose rows depend on each other: whole groups are then exchanged
    and drawn. More than 32,768 groups, or different rows, are exchanged in 4,096 random blocks of
    equal size (see ``resampling_units.blocks``), which is a permutation test of its own.
    ``settings`` are those of the measure, such as costs.
    """

    frame: pl.DataFrame
    metric: str
    truth: str = "truth"
    scores: tuple[str, str] | None = None
    predicted: tuple[str, str] | None = None
    weight: str | None = None
    group: str | None = None
    settings: MetricSettings | None = None

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.frame.height

    @property
    def width(self) -> int:
        """How many numbers each exchange takes: of decisions alone there are few kinds of rows."""
        return self.size if self.predicted is None or self.group is not None else KINDS

    @cached_property
    def _rows(self) -> pl.DataFrame:
        outputs = self.predicted or self.scores or ("", "")
        return both_given(self.frame, self.truth, outputs, self.group)

    @cached_property
    def _groups(self) -> Groups | None:
        return None if self.group is None else Groups.of(self._rows["group"])

    @property
    def units(self) -> str:
        """What is exchanged, in words."""
        return units_of(self._rows.height, self._groups)

    def fixed(self) -> str | None:
        """Why nothing can be exchanged.

        Raises:
            ValueError: the measure cannot be computed from these columns.
        """
        metric = METRICS[self.metric]
        given = self.predicted or self.scores
        decides = metric.on == "counts"
        if given is None or not self._measures() or (self.predicted is None) == decides:
            raise ValueError(f"{self.metric} cannot be computed from these columns")
        return "no rows" if self._rows.is_empty() else None

    def _measures(self) -> Sequence[ResampledMeasure]:
        return measures([METRICS[self.metric]], self.settings)

    def permuted(self, draws: Draws) -> tuple[float, Floats, bool]:
        """The difference, those after each exchange, and whether any row is unlike."""
        rows, ranked = self._rows, not METRICS[self.metric].probability
        cells, at = _decided(rows) if self.predicted else _scored(rows, ranked=ranked)
        slots = [2 * where + rows["truth"].cast(pl.Int64).to_numpy() for where in at]
        observed, null = _permuted(self._measures(), slots, cells, self._groups, draws)
        return observed, null, bool((slots[0] != slots[1]).any())

    def resampled(self, options: BootstrapSettings) -> DifferenceOutcome | None:
        """The difference with its limits and p-value, from ``resampling.bootstrap_pair``."""
        table = bootstrap_pair(
            self.frame,
            [self.metric],
            truth=self.truth,
            scores=self.scores,
            predicted=self.predicted,
            weight=self.weight,
            group=self.group,
            settings=self.settings,
            options=options,
        )
        return first_difference(table) if table.height else None


def both_given(
    frame: pl.DataFrame, truth: str, outputs: tuple[str, str], group: str | None
) -> pl.DataFrame:
    """Truth and the outputs of both models, of the rows that have all three, in their order."""
    first, second = outputs
    named = {} if group is None else {"group": pl.col(group)}
    rows = frame.select(truth=pl.col(truth), a=pl.col(first), b=pl.col(second), **named)
    return rows.drop_nulls(["truth", "a", "b"]).sort("a", "b", "truth")


def _decided(rows: pl.DataFrame) -> tuple[ScoreCells, list[Integers]]:
    """Cell 0 is predicted positive, cell 1 negative."""
    return DECISIONS, [(~rows[c].cast(pl.Boolean)).cast(pl.Int64).to_numpy() for c in ("a", "b")]


def _scored(rows: pl.DataFrame, *, ranked: bool) -> tuple[ScoreCells, list[Integers]]:
    """Cells that both models share, of their scores or of their ranks."""
    value = pl.col("a", "b").cast(pl.Float64)
    if ranked:
        value = value.rank("average") / rows.height
    values = rows.select("truth", value)
    both = pl.concat([values.select("truth", score=c) for c in ("a", "b")])
    cells = score_cells(sweep(both))
    return cells, [cells.of(values[c]) for c in ("a", "b")]


def _permuted(
    measures: Sequence[ResampledMeasure],
    slots: Sequence[Integers],
    cells: ScoreCells,
    groups: Groups | None,
    draws: Draws,
) -> tuple[float, Floats]:
    """The observed difference, and that of each permutation (NaN where it is undefined)."""
    width = 2 * len(cells)
    base = [np.bincount(s, minlength=width).astype(np.float64) for s in slots]

    def difference(moved: Floats) -> Any:
        values = [
            evaluate_replicates(measures, mass[:, 1::2], mass[:, ::2], cells)[:, 0]
            for mass in (base[0] + moved, base[1] - moved)
        ]
        return values[0] - values[1]

    observed = float(difference(np.zeros((1, width)))[0])
    random = np.random.default_rng(draws.seed)
    kinds, sizes = np.unique(slots[0] * width + slots[1], return_counts=True)
    if groups is None and len(kinds) <= UNITS:
        moves = _moved(kinds, sizes, width, draws.number, random)
    else:
        code = np.arange(len(slots[0])) if groups is None else groups.code
        moves = _moved_together(slots, width, _blocks(code), draws.number, random)
    return observed, np.concatenate([difference(moved) for moved in moves])


def _blocks(code: Integers) -> Integers:
    """The groups, or the blocks that they are dealt out to where there are many."""
    number = int(code.max()) + 1
    return code if number <= UNITS else blocks(np.zeros(number, dtype=np.int64))[0][code]


def _moved(
    kinds: Integers, sizes: Integers, width: int, draws: int, random: np.random.Generator
) -> Iterator[Floats]:
    """What each permutation moves to the first model's slots, in batches; rows change by rows."""
    first, second = kinds // width, kinds % width
    differ = first != second
    first, second, sizes = first[differ], second[differ], sizes[differ]
    for count in batches(draws, max(len(sizes), width), _AT_ONCE):
        swapped = random.binomial(sizes, 0.5, (count, len(sizes))).astype(np.float64)
        moved = np.zeros((count, width))
        for at, masses in enumerate(swapped):
            moved[at] = np.bincount(second, masses, width) - np.bincount(first, masses, width)
        yield moved


def _moved_together(
    slots: Sequence[Integers],
    width: int,
    code: Integers,
    draws: int,
    random: np.random.Generator,
) -> Iterator[Floats]:
    """The same where all rows of one code change together."""
    differ, number = slots[0] != slots[1], int(code.max()) + 1
    ones, shape = np.ones(int(differ.sum())), (width, number)
    added, taken = (
        coo_array((ones, (slots[side][differ], code[differ])), shape).tocsr() for side in (1, 0)
    )
    change: Any = added - taken
    for count in batches(draws, max(number, width), _AT_ONCE):
        yield products(change, random.random((count, number)) < 0.5)
