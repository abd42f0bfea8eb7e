"""The order of two models in a difference: one rule for all pages, tables and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from reportgen.comparisons.reversed_pairs import negative, reversed_pair
from reportgen.concluding.leading import Contest
from reportgen.records.model import Results, typed
from reportgen.records.rows import rows_of
from reportgen.tables import Comparisons, Differences
from reportgen.tables.comparisons import ComparisonRow, DifferenceRow


def pair_order(between: Contest, baseline: str | None) -> list[str]:
    """The models as pairs name them: leader first, then best first, the declared baseline last.

    Differences to a declared baseline are thus those of the other model minus it, also
    where the baseline leads.
    """
    leader = between.leader
    return sorted(between.order, key=lambda name: (name == baseline, name != leader))


def in_order(results: Results, order: Sequence[str], confidence: float) -> Results:
    """The results with every comparison and difference of two models in this order.

    A pair with a model that is not in ``order`` stays as it is.
    """
    places = {name: place for place, name in enumerate(order)}

    def is_reversed(row: ComparisonRow | DifferenceRow) -> bool:
        ranks = [places[name] for name in row["models"] if name in places]
        return len(row["models"]) == len(ranks) == 2 and ranks[0] > ranks[1]

    comparisons = _sorted(
        [
            cast("ComparisonRow", reversed_pair(row, confidence)) if is_reversed(row) else row
            for row in rows_of(results.comparisons, ComparisonRow)
        ],
        places,
    )
    differences = [
        _reversed_difference(row) if is_reversed(row) else row
        for row in rows_of(results.differences, DifferenceRow)
    ]
    return replace(
        results,
        comparisons=typed(Comparisons, comparisons),
        differences=typed(Differences, differences),
    )


def _sorted(rows: Sequence[ComparisonRow], places: Mapping[str, int]) -> list[ComparisonRow]:
    """The rows with the pairs of each test in order: those of the leader first."""
    of_test: dict[tuple[str, str, str | None], list[int]] = {}
    for at, row in enumerate(rows):
        if len(row["models"]) == 2 and set(row["models"]) <= places.keys():
            key = (row["comparison"], row["metric"], row["slice"])
            of_test.setdefault(key, []).append(at)
    ordered = list(rows)
    for positions in of_test.values():
        pairs = sorted((rows[i] for i in positions), key=lambda r: [places[m] for m in r["models"]])
        for i, row in zip(positions, pairs, strict=True):
            ordered[i] = row
    return ordered


def _reversed_difference(row: DifferenceRow) -> DifferenceRow:
    return {
        **row,
        "models": row["models"][::-1],
        "value": negative(row["value"]),
        "low": negative(row["high"]),
        "high": negative(row["low"]),
    }
