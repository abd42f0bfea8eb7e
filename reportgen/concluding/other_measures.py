"""Where another measure speaks against the leader, or sets models apart that are level."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import hypot

from reportgen.comparing.class_differences import LEAST_ROWS, MACRO_F1
from reportgen.comparisons.records import lower_is_better
from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding import headline_numbers as form
from reportgen.concluding import reversed_scores
from reportgen.concluding.contest import Contest, Difference
from reportgen.concluding.cost_headline import AREA, says_who_ranks_better
from reportgen.concluding.decided_limits import decided_limit
from reportgen.concluding.decided_pairs import decided_pairs
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.little_power import level_by_log_losses
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.concluding.rare_class import says_little
from reportgen.concluding.result_caveats import clear_difference
from reportgen.concluding.same_ranking import beside_areas
from reportgen.metric_names import BRIER, COST, WINKLER_SCORE
from reportgen.metrics import mirrors, needs_threshold
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import has_narrow_limits, rows_of
from reportgen.tables.comparisons import ComparisonRow, DifferenceRow
from reportgen.text import decimals, numbers
from reportgen.text.words import without_article

OF_LIKE_ERRORS = ("accuracy", *mirrors("accuracy"))
"""Measures to which all errors are alike."""

OF_RANKING = (AREA, "expected_total_cost")
"""The area under the ROC curve, and that under the cost curve: both are of the ranks."""

MOST_ELSEWHERE = 2
"""Pairs of which page one says that a model is ahead where the deciding measure has no test."""


def disagreeing(results: Results, contest: Contest, baseline: str | None) -> Iterator[Caveat]:
    """That two models differ in macro F1 which are level otherwise: the best and the worst of them.

    By limits of the difference that hold for all pairs at once. Where it has none, by intervals of
    the two that do not overlap: stricter, the more so as the rows are the same.
    """
    of_several = results.task.several_classes or results.task.several_labels
    is_level = results.decision.relation in ("level", "equivalent")
    if contest.measure == MACRO_F1 or not (of_several and is_level):
        return
    if results.data["rows_evaluated"] < LEAST_ROWS:
        return
    level = [contest.leader, *contest.rivals(contest.leader, baseline)]
    values = {name: value for name, value in _macro(results, "f1").items() if name in level}
    if len(values) < 2:
        return
    best, *_, worst = values
    high, low = values[best], values[worst]
    if _is_compared(results, best, worst):
        difference = _by_how_much(results, best, worst)
        if difference:
            of_both = " against ".join(numbers.estimate(one.value) for one in (high, low))
            text = f"{bounded(best)} has a higher macro F1 than {bounded(worst)}, {of_both}"
            yield Caveat("other_measure", "moderate", f"{text}{difference}.")
        return
    if (high.low or 0.0) <= (low.high or 0.0):
        return
    of_both = " against ".join(map(of_value, (high, low)))
    text = (
        f"{bounded(best)} has a higher macro F1 than {bounded(worst)}, {of_both}: their intervals "
        "do not overlap, and the difference was not tested."
    )
    yield Caveat("other_measure", "moderate", text)


NARROW = 2.0
"""Times that limits which are too narrow are widened: folds held as few as 82 % at 95 %."""


def _by_how_much(results: Results, best: str, worst: str) -> str | None:
    """A clear difference of two models in macro F1 with its limits; null where it is not clear.

    By limits that hold at once for all pairs, or for those with the baseline, as where macro F1
    decides. Of pooled folds, whose limits are too narrow, it is to be clear by wider ones and has
    none.
    """
    others = len(_macro(results, "f1")) - 1
    pairs = others if results.decision.baseline in (best, worst) else others * (others + 1) // 2
    difference = clear_difference(results, MACRO_F1, best, worst, pairs)
    if difference is None or not has_narrow_limits(results.data):
        return None if difference is None else f": {difference}"
    for row in rows_of(results.differences, DifferenceRow):
        value, ends = row["value"], (row["low"], row["high"])
        if row["metric"] == MACRO_F1 and set(row["models"]) == {best, worst} and value is not None:
            half = max(abs(end - value) for end in ends if end is not None)
            return "; the difference was not tested" if abs(value) > NARROW * half else None
    return None


def _is_compared(results: Results, first: str, second: str) -> bool:
    """Whether the difference of two models in macro F1 has a value, and limits if any hold."""
    rows = results.differences.filter(metric=MACRO_F1).drop_nulls("value")
    return any(set(models) == {first, second} for models in rows["models"].to_list())


def against_leader(results: Results, contest: Contest) -> Iterator[Caveat]:
    """The recommended tests of other measures that put a model ahead of the leader.

    Costs, and the accuracy where a class is rare, have caveats of their own. And those that put the
    leader ahead of a model which only log losses compare with it, whose test detects little.
    """
    stated = says_who_ranks_better(results, contest)
    named = {contest.leader, results.decision.compared_with}
    for row in _decided_elsewhere(results, contest):
        if stated and row.metric in OF_RANKING and set(row.models) == named:
            continue  # the headline says who ranks better
        if row.metric in (BRIER, WINKLER_SCORE) and beside_areas(results, contest):
            continue  # which stands in the headline
        if contest.leader in row.models and row.better != contest.leader:
            yield Caveat("against_leader", "moderate", _ahead(results, row))
    level = level_by_log_losses(results, contest)
    yield from ahead_of_uncompared(results, contest, contest.leader, level)


def ahead_of_uncompared(
    results: Results, contest: Contest, reference: str, names: Collection[str]
) -> Iterator[Caveat]:
    """That a model is ahead of others in another measure, where that of page one has no test.

    ``names`` are the others. Where it is behind them ``against_leader`` says so.
    """
    of_pair: dict[str, ComparisonRow] = {}
    for row in _decided_elsewhere(results, contest):
        others = [model for model in row.models if model != reference]
        if row.better == reference and len(others) == 1 and others[0] in names:
            of_pair.setdefault(others[0], row)
    for row in [*of_pair.values()][:MOST_ELSEWHERE]:
        yield Caveat("ahead_elsewhere", "moderate", _ahead(results, row))


def ahead_elsewhere(results: Results, contest: Contest) -> Iterator[Caveat]:
    """The same of any two models, where the leader has no recommended test of the measure.

    Of many the first are named: the leader and the baseline, of which the headline concludes
    nothing, then the pairs compared in the deciding measure, and those of the first other measure.
    """
    rows = decided_pairs(results, (contest.measure,)) + _decided_elsewhere(results, contest)
    asked = {contest.leader, results.decision.baseline}
    misread = reversed_scores.reversed_model(results, contest)
    rows = [row for row in rows if misread is None or misread.name not in row.models]
    rows.sort(key=lambda row: asked != {*row.models})
    for row in rows[:MOST_ELSEWHERE]:
        yield Caveat("ahead_elsewhere", "moderate", _ahead(results, row))


def _decided_elsewhere(results: Results, contest: Contest) -> list[ComparisonRow]:
    """The recommended tests of other measures by which one model is ahead of another.

    Accuracy takes all errors as alike: where costs decide, they are not.
    """
    names = set(results.comparisons["metric"]) - {contest.measure, COST}
    return [
        row
        for row in decided_pairs(results, names)
        if not says_little(row.metric, contest.measure, results.data)
        and not (contest.measure == COST and row.metric in OF_LIKE_ERRORS)
    ]


def _ahead(results: Results, row: ComparisonRow) -> str:
    """Which model is ahead of which other one in a measure, and by how much."""
    name, better = row.metric, str(row.better)
    (other,) = (model for model in row.models if model != better)
    at = ""
    of_pair = [m for m in results.data["models"] if m["name"] in row.models]
    by_threshold = results.task.has_threshold and needs_threshold(name)
    if by_threshold and not any("label" in m["outputs"] for m in of_pair):
        at = "At the thresholds in use "
    who = f"{at}{bounded(better)} is significantly ahead of {bounded(other)}"
    return f"{who} in {measure(name)}{_by(row, better)}."


def _by(row: ComparisonRow, better: str | None) -> str:
    """By how much, with limits and p of the test, after correction if there are several."""
    is_one = (row.family_size or 1) == 1
    p = ("" if is_one else "adjusted ") + numbers.p_value(row.p_adjusted, row.alpha)
    kind = "" if is_one else "simultaneous CI "
    value, low, high = row.estimate, row.simultaneous_low, row.simultaneous_high
    if value is None or low is None or high is None or row.effect != "difference":
        return f" ({without_article(row.label)}, {p})"
    sign = 1 if row.models[0] == better else -1
    ends = sorted((sign * low, sign * high))
    digits = decimals.of_effect(sign * value, *ends)
    if lower_is_better(row.metric):
        less = Difference(value, ends[0], ends[1], row, digits)
        size, limits = form.size(less)
        within = limits.strip(" ()")
        return f": {size} lower ({kind}{within}, {without_article(row.label)}, {p})"
    limits = " to ".join(form.signed_limit(end, digits) for end in ends)
    size = numbers.difference(sign * value, *ends)
    return f": {size} ({kind}{limits}, {without_article(row.label)}, {p})"


AVERAGES = {"auc": "macro AUC", "f1": "macro F1"}


def apart_from_leader(
    results: Results, contest: Contest, without: Collection[str]
) -> Iterator[Caveat]:
    """That a model has a clearly higher macro average than the leader; not of measures ``without``.

    By the distances to the near limits, squared and added as of independent values (Newcombe 1998,
    doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I): those of models on the
    same rows vary less. Of many models the best counts, so that limits are widened (Bonferroni).
    """
    if not results.task.by_class or results.data["rows_evaluated"] < LEAST_ROWS:
        return
    for name, label in AVERAGES.items():
        values = {} if name in without else _macro(results, name)
        best = next(iter(values), contest.leader)
        if best == contest.leader or contest.leader not in values:
            continue
        high, low = values[best], values[contest.leader]
        who = f"{bounded(best)} has a higher {label} than {bounded(contest.leader)}"
        if name == "f1" and _is_compared(results, best, contest.leader):
            difference = _by_how_much(results, best, contest.leader)
            if difference:
                of_both = " against ".join(numbers.estimate(one.value) for one in (high, low))
                yield Caveat("other_measure", "moderate", f"{who}, {of_both}{difference}.")
            continue
        near = hypot(high.value - (high.low or 0.0), (low.high or 1.0) - low.value)
        gap, family = high.value - low.value, len(values) - 1
        if decided_limit(results, gap, gap - near, family) <= 0:
            continue
        of_both = " against ".join(map(of_value, (high, low)))
        text = f"{who}, {of_both}; the difference was not tested."
        yield Caveat("other_measure", "moderate", text)


def _macro(results: Results, name: str) -> dict[str, ModelValue]:
    """The macro average of every model that has limits, highest first."""
    values = on_all_rows(results.metrics, name, "macro")
    limited = [n for n, v in values.items() if v.low is not None and v.high is not None]
    return {n: values[n] for n in sorted(limited, key=lambda n: -values[n].value)}
