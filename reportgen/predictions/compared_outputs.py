"""What models of a number are compared in beside their errors: quantiles, prediction intervals."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.metric_names import PINBALL_LOSS, WINKLER_SCORE, of_parameter
from reportgen.predictions.validated import ModelColumns


def compared_outputs(models: Sequence[ModelColumns]) -> dict[str, list[str]]:
    """The models that the loss of each quantile rates, and the score of prediction intervals.

    Where some models estimate the mean, no quantile decides; intervals are compared where all
    models have them, of one level.

    >>> from reportgen.predictions import ModelColumns
    >>> compared_outputs([ModelColumns(name, quantile=0.9) for name in "ab"])
    {'pinball_high': ['a', 'b']}
    """
    measures: dict[str, list[str]] = {}
    levels = [model.quantile for model in models]
    for level in sorted({level for level in levels if level is not None and None not in levels}):
        names = [model.name for model in models if model.quantile == level]
        measures[of_parameter(PINBALL_LOSS, level)] = names
    nominal = {model.level for model in models if model.low is not None}
    if len(nominal) == 1 and None not in nominal and all(m.low is not None for m in models):
        measures[WINKLER_SCORE] = [model.name for model in models]
    return measures
