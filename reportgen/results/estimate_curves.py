"""The curves of models that estimate a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.curves import error_characteristic, estimates, residual_quantiles
from reportgen.curves.estimates_in_time import estimates_in_time
from reportgen.tables import CURVES, Curve

MAKERS: dict[str, Callable[[pl.DataFrame, str], pl.DataFrame]] = {
    "estimates": estimates,
    "residual_quantiles": residual_quantiles,
    "error_characteristic": error_characteristic,
}


def estimate_curves(
    models: Iterable[tuple[str, pl.DataFrame, pl.DataFrame | None]],
) -> dict[str, DataFrame[Curve]]:
    """Rows, residual quantiles and error characteristic of every model, and means over time.

    ``models`` are names with their pairs of truth and estimate, and these in time where rows have
    a time.
    """
    tables: dict[str, list[pl.DataFrame]] = {}
    for name, pairs, in_time in models:
        for curve, make in MAKERS.items():
            tables.setdefault(curve, []).append(make(pairs, name))
        if in_time is not None:
            tables.setdefault("estimates_in_time", []).append(estimates_in_time(in_time, name))
    return {name: CURVES[name].table.validate(pl.concat(parts)) for name, parts in tables.items()}
