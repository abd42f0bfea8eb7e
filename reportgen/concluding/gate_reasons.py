"""Why a gate is not decided: an undefined number, or limits that leave the order of time out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from reportgen.comparing.exchanged_outputs import raised_unlike
from reportgen.comparing.stated_share import against_shares
from reportgen.comparisons import LONG_RUN
from reportgen.comparisons.wording import measure
from reportgen.concluding.untested import named_reason
from reportgen.intervals.method_names import MethodName
from reportgen.measuring.no_interval import COUNT, NEVER
from reportgen.measuring.series_limits import LONG_RUN_RATIO
from reportgen.metric_names import COST, MEAN_OVER_FOLDS, OF_TESTS, parted
from reportgen.metrics import find, follows_prevalence, measure_tested_as
from reportgen.records.limit_widths import OF_MANY_FITS
from reportgen.records.rows import rows_of
from reportgen.spec.gates import Gate, Side, sides_of
from reportgen.spec.nearest import listing
from reportgen.tables.comparisons import ComparisonRow
from reportgen.tables.results import GateState
from reportgen.text.words import with_article


def why_undefined(
    name: str, row: Mapping[str, Any], metrics: pl.DataFrame
) -> tuple[str, str | None]:
    """Why a number is undefined; of an average with the classes that have none, and what to do."""
    metric, model, average = row["metric"], row["model"], row["average"]
    same = metrics.filter(pl.col("slice").is_null(), metric=metric, model=model)
    none = same.filter(pl.col("class").is_not_null(), pl.col("value").is_null())["class"].to_list()
    if average is None or not none:
        return f"{name} is undefined ({row['undefined']})", None
    verb = "has" if len(none) == 1 else "have"
    kinds = same.filter(pl.col("value").is_not_null())["average"].drop_nulls().to_list()
    usable = [f"{kind}_{metric}" for kind in ("weighted", "micro") if kind in kinds]
    gate_on = f"write the gate on {' or '.join(usable)}, or " if usable else ""
    hint = f"{gate_on}leave these out of the spec, or add their rows"
    return f"{name} is undefined: {listing(none)} {verb} no {measure(metric)}", hint


def of_many_fits(gate: Gate, metrics: pl.DataFrame) -> str | None:
    """Why a gate on ranks of scores of as many fits as rows is open, whatever their value."""
    return next((r for r in _reasons(gate, metrics) if r == OF_MANY_FITS), None)


def without_interval(gate: Gate, metrics: pl.DataFrame) -> str | None:
    """Why a number without limits meets no gate, where it has some in other data or settings.

    Else what takes the limits away, a switch or too few rows, would let a gate pass. Of a measure
    that never has any, the difference of two models meets none either: one of two models that are
    alike is ahead always.
    """
    always = {COUNT} if gate.right is not None and gate.earlier is None else NEVER
    lacking = (r for r in _reasons(gate, metrics) if r not in always)
    return next((f"the number has no interval: {reason}" for reason in lacking), None)


def _reasons(gate: Gate, metrics: pl.DataFrame) -> list[str]:
    """Why the numbers of a gate have no interval, over all rows; that of other averages last."""
    whole = metrics.filter(pl.col("slice").is_null()).drop_nulls("no_interval")
    sides = {(*parted(side.metric), side.model) for side in sides_of(gate)}
    columns = ("metric", "average", "model", "class", "no_interval")
    reasons: tuple[list[str], list[str]] = [], []
    for metric, average, model, class_, reason in whole.select(columns).iter_rows():
        if any((metric, model) == (side[0], side[2]) for side in sides):
            other = class_ is not None or (metric, average, model) not in sides
            reasons[other].append(reason)
    return [*reasons[0], *reasons[1]]


def in_order(interval: str | None) -> bool:
    """Whether an interval allows for errors that follow each other."""
    return interval is not None and (
        interval in (LONG_RUN, LONG_RUN_RATIO)
        or MethodName.read(interval).allows == "blocks of time"
    )


def against_test(gate: Gate, comparisons: pl.DataFrame | None) -> str | None:
    """Why the test in order of time whose limits a gate reads may not hold its level, if it may."""
    in_order = _in_order(sides_of(gate), comparisons) if gate.right is not None else []
    tests = [row for row in in_order if row.metric == gate.left.metric]
    if not tests or any(row.recommendation == "recommended" for row in tests):
        return None
    if any(row.doubt == "measure" for row in tests):  # the gate asks about this measure
        return None
    return next((named_reason(row.label, row.why) for row in tests if row.why), None)


def is_of_cost(gate: Gate) -> bool:
    """Whether a gate is on what a row costs under one model."""
    return gate.right is None and parted(gate.left.metric)[0] == COST


OVER_FITS = ("folds", "repeats")
"""The units of tests over several fits."""


def undecided_over_folds(gate: Gate, comparisons: pl.DataFrame | None, task: str) -> str | None:
    """Why limits of pooled rows do not decide a difference that no test over the fits decides.

    They take the fits of all folds as one model. Of a measure that has no such test those of the
    others speak.
    """
    tests, measures = _tests_of(gate, comparisons), _tested_as(gate, task)
    over_folds = [one for one in tests if one.unit in OVER_FITS]
    of_rows = (one for one in tests if one.unit not in OVER_FITS and one.metric in measures)
    chosen = [one for one in of_rows if one.recommendation == "recommended"]
    of_measure = [one for one in over_folds if one.metric in measures]
    return _refused((over_folds and chosen) or of_measure or over_folds)


def by_refused_test(gate: Gate, comparisons: pl.DataFrame | None, task: str) -> str | None:
    """Why a difference passes no gate where no test of its measure is recommended, if it has any.

    What keeps a test from holding its level keeps limits from holding what they say. That another
    measure says more of the models is no reason; that few units differ is one against a gate that
    equal models do not pass.
    """
    measures = _tested_as(gate, task)
    tests = [one for one in _tests_of(gate, comparisons) if one.metric in measures]
    why = _refused(tests)
    standing = [one for one in tests if one.recommendation != "avoid"] or tests
    doubts = {one.doubt for one in standing if one.why}
    if doubts <= {"measure"} or (doubts <= {"measure", "units"} and gate.holds(0.0)):
        return None
    return why


def _tested_as(gate: Gate, task: str) -> set[str]:
    """The measures whose tests are those of a gate's."""
    metric = parted(gate.left.metric)[0]
    name = measure_tested_as(metric, task)
    return {gate.left.metric, name} if parted(gate.left.metric)[1] else {name}


def _tests_of(gate: Gate, comparisons: pl.DataFrame | None) -> list[ComparisonRow]:
    """The tests of the difference of the two models over all rows, or else of the other pairs.

    Those over the fits, which decide where there are several, come first.
    """
    if comparisons is None or gate.right is None or gate.left.bound or gate.right.bound:
        return []
    models = {side.model for side in sides_of(gate)}
    tests = comparisons.filter(
        pl.col("slice").is_null(), pl.col("p_value").is_not_null(), shows="difference"
    )
    of_pairs = [one for one in rows_of(tests, ComparisonRow) if len(one.models) == 2]
    of_pairs.sort(key=lambda one: one.unit not in OVER_FITS)
    return [one for one in of_pairs if set(one.models) == models] or of_pairs


def _refused(tests: Sequence[ComparisonRow]) -> str | None:
    """Why none of the tests is recommended; null if one is, or there is none.

    One that the spec chooses keeps what speaks against it.
    """
    recommended = [one for one in tests if one.recommendation == "recommended"]
    if any(not one.doubt for one in recommended):
        return None
    tests = recommended or tests
    return next((named_reason(one.label, one.why) for one in tests if one.why), None)


OF_THESE = "limits of pooled rows hold for these data sets alone, and"
"""Why they say nothing of new ones."""


def over_few_sets(gate: Gate, comparisons: pl.DataFrame | None) -> str | None:
    """Why limits of pooled rows do not decide a difference that a test over data sets cannot.

    They are of these data sets alone, not of new ones.
    """
    if gate.right is None or comparisons is None:
        return None
    tests = comparisons.filter(
        pl.col("slice").is_null(),
        metric=parted(gate.left.metric)[0],
        unit="data sets",
        shows="difference",
    )
    models = {side.model for side in sides_of(gate)}
    of_pair = [one for one in rows_of(tests, ComparisonRow) if set(one.models) == models]
    if not of_pair or any(one.recommendation == "recommended" for one in of_pair):
        return None
    first = of_pair[0]
    reason = first.undefined or named_reason(first.label, first.why or "")
    return f"{OF_THESE} {reason}"


def of_these_sets(gate: Gate) -> str | None:
    """Why limits of the rows of several data sets pass no gate; null of means over data sets."""
    metric, average = parted(gate.left.metric)
    if gate.by is not None or average in (MEAN_OVER_FOLDS, *OF_TESTS):
        return None
    return f"{OF_THESE} {measure(metric)} has none over data sets"


def of_other_shares(gate: Gate, shares: tuple[float, float] | None) -> str | None:
    """Why numbers of these rows say nothing of the population that the spec states; null if not."""
    if shares is None or not any(follows_prevalence(parted(s.metric)[0]) for s in sides_of(gate)):
        return None
    return against_shares(*shares)


def in_time(gate: Gate, comparisons: pl.DataFrame | None) -> str:
    """Why limits of independent rows let no gate pass, and the gate that could be decided."""
    why = "the rows are in time order, and the limits of this difference treat them as independent"
    for row in _in_order(sides_of(gate), comparisons):
        if row.recommendation == "recommended":
            test = with_article(row.label)
            return f"{why}; write the gate on {row.metric}, which {test} decides"
    return why


def without_limits(gate: Gate, differences: pl.DataFrame) -> str | None:
    """Why a difference has a value but no limits that hold, such as of losses without a largest.

    Limits of the two models alone do not know of it either.
    """
    if gate.right is None or gate.left.metric != gate.right.metric:
        return None
    models = {gate.left.model, gate.right.model}
    rows = differences.filter(pl.col("low").is_null(), metric=gate.left.metric)
    reasons = rows.drop_nulls(["value", "undefined"]).select("models", "undefined").rows()
    return next((reason for names, reason in reasons if set(names) == models), None)


def _in_order(sides: Sequence[Side], comparisons: pl.DataFrame | None) -> list[ComparisonRow]:
    """The tests of the difference of the two models that allow for the order of all rows."""
    if comparisons is None:
        return []
    models = {side.model for side in sides}
    tests = comparisons.filter(pl.col("slice").is_null(), interval=LONG_RUN, shows="difference")
    return [row for row in rows_of(tests, ComparisonRow) if set(row.models) == models]


def ranks_alike(gate: Gate, same_rankings: Sequence[Sequence[str]], task: str) -> bool:
    """Whether a gate is on how differently two models rank that rank every row alike."""
    metric = find(gate.left.metric, task)
    if metric is None or metric.group != "ranking":
        return False
    return is_of_one_model(gate, same_rankings)


def noise(gate: Gate, scores: Mapping[str, float]) -> str | None:
    """Why a difference between models passes no gate if noise raises its measure unlike."""
    if gate.right is None or gate.left.metric != gate.right.metric:
        return None
    models = (gate.left.model, gate.right.model)
    return raised_unlike(parted(gate.left.metric)[0], models, scores)


def is_of_one_model(gate: Gate, same_outputs: Sequence[Sequence[str]]) -> bool:
    """Whether a gate is on the difference of two models of one group of ``same_outputs``.

    >>> from reportgen.spec.gates import parse
    >>> is_of_one_model(parse("a.auc - b.auc >= 0"), [["a", "b"]])
    True
    """
    left, right = gate.left, gate.right
    if right is None or left.bound or right.bound or left.metric != right.metric:
        return False
    return any({left.model, right.model} <= {*alike} for alike in same_outputs)


CHOOSE_ELSEWHERE = "a threshold chosen on rows with the role validation has narrower limits"


def at_chosen_threshold(
    state: GateState, why: str | None, *, has_limits: bool
) -> tuple[GateState, str | None]:
    """The same where the rows chose a threshold: without limits it is not passed."""
    if state == "pass" and not has_limits:
        no_limits = "the threshold was chosen on these rows, and no limits allow for that"
        return "inconclusive", f"{no_limits}; {CHOOSE_ELSEWHERE}"
    return state, None if why is None else f"{why}; {CHOOSE_ELSEWHERE}"
