"""Measures that a spec compares, in each test part: folds, repeats or data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import polars as pl

from reportgen.measuring.context import EvaluationContext, Losses, RowsOfSlice
from reportgen.metric_names import COST, joined
from reportgen.metrics import chance_value, needs_threshold
from reportgen.predictions.evaluation_scheme import OVER_FOLDS
from reportgen.spec import Spec
from reportgen.spec.gates import parse
from reportgen.spec.measures import further_measures
from reportgen.tables.results import MetricRow

MOST_PARTS = 200
"""Of more test parts the measures are not evaluated one by one."""

GUARD = "informedness"
"""Of measures of decisions that guessing has no value in: whether models see anything."""

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
        A row per part, with its keys and a column for each measure and model, numbered from those
        that are known on (``m4`` …), and these. A measure that lacks a value of any model in any
        part has none: means over folds would not be of the same folds.
    """
    names = [*measures_of(context.spec), *(["auc"] if context.weight and losses.scores else [])]
    if context.task.two_classes and any(map(needs_guard, names)):
        names.append(GUARD)
    pairs = [(n, m) for n in dict.fromkeys(names) for m in losses.of]
    pairs = [one for one in pairs if one not in known]
    if of_parts is None or not pairs or not in_test_parts(context, keys):
        return pl.DataFrame(), []
    parts = context.rows.partition_by(keys, maintain_order=True)
    values = {
        (str(row["slice"]), joined(str(row["metric"]), row["average"]), row["model"]): row["value"]
        for row in of_parts([(part, str(place)) for place, part in enumerate(parts)])
        if row["class"] is None and row["value"] is not None
    }
    places = [str(place) for place in range(len(parts))]
    lacking = {n for n, m in pairs if any((place, n, m) not in values for place in places)}
    of_each = [
        part.select(keys)
        .head(1)
        .with_columns(
            pl.lit(None if one[0] in lacking else values[place, *one], pl.Float64).alias(f"m{k}")
            for k, one in enumerate(pairs, len(known))
        )
        for place, part in zip(places, parts, strict=True)
    ]
    return pl.concat(of_each), pairs


def in_test_parts(context: EvaluationContext, keys: Sequence[str]) -> bool:
    """Whether models are compared over test parts, so few that each is evaluated by itself."""
    if context.predictions.evaluation.scheme not in (*OVER_FOLDS, "data_sets"):
        return False
    return 1 < context.rows.select(keys).n_unique() <= MOST_PARTS


def needs_guard(name: str) -> bool:
    """Whether a measure of decisions says nothing of how far they are from guesses.

    >>> [needs_guard(name) for name in ("f1", "mcc", "accuracy", "log_loss")]
    [True, False, False, False]
    """
    known = chance_value(name) is not None or name in ("accuracy", "error_rate", COST)
    return needs_threshold(name) and not known


def measures_of(spec: Spec) -> Iterator[str]:
    """The measures that a spec compares: the primary one, further ones, and those of gates."""
    if spec.comparisons.primary is not None:
        yield spec.comparisons.primary
    yield from further_measures(spec)
    for gate in map(parse, spec.gates):
        yield gate.left.metric
