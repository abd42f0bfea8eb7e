"""Bootstrap limits of any binary metric, and of differences between two models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from reportgen.metrics import Metric
from reportgen.metrics.settings import MetricSettings
from reportgen.resampling.binary_replicates import (
    BootstrapView,
    decision_view,
    resampled,
    score_view,
)
from reportgen.resampling.bootstrap_outcomes import Outcome, table
from reportgen.resampling.bootstrap_settings import DEFAULT, BootstrapSettings
from reportgen.resampling.replicate_measures import ResampledMeasure, measures
from reportgen.sweeping import Swept

Call = str | pl.Expr


def bootstrap(  # noqa: PLR0913  # one keyword per option
    frame: pl.DataFrame,
    metrics: Iterable[str | Metric] | None = None,
    *,
    truth: str = "truth",
    score: str | None = None,
    predicted: Call | None = None,
    weight: str | None = None,
    group: str | None = None,
    settings: MetricSettings | None = None,
    options: BootstrapSettings = DEFAULT,
    sweep: Swept | None = None,
    values: Mapping[str, float | None] | None = None,
) -> pl.DataFrame:
    """Limits of each metric by resampling the rows with replacement.

    ``metrics`` are names or entries of the registry (default: all binary
    ones); those of counts need ``predicted``, a Boolean column or expression,
    the others ``score``. ``settings`` go to the metrics that take them.

    - ``group``: whole groups are drawn, for rows that are not independent; the
      classes then keep their size only where each group lies in one class
      (more than 32,768 groups are drawn in 4,096 blocks, see
      ``resampling_units.blocks``);
    - ``weight``: rows are drawn alike and count by their weight (of more than
      32,768 kinds of rows those of a cell get one weight, which keeps its sum
      and the variance of that);
    - ``sweep``: that of the rows, where it is known;
    - ``values``: those of all rows by metric, where they are known.

    Metrics of counts are resampled exactly, and so are those of scores with up
    to 1,000 distinct scores. Beyond that a replicate sees about 1,000 cells of
    neighbouring scores (see ``reportgen.resampling.score_cells``); it then is moved
    by ``cell_error``, what the cells change in the value itself. The seed
    alone decides: not the threads, not the order of rows.

    What is best over thresholds (``on="hull"``) has limits corrected for that choice (see
    ``limits``).

    Returns ``metric value low high standard_error replicates defined
    cell_error interval``. ``defined`` counts the replicates that have a value.
    Limits are null where the value is undefined, fewer than nine in ten
    replicates have one, all are the same (a perfect model; the classes' sizes
    when stratified), the limits would not hold the value, or the cells move it
    by more than five standard errors.
    Efron & Tibshirani (1993), *An Introduction to the Bootstrap*,
    doi:10.1201/9780429246593; clusters: Field & Welsh (2007),
    doi:10.1111/j.1467-9868.2007.00593.x.
    """
    requested = measures(metrics, settings)
    rows = _rows(frame, truth, [score], [predicted], weight, group)
    views = []
    if predicted is not None:
        views.append(decision_view(rows, [m for m in requested if m.on == "counts"]))
    if score is not None:
        of_scores = [m for m in requested if m.on != "counts"]
        views.append(score_view(rows, of_scores, sweep=sweep, values=values))
    return table(_outcomes(views, requested, options), options)


def bootstrap_pair(  # noqa: PLR0913  # one keyword per option
    frame: pl.DataFrame,
    metrics: Iterable[str | Metric] | None = None,
    *,
    truth: str = "truth",
    scores: tuple[str, str] | None = None,
    predicted: tuple[Call, Call] | None = None,
    weight: str | None = None,
    group: str | None = None,
    settings: MetricSettings | None = None,
    options: BootstrapSettings = DEFAULT,
) -> pl.DataFrame:
    """Limits and p-value of each metric's difference between two models, first minus second.

    Both models are evaluated on the same drawn rows. Null hypothesis: the metric
    is the same for both in the population; two-sided,
    p = (b + 1) / (B + 1) with b the replicates whose difference lies at least
    as far from the observed one as that lies from 0. Assumes independent rows
    (or groups); not for models that were chosen on these rows.

    Options as in :func:`bootstrap`. With more than 32,768 kinds of rows the
    cells are coarser, down to 256 per model; of still more kinds rows are drawn in
    4,096 random blocks, as many groups are. Returns ``metric value low high
    standard_error p_value replicates defined cell_error interval``; the
    p-value is null where the limits are.
    Davison & Hinkley (1997), *Bootstrap Methods*, 4.4, doi:10.1017/CBO9780511802843.
    """
    requested = measures(metrics, settings)
    rows = _rows(frame, truth, scores or (), predicted or (), weight, group)
    views = []
    if predicted is not None:
        views.append(decision_view(rows, [m for m in requested if m.on == "counts"], models=2))
    if scores is not None:
        views.append(score_view(rows, [m for m in requested if m.on != "counts"], models=2))
    return table(_outcomes(views, requested, options), options, difference=True)


def _rows(
    frame: pl.DataFrame,
    truth: str,
    scores: Sequence[str | None],
    decisions: Sequence[Call | None],
    weight: str | None,
    group: str | None,
) -> pl.DataFrame:
    """The columns that are used, under names of their own."""
    columns = {
        "truth": pl.col(truth),
        **{f"score{k}": pl.col(s).cast(pl.Float64) for k, s in enumerate(scores) if s is not None},
        **{
            f"decision{k}": pl.col(c) if isinstance(c, str) else c
            for k, c in enumerate(decisions)
            if c is not None
        },
        **({"weight": pl.col(weight).cast(pl.Float64)} if weight else {}),
        **({"group": pl.col(group)} if group else {}),
    }
    return frame.lazy().select(**columns).collect().drop_nulls("truth")


def _outcomes(
    views: Sequence[BootstrapView], metrics: Sequence[ResampledMeasure], options: BootstrapSettings
) -> list[Outcome]:
    """The outcomes in the order in which their metrics were asked for."""
    outcomes: list[Outcome] = []
    for view in views:
        if view.measures and not view.rows.is_empty():
            outcomes += resampled(view, int(view.measures[0].on != "counts"), options)
    names = [m.name for m in metrics]
    return sorted(outcomes, key=lambda outcome: names.index(outcome.name))
