"""Any measure of two classes of two models on the same rows: bootstrap and permutation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.sparse import coo_array

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, comparison
from reportgen.comparisons.simultaneous import difference_range
from reportgen.metrics import METRICS
from reportgen.resampling import bootstrap_pair
from reportgen.resampling.evaluation import Measure, evaluate_replicates, measures
from reportgen.resampling.resampling_units import UNITS, blocks, products
from reportgen.resampling.score_cells import DECISIONS, ScoreCells, score_cells
from reportgen.sweeping import sweep


@dataclass(frozen=True, slots=True)
class Draws:
    """How many permutations are drawn, and the seed that decides which; p is never 0."""

    number: int = 999
    seed: int = 0


DRAWS = Draws()

_AT_ONCE = 2**22

_TIED = 1e-12
"""Differences within this share of the observed one lie as far as it does."""


@comparison(
    "pair",
    "rows",
    forms=(Form("paired_bootstrap", "The paired bootstrap test", "Paired bootstrap"),),
    allows=("groups",),
)
def paired_bootstrap(  # noqa: PLR0913  # one keyword per option
    frame: pl.DataFrame,
    question: Question,
    *,
    truth: str = "truth",
    scores: tuple[str, str] | None = None,
    predicted: tuple[str, str] | None = None,
    weight: str | None = None,
    group: str | None = None,
    settings: Mapping[str, Any] | None = None,
    replicates: int = 2000,
    seed: int = 0,
) -> Comparison:
    """Bootstrap of the difference of any binary measure between two models.

    The effect is the difference with its percentile limits. Other tasks:
    ``exchanged_rows.bootstrapped_pair``.

    Null hypothesis: both models have the same {measure} in the population
    Formula: rows (or whole groups) resampled with replacement, the same ones for both
        models; p = (b + 1)/(B + 1), b the replicates whose difference lies at least as
        far from the observed one as that lies from 0
    Assumes: independent rows (or groups)
    Undefined: the bootstrap has no limits, see ``reportgen.resampling.bootstrap_pair``
    Reference: Davison & Hinkley (1997), *Bootstrap Methods*, 4.4,
        doi:10.1017/CBO9780511802843
    """
    table = bootstrap_pair(
        frame,
        [question.metric],
        truth=truth,
        scores=scores,
        predicted=predicted,
        weight=weight,
        group=group,
        settings=settings,
        replicates=replicates,
        seed=seed,
        confidence=question.confidence,
    )
    row = table.row(0, named=True) if table.height else None
    return bootstrapped(question, row, frame.height, replicates)


def bootstrapped(
    question: Question, row: Mapping[str, Any] | None, rows: int, replicates: int
) -> Comparison:
    """The record of a paired bootstrap, from its row of ``bootstrap_pair``'s table."""
    if row is None or row["p_value"] is None:
        value = None if row is None else row["value"]
        reason = "the replicates do not vary, or the measure is undefined in too many of them"
        return question.record("paired_bootstrap").undefined_because(reason, estimate=value)
    return question.record(
        "paired_bootstrap",
        p_value=row["p_value"],
        estimate=row["value"],
        low=row["low"],
        high=row["high"],
        interval=row["interval"],
        assumptions=(f"{row['replicates']} replicates of {rows} rows",),
        reachable=1 / (replicates + 1),
    )


@comparison(
    "pair",
    "rows",
    forms=(Form("paired_permutation", "The paired permutation test", "Paired permutation"),),
    allows=("groups",),
)
def paired_permutation(
    frame: pl.DataFrame,
    question: Question,
    *,
    truth: str = "truth",
    scores: tuple[str, str] | None = None,
    predicted: tuple[str, str] | None = None,
    group: str | None = None,
    settings: Mapping[str, Any] | None = None,
    draws: Draws = DRAWS,
) -> Comparison:
    """Permutation test of the difference of any binary measure between two models.

    Decisions (``predicted``) are exchanged as they are, and so are scores of
    measures of probabilities; for measures of rankings the scores are first
    turned into ranks within each model, so that two scales compare. Beyond
    1,000 distinct values neighbouring ones are taken as one. ``group`` names a
    column whose rows depend on each other: whole groups are then exchanged.
    More than 32,768 groups, or different rows, are exchanged in 4,096 random blocks
    of equal size (see ``resampling_units.blocks``), which is a permutation test of its own.
    Raises ValueError for a measure that cannot be made from what is given. Other
    tasks: ``exchanged_rows.permuted_pair``.

    Null hypothesis: exchanging the outputs of the two models on a row does not
        change the distribution of the difference in {measure}
    Formula: the outputs of each row, or of each group of rows, are exchanged with
        probability one half (of rankings their ranks); p = (b + 1)/(B + 1), b the
        permutations with a difference at least as large
    Assumes: independent rows, or independent groups of rows
    Undefined: the measure is undefined, or no row differs
    Reference: Good (2005), *Permutation, Parametric, and Bootstrap Tests of
        Hypotheses*, doi:10.1007/b138696; Bandos, Rockette & Gur (2005),
        doi:10.1002/sim.2149; Phipson & Smyth (2010), doi:10.2202/1544-6115.1585
    """
    metric, outputs = METRICS[question.metric], predicted or scores
    measure_list = measures([metric], settings)
    if outputs is None or not measure_list or (predicted is None) == (metric.on == "counts"):
        raise ValueError(f"{question.metric} cannot be computed from these columns")
    rows = both_given(frame, truth, outputs, group)
    if rows.is_empty():
        return permuted(question, reason="no rows")
    groups = None if group is None else Groups.of(rows["group"])
    cells, at = _decided(rows) if predicted else _scored(rows, ranked=not metric.probability)
    slots = [2 * where + rows["truth"].cast(pl.Int64).to_numpy() for where in at]
    observed, null_distribution = _permuted(measure_list, slots, cells, groups, draws)
    return permuted(
        question,
        observed=observed,
        null_distribution=null_distribution,
        differ=bool((slots[0] != slots[1]).any()),
        units=units_of(rows.height, groups),
    )


def units_of(rows: int, groups: Groups | None) -> str:
    """What is exchanged, in words.

    >>> units_of(600, None)
    '600 rows'
    """
    return f"{rows} rows" if groups is None else f"{groups.number} groups of {rows} rows"


def permuted(
    question: Question,
    *,
    observed: float = np.nan,
    null_distribution: Floats | None = None,
    differ: bool = True,
    units: str = "",
    reason: str | None = None,
) -> Comparison:
    """The record of a paired permutation test: its difference and those of the permutations.

    A permutation without a value (NaN) counts as one that lies as far. The limits are
    those of ``permutation_limits``.
    """
    reason = reason or _no_test(observed, differ)
    if reason or null_distribution is None:
        return question.record("paired_permutation").undefined_because(str(reason))
    far = ~(np.abs(null_distribution) < abs(observed) * (1 - _TIED))
    low, high = permutation_limits(observed, null_distribution, question) or (None, None)
    return question.record(
        "paired_permutation",
        p_value=(int(far.sum()) + 1) / (len(null_distribution) + 1),
        estimate=observed,
        low=low,
        high=high,
        interval=None if low is None else "permutation",
        assumptions=(f"{len(null_distribution)} permutations of {units}",),
        reachable=1 / (len(null_distribution) + 1),
    )


def permutation_limits(
    observed: float, permuted: Floats, question: Question
) -> tuple[float, float] | None:
    """Limits of a difference from those of its permutations: they leave 0 out where p < α.

    d ∓ the k-th largest |difference| of the B permutations, k = ⌈α(B + 1)⌉ − 1 and α =
    1 − confidence: p is (b + 1)/(B + 1) with b of them at least as large as |d|. The
    distribution around the true difference is taken for that around 0. None with too few
    permutations for any p below α, or where that difference has no value.
    Good (2005), *Permutation, Parametric, and Bootstrap Tests of Hypotheses*, 3.2,
    doi:10.1007/b138696.

    >>> question = Question(("a", "b"), "auc")
    >>> limits = permutation_limits(0.2, np.linspace(-0.19, 0.19, 99), question)
    >>> [round(limit, 3) for limit in limits]
    [0.014, 0.386]
    """
    rank = math.ceil((1 - question.confidence) * (len(permuted) + 1) - 1e-9) - 1
    if rank < 1:
        return None
    width = float(np.sort(np.where(np.isnan(permuted), np.inf, np.abs(permuted)))[-rank])
    if abs(width - abs(observed)) <= _TIED * abs(observed):  # it lies as far
        width = abs(observed)
    if not math.isfinite(width):
        return None
    least, most = difference_range(question.metric)
    return max(observed - width, least), min(observed + width, most)


def both_given(
    frame: pl.DataFrame, truth: str, outputs: tuple[str, str], group: str | None = None
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
    measures: Sequence[Measure],
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
    for count in _batches(draws, max(len(sizes), width)):
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
    for count in _batches(draws, max(number, width)):
        yield products(change, random.random((count, number)) < 0.5)


def _batches(draws: int, width: int) -> Iterator[int]:
    size = max(1, _AT_ONCE // max(width, 1))
    for begin in range(0, draws, size):
        yield min(size, draws - begin)


def _no_test(observed: float, differ: bool) -> str | None:
    if np.isnan(observed):
        return "the measure is undefined for a model"
    return None if differ else "both models give identical predictions"
