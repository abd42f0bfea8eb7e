"""Bootstrap from the counts of a sweep alone, where the rows are not at hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.metrics import Metric
from reportgen.metrics.settings import MetricSettings
from reportgen.resampling.binary_replicates import (
    BootstrapView,
    decided_each,
    in_all,
    in_order,
    outcomes,
)
from reportgen.resampling.bootstrap_outcomes import table
from reportgen.resampling.bootstrap_settings import BootstrapSettings
from reportgen.resampling.replicate_measures import measures
from reportgen.resampling.resampling_units import Units, UnitWeights
from reportgen.resampling.score_cells import score_cells
from reportgen.sweeping import Swept, as_ranking
from reportgen.tables import Counts


def bootstrap_sweep(
    sweep: Swept,
    metrics: Iterable[str | Metric],
    *,
    settings: MetricSettings | None = None,
    options: BootstrapSettings,
    values: Mapping[str, float | None] | None = None,
) -> pl.DataFrame:
    """Limits of each metric of scores, from the counts of its unweighted sweep.

    The same as ``bootstrap`` with the rows: a multinomial draw over the cells
    of a class (of both, if not stratified) is what resampling its rows leaves
    in the cells.
    Options, columns, undefined cases and sources as there.
    """
    score_measures = [m for m in measures(metrics, settings) if m.on != "counts"]
    if not score_measures:
        return table([], options)
    cells = score_cells(sweep)
    exact = in_all(score_measures, sweep) if values is None else in_order(score_measures, values)
    view = BootstrapView(pl.DataFrame(), score_measures, (cells,), (), (exact,))
    ranked = as_ranking(sweep)
    ends = ranked.count_at_or_above(cells.lowest)
    positives, negatives = (np.diff(run, prepend=0.0) for run in ranked.counts(ends, "tp", "fp"))
    results = outcomes(
        view,
        _of_slots(np.column_stack([negatives, positives]).ravel(), stratified=options.stratified),
        1,
        options,
    )
    return table(results, options)


def bootstrap_counts(
    counts: DataFrame[Counts],
    metrics: Iterable[str | Metric],
    *,
    settings: MetricSettings | None = None,
    options: BootstrapSettings,
) -> list[pl.DataFrame]:
    """Limits of each metric of decisions, from the counts of unweighted rows: see there.

    One table for each row of ``counts``, all rows at little more than the cost
    of one. ``settings``, such as the costs, go to the metrics that take them.
    """
    count_measures = [m for m in measures(metrics, settings) if m.on == "counts"]
    if not count_measures:
        return [table([], options)] * counts.height
    # As in ``decision_view``: an odd slot has positives, the first two have what was predicted so.
    rows = counts.select("fp", "tp", "tn", "fn").to_numpy()
    results = decided_each(
        count_measures,
        [_of_slots(row, stratified=options.stratified) for row in rows],
        0,
        options,
    )
    return [table(outcomes, options) for outcomes in results]


def _of_slots(rows: Floats, *, stratified: bool) -> Units:
    """A unit per slot (cell and class) that has rows."""
    slot = np.flatnonzero(rows)
    unit = np.arange(len(slot))
    share = UnitWeights(unit, slot, np.ones(len(slot)), unit, len(rows), 1.0)
    return Units(rows[slot].astype(np.int64), slot % 2 * int(stratified), (share,))
