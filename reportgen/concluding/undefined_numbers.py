"""Why a number that a gate needs is undefined, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from reportgen.comparisons.wording import measure
from reportgen.spec.nearest import listing


def why_undefined(
    name: str, row: Mapping[str, Any], metrics: pl.DataFrame
) -> tuple[str, str | None]:
    """Why a number is undefined; of an average with the classes that have none, and what to do."""
    metric, model, average = row["metric"], row["model"], row["average"]
    same = metrics.filter(pl.col("slice").is_null(), metric=metric, model=model)
    none = same.filter(pl.col("class").is_not_null(), pl.col("value").is_null())["class"].to_list()
    if average is None or not none:
        return f"{name} is undefined ({row['undefined']})", None
    verb = "has" if len(none) == 1 else "have"
    kinds = same.filter(pl.col("value").is_not_null())["average"].drop_nulls().to_list()
    usable = [f"{kind}_{metric}" for kind in ("weighted", "micro") if kind in kinds]
    gate_on = f"write the gate on {' or '.join(usable)}, or " if usable else ""
    hint = f"{gate_on}leave these out of the spec, or add their rows"
    return f"{name} is undefined: {listing(none)} {verb} no {measure(metric)}", hint
