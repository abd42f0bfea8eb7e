"""How well a column agrees with a prediction as the truth of it would: in mean, slope and labels.

A feature of a model may be separated by its scores better than the target is. But only of the
target are probabilities and estimates right on average, with a slope near 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from reportgen.column_statistics import as_float
from reportgen.initial_spec.profile import SAMPLED, ColumnProfile

_MEAN_TOLERANCE = 0.01
"""Difference of means, in standard deviations of numbers or as a share, that a good model has."""

_SLOPE_TOLERANCE = 0.25
"""How far from 1 the slope of a good model may be, as models too closely fitted are flatter."""

_FOLLOWS = 2.5
"""Standard errors beyond chance from which labels and scores agree for sure."""

_FEWER_LABELS = 8.0
"""Misfit of labels of which a model never predicts some."""

_LEAST_R2 = 0.02
"""R² from which numbers estimate a column."""


class PairEvidence(NamedTuple):
    """``misfit`` is like a chi-square: near 0 for a truth; ``why`` says what agrees."""

    misfit: float
    why: str
    strength: float


def is_probability(column: ColumnProfile) -> bool:
    """Whether a column holds numbers from 0 to 1 that are not whole."""
    return column.fractional and column.within(0, 1)


def agreement_with(candidate: ColumnProfile, prediction: ColumnProfile) -> PairEvidence | None:
    """Return how a column agrees with a prediction as its truth; None where it cannot be that."""
    if is_probability(prediction) and candidate.distinct == 2:
        return _of_probability(candidate, prediction)
    if prediction.labels and not prediction.fractional and candidate.labels:
        labels = _of_labels(candidate, prediction)
        if labels is not None:
            return labels
    return _of_numbers(candidate, prediction)


def _sampled(values: pl.Series) -> pl.Series:
    return values.gather_every(len(values) // SAMPLED + 1)


def _array(values: pl.Series) -> np.ndarray:
    return _sampled(values).cast(pl.Float64).to_numpy()


def _of_probability(candidate: ColumnProfile, prediction: ColumnProfile) -> PairEvidence | None:
    """Of the label that the probabilities are best of."""
    if prediction.numbers is None:
        return None
    scores = _array(prediction.numbers)
    if np.ptp(scores) == 0:
        return None
    pairs = []
    for label in candidate.labels:
        flags = _array(candidate.texts == label)
        shares = f"{prediction.name!r} {scores.mean():.2f}, its share of {label!r}"
        why = f"mean of {shares} {flags.mean():.2f}"
        strength = abs(float(np.corrcoef(flags, scores)[0, 1]))
        pairs.append(PairEvidence(_misfit(flags, scores, 1.0), why, strength))
    return min(pairs, key=lambda pair: pair.misfit)


def _of_numbers(candidate: ColumnProfile, prediction: ColumnProfile) -> PairEvidence | None:
    if prediction.numbers is None or candidate.numbers is None:
        return None
    true, estimated = _array(candidate.numbers), _array(prediction.numbers)
    if np.ptp(true) == 0 or np.ptp(estimated) == 0:
        return None
    r2 = _r2(true, estimated)
    if r2 < _LEAST_R2:  # one row with its columns exchanged may do that
        errors = np.abs(true - estimated)
        usual = errors <= np.quantile(errors, _USUAL)
        true, estimated = true[usual], estimated[usual]
        r2 = _r2(true, estimated)
    if r2 < _LEAST_R2 or np.ptp(estimated) == 0:
        return None
    why = f"R² of {prediction.name!r} {r2:.2f}"
    return PairEvidence(_misfit(true, estimated, float(true.std())), why, r2)


def _r2(true: np.ndarray, estimated: np.ndarray) -> float:
    variance = float(true.var())
    return 1 - float(np.mean((true - estimated) ** 2)) / variance if variance else 0.0


_USUAL = 0.98
"""Share of the rows whose errors are looked at where those of all rows say nothing."""


def _misfit(true: np.ndarray, predicted: np.ndarray, scale: float) -> float:
    """How far mean and slope are from those of a good model, in squared standard errors."""
    count = len(true)
    correlation = float(np.corrcoef(true, predicted)[0, 1])
    ratio = float(true.std() / predicted.std())
    gap = float(true.mean() - predicted.mean())
    gap_error = float((true - predicted).var()) / count + (_MEAN_TOLERANCE * scale) ** 2
    slope_error = (1 - correlation**2) * ratio**2 / count + _SLOPE_TOLERANCE**2
    beyond_chance = correlation * ((count - 2) / max(1 - correlation**2, 1e-9)) ** 0.5
    unlike = max(0.0, _FOLLOWS - beyond_chance)
    misfit = gap**2 / gap_error + (correlation * ratio - 1) ** 2 / slope_error + unlike**2
    return float(misfit)


def _of_labels(candidate: ColumnProfile, prediction: ColumnProfile) -> PairEvidence | None:
    """Of labels that the candidate all has: most rows with a predicted label have it in truth.

    A prediction of one label says nothing, but that there are others.
    """
    if not prediction.labels.keys() <= candidate.labels.keys():
        return None
    predicted, true = _sampled(prediction.texts), _sampled(candidate.texts)
    count = len(predicted)
    if len(prediction.labels) == 1:
        return PairEvidence(0.0, "", 0.0) if len(candidate.labels) > 1 else None
    same = (predicted == true).cast(pl.Float64).to_numpy()
    chance = sum(
        as_float((predicted == label).mean(), 0.0) * as_float((true == label).mean(), 0.0)
        for label in candidate.labels
    )
    if chance >= 1:
        return None
    error = (chance * (1 - chance) / count) ** 0.5
    beyond_chance = float((same.mean() - chance) / max(error, 1e-9))
    misfit = max(0.0, _FOLLOWS - beyond_chance) ** 2
    for label in prediction.labels:
        rows = same[(predicted == label).to_numpy()]
        if len(rows):
            behind = max(0.0, 1 / len(candidate.labels) - float(rows.mean()))
            misfit += behind**2 / (0.25 / len(rows) + _MEAN_TOLERANCE**2)
    misfit += 0.0 if prediction.labels.keys() == candidate.labels.keys() else _FEWER_LABELS
    kappa = float((same.mean() - chance) / (1 - chance))
    return PairEvidence(misfit, f"{100 * same.mean():.0f} % of {prediction.name!r} agree", kappa)
