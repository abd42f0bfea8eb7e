"""Estimates of a mean: totals that are far off, and absolute errors against squared ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from reportgen.comparing.favoured_median import FAVOURED, favoured_medians
from reportgen.comparing.first_choices import FIRST_CHOICE
from reportgen.comparisons.paired_losses import ABSOLUTE, SQUARED
from reportgen.comparisons.wording import bounded, counted, measure
from reportgen.concluding.contest import Contest
from reportgen.concluding.decided_limits import decided_limit
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.misread_outputs import of_opposed_sign
from reportgen.concluding.model_values import RELEVANT_RATIO, ModelValue, on_all_rows
from reportgen.measuring_units import as_sentence, factor_of
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers

FIRST = FIRST_CHOICE["rows"]


def of_means(results: Results, contest: Contest) -> Iterator[Caveat]:
    """What page one says of models that all estimate the mean."""
    data = results.data
    if not results.task.of_numbers or any(m.get("quantile") is not None for m in data["models"]):
        return
    yield from list(_absolute_errors(results, contest)) or _disagreeing(results)
    yield from _totals(results)


def _absolute_errors(results: Results, contest: Contest) -> Iterator[Caveat]:
    """Why absolute errors do not decide where no test of squared errors does."""
    favoured = favoured_medians(results.metrics, results.data).largest(contest.leader)
    of_leader = [pair for pair in contest.tests if contest.leader in pair]
    declared = results.declared.comparisons.primary is not None
    is_open = not of_leader or _favours_one_of_best(results, contest)
    is_open = is_open and contest.measure != ABSOLUTE
    if favoured is not None and len(contest.values) > 1 and is_open and not declared:
        best = {name: _best(results.metrics, name) for name in (SQUARED, ABSOLUTE)}
        first = ""
        if None not in best.values() and best[ABSOLUTE] != best[SQUARED]:
            of_square, of_absolute = (bounded(str(best[name])) for name in (SQUARED, ABSOLUTE))
            first = f", though {of_absolute} has the lowest MAE and {of_square} the lowest MSE"
        where = "in these rows " if favoured.model is None else ""
        text = (
            f"MAE does not decide{first}. MAE favours estimates of the median: {where}"
            f"{favoured.described}."
        )
        text += _lower_by(results, best[ABSOLUTE])
        if favoured.model is None and results.data.get("engine", {}).get("name") == "streaming":
            text += " With engine: exact the errors of each model show whether it does."
        yield Caveat("favoured_median", "moderate", text)


def _favours_one_of_best(results: Results, contest: Contest) -> bool:
    """Whether the best two have no test of squared errors, and one of absolute errors for that."""
    best = frozenset(contest.order[:2])
    if contest.measure != SQUARED or best in contest.tests or results.declared.baseline is not None:
        return False
    rows = (row for row in _tests(results, ABSOLUTE) if frozenset(row.models) == best)
    return any(FAVOURED in (row.why or "") for row in rows if row.comparison in FIRST)


def _lower_by(results: Results, best: str | None) -> str:
    """By how much the model with the least MAE is ahead in it, of two models; may be empty."""
    tests = [one for one in _tests(results, ABSOLUTE) if one.comparison in FIRST]
    tests.sort(key=lambda one: FIRST.index(one.comparison))
    for row in tests[:1] if len({frozenset(one.models) for one in tests}) == 1 else ():
        value, low, high = row.estimate, row.simultaneous_low, row.simultaneous_high
        if value is None or low is None or high is None or low <= 0 <= high:
            continue
        ends = abs(value), *sorted((abs(low), abs(high)))
        size, limits = numbers.difference(*ends), numbers.difference_limits(*ends)
        unsigned = f"{size} lower ({limits})".replace("+", "")
        return f" The MAE of {bounded(str(best))} is {unsigned}."
    return ""


def _disagreeing(results: Results) -> Iterator[Caveat]:
    """That the models with the least squared and the least absolute errors are not the same.

    Where a test of either rejects after correction, and nothing speaks against it: the order of
    one that decides nothing stands beside no other conclusion.
    """
    best = {name: _best(results.metrics, name) for name in (SQUARED, ABSOLUTE)}
    pair = frozenset(best.values())
    if None in pair or len(pair) < 2:
        return
    tests = {
        name: next((r for r in _tests(results, name) if frozenset(r.models) == pair), None)
        for name in best
    }
    rows = [row for row in tests.values() if row is not None]
    if len(rows) < 2 or not any(row.reject and _is_fit(row) for row in rows):
        return
    parts = [_in_words(name, row, str(best[ABSOLUTE])) for name, row in tests.items() if row]
    who = f"{bounded(str(best[ABSOLUTE]))} − {bounded(str(best[SQUARED]))}"
    text = (
        f"MSE and MAE put different models first: {who} is {' and '.join(parts)}. Estimates of the "
        "mean have the lowest MSE, estimates of the median the lowest MAE."
    )
    yield Caveat("mean_or_median", "moderate", text)


def _in_words(name: str, row: ComparisonRow, first: str) -> str:
    """The difference in a measure; limits and p that hold for all pairs only of a fit test."""
    sign = 1 if row.models[0] == first else -1
    ends = row.estimate, row.simultaneous_low, row.simultaneous_high
    value, low, high = (sign * (number or 0.0) for number in ends)
    low, high = sorted((low, high))
    difference = f"{numbers.difference(value, low, high)} in {measure(name)}"
    if not _is_fit(row):
        return f"{difference} (no recommended test)"
    adjusted = row.p_value if row.p_adjusted is None else row.p_adjusted
    p = numbers.p_value(adjusted, row.alpha)
    return f"{difference} ({numbers.difference_limits(value, low, high)}, {p})"


def _is_fit(row: ComparisonRow) -> bool:
    """Whether nothing speaks against the test, which of absolute errors may be a second choice."""
    if row.recommendation == "recommended":
        return True
    return row.metric == ABSOLUTE and row.recommendation == "valid" and row.why is None


def _best(metrics: pl.DataFrame, name: str) -> str | None:
    values = on_all_rows(metrics, name)
    return min(values, key=lambda model: values[model].value, default=None)


def _tests(results: Results, name: str) -> Iterator[ComparisonRow]:
    """The tests of pairs over rows with a difference in a measure and its limits."""
    for row in rows_of(results.comparisons, ComparisonRow):
        of_pair = row.metric == name and row.slice is None and len(row.models) == 2
        if of_pair and row.shows == "difference" and row.simultaneous_low is not None:
            yield row


def _totals(results: Results) -> Iterator[Caveat]:
    """The models whose estimates add up to far less, or more, than truths that are not negative.

    Where limits of their mean errors that hold at once (Bonferroni) exclude 0. Weighted rows have
    no mean to compare it with.
    """
    distribution = results.data.get("distribution") or {}
    mean, least = distribution.get("mean"), distribution.get("minimum")
    if not mean or least is None or least < 0 or results.data.get("weighted"):
        return
    errors = on_all_rows(results.metrics, "mean_error")
    correlations = on_all_rows(results.metrics, "pearson_r")
    opposed = of_opposed_sign(results)
    far: dict[tuple[str, str], list[str]] = {}
    for model, error in errors.items():
        short, low, high = error.value / mean, error.low, error.high
        if low is None or high is None or 1 / RELEVANT_RATIO < 1 - short < RELEVANT_RATIO:
            continue
        near = low if short > 0 else high
        if model in opposed or decided_limit(results, error.value, near, len(errors)) * short <= 0:
            continue
        follows = correlations[model].value if model in correlations else 0.0
        ratio = mean / (mean - error.value) if mean != error.value else 0.0
        factor = factor_of(ratio, follows)
        of_unit = f" The estimates look like {as_sentence(factor)}: another unit?" if factor else ""
        far.setdefault(("under" if short > 0 else "over", of_unit), []).append(model)
    for (verb, of_unit), models in far.items():
        text = _far_total(verb, {model: errors[model] for model in models}, mean, results)
        yield Caveat("total", "moderate", f"{text}{of_unit}", ("mean_error",), tuple(models))


def _far_total(verb: str, errors: Mapping[str, ModelValue], mean: float, results: Results) -> str:
    """By how much models under-predict or over-predict the total."""
    who = counted([bounded(model) for model in errors], "models")
    shares = sorted(abs(error.value) / mean for error in errors.values())
    least, most = (numbers.percent(round(shares[end], 9), 0) for end in (0, -1))
    share = least if least == most else f"{least.rstrip(numbers.PERCENT)} to {most}"
    if len(errors) == 1:
        [error] = errors.values()
        level = f"{numbers.level(results.confidence)} CI "
        size = f"{verb}-predicts the total by {share}: mean error {of_value(error, level)}"
    else:
        values = sorted((error.value for error in errors.values()), key=abs)
        low, high = (numbers.estimate(values[end]) for end in (0, -1))
        size = f"{verb}-predict the total by {share}: mean errors {low} to {high}"
    return f"{who} {size}, mean truth {numbers.estimate(mean)}."
