"""The cost curve: lower envelope of the cost lines of all thresholds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats, Indices
from reportgen.curves.ranking import FINITE, line
from reportgen.metrics.costs import envelope_vertices
from reportgen.metrics.rates import false_negative_rate, false_positive_rate, recall
from reportgen.metrics.registry import ratio
from reportgen.polylines import upper_hull
from reportgen.small_queries import selected
from reportgen.spec.costs import prevalence_at
from reportgen.tables import CostEnvelope, CostZones, Sweep
from reportgen.tables.checked import column_types

_LINES = {
    "threshold": FINITE,
    "false_positive_rate": false_positive_rate(),
    "false_negative_rate": false_negative_rate(),
}
_CROSSINGS = dict(zip("xy", envelope_vertices(), strict=True))


def cost_envelope(
    hull: DataFrame[Sweep],
    model: str = "model",
) -> DataFrame[CostEnvelope]:
    """Least normalised cost against P(+)cost, one row per vertex from (0, 0) to (1, 0).

    ``hull`` is the hull of a sweep: each vertex of the one is a line of the
    other, from (0, FPR) to (1, FNR). No rows when only one class is present.

    Args:
        hull: vertices of the ROC curve's hull, as ``reportgen.hull`` gives them.
        model: name of the model, for the column of that name.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``probability_cost``, ``normalised_cost``,
        ``threshold``, ``false_positive_rate`` and ``false_negative_rate``. Costs are normalised
        to the largest that there can be.

    Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.

    >>> from reportgen.sweeping import sweep
    >>> from reportgen.curves import hull
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> cost_envelope(hull(sweep(frame))).select("probability_cost", "normalised_cost").rows()
    [(0.0, 0.0), (0.6, 0.2), (1.0, 0.0)]
    """
    lines, crossings = selected(hull, _LINES), selected(hull, _CROSSINGS)
    if crossings["x"].has_nulls() or crossings["y"].has_nulls():
        lines, x, y = lines.clear(), np.empty(0), np.empty(0)
    else:
        lines = pl.concat([lines, lines.clear(1)])
        x = np.concatenate([[0.0], crossings["x"], [1.0]])
        y = np.concatenate([[0.0], crossings["y"], [0.0]])
    # Of two vertices in one place the first is left by its line at once.
    left = np.flatnonzero(np.append(x[:-1] != x[1:], [True] * len(x[:1])))
    columns = {"probability_cost": x[left].clip(0, 1), "normalised_cost": y[left].clip(0, 1)}
    return CostEnvelope.validate(line(model, pl.DataFrame(columns).hstack(lines[left])))


def cost_zones(
    hulls: Mapping[str, DataFrame[Sweep]],
    *,
    prevalence: float,
    false_negative: float = 1.0,
    false_positive: float = 1.0,
) -> DataFrame[CostZones]:
    """Which model and threshold cost least where, as prevalence and cost ratio.

    The lower envelope of the cost lines of all models is the hull of all their
    ROC points. Of models that cost the same the first stands. ``prevalence`` is
    that of the rows. No rows when only one class is present.

    Args:
        hulls: the hull of each model by its name, as ``reportgen.hull`` gives them.
        prevalence: share of the positives among the rows.
        false_negative: cost of a false negative.
        false_positive: cost of a false positive.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``low``, ``high``, ``threshold``,
        ``false_positive_rate``, ``false_negative_rate``, ``prevalence_low``, ``prevalence_high``,
        ``cost_ratio_low`` and ``cost_ratio_high``. ``low`` and ``high`` are the ends of a zone in
        P(+)cost.

    Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.

    >>> from reportgen.sweeping import sweep
    >>> from reportgen.curves import hull
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> zones = cost_zones({"a": hull(sweep(frame))}, prevalence=0.6)
    >>> zones.select("low", "high").rows()
    [(0.0, 0.6), (0.6, 1.0)]
    """
    lines = pl.concat(
        line(name, selected(hull, {**_LINES, "recall": recall()})) for name, hull in hulls.items()
    )
    if lines.is_empty() or lines["false_positive_rate"].has_nulls() or lines["recall"].has_nulls():
        return CostZones.validate(pl.DataFrame(schema=column_types(CostZones)))
    x, y = (lines[name].to_numpy() for name in ("false_positive_rate", "recall"))
    best = _best(x, y)
    run, rise = np.diff(x[best]), np.diff(y[best])
    high = np.append(run / (run + rise), 1.0)
    low = np.append(0.0, high[:-1])
    wide = high > low
    ends = pl.DataFrame({"low": low[wide], "high": high[wide]})
    columns = {name: pl.col(name) for name in ("model", "slice", "class", *ends.columns, *_LINES)}
    for end, at in ends.to_dict(as_series=False).items():
        shares = [prevalence_at(x, false_negative, false_positive) for x in at]
        columns[f"prevalence_{end}"] = pl.lit(pl.Series(shares, dtype=pl.Float64))
    columns |= {f"cost_ratio_{end}": ratio_at(pl.col(end), prevalence) for end in ends.columns}
    return CostZones.validate(selected(lines[best[wide]].hstack(ends), columns))


def _best(x: Floats, y: Floats) -> Indices:
    """Which points are vertices of the hull of all, from left to right; of equals the first."""
    order: Indices = np.lexsort((y, x))
    moved = (np.diff(x[order]) != 0) | (np.diff(y[order]) != 0)
    order = order[np.append(True, moved)]
    return order[upper_hull(x[order], y[order])]


def ratio_at(x: pl.Expr, prevalence: float) -> pl.Expr:
    """Cost of a false negative over that of a false positive at which P(+)cost is ``x``.

    (x / p) / ((1 − x) / (1 − p)); null where no ratio is large enough, or a class is missing.
    """
    return ratio(x * (1 - prevalence), (1 - x) * prevalence)
