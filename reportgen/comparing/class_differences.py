"""Differences in macro F1 between models of several classes or labels, in the main results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from reportgen.comparing.differences import FEW_PAIRS, mean_record, record
from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.macro_differences import MacroF1, between
from reportgen.measuring.overlapping_folds import overlapping_folds
from reportgen.measuring.time_blocks import by_block, in_blocks
from reportgen.predictions.column_names import columns_of
from reportgen.tables.comparisons import DifferenceRow

MACRO_F1 = "macro_f1"


def of_classes(context: EvaluationContext, predicted: Mapping[str, pl.Expr]) -> list[DifferenceRow]:
    """The rows of models that give each row one class; none where rows cannot be paired."""
    if not _are_paired(context, predicted):
        return []
    rows = context.rows
    truth = rows["truth"].cast(pl.Int64).to_numpy()
    given = rows.select(e.cast(pl.Int64).alias(m) for m, e in predicted.items())
    size, weights = len(context.predictions.classes), _weights(context)
    models = {m: MacroF1.of_classes(truth, given[m].to_numpy(), size, weights) for m in predicted}
    return _between(context, models)


def of_labels(
    context: EvaluationContext, predicted: Mapping[str, Sequence[pl.Expr]]
) -> list[DifferenceRow]:
    """The rows of models that give each row any labels; none where rows cannot be paired."""
    if not _are_paired(context, predicted):
        return []
    rows = context.rows
    truth = rows.select(columns_of(rows.columns, "truth")).cast(pl.Boolean)
    models = {}
    for model, labels in predicted.items():
        given = rows.select(e.cast(pl.Boolean).alias(str(k)) for k, e in enumerate(labels))
        models[model] = MacroF1.of_labels(truth.to_numpy(), given.to_numpy(), _weights(context))
    return _between(context, models)


def _are_paired(context: EvaluationContext, models: Mapping[str, object]) -> bool:
    """Whether all models have an output for the same rows, each of which stands once."""
    return len(models) > 1 and not context.test_settings.unpaired and context.repeats == 1


def _weights(context: EvaluationContext) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    weight = context.weight
    return None if weight is None else context.rows[weight].cast(pl.Float64).to_numpy()


def _between(context: EvaluationContext, models: Mapping[str, MacroF1]) -> list[DifferenceRow]:
    """A row per pair, of many those with the best model: the baseline comes second.

    Over folds whose training parts overlap the fits take the place of the groups.
    """
    fits = overlapping_folds(context)
    groups = in_blocks(context).groups if fits is None else fits.groups
    both = [*combinations(sorted(models, key=lambda name: name == context.baseline), 2)]
    if len(both) > FEW_PAIRS:
        best = max(models, key=lambda name: np.nan_to_num(models[name].value, nan=-1.0))
        both = [pair for pair in both if best in pair]
    rows = []
    for pair in both:
        mean = between(models[pair[0]], models[pair[1]], groups)
        row = record(MACRO_F1, pair)
        row |= mean_record(mean, context.spec.confidence)
        if mean.value is None:
            row["undefined"] = mean.reason
        row = row if fits is None else fits.widened(row)
        rows.append(row | {"interval": by_block(row["interval"], context)})
    return rows
