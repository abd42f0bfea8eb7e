"""The state of each gate of a spec: a condition that the results must meet.

A gate fails where the observed number misses the limit, passes where it meets
it and its whole interval does, and is inconclusive in between. An end of an
interval (``.low``, ``.high``) has no interval of its own: it passes or fails.
An interval of no width (a perfect ranking, say) comes from a variance that
could not be estimated, and a gate that rests on one is never passed. Where a
number of counts in cells is known between two bounds, all between them count
as observed, and its interval is as much wider.

A gate on a difference takes value and interval from one estimator, which
``basis`` names: that of the recommended test, the mean over folds for example.
A difference that has no interval of its own has the limits that those of its two
sides leave it.

Where rows have a column of time, limits of independent rows are too narrow for a
difference between models, whose errors follow each other: only limits that allow
for it, those of Diebold–Mariano or of blocks of time, let such a gate pass, and those of a test
that is not recommended do not: the gate then is as open as the conclusion.
Where rows come in groups that are too few and too unequal for limits by group, none passes by
them; a slice without limits, where all rows have them, passes none either.

A difference of models on rows of their own is open where no test of it is recommended.

A number at a threshold that these rows chose is optimistic: it passes by limits that hold for
every threshold, and not without limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Unpack

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing.exchanged_outputs import score_counts
from reportgen.comparing.unseen_costs import UnseenCost
from reportgen.concluding.gate_differences import (
    GateLimits,
    OwnRows,
    over_data_sets,
)
from reportgen.concluding.gate_numbers import NoValueError, difference_of, number_of, of_both
from reportgen.concluding.gate_reasons import (
    against_test,
    at_chosen_threshold,
    by_refused_test,
    in_time,
    is_of_cost,
    is_of_one_model,
    noise,
    of_many_fits,
    of_other_shares,
    of_these_sets,
    over_few_sets,
    ranks_alike,
    undecided_over_folds,
    without_interval,
    without_limits,
)
from reportgen.concluding.values_in_use import InUse
from reportgen.errors import Problem, UndefinedError
from reportgen.metric_names import MEAN_OVER_FOLDS, OF_TESTS, parted
from reportgen.metrics import needs_threshold
from reportgen.records.basis import IN_USE, Basis
from reportgen.records.decision import GateCounts
from reportgen.records.gate_rows import by_point_estimate
from reportgen.records.model import typed
from reportgen.records.rows import ModelRecord, rows_of
from reportgen.spec.gates import Gate, parse, sides_of
from reportgen.tables import Gates
from reportgen.tables.results import GateRow, GateState

NO_EARLIER = "there is no build of an earlier date"


@dataclass(frozen=True, slots=True)
class NumbersOfGates:
    """The numbers that gates read, and what they rest on.

    ``of_rows`` is the basis of ``metrics``, but measures in ``over_folds`` are read as means over
    folds; ``timed`` says that rows have a column of time,
    ``too_unequal`` why limits by group do not hold, ``chosen_here`` which models decide by a
    threshold that these rows chose. ``slices`` are those that a gate by a column has a row for,
    ``comparisons`` the tests, of which one in order of time may not hold its level,
    ``same_outputs`` the models that give the same scores or estimates for every row,
    ``same_rankings`` those that rank every row alike. The rows may
    be ``of_data_sets``, and some models may have ``own_rows``. ``shares`` are those of positives
    here and in the population that the spec states, where these differ. Of the columns
    ``withheld`` a slice is not shown; ``in_use`` are values at the prevalence that the spec states,
    ``unseen_cost`` is what a declared class without rows may cost; ``models`` are the records of
    all models.
    """

    metrics: pl.DataFrame
    differences: pl.DataFrame
    of_rows: Basis = "pooled rows"
    over_folds: frozenset[str] = frozenset()
    timed: bool = False
    too_unequal: str | None = None
    chosen_here: frozenset[str] = frozenset()
    slices: pl.DataFrame | None = None
    comparisons: pl.DataFrame | None = None
    same_outputs: Sequence[Sequence[str]] = ()
    same_rankings: Sequence[Sequence[str]] = ()
    of_data_sets: bool = False
    own_rows: OwnRows | None = None
    shares: tuple[float, float] | None = None
    withheld: frozenset[str] = frozenset()
    in_use: InUse = field(default_factory=dict)
    task: str = "binary"
    unseen_cost: UnseenCost | None = None
    models: Sequence[ModelRecord] = ()


def evaluate_gates(
    gates: Sequence[str], numbers: NumbersOfGates, places: Sequence[str] = ()
) -> DataFrame[Gates]:
    """Return one row per gate; ``places`` say where each is written.

    A gate against an earlier build is inconclusive until ``with_gates`` decides it.
    A gate on a number that is withheld, or by a column without slices, is inconclusive.

    Raises:
        UndefinedError: a number that a gate needs has no value; names every such gate.
    """
    rows: list[GateRow] = []
    problems: list[Problem] = []
    printed = [_as_printed(parse(gate), numbers) for gate in gates]
    for index, gate in enumerate(printed):
        try:
            if gate.earlier is not None:
                rows.append(record(gate.text, why=NO_EARLIER))
            elif gate.by is not None:
                rows += _by_slice(gate, numbers)
            elif (in_use := _in_use(gate, numbers)) is not None:
                rows.append(in_use)
            else:
                rows.append(_row(gate, numbers))
        except NoValueError as missing:
            if missing.is_withheld:
                rows.append(record(gate.text, why=f"{missing}", basis=str(numbers.of_rows)))
                continue
            hint = missing.hint or "remove the gate, or add the data that define the number"
            place = places[index] if places else ""
            problems.append(Problem("gate-undefined", f"{gate.text}: {missing}", place, hint))
    if problems:
        raise UndefinedError(*problems)
    return typed(Gates, rows)


def counts_of(gates: pl.DataFrame) -> GateCounts:
    """How many gates there are in each state."""
    rows = rows_of(gates, GateRow)
    states = [row["state"] for row in rows]
    on_estimates = sum(row["state"] == "pass" and by_point_estimate(row) for row in rows)
    return GateCounts(
        states.count("pass"), states.count("fail"), states.count("inconclusive"), on_estimates
    )


def record(gate: str, /, **fields: Unpack[GateRow]) -> GateRow:
    """A row of the table of gates: inconclusive unless ``fields`` say otherwise."""
    empty: GateRow = {
        "slice": None,
        "observed": None,
        "low": None,
        "high": None,
        "basis": "earlier builds",
        "state": "inconclusive",
        "why": None,
    }
    return {**empty, **fields, "gate": gate}


def _by_slice(gate: Gate, numbers: NumbersOfGates) -> list[GateRow]:
    """A row for each slice of a column; one without a value is inconclusive, with its reason.

    So is one more row for all slices that are withheld.
    """
    rows, slices = [], numbers.slices
    for one in [] if slices is None else slices.to_dicts():
        if one["slicing"] != [gate.by]:
            continue
        of_slice = numbers.metrics.filter(slice=one["slice"])
        whole = of_slice.with_columns(slice=pl.lit(None, pl.String))
        try:
            row = _row(gate, replace(numbers, metrics=whole, timed=False, comparisons=None))
        except NoValueError as missing:
            row = record(gate.text, why=str(missing), basis=str(numbers.of_rows))
        rows.append(row | {"slice": one["slice"]})
    why = f"there are no slices by {gate.by}" if not rows else None
    if gate.by in numbers.withheld:
        why = f"slices by {gate.by} are withheld for privacy, and are not compared with the limit"
    if why is not None:
        rows.append(record(gate.text, why=why, basis=str(numbers.of_rows)))
    return rows


def _as_printed(gate: Gate, numbers: NumbersOfGates) -> Gate:
    """The gate with its measures as means over folds, where page one has those.

    Slices have no means over folds: a gate by slice reads their rows, as their section does.
    """
    if gate.by is not None:
        return gate
    sides, needed = sides_of(gate), ["value", *(["low"] if numbers.of_data_sets else [])]
    fold_means = numbers.metrics.filter(average=MEAN_OVER_FOLDS).drop_nulls(needed)
    has = set(fold_means.select("metric", "model").rows()) - numbers.in_use.keys()
    if any(s.metric not in numbers.over_folds or (s.metric, s.model) not in has for s in sides):
        return gate
    if numbers.of_data_sets and len(sides) > 1 and not over_data_sets(sides, numbers.comparisons):
        return gate
    left, *right = [replace(side, metric=f"{MEAN_OVER_FOLDS}_{side.metric}") for side in sides]
    return replace(gate, left=left, right=right[0] if right else None)


def _row(gate: Gate, numbers: NumbersOfGates) -> GateRow:
    metrics = numbers.metrics
    seen = number_of(gate.left, metrics)
    average = parted(gate.left.metric)[1] or ""
    basis = "mean over folds" if average == MEAN_OVER_FOLDS else str(numbers.of_rows)
    basis = average if average in OF_TESTS else basis
    allows_time = gate.right is None
    observed, bounds, interval, rests_on = seen.value, seen.bounds, seen.interval, [seen.taken_from]
    if gate.right is not None:
        other = number_of(gate.right, metrics)
        observed -= other.value
        spread = (
            observed - (bounds[0] - other.bounds[1]),
            (bounds[1] - other.bounds[0]) - observed,
        )
        interval = of_both(seen.interval, other.interval)
        estimated = difference_of((gate.left, gate.right), numbers.differences, numbers.comparisons)
        if estimated is not None:
            observed, basis = estimated.value, estimated.basis
            if estimated.interval and basis == str(numbers.of_rows):  # it holds what cells leave
                interval, spread = estimated.interval, (0.0, 0.0)
            elif estimated.interval:
                nearest = estimated.interval
                interval = (nearest[0] - spread[0], nearest[1] + spread[1])
            allows_time = estimated.allows_time
        bounds = (observed - spread[0], observed + spread[1])
        ends = gate.left.bound or gate.right.bound
        rests_on = [seen.taken_from, other.taken_from] if ends else [interval]
    low, high = interval or (None, None)
    state, why = _state(gate, (observed, *bounds), interval, rests_on)
    has_limits = rests_on[0] is not None
    limited_by = basis if has_limits else None
    if state != "inconclusive":
        why = next(_against_either(gate, numbers, basis), None)
        if state == "pass" and why is None:
            why = next(_objections(gate, numbers, limited_by, allows_time=allows_time), None)
        state = state if why is None else "inconclusive"
    if any(s.model in numbers.chosen_here and needs_threshold(s.metric) for s in sides_of(gate)):
        state, why = at_chosen_threshold(state, why, has_limits=has_limits)
    alike = ranks_alike(gate, numbers.same_rankings, numbers.task)
    if alike or is_of_one_model(gate, numbers.same_outputs):
        observed = low = high = 0.0  # whatever the rows are
        state, why = "pass" if gate.holds(observed) else "fail", None
    return _decided(gate, observed, (low, high), basis, (state, why))


def _in_use(gate: Gate, numbers: NumbersOfGates) -> GateRow | None:
    """The state of a gate on a number that is known at the prevalence that the spec states."""
    side, value = gate.left, numbers.in_use.get((gate.left.metric, gate.left.model))
    if gate.right is not None or value is None:
        return None
    limits = value.low or 0.0, value.high or 0.0
    observed, interval = value.value, (None if side.bound else limits)
    if side.bound:
        observed = limits[side.bound == "high"]
    state, why = _state(gate, [observed], interval, [limits])
    if side.model in numbers.chosen_here:
        state, why = at_chosen_threshold(state, why, has_limits=True)
    return _decided(gate, observed, interval or (None, None), IN_USE, (state, why))


def _decided(
    gate: Gate,
    observed: float,
    limits: tuple[float | None, float | None],
    basis: str,
    outcome: tuple[GateState, str | None],
) -> GateRow:
    """The row of a gate: its number with limits and basis, its state and why it is open."""
    (low, high), (state, why) = limits, outcome
    return record(gate.text) | {
        "observed": observed,
        "low": low,
        "high": high,
        "limit": gate.limit,
        "margin": gate.margin(observed),
        "basis": basis,
        "state": state,
        "why": why,
    }


def _against_either(gate: Gate, numbers: NumbersOfGates, basis: str) -> Iterator[str]:
    """What leaves a gate open, whether its limits meet it or miss it."""
    tests = numbers.comparisons, numbers.task
    reasons = [
        of_many_fits(gate, numbers.metrics),
        of_other_shares(gate, numbers.shares),
        numbers.own_rows.objection(gate) if numbers.own_rows else None,
        undecided_over_folds(gate, *tests) if basis == "pooled rows" else None,
    ]
    yield from filter(None, reasons)


def _objections(
    gate: Gate, numbers: NumbersOfGates, limited_by: str | None, *, allows_time: bool
) -> Iterator[str]:
    """What keeps a gate that its limits meet from passing; ``limited_by`` is their basis."""
    reasons = [
        numbers.too_unequal if limited_by == "groups" else None,
        in_time(gate, numbers.comparisons) if numbers.timed and not allows_time else None,
        against_test(gate, numbers.comparisons) if numbers.timed else None,
        without_interval(gate, numbers.metrics) if limited_by is None else None,
        over_few_sets(gate, numbers.comparisons),
        by_refused_test(gate, numbers.comparisons, numbers.task),
        without_limits(gate, numbers.differences),
        noise(gate, score_counts(numbers.models)),
        str(numbers.unseen_cost) if numbers.unseen_cost and is_of_cost(gate) else None,
        of_these_sets(gate) if numbers.of_data_sets and limited_by else None,
    ]
    yield from filter(None, reasons)


def _state(
    gate: Gate, possible: Sequence[float], interval: GateLimits, rests_on: Sequence[GateLimits]
) -> tuple[GateState, str | None]:
    """The state by the values that the number may have and by its interval; why it is open."""
    # Two shares that differ by exactly the limit must not miss it by a rounding error.
    met = [gate.holds(round(value, 12)) for value in possible]
    if not any(met):
        return "fail", None
    if any(seen is not None and seen[0] == seen[1] for seen in rests_on):
        return "inconclusive", "the interval has no width, which is not certainty"
    if all(met) and (interval is None or all(map(gate.holds, interval))):
        return "pass", None
    if interval is None:
        return "inconclusive", (
            "the number is only known to lie between two bounds, and one of them misses the limit"
        )
    return "inconclusive", "the value meets the limit, but part of its interval does not"
