"""The curves of models that estimate a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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


def curves_of_model(
    name: str, pairs: pl.DataFrame, in_time: pl.DataFrame | None
) -> dict[str, pl.DataFrame]:
    """Rows, residual quantiles and error characteristic of a model, and means over time.

    From its pairs of truth and estimate, and these in time where rows have a time. Pairs that
    are in the order of their values already are not sorted again.
    """
    tables: dict[str, pl.DataFrame] = {curve: make(pairs, name) for curve, make in MAKERS.items()}
    if in_time is not None:
        tables["estimates_in_time"] = estimates_in_time(in_time, name)
    return tables


def joined(models: Sequence[Mapping[str, pl.DataFrame]]) -> dict[str, DataFrame[Curve]]:
    """The curves of all models by their name."""
    names = dict.fromkeys(name for tables in models for name in tables)
    return {
        name: CURVES[name].table.validate(pl.concat([t[name] for t in models if name in t]))
        for name in names
    }
