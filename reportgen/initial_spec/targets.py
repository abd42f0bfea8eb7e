"""Several columns of numbers that each have predictions of their own: one is the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reportgen.initial_spec.profile import ColumnProfile
from reportgen.initial_spec.regression import ESTIMATE
from reportgen.spec.nearest import listing


def of_stated_truth(columns: Sequence[ColumnProfile]) -> tuple[list[ColumnProfile], list[str]]:
    """Return the columns without other targets and their predictions, and what to tell of them.

    ``Waist`` and ``Waist_pred`` say nothing of ``Weight``. Predictions of the truth lose its
    words, which may be those of another role: ``Weight_pred`` holds no weights.
    """
    numbers = [c for c in columns if c.numbers is not None]
    targets = [c for c in numbers if c.words and not c.words & ESTIMATE]
    predicted: dict[str, list[str]] = {}
    for column in numbers:
        named = [t for t in targets if t.words < column.words]
        if column.words & ESTIMATE and named:
            target = max(named, key=lambda t: len(t.words))
            predicted.setdefault(target.name, []).append(column.name)
    truth = next((c for c in targets if c.stated_truth), None)
    if truth is None or truth.name not in predicted:
        return list(columns), []
    own = predicted.pop(truth.name)
    others = {*predicted, *(name for names in predicted.values() for name in names)}
    kept = [
        replace(c, words=c.words - truth.words) if c.name in own else c
        for c in columns
        if c.name not in others
    ]
    left_out = listing(repr(c.name) for c in columns if c.name in others)
    why = "other targets and their predictions: a spec for each, by --truth"
    return kept, [f"left out: {left_out} ({why})"] * bool(others)
