"""Columns of features, which are no models beside columns that are named as predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen.column_statistics import as_float
from reportgen.initial_spec import column_roles
from reportgen.initial_spec.candidates import used
from reportgen.initial_spec.pair_evidence import agreement_with, is_probability
from reportgen.initial_spec.prediction_names import limits
from reportgen.initial_spec.profile import ColumnProfile, without
from reportgen.text.words import name_words as words

USES = ("fold", "repeat", "role", "group", "model", "id")
"""What a column of features is not named for."""


def without_features(
    columns: Sequence[ColumnProfile],
    predictions: Sequence[ColumnProfile],
    truths: Sequence[ColumnProfile],
) -> list[ColumnProfile]:
    """The columns without features: others than predictions that stand outside of these.

    One alone beside the truth may as well be a model under any name.
    """
    predictions = [*predictions, *limits(columns)]
    places = [k for k, c in enumerate(columns) if any(c is p for p in predictions)]
    uses = [c for use, c in used(columns).items() if use != "weight"]
    free = [
        c
        for k, c in enumerate(columns)
        if not places[0] < k < places[-1]
        and all(c is not other for other in [*predictions, *truths, *uses])
        and not any(column_roles.hinted(c, use) for use in USES)
        and not _of_class(c, [*predictions, *truths])
        and not _estimates(c, truths)
    ]
    free = without(free, _on_scale_before(columns[: places[0]], truths))
    behind = [c for c in columns[places[-1] + 1 :] if any(c is f for f in free)]
    if len(behind) <= _MOST_BEHIND:
        follow = [c for c in behind if any(agreement_with(c, p) for p in predictions)]
        free = without(free, follow)
    plain = [c for c in free if not column_roles.hinted(c, "weight")]
    return without(columns, free) if len(plain) > 1 else list(columns)


_MOST_BEHIND = 3
"""Columns behind the predictions that may be further models."""


def _on_scale_before(
    columns: Sequence[ColumnProfile], truths: Sequence[ColumnProfile]
) -> list[ColumnProfile]:
    """The columns right before the predictions that may be models: decimals on a truth's scale."""
    models: list[ColumnProfile] = []
    for column in reversed(columns):
        if not column.fractional or not any(_on_scale(column, truth) for truth in truths):
            break
        models.append(column)
    return models


def _on_scale(column: ColumnProfile, truth: ColumnProfile) -> bool:
    if column.numbers is None or truth.numbers is None or truth.distinct == 2:
        return False
    means = [as_float(c.numbers.mean()) for c in (column, truth) if c.numbers is not None]
    return abs(means[0] - means[1]) < _NEAR * as_float(truth.numbers.std(), 0.0)


_NEAR = 0.1
"""Standard deviations of the truth that the mean of a model may be away from its mean."""


def _estimates(column: ColumnProfile, truths: Sequence[ColumnProfile]) -> bool:
    """Whether numbers with the name of a model follow what may be the truth, anywhere."""
    named = column.fractional and column_roles.named_model(column)
    return named and any(agreement_with(truth, column) for truth in truths)


def _of_class(column: ColumnProfile, labelled: Sequence[ColumnProfile]) -> bool:
    """Whether numbers from 0 to 1 have the name of a class, as in a table of caret."""
    return is_probability(column) and any(column.name in c.labels for c in labelled)


def further_models(
    columns: Sequence[ColumnProfile], predictions: Sequence[ColumnProfile], truth: ColumnProfile
) -> dict[str, str]:
    """Return the probabilities right before the predictions that agree with the truth as well."""
    first = next(k for k, c in enumerate(columns) if any(c is p for p in predictions))
    known = [agreement_with(truth, p) for p in predictions]
    least = max((pair.strength for pair in known if pair is not None), default=0.0) * _AS_WELL
    models = {}
    for column in reversed(columns[:first]):
        pair = agreement_with(truth, column) if is_probability(column) else None
        if truth.distinct > 2 or pair is None or pair.misfit > _MISFIT or pair.strength < least:
            break
        models[column.name] = "agrees with the truth as the predictions beside it do: a guess"
    return models


_MISFIT, _AS_WELL = 10.0, 0.5
"""Misfit up to which, and the share of their strength from which, numbers are of a model too."""


def with_evidence(
    columns: Sequence[ColumnProfile],
    usable: Sequence[ColumnProfile],
    reasons: Mapping[str, str],
    truth: str | None = None,
) -> tuple[list[ColumnProfile], list[ColumnProfile]]:
    """Return all columns and the usable ones with reasons by name, and what is stated as truth.

    Those with a reason are usable.
    """
    used = {c.name for c in usable} | reasons.keys()
    marked = [
        replace(
            c,
            stated_truth=c.stated_truth if truth is None else c.name == truth,
            evidence=reasons.get(c.name, c.evidence),
        )
        for c in columns
    ]
    return marked, [c for c in marked if c.name in used]


_EXPOSURE = words("exposure exposures expo insured offset person personyears denominator 暴露 人年")


def exposures(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """The columns of how much was observed in a row, which rates are per unit of."""
    return [
        c
        for c in columns
        if c.words & _EXPOSURE
        and c.complete
        and c.within(0, float("inf"))
        and not c.within(0, 0)
        and len(c.labels) != 1
    ]
