"""Measures that a spec compares, in each test part: folds, repeats or data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import polars as pl

from reportgen.measuring.context import EvaluationContext, Losses, RowsOfSlice
from reportgen.metric_names import joined
from reportgen.predictions.evaluation_scheme import OVER_FOLDS
from reportgen.spec.gates import parse
from reportgen.spec.measures import further_measures
from reportgen.tables.results import MetricRow

MOST_PARTS = 200
"""Of more test parts the measures are not evaluated one by one."""

OfParts = Callable[[Sequence[RowsOfSlice]], list[MetricRow]]

MeasuredModel = tuple[str, str]
"""A measure and a model."""


def compared_by_fold(
    context: EvaluationContext,
    losses: Losses,
    keys: Sequence[str],
    of_parts: OfParts | None,
    known: frozenset[MeasuredModel],
) -> tuple[pl.DataFrame, list[MeasuredModel]]:
    """The primary measure, further ones, those of gates, and the AUC of weighted rows.

    Args:
        context: Its rows are divided by the ``keys``.
        losses: The models, by their losses.
        keys: The columns of a part.
        of_parts: What gives the measures of parts of the rows; null where no rows are held.
        known: What is in the table of parts already.

    Returns:
        A row per part, with its keys and a column (``further:0`` …) for each measure and model,
        and these. A measure that lacks a value of any model in any part is left out: means over
        folds would not be of the same folds.
    """
    wanted = [(n, m) for n in dict.fromkeys(_named(context, losses)) for m in losses.of]
    wanted = [one for one in wanted if one not in known]
    over_folds = context.predictions.evaluation.scheme in (*OVER_FOLDS, "data_sets")
    if of_parts is None or not wanted or not over_folds:
        return pl.DataFrame(), []
    parts = context.rows.partition_by(keys, maintain_order=True)
    if not 1 < len(parts) <= MOST_PARTS:
        return pl.DataFrame(), []
    values = {
        (str(row["slice"]), joined(str(row["metric"]), row["average"]), row["model"]): row["value"]
        for row in of_parts([(part, str(place)) for place, part in enumerate(parts)])
        if row["class"] is None and row["value"] is not None
    }
    places = [str(place) for place in range(len(parts))]
    lacking = {n for n, m in wanted if any((place, n, m) not in values for place in places)}
    wanted = [(n, m) for n, m in wanted if n not in lacking]
    of_each = [
        part.select(keys)
        .head(1)
        .with_columns(
            pl.lit(values[place, *one]).alias(f"further:{k}") for k, one in enumerate(wanted)
        )
        for place, part in zip(places, parts, strict=True)
    ]
    return pl.concat(of_each), wanted


def _named(context: EvaluationContext, losses: Losses) -> Iterator[str]:
    spec = context.spec
    if spec.comparisons.primary is not None:
        yield spec.comparisons.primary
    yield from further_measures(spec)
    for gate in map(parse, spec.gates):
        yield gate.left.metric
    if context.weight is not None and losses.scores:
        yield "auc"
