"""Caveats from the results: cheaper models, single classes, another prevalence, shifts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from reportgen.comparisons import wording
from reportgen.comparisons.records import lower_is_better
from reportgen.comparisons.wording import MOST_NAMES, bounded, counted
from reportgen.concluding.decided_limits import decided_limit
from reportgen.concluding.decided_pairs import decided_pairs
from reportgen.concluding.headline_numbers import plain, with_limits
from reportgen.concluding.model_values import on_all_rows
from reportgen.concluding.single_class import EVERY, NEARLY, NONE, in_use, of_single_class
from reportgen.intervals import simultaneous_limit
from reportgen.measuring.thresholds import FIXED
from reportgen.metric_names import COST
from reportgen.metrics import METRICS, needs_threshold
from reportgen.records.decision import Caveat, Severity
from reportgen.records.model import Results
from reportgen.records.rows import class_sizes, rows_of
from reportgen.records.section_reading import SingleClassKind, on_rows
from reportgen.records.shift import ChangeParts
from reportgen.spec import Spec
from reportgen.tables.comparisons import DifferenceRow
from reportgen.text import numbers
from reportgen.text.words import listed


def cheaper_models(results: Results, leader: str) -> Iterator[Caveat]:
    """What page one says of models that cost significantly less than the leader, as they decide.

    By the recommended tests of the cost-sensitive error rate, after correction.
    """
    cheaper = [
        str(row.better)
        for row in decided_pairs(results, (COST,))
        if leader in row.models and row.better != leader
    ]
    if cheaper:
        who = counted(cheaper, "models")
        verb = "costs" if len(cheaper) == 1 else "cost"
        text = f"At the thresholds in use {who} {verb} significantly less than {bounded(leader)}."
        yield Caveat("cheaper_model", "moderate", text)


ONE_SIDED = (
    ("detection_prevalence", (0.0, 0.0), ("predicts", NONE), "lower"),
    ("detection_prevalence", (1.0, 1.0), ("predicts", EVERY), "higher"),
    ("recall", (0.0, 0.1), ("misses", "more than nine in ten positives"), "lower"),
    ("specificity", (0.0, 0.1), ("flags", "more than nine in ten negatives"), "higher"),
)
"""What a fixed threshold can do to a class: measure, its range, words, and where others lie.

A model has the first that holds of it.
"""


SUITED = {
    "lower": "where a missed positive costs more than a false alarm",
    "higher": "where a false alarm costs more than a missed positive",
}
"""Costs for which another threshold is the better one: for equal costs it need not be."""


def one_class_decisions(
    results: Results, guessing: Collection[str], has_costs: bool, undeclared: Collection[str]
) -> Iterator[Caveat]:
    """The models whose threshold leaves one class out, or nearly; not those with none declared.

    Precision, F1 and the like then say little of a model. To choose another threshold is the advice
    for a fixed one of a model that ranks the rows: no other one helps a model that is at chance,
    and declared costs advise on the threshold.
    """
    fixed = [m["name"] for m in results.data["models"] if m.get("threshold_rule") in FIXED]
    ranking = on_all_rows(results.metrics, "auc").keys() - {*guessing}
    left = [m for m in fixed if m in ranking and m not in undeclared]
    single = of_single_class(results.metrics)
    single = {m: kind for m, kind in single.items() if m not in undeclared}
    yield from _without_advice(single, left)
    advised: set[str] = set()
    for measure, (low, high), (verb, done), direction in ONE_SIDED:
        values = on_all_rows(results.metrics, measure)
        models = [m for m in left if m in values and low <= values[m].value <= high]
        left = [m for m in left if m not in models]
        if not models or (has_costs and low < high):
            continue
        one = len(models) == 1
        text = f"{in_use(len(models))}{counted(models, 'models')} {_agreeing(verb, one=one)} {done}"
        advice = f"a {direction} one suits" if one else f"{direction} ones suit"
        text += "" if has_costs or direction in advised else f": {advice} {SUITED[direction]}"
        advised.add(direction)
        yield _of_one_class(text, done, models)


def undeclared_threshold(undeclared: Sequence[str], measure: str) -> Iterator[Caveat]:
    """The models whose scores are cut at a threshold that nobody chose for their scale."""
    if undeclared:
        who = counted(undeclared, "models")
        text = (
            f"No threshold is declared, and the scores of {who} are not probabilities: decisions "
            "at 0.5 say nothing about them. Declare a threshold."
        )
        severity: Severity = "severe" if needs_threshold(measure) else "moderate"
        of_decisions = tuple(name for name in METRICS if needs_threshold(name))
        yield Caveat("undeclared_threshold", severity, text, of_decisions)


def threshold_beyond(results: Results, beyond: Sequence[str], measure: str) -> Iterator[Caveat]:
    """The models of probabilities whose threshold is none, so that all rows are on one side."""
    if not beyond:
        return
    thresholds = {m["name"]: m.get("threshold") for m in results.data["models"]}
    who, value = counted(beyond, "models"), plain(thresholds[beyond[0]])
    text = (
        f"The threshold {value} is beyond the scores of {who}, which are probabilities from 0 to "
        "1: decisions at it say nothing about them. Declare a threshold of their scale, or give "
        "all scores the same one."
    )
    severity: Severity = "severe" if needs_threshold(measure) else "moderate"
    of_decisions = tuple(name for name in METRICS if needs_threshold(name))
    yield Caveat("threshold_beyond", severity, text, of_decisions)


def _without_advice(
    single: Mapping[str, SingleClassKind], advised: Collection[str]
) -> Iterator[Caveat]:
    """The models that predict one class alone and have no better threshold to choose."""
    for kinds in ((NONE,), (EVERY, NEARLY)):
        models = [m for m, kind in single.items() if kind in kinds and m not in advised]
        if models:
            done = on_rows([single[m] for m in models])
            who = f"{in_use(len(models))}{counted(models, 'models')}"
            verb = _agreeing("predicts", one=len(models) == 1)
            yield _of_one_class(f"{who} {verb} {done}", done, models)


OF_POSITIVES = "recall", "false_negative_rate"
OF_NEGATIVES = "specificity", "false_positive_rate"
"""Measures that are at their limits where every row is predicted positive, or none is."""


def _of_one_class(text: str, done: str, models: Sequence[str]) -> Caveat:
    """The caveat, which stands beside the measures that then are at their limits."""
    if done not in (EVERY, NEARLY):
        of_none = OF_NEGATIVES if done == NONE else ()
        return Caveat("one_class_decisions", "moderate", f"{text}.", of_none, tuple(models))
    text = f"{text}; {'its' if len(models) == 1 else 'their'} recall says nothing."
    return Caveat("one_class_decisions", "moderate", text, OF_POSITIVES, tuple(models))


def _agreeing(verb: str, *, one: bool) -> str:
    """A verb as it stands behind one model, or behind several."""
    return verb if one else verb.removesuffix("es") if verb.endswith("sses") else verb[:-1]


def labels_against_scores(results: Results) -> Iterator[Caveat]:
    """The models whose scores rank the rows better than chance, and whose labels are worse."""
    agreements = on_all_rows(results.metrics, "mcc")
    for name in _against_scores(results):
        one = agreements[name]
        text = (
            f"The labels of {bounded(name)} run against its scores and are worse than chance, "
            f"MCC {with_limits(one.value, one.low, one.high)}: check the label column."
        )
        yield Caveat("labels_against_scores", "severe", text)


def beside_labels(results: Results) -> str:
    """What the headline adds where labels run against the scores that it speaks of."""
    names = list(_against_scores(results))
    return f"; the labels of {counted(names, 'models')} run against the scores" if names else ""


def _against_scores(results: Results) -> Iterator[str]:
    """The names of these models, by limits that hold for all models at once (Bonferroni)."""
    areas, agreements = (on_all_rows(results.metrics, name) for name in ("auc", "mcc"))
    for model in results.data["models"]:
        name = model["name"]
        if "label" not in model["outputs"] or name not in areas or name not in agreements:
            continue
        area, agreement = areas[name], agreements[name]
        if area.low is None or agreement.high is None:
            continue
        ends = ((area.value, area.low), (agreement.value, agreement.high))
        low, high = (decided_limit(results, value, end, len(areas)) for value, end in ends)
        if low > AREA_OF_CHANCE and high < 0:
            yield name


AREA_OF_CHANCE = 0.5
"""The AUC of scores that say nothing."""

MANY_ROWS = 30
"""From so many rows on a model without an error is more likely to have seen the truth."""

RARER = 10
"""Rows of the rarer class that this takes; fewer are ranked without an error by chance."""


def without_error(results: Results) -> Iterator[Caveat]:
    """The models without an error on many rows: one that has seen the truth makes none."""
    data, task = results.data, results.task
    rarer = min(data.get("positives", RARER), data.get("negatives", RARER))
    if data["rows_evaluated"] < MANY_ROWS or rarer < RARER or not task.main_measures:
        return
    main = task.main_measures[0]
    best = 0.0 if lower_is_better(main) else 1.0
    values = on_all_rows(results.metrics, main)
    models = [name for name in values if values[name].value == best]
    if models:
        verb = "ranks" if task.two_classes else "predicts"
        done = (
            "every positive above every negative"
            if task.two_classes
            else "every row without an error"
        )
        text = (
            f"{counted(models, 'models')} {_agreeing(verb, one=len(models) == 1)} {done}: check "
            "that no output was derived from the truth."
        )
        yield Caveat("without_error", "moderate", text)


def clear_difference(
    results: Results, metric: str, first: str, second: str, pairs: int = 1
) -> str | None:
    """The difference of two models with its limits; null unless these are above 0.

    Of one of several ``pairs`` its limits are those that hold for all of them at once (Bonferroni).
    """
    for row in rows_of(results.differences, DifferenceRow):
        if row["metric"] != metric or set(row["models"]) != {first, second}:
            continue
        value, low, high = row["value"], row["low"], row["high"]
        if value is None or low is None or high is None:
            return None
        ends = (low, high) if row["models"][0] == first else (-high, -low)
        size, kind = abs(value), "CI"
        if decided_limit(results, size, ends[0], pairs) <= 0:
            return None
        if pairs > 1:
            kind = "simultaneous CI"
            low, high = (simultaneous_limit(size, e, pairs, results.confidence) for e in ends)
            ends = (low, high)
        limits = numbers.difference_limits(size, *ends)
        level = numbers.level(results.confidence)
        return f"a difference of {numbers.difference(size, *ends)} ({level} {kind} {limits})"
    return None


def shifted_classes(results: Results) -> Iterator[Caveat]:
    """What page one says where the share of positives shifted in time; nothing of a reference.

    A threshold of least cost depends on that share. The comparison of the models on the evaluated
    rows stands, as it does against a reference.
    """
    shift = results.shift
    if shift is None or shift.basis != "time" or not results.task.two_classes:
        return
    for one in shift.quantities:
        if one.kind == "truth" and one.reject and one.category is not None:
            p = numbers.p_value(one.p_adjusted, shift.alpha)
            text = (
                f"The share of {bounded(one.category)} shifted over time: "
                f"{numbers.percent(one.before)} before, {numbers.percent(one.now)} now ({p}). The "
                "threshold of least cost is that of all rows, not of the latest."
            )
            yield Caveat("shifted_classes", "moderate", text)


def other_validation_rows(results: Results) -> Iterator[Caveat]:
    """That thresholds were chosen on rows with another share of positives."""
    shares = results.data.get("shares_of_positives")
    if shares is not None:
        text = (
            f"{numbers.percent(shares['validation'])} of the validation rows are positive, and "
            f"{numbers.percent(shares['test'])} of the test rows: a threshold that is best there "
            "need not be best here."
        )
        yield Caveat("validation_shares", "moderate", text)


CONCENTRATED, MANY = 0.5, 100
"""Rows of which fewer than this share are worth as many of equal weight, and how many suffice."""


LIKE_COUNTS = (
    "The weights are whole numbers, and are treated as sampling weights: each row is one "
    "observation. If they are counts, repeat each row that many times; the limits are then "
    "narrower."
)


def concentrated_weights(results: Results) -> Iterator[Caveat]:
    """What page one says where weights are uneven: of the class that is worth least."""
    weights = results.data.get("weights")
    if weights is None:
        return
    if weights.get("whole_numbers"):
        yield Caveat("weights_like_counts", "moderate", LIKE_COUNTS)
    rows, worth, of = results.data["rows_evaluated"], weights["effective"], ""
    part, least = weights["part"], weights["part_effective"]
    sizes = class_sizes(results.data)
    if part is not None and least is not None and part in sizes:
        rows, worth, of = sizes[part], least, f" of class {bounded(part)}"
    if worth < min(CONCENTRATED * rows, MANY):
        text = (
            f"Weights are uneven: the {numbers.plural(rows, 'row')}{of} count for as much as "
            f"{numbers.count(round(worth))} with equal weights."
        )
        yield Caveat("concentrated_weights", "moderate", text)


def without_cost(spec: Spec, classes: Sequence[str]) -> Iterator[Caveat]:
    """That declared costs of several classes leave out kinds of error, which then cost nothing."""
    costs = spec.costs
    if not isinstance(costs, Mapping):
        return
    kinds = list(permutations(classes, 2))
    free = sum(predicted not in costs.get(true, {}) for true, predicted in kinds)
    if free:
        text = (
            f"The spec gives no cost for {free} of {len(kinds)} kinds of error, which cost nothing "
            "here."
        )
        yield Caveat("without_cost", "moderate", text)


OF_HEADLINE = 10


def beside_worse(results: Results) -> str:
    """What the headline adds where the leader, or whom it is set against, got worse over time.

    At the level over ``OF_HEADLINE``: weak changes, of which chance has many, stay in caveats.
    """
    decision = results.decision
    named = {decision.leader, decision.compared_with}
    worse = [bounded(one.model) for one in grown_worse(results, OF_HEADLINE) if one.model in named]
    return f"; {listed(worse)} got worse over time" if worse else ""


def worse_in_time(results: Results) -> Iterator[Caveat]:
    """The models whose losses grew from the earlier half of the time to the later."""
    worse = grown_worse(results)
    for one in worse[:MOST_NAMES]:
        before, now = (numbers.estimate(value) for value in (one.before, one.now))
        change = numbers.difference(one.change, one.change_low, one.change_high)
        if one.trend_p_value is None:
            limits = numbers.difference_limits(one.change, one.change_low, one.change_high)
            by = f"a change of {change}, {limits}"
        else:
            p = numbers.p_value(one.trend_p_value, results.declared.comparisons.alpha)
            by = f"a change of {change}; trend over time: {p}"
        text = (
            f"{bounded(one.model)} got worse over time: {wording.measure(one.metric)} {before} in "
            f"the earlier half, {now} in the later ({by})."
        )
        text += f" Changes of {len(results.data['models'])} models are tested, and corrected."
        yield Caveat("worse_in_time", "moderate", text)


def grown_worse(results: Results, times: int = 1) -> list[ChangeParts]:
    """The changes of the models that got worse over time, the largest first; over a stricter level.

    By limits for all models at once (Bonferroni), or the trend over time points too few for
    limits, whose p is then of all models.
    """
    shift = results.shift
    if shift is None or shift.basis != "time":
        return []
    with_trend = [one for one in shift.changes if one.trend_p_value is not None]
    measure = next((one.metric for one in with_trend or shift.changes), "")
    first = {one.model: one for one in reversed(shift.changes) if one.metric == measure}
    if with_trend:
        first = {one.model: one for one in reversed(with_trend) if one.metric == measure}
    sign = 1.0 if lower_is_better(measure) else -1.0

    tests = len(first) * times

    def grew(one: ChangeParts) -> bool:
        if one.trend_p_value is not None:
            alpha = results.declared.comparisons.alpha
            return sign * one.change > 0 and one.trend_p_value * tests < alpha
        limit = one.change_low if sign > 0 else one.change_high
        if limit is None:
            return False
        return sign * decided_limit(results, one.change, limit, tests) > 0

    def of_all(p: float | None) -> float | None:
        return None if p is None else min(p * len(first), 1.0)

    worse = sorted(filter(grew, first.values()), key=lambda one: -abs(one.change))
    return [replace(one, trend_p_value=of_all(one.trend_p_value)) for one in worse]
