"""Which of two models' curves contains the other, over all pairs of models with scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons import dominance_of, dominance_stability, lines_of
from reportgen.comparisons.dominance_stability import REPLICATES
from reportgen.freed_memory import give_back
from reportgen.measuring.binary_model import BinaryModel
from reportgen.records.model import typed
from reportgen.tables import Dominance

MOST_PAIRS = 6
"""Of more pairs of curves the rows are not resampled."""


def dominances(
    models: Sequence[BinaryModel], rows: pl.DataFrame | None = None, seed: int = 0
) -> DataFrame[Dominance]:
    """The ROC, P-R and cost curves of every pair of score models that saw both classes.

    With ``rows`` they are resampled, whole groups where rows have a column of them,
    to see how often the relation comes out the same.
    """
    scored = {
        m.name: (str(m.columns.score), m.ranking, m.hull)
        for m in models
        if m.ranking is not None and m.hull is not None and m.both_classes
    }
    pairs = list(combinations(scored, 2))
    stability = {}
    group = "group" if rows is not None and "group" in rows.columns else None
    if rows is not None and len(pairs) <= MOST_PAIRS:
        for a, b in pairs:
            give_back(rows)
            columns, rankings = (scored[a][0], scored[b][0]), (scored[a][1], scored[b][1])
            stability[a, b] = dominance_stability(
                rows, columns, group=group, seed=seed, sweeps=rankings
            )
    lines = {name: lines_of(order, hull) for name, (_, order, hull) in scored.items() if pairs}
    records = [
        dominance_of(
            curve, (a, b), (lines[a][curve], lines[b][curve]), stability.get((a, b)), REPLICATES
        )
        for curve in ("roc", "precision_recall", "cost")
        for a, b in pairs
    ]
    return typed(Dominance, records)
