"""The rows of one or two binary models as units and cells, ready to be resampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers, IntegersOfAnySize, SmallIntegers
from reportgen.curves import hull
from reportgen.integer_sort import in_order_of_rows
from reportgen.resampling.bootstrap_outcomes import Outcome, bounds_of
from reportgen.resampling.bootstrap_settings import BootstrapSettings
from reportgen.resampling.limits import acceleration
from reportgen.resampling.replicate_measures import (
    ResampledMeasure,
    difference_of,
    evaluate_replicates,
)
from reportgen.resampling.resampling_units import (
    UNITS,
    Units,
    UnitWeights,
    units,
)
from reportgen.resampling.row_kinds import row_kinds
from reportgen.resampling.score_cells import CELLS, DECISIONS, ScoreCells, score_cells
from reportgen.sweeping import Swept, as_ranking, bins, ranking_of, with_squares

_COARSER = (CELLS, 512, 256)
"""Cells of each of two models, until there are few enough kinds of rows."""


_LEFT_OUT = 200
"""At most about so many slots of a model are left out, one at a time, by the jackknife."""


@dataclass(frozen=True, slots=True)
class BootstrapView:
    """One or two models on the same rows: their cells, and their values from all rows."""

    rows: pl.DataFrame
    measures: Sequence[ResampledMeasure]
    cells: tuple[ScoreCells, ...]
    slots: tuple[SmallIntegers, ...]
    values: tuple[Floats, ...]


def decision_view(
    rows: pl.DataFrame, measures: Sequence[ResampledMeasure], models: int = 1
) -> BootstrapView:
    """Decisions: four slots per model, nothing is merged but weights."""
    decisions = [f"decision{k}" for k in range(models)]
    rows = rows.drop_nulls(decisions)
    if "weight" in rows.columns:
        rows = rows.sort("weight")  # sums of weights then do not show the order of the rows
    slots = tuple(
        rows.select(2 * (~pl.col(c)).cast(pl.Int32) + pl.col("truth").cast(pl.Int32))
        .to_series()
        .to_numpy()
        for c in decisions
    )
    weight = rows["weight"].to_numpy() if "weight" in rows.columns else None
    masses = [np.bincount(s, weight, 4)[None, :].astype(np.float64) for s in slots]
    values = tuple(
        evaluate_replicates(measures, m[:, 1::2], m[:, ::2], DECISIONS)[0] for m in masses
    )
    return BootstrapView(rows, measures, (DECISIONS,) * models, slots, values)


def score_view(
    rows: pl.DataFrame,
    measures: Sequence[ResampledMeasure],
    models: int = 1,
    sweep: Swept | None = None,
    values: Mapping[str, float | None] | None = None,
) -> BootstrapView:
    """Scores: a cell per score while they are few; two models share a budget of units."""
    scores = [f"score{k}" for k in range(models)]
    rows = rows.drop_nulls(scores)
    weight = "weight" if "weight" in rows.columns else None
    sweeps = [
        sweep if sweep is not None else ranking_of(rows, score=s, weight=weight) for s in scores
    ]
    exact = tuple(
        in_all(measures, s) if values is None else in_order(measures, values) for s in sweeps
    )

    def binned(rows: pl.DataFrame, number: int) -> BootstrapView:
        positive = rows["truth"].cast(pl.Boolean).to_numpy()
        cells = tuple(score_cells(s, number) for s in sweeps)
        slots = tuple(c.slots(rows[name], positive) for c, name in zip(cells, scores, strict=True))
        return BootstrapView(rows, measures, cells, slots, exact)

    if models == 1 or rows.height <= UNITS or "group" in rows.columns:
        return binned(rows, CELLS)
    for number in _COARSER:
        view = binned(rows, number)
        if row_kinds({str(k): s for k, s in enumerate(view.slots)}).height <= UNITS:
            return view
    return binned(_in_blocks(rows, scores), CELLS)


def _in_blocks(rows: pl.DataFrame, scores: Sequence[str]) -> pl.DataFrame:
    """Each row as a group of its own, so that they are drawn in random blocks.

    They are numbered in the order of what they hold, which that in the file leaves no trace in.
    """
    return in_order_of_rows(rows.select(*scores, pl.all().exclude(scores))).with_row_index("group")


def resampled(view: BootstrapView, stream: int, options: BootstrapSettings) -> list[Outcome]:
    """Replicates of each metric of a view, of its difference when there are two models."""
    columns = [view.rows[c] if c in view.rows.columns else None for c in ("weight", "group")]
    drawn_from = units(
        [(s, 2 * len(c)) for s, c in zip(view.slots, view.cells, strict=True)],
        weight=columns[0],
        group=columns[1],
        stratified=options.stratified,
    )
    return outcomes(view, drawn_from, stream, options)


def outcomes(
    view: BootstrapView, drawn_from: Units, stream: int, options: BootstrapSettings
) -> list[Outcome]:
    """The same from units that are known; the random numbers are those of a stream of the seed."""
    parts = []
    for counts in drawn_from.draw_counts(options.replicates, [options.seed, stream]):
        masses = [share.masses(counts) for share in drawn_from.shares]
        values = [_values(view, m, c) for m, c in zip(masses, view.cells, strict=True)]
        parts.append(difference_of(values))
    replicate_values, influences = np.concatenate(parts), "bca" in options.methods
    left_out = [LeftOut.of(s, drawn_from.count, influences=influences) for s in drawn_from.shares]
    on_cells = [_on_cells(view.measures, *both) for both in zip(left_out, view.cells, strict=True)]
    return _summarised(view, drawn_from, replicate_values, left_out, on_cells)


def decided_each(
    measures: Sequence[ResampledMeasure],
    drawn_from: Sequence[Units],
    stream: int,
    options: BootstrapSettings,
) -> list[list[Outcome]]:
    """The outcomes of several models' decisions, all evaluated in one frame."""
    replicates, seed = options.replicates, [options.seed, stream]
    influences = "bca" in options.methods
    left_out = [LeftOut.of(u.shares[0], u.count, influences=influences) for u in drawn_from]
    tables = []
    for one, without in zip(drawn_from, left_out, strict=True):
        tables += [one.shares[0].masses(counts) for counts in one.draw_counts(replicates, seed)]
        tables.append(without.masses)
    masses = np.concatenate(tables)
    values = evaluate_replicates(measures, masses[:, 1::2], masses[:, ::2], DECISIONS)
    sizes = [replicates + len(without.masses) for without in left_out]
    parts = np.split(values, np.cumsum(sizes[:-1]))
    result = []
    for one, without, part in zip(drawn_from, left_out, parts, strict=True):
        view = BootstrapView(pl.DataFrame(), measures, (DECISIONS,), (), (part[replicates],))
        result.append(_summarised(view, one, part[:replicates], [without], [part[replicates:]]))
    return result


def _summarised(
    view: BootstrapView,
    drawn_from: Units,
    replicate_values: Floats,
    left_out: Sequence[LeftOut],
    on_cells: Sequence[Floats],
) -> list[Outcome]:
    """The outcomes from the replicates, and from what each model has with rows left out."""
    base = [values[0] for values in on_cells]
    error = np.sum([np.abs(e - b) for e, b in zip(view.values, base, strict=True)], axis=0)
    scale = np.sum(np.abs(base), axis=0)
    value, middle = difference_of(view.values), difference_of(base)
    skew = np.zeros(len(view.measures))
    if any(len(one.every) for one in left_out):
        slopes = [one.slopes(v) for one, v in zip(left_out, on_cells, strict=True)]
        skew = _accelerations(drawn_from, slopes)
    return [
        Outcome(
            m.name,
            bounds_of(m.bounds, difference=len(base) > 1),
            value=float(value[k]),
            on_cells=float(middle[k]),
            replicates=replicate_values[:, k],
            acceleration=float(skew[k]),
            cell_error=float(error[k]),
            scale=float(scale[k]),
            optimum=m.on == "hull",
        )
        for k, m in enumerate(view.measures)
    ]


def _values(view: BootstrapView, masses: Floats, cells: ScoreCells) -> Floats:
    return evaluate_replicates(view.measures, masses[:, 1::2], masses[:, ::2], cells)


def _accelerations(drawn_from: Units, slopes: Sequence[Floats]) -> Floats:
    """Acceleration of each metric from the jackknife: one row less in each slot."""
    influence = np.zeros((len(drawn_from.count), slopes[0].shape[1]))
    for sign, share, slope in zip((1, -1), drawn_from.shares, slopes, strict=False):
        for m in range(slope.shape[1]):
            part = share.mass * slope[share.slot, m]
            influence[:, m] += sign * np.bincount(share.unit, part, len(influence))
    count = drawn_from.count.astype(np.float64)
    return np.array([acceleration(column, count, drawn_from.stratum) for column in influence.T])


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The masses of all rows, then those without a row of each of some slots.

    Of many slots some are tried, evenly spread, and what they add is taken as
    linear between them: rows of neighbouring cells weigh nearly the same. On the
    examples that moves a limit by at most 0.03 standard errors.
    """

    masses: Floats
    taken: Floats
    occupied: IntegersOfAnySize
    tried: tuple[Integers, ...]

    @property
    def every(self) -> Integers:
        """The slots that are tried, by class."""
        return np.concatenate(self.tried)

    @classmethod
    def of(cls, share: UnitWeights, count: Integers, *, influences: bool) -> LeftOut:
        """What is to be evaluated; only all rows where ``influences`` are not asked for."""
        whole = share.masses(count[None, :])
        occupied = share.slot[share.start][: None if influences else 0]
        step = max(-(-len(occupied) // _LEFT_OUT), 1)
        classes = [occupied[occupied % 2 == k] for k in (0, 1)]
        tried = tuple(np.union1d(of_class[::step], of_class[-1:]) for of_class in classes)
        every = np.concatenate(tried)
        taken = np.minimum(whole[0, every], share.row)
        masses = np.tile(whole, (len(every) + 1, 1))
        masses[np.arange(1, len(masses)), every] -= taken
        return cls(masses, taken, occupied, tried)

    def slopes(self, values: Floats) -> Floats:
        """What a mass of one in each slot adds to each measure, from the values of the masses."""
        change = (values[0] - values[1:]) / np.where(self.taken > 0, self.taken, 1)[:, None]
        slope = np.zeros((self.masses.shape[1], values.shape[1]))
        parts = np.split(change, [len(self.tried[0])])
        for k, (at, part) in enumerate(zip(self.tried, parts, strict=True)):
            of_class = self.occupied[self.occupied % 2 == k]
            for m, column in enumerate(part.T if len(at) else ()):
                slope[of_class, m] = np.interp(of_class, at, column)
        return slope


def _on_cells(measures: Sequence[ResampledMeasure], left_out: LeftOut, cells: ScoreCells) -> Floats:
    """The measures of all rows on the cells, then with rows left out."""
    values = np.empty((len(left_out.masses), len(measures)))
    for optima in (False, True):  # whose limits do without influences
        at = [k for k, m in enumerate(measures) if (m.on == "hull") == optima]
        masses = left_out.masses[: 1 if optima else None]
        values[:, at] = evaluate_replicates(
            [measures[k] for k in at], masses[:, 1::2], masses[:, ::2], cells
        )
    return values


def in_order(measures: Sequence[ResampledMeasure], values: Mapping[str, float | None]) -> Floats:
    """The values in the order of the measures, NaN where they are undefined."""
    return np.array([values[m.name] for m in measures], dtype=np.float64)


def in_all(measures: Sequence[ResampledMeasure], sweep: Swept) -> Floats:
    """Value of each measure from all rows, NaN where it is undefined."""
    steps = with_squares(as_ranking(sweep).table())
    frames = {"sweep": steps, "hull": hull(sweep), "bins": bins(sweep)}
    values = np.full(len(measures), np.nan)
    for on, frame in frames.items():
        at = [k for k, m in enumerate(measures) if m.on == on]
        named = {str(k): measures[k].expression for k in at}
        if named:
            row = frame.lazy().select(**named).collect(engine="in-memory").row(0)
            values[at] = [np.nan if v is None else v for v in row]
    return np.where(np.isfinite(values), values, np.nan)
