"""What the headline's accuracy leaves out: how models rank the rows, and their probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from reportgen.comparisons.area_covariances import NEARLY_ALIKE, PERFECT, RANKED_ALIKE
from reportgen.comparisons.wording import (
    COST_ALIKE,
    DECIDED_ALIKE,
    ERRORS_ALIKE,
    bounded,
    measure,
)
from reportgen.concluding import identical_models
from reportgen.concluding.chance import at_chance, not_better, of_headline
from reportgen.concluding.contest import Contest
from reportgen.concluding.cost_headline import are_of_rows
from reportgen.concluding.decided_limits import decided_limit, stricter
from reportgen.concluding.decided_pairs import decided_pairs
from reportgen.concluding.headline_numbers import estimate_and_limits, limit, of_value
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.concluding.probability_caveats import LOSSES
from reportgen.metric_names import BRIER, COST, WINKLER_SCORE
from reportgen.records.decision import AtChance, Caveat
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of, rows_of
from reportgen.tables.comparisons import ComparisonRow, DifferenceRow
from reportgen.text import decimals, numbers
from reportgen.text.words import listed

OF_DECISIONS = ("precision", "recall", "f1", "mcc")

LEAST_OF_CLASS = 10
"""Of fewer rows of a class page one does not speak of informedness."""


def beside_accuracy(results: Results, contest: Contest) -> str:
    """What the headline adds on the ranking where accuracy decides; may be empty."""
    areas = _areas(results, contest)
    if not areas:
        informed = _informed(results, contest)
        who = {1: "it is", 2: "both are"}.get(len(informed), "all are")
        return f"; in informedness {who} better than chance" if informed else ""
    if rank_alike(results, contest):
        who = "both" if len(areas) == 2 else "all"
        return f"; {who} rank the rows alike (AUC {_within_brackets(areas[contest.leader])})"
    return ""


def beside_areas(results: Results, contest: Contest) -> str:
    """What the headline adds where models are alike: which has the better Brier or Winkler score.

    By a recommended test of the pair, which the comparisons have.
    """
    level = results.decision.relation in ("level", "equivalent")
    if results.task.of_numbers:
        ahead = results.decision.relation == "ahead" and contest.tied
        if not (level or ahead):
            return ""
        if len(contest.order) > 2:
            return _best_intervals(results, contest)
        return _better(results, contest, WINKLER_SCORE, "prediction intervals (Winkler score")
    if not _of_two_alike(results, contest):
        return ""
    return _better(results, contest, BRIER, "probabilities (Brier score")


def _of_two_alike(results: Results, contest: Contest) -> bool:
    """Whether the AUC decides between two models and sets neither before the other.

    And the Brier score is that of the share of positives that the spec states.
    """
    relation = results.decision.relation
    level = relation in ("level", "equivalent")
    alike = relation == "no conclusion" and bool(all_alike(results, contest))
    of_two = contest.measure == "auc" and len(contest.order) == 2
    return of_two and (level or alike) and are_of_rows(results)


def untested_probabilities(results: Results, contest: Contest) -> Iterator[Caveat]:
    """Which of two models that rank alike has the lower Brier score, where no test compares them.

    By the limits of the paired difference, which exclude 0; of the rows of one fit, whose limits
    allow for how they depend.
    """
    data = results.data
    if not _of_two_alike(results, contest) or BRIER in results.comparisons["metric"]:
        return
    if evaluation_of(data).pooled_fits or data.get("timed") or data.get("unpaired"):
        return
    difference = _clear_difference(results, contest, BRIER)
    if difference is None:
        return
    value, low, high = difference
    better, other = contest.leader, _other(contest)
    if value > 0:
        better, other, value, low, high = other, better, -value, -high, -low
    size = numbers.difference(value, low, high)
    limits = numbers.difference_limits(value, low, high)
    level = 1 - (1 - results.confidence) / stricter(results)
    text = (
        f"In Brier score {bounded(better)} − {bounded(other)} is {size} "
        f"({numbers.level(level)} CI {limits}), which is not tested here. "
        "comparisons: {measures: [brier_score]} tests it."
    )
    yield Caveat("untested_probabilities", "moderate", text)


def _better(results: Results, contest: Contest, metric: str, what: str) -> str:
    """Which of two models is better in a measure by its recommended test; or empty."""
    for row in decided_pairs(results, (metric,)):
        if set(row.models) != set(contest.order):
            continue
        value, low, high = row.estimate, row.simultaneous_low, row.simultaneous_high
        if value is None or low is None or high is None:
            continue
        near, far = sorted((abs(low), abs(high)))
        digits = decimals.of_effect(value, low, high)
        size, *shown = (limit(number, digits) for number in (abs(value), near, far))
        better = bounded(str(row.better))
        return f"; {better} has the better {what} {size} lower, {' to '.join(shown)})"
    return ""


def _best_intervals(results: Results, contest: Contest) -> str:
    """The model of several that each other one is behind in the Winkler score; or empty."""
    better = [
        row.better
        for row in decided_pairs(results, (WINKLER_SCORE,))
        if {*row.models} <= {*contest.order}
    ]
    values = on_all_rows(results.metrics, WINKLER_SCORE)
    for name in contest.order:
        if name in values and better.count(name) == len(contest.order) - 1:
            one = values[name]
            shown = numbers.estimate(one.value, one.low, one.high)
            return f"; {bounded(name)} has the best prediction intervals (Winkler score {shown})"
    return ""


def _other(contest: Contest) -> str:
    """The model that the leader is set against."""
    return next(name for name in contest.order if name != contest.leader)


def sentences(results: Results, contest: Contest) -> Iterator[str]:
    """The areas that are better than chance, or how models differ that rank the rows alike."""
    areas = _areas(results, contest)
    if not areas:
        if informed := _informed(results, contest):
            shown = [f"{bounded(n)} {of_value(one)}" for n, one in informed.items()]
            yield f"Informedness (recall + specificity − 1): {listed(shown)}."
        return
    if not rank_alike(results, contest):
        return
    if text := of_probabilities(results, contest):
        yield text
    lower = [
        _in_words(name, difference)
        for name in OF_DECISIONS
        if (difference := _clear_difference(results, contest, name)) and difference[0] < 0
    ]
    if lower:
        pair = f"{bounded(contest.leader)} − {bounded(_other(contest))}"
        yield f"At the thresholds in use {pair} is {listed(lower)}."


SUBSET = "subset_accuracy"


def all_alike(results: Results, contest: Contest) -> str:
    """The headline of models that are one, or rank the rows, are right, or cost alike; or empty."""
    if identical_models.are_one_model(results, contest):
        return identical_models.headline(contest)
    return _alike_in_measure(results, contest)


def _alike_in_measure(results: Results, contest: Contest) -> str:
    """The headline where other outputs than theirs are alike in the measure that decides."""
    who = listed([bounded(n) for n in contest.order])
    same = (contest.measure == "accuracy" and results.task.several_classes) or (
        contest.measure == SUBSET and results.task.several_labels
    )
    if same and _alike(results, contest, contest.measure, DECIDED_ALIKE):
        value = _within_brackets(contest.values[contest.leader])
        return f"{who} are correct on the same rows ({contest.what} {value})"
    if contest.measure == COST and _alike(results, contest, COST, COST_ALIKE):
        value = _within_brackets(contest.values[contest.leader])
        return f"{who} cost the same on every row (cost per row {value})"
    of_numbers = results.task.of_numbers and contest.measure is not None
    if of_numbers and _alike(results, contest, contest.measure, *ERRORS_ALIKE):
        value = _within_brackets(contest.values[contest.leader])
        return f"{who} have errors of the same size in every row ({contest.what} {value})"
    if contest.measure != "auc" or not _ranked_alike(results, contest):
        return ""
    if _alike(results, contest, "auc", PERFECT):
        area = _within_brackets(contest.values[contest.leader])
        return f"{who} rank every positive above every negative (AUC {area})"
    decide = " and decide" if _alike(results, contest, "accuracy", DECIDED_ALIKE) else ""
    area = _within_brackets(contest.values[contest.leader])
    return f"{who} rank the rows{decide} alike (AUC {area})"


def _within_brackets(value: ModelValue) -> str:
    return ", ".join(filter(None, estimate_and_limits(value.value, value.low, value.high)))


def of_probabilities(results: Results, contest: Contest) -> str:
    """The sentence on how the probabilities of two models differ, whose interval excludes 0."""
    losses = [
        _in_words(name, difference)
        for name in LOSSES
        if (difference := _clear_difference(results, contest, name))
    ]
    pair = f"{bounded(contest.leader)} − {bounded(_other(contest))}"
    return f"Their probabilities differ: {pair} is {listed(losses)}." if losses else ""


def rank_alike(results: Results, contest: Contest) -> bool:
    """Whether accuracy sets models apart that rank all rows alike, by what tests of AUC say."""
    return bool(_areas(results, contest)) and _ranked_alike(results, contest)


def _clear_difference(
    results: Results, contest: Contest, metric: str
) -> tuple[float, float, float] | None:
    """The leader minus the next model in a measure, with its limits; null where they hold 0.

    They are at the level of the tests, where that is stricter.
    """
    pair = {contest.leader, _other(contest)}
    rows = rows_of(results.differences, DifferenceRow)
    row = next((r for r in rows if r["metric"] == metric and set(r["models"]) == pair), None)
    if row is None or row["value"] is None or row["low"] is None or row["high"] is None:
        return None
    value, ends = row["value"], (row["low"], row["high"])
    low, high = (decided_limit(results, value, end) for end in ends)
    if low <= 0 <= high:
        return None
    return (value, low, high) if row["models"][0] == contest.leader else (-value, -high, -low)


def _in_words(metric: str, difference: tuple[float, float, float]) -> str:
    limits = numbers.difference_limits(*difference)
    return f"{numbers.difference(*difference)} in {measure(metric)} ({limits})"


def _ranked_alike(results: Results, contest: Contest) -> bool:
    return _alike(results, contest, "auc", RANKED_ALIKE, NEARLY_ALIKE, PERFECT)


def _alike(results: Results, contest: Contest, metric: str, *reasons: str) -> bool:
    """Whether no pair of two and more models has a test of a measure, for such a reason."""
    if len(contest.order) < 2:
        return False
    pairs = {
        frozenset(row.models)
        for row in rows_of(results.comparisons, ComparisonRow)
        if row.metric == metric and row.undefined in reasons
    }
    return pairs >= {frozenset(pair) for pair in combinations(contest.order, 2)}


def _areas(results: Results, contest: Contest) -> dict[str, ModelValue]:
    """The AUC of every model where accuracy decides; empty unless all have it."""
    if contest.measure != "accuracy" or not results.task.two_classes or len(contest.values) < 2:
        return {}
    areas = on_all_rows(results.metrics, "auc")
    return {n: areas[n] for n in contest.order} if areas.keys() >= set(contest.order) else {}


def _informed(results: Results, contest: Contest) -> dict[str, ModelValue]:
    """The informedness of models no more accurate than guessing, where all are above its 0."""
    of_accuracy = contest.measure == "accuracy" and results.decision.relation == "at chance"
    if not of_accuracy or not results.task.two_classes:
        return {}
    if min(results.data["positives"], results.data["negatives"]) < LEAST_OF_CLASS:
        return {}
    values = on_all_rows(results.metrics, "informedness")
    if not values.keys() >= set(contest.order):
        return {}
    informed = {name: values[name] for name in contest.order}
    return informed if _above(results, informed, "informedness", 0.0) else {}


def _above(results: Results, values: dict[str, ModelValue], metric: str, chance: float) -> bool:
    """Whether all values are better than chance, by limits that hold at once."""
    rows = [AtChance(n, metric, v.value, v.low, v.high, chance) for n, v in values.items()]
    if any(row.low is None for row in rows):
        return False
    data = results.data
    units = evaluation_of(data).independent_units or data["rows_evaluated"]
    return not not_better(rows, results.confidence, units)


def useful_by_area(results: Results, contest: Contest) -> bool:
    """Whether the AUC judges models of which accuracy says that none is better than guessing.

    Accuracy is compared where no test of the AUC is: that says nothing of what each model is worth.
    """
    areas = _areas(results, contest)
    guessing = at_chance(results, contest, list(areas), costs=False) if areas else ()
    if not areas or len(of_headline(guessing, "accuracy", results.data)) < len(areas):
        return False
    rows = [AtChance(n, "auc", v.value, v.low, v.high, 0.5) for n, v in areas.items()]
    limited = [row for row in rows if row.low is not None]
    units = evaluation_of(results.data).independent_units or results.data["rows_evaluated"]
    return len(not_better(limited, results.confidence, units)) < len(limited)
