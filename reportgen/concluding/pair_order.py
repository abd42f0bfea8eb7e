"""The order of two models in a difference: one rule for all pages, tables and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen.comparisons.records import Comparison
from reportgen.comparisons.verdicts import texts
from reportgen.concluding.contest import Contest
from reportgen.records.model import Results, typed
from reportgen.records.rows import rows_of
from reportgen.records.slice_tests import DifferenceInSlice, PairsBySlice, PairVaries
from reportgen.tables import Comparisons, Differences
from reportgen.tables.comparisons import ComparisonRow, DifferenceRow


def pair_order(contest: Contest, baseline: str | None) -> list[str]:
    """The models as pairs name them: leader first, then best first, the declared baseline last.

    Differences to a declared baseline are thus those of the other model minus it, also
    where the baseline leads.
    """
    leader = contest.leader
    return sorted(contest.order, key=lambda name: (name == baseline, name != leader))


def in_order(results: Results, order: Sequence[str]) -> Results:
    """The results with every comparison and difference of two models, by slice too, in this order.

    A pair with a model that is not in ``order`` stays as it is.
    """
    places = {name: place for place, name in enumerate(order)}

    def is_reversed(models: Sequence[str]) -> bool:
        ranks = [places[name] for name in models if name in places]
        return len(models) == len(ranks) == 2 and ranks[0] > ranks[1]

    comparisons = _sorted(
        [
            reversed_pair(row, results.confidence) if is_reversed(row.models) else row
            for row in rows_of(results.comparisons, ComparisonRow)
        ],
        places,
    )
    differences = [
        _reversed_difference(row) if is_reversed(row["models"]) else row
        for row in rows_of(results.differences, DifferenceRow)
    ]
    data = results.data
    if "pairs_by_slice" in data:
        by_slice = [_by_slice(record, places) for record in data["pairs_by_slice"]]
        data = {**data, "pairs_by_slice": by_slice}
    return replace(
        results,
        comparisons=typed(Comparisons, comparisons),
        differences=typed(Differences, differences),
        data=data,
    )


def _by_slice(record: PairsBySlice, places: Mapping[str, int]) -> PairsBySlice:
    """The differences by slice in the order of ``places``, those of the first models first."""

    def ranks(models: Sequence[str]) -> list[int]:
        return [places[name] for name in models if name in places]

    def turned(models: Sequence[str]) -> bool:
        of = ranks(models)
        return len(of) == 2 and of[0] > of[1]

    varies: list[PairVaries] = [
        {**one, "models": one["models"][::-1]} if turned(one["models"]) else one
        for one in record["varies"]
    ]
    slices: list[DifferenceInSlice] = [
        {
            **one,
            "models": one["models"][::-1],
            "value": 0.0 - one["value"],
            "low": negative(one["high"]),
            "high": negative(one["low"]),
        }
        if turned(one["models"])
        else one
        for one in record["slices"]
    ]
    return {
        **record,
        "varies": sorted(varies, key=lambda one: ranks(one["models"])),
        "slices": sorted(slices, key=lambda one: ranks(one["models"])),
    }


def _sorted(rows: Sequence[ComparisonRow], places: Mapping[str, int]) -> list[ComparisonRow]:
    """The rows with the pairs of each test in order: those of the leader first."""
    of_test: dict[tuple[str, str, str | None], list[int]] = {}
    for at, row in enumerate(rows):
        if len(row.models) == 2 and set(row.models) <= places.keys():
            key = (row.comparison, row.metric, row.slice)
            of_test.setdefault(key, []).append(at)
    ordered = list(rows)
    for positions in of_test.values():
        pairs = sorted((rows[i] for i in positions), key=lambda r: [places[m] for m in r.models])
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


SIGNED = frozenset({"t", "z"})
"""Symbols of statistics that change their sign with the order; all others are sizes."""

DIRECTED = "non_inferiority"
"""What a test shows whose question is another one in the other order."""


def reversed_pair(row: ComparisonRow, confidence: float) -> ComparisonRow:
    """The row of ``Comparisons`` for second minus first, with its sentence.

    The difference, its limits and the statistics t and z change their sign, the
    probabilities, the variations of groups and the cells of the cross table their places. p-values,
    recommendation and the better model stay. A test of non-inferiority asks about the
    first model and is returned as it is.

    >>> from reportgen.comparisons import Question
    >>> test = Question(("a", "b"), "auc").record("delong", statistic=2.0, estimate=0.1, p_value=1)
    >>> turned = reversed_pair(test, 0.95)
    >>> turned.models, turned.statistic, turned.estimate
    (('b', 'a'), -2.0, -0.1)
    """
    if row.shows == DIRECTED:
        return row
    signed = row.symbol in SIGNED and row.shows != "equivalence"
    turned = replace(
        row,
        models=row.models[::-1],
        probabilities=row.probabilities[::-1],
        group_variation=row.group_variation[::-1],
        estimate=negative(row.estimate),
        statistic=negative(row.statistic) if signed else row.statistic,
        low=negative(row.high),
        high=negative(row.low),
        simultaneous_low=negative(row.simultaneous_high),
        simultaneous_high=negative(row.simultaneous_low),
    )
    if len(row.cross_table) == 4:
        both, first, second, none = row.cross_table
        turned = replace(turned, cross_table=(both, second, first, none))
    verdict, evidence = texts(_record(turned, confidence))
    return replace(turned, verdict=verdict, evidence=evidence)


def negative(value: float | None) -> float | None:
    """The number with the other sign; 0 has none."""
    return None if value is None else 0.0 - value


def _record(row: ComparisonRow, confidence: float) -> Comparison:
    record = Comparison(**vars(row)).with_fields(confidence=confidence)
    if row.better is None or not row.estimate:
        return record
    return record.with_fields(less_is_better=(row.estimate > 0) != (row.better == row.models[0]))
