"""What a headline says of models that are no better, or are better, than guessing or the mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.comparing.heavy_errors import UNSEEN, most_kurtosis
from reportgen.comparisons.paired_losses import SQUARED
from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding import headline_numbers as form
from reportgen.concluding.chance import backwards, of_headline
from reportgen.concluding.chance_sentences import (
    chance_text,
    details_of_costs,
    of_costs,
    than_guessing,
)
from reportgen.concluding.contest import Contest
from reportgen.concluding.decided_limits import decided_limit
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.model_values import limited, on_all_rows
from reportgen.concluding.result_caveats import AREA_OF_CHANCE
from reportgen.metric_names import COST
from reportgen.records.decision import OF_ERRORS, AtChance
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import decimals, numbers
from reportgen.text.words import capitalised, listed, sentence


def of_guessing(results: Results, contest: Contest) -> str:
    """The headline where no model, or class, is significantly better than guessing."""
    shown = _with_one_kind_of_limits(in_headline(results, contest), results)
    if shown[0].class_ is not None:
        return chance_text("auc", shown, results.data, worse=False).rstrip(".")
    if shown[0].measure == COST:
        worse = all(row.worse for row in shown)
        return of_costs(shown, results.data, worse=worse).rstrip(".")
    what = measure(shown[0].measure)
    if contest.basis == "mean over folds" and shown[0].measure in OF_ERRORS.values():
        what = f"pooled {what}"
    digits = decimals.shared((row.value, row.low, row.high) for row in shown)
    values = [_in_brackets(row, digits) for row in shown[: form.MOST_IN_HEADLINE]]
    if _by_difference(shown) and len(shown) > 1:
        values = [numbers.aligned(row.value, digits) for row in shown[: form.MOST_IN_HEADLINE]]
    worse = all(row.worse for row in shown)
    how = than_guessing(shown[0].measure, results.data, worse=worse)
    of_guess = shown[0].measure == "accuracy"
    against = numbers.estimate(shown[0].chance)
    if len(shown) == 1:
        beside = f" against {against}" if of_guess else ""
        verb = "is" if worse else "is not"
        return f"{bounded(shown[0].model)} {verb} {how}: {what} {values[0]}{beside}"
    if worse:
        who = "Both models are" if len(shown) == 2 else f"All {len(shown)} models are"
    else:
        who = "Neither model is" if len(shown) == 2 else "No model is"
    with_values = [
        f"{bounded(row.model)} {v}"
        for row, v in zip(shown[: form.MOST_IN_HEADLINE], values, strict=True)
    ]
    of_all = listed(with_values)
    if len(shown) > form.MOST_IN_HEADLINE:
        of_all = f"the best is {bounded(shown[0].model)}, {values[0]}"
    of_what = f"({what} {against})" if of_guess else f"in {what}"
    return f"{who} {how} {of_what}: {of_all}{'' if worse else _some_worse(shown)}"


def _some_worse(shown: Sequence[AtChance]) -> str:
    """Which of the models that are no better than guessing are worse, if not all are."""
    below = [row.model for row in shown if row.worse]
    if not below:
        return ""
    return f"; {listed(form.names(below))} {'is' if len(below) == 1 else 'are'} significantly worse"


def below_guessing(results: Results, contest: Contest) -> Iterator[str]:
    """That scores may be backwards; what models save; what brackets hold that tables do not."""
    if contest.measure == "auc" and all(row.worse for row in in_headline(results, contest)):
        yield sentence(backwards(results.data))
    shown = _with_one_kind_of_limits(in_headline(results, contest), results)
    if shown[0].measure == COST:
        yield from details_of_costs(shown, results.data, worse=all(row.worse for row in shown))
    if _by_difference(shown):
        guess = numbers.estimate(shown[0].chance)
        what = f"the difference from {guess}, a share estimated from the same rows"
        if len(shown) == 1:
            yield f"In brackets is {what}, with limits that allow for that."
        else:
            digits = decimals.shared((row.value, row.low, row.high) for row in shown)
            of_each = [
                f"{bounded(row.model)} {form.of_guess(row, digits)[1]}"
                for row in shown[: form.MOST_IN_HEADLINE]
            ]
            yield f"{capitalised(what)}, with limits that allow for that: {'; '.join(of_each)}."
    if shown[0].measure == "accuracy":
        yield from _ranks_nevertheless(results)


def _ranks_nevertheless(results: Results) -> Iterator[str]:
    """The highest AUC, where its limits are above one half although decisions are no better."""
    areas = on_all_rows(results.metrics, "auc")
    best = max(areas, key=lambda name: areas[name].value, default=None)
    if best is None or (low := areas[best].low) is None:
        return
    area = areas[best]
    if decided_limit(results, area.value, low, len(areas)) > AREA_OF_CHANCE:
        who = f"The scores of {bounded(best)} nevertheless rank rows better than chance"
        yield f"{who}: AUC {of_value(area, f'{numbers.level(results.confidence)} CI ')}."


def _by_difference(shown: Sequence[AtChance]) -> bool:
    """Whether limits of accuracies are those of their difference from guessing."""
    return any(row.above is not None and row.measure == "accuracy" for row in shown)


def in_headline(results: Results, contest: Contest) -> list[AtChance]:
    """The models that are not better than guessing, best first."""
    order = contest.order
    rows = of_headline(results.decision.at_chance, contest.measure, results.data)
    return sorted(
        rows, key=lambda row: order.index(row.model) if row.model in order else len(order)
    )


def _with_one_kind_of_limits(rows: Sequence[AtChance], results: Results) -> list[AtChance]:
    """The rows, all with limits of how far they are above guessing where one of them has some."""
    if not any(row.measure == "accuracy" and row.above is not None for row in rows):
        return list(rows)
    gains = on_all_rows(results.metrics, "accuracy_gain")
    return [
        row if row.above or row.corrected else replace(row, above=limited(gains.get(row.model)))
        for row in rows
    ]


def _in_brackets(row: AtChance, digits: int) -> str:
    written, ends = form.of_guess(row, digits)
    return f"{written} ({ends})" if ends else written


def of_heavy_tails(results: Results, contest: Contest) -> Iterator[str]:
    """That the best model is better than the mean, where heavy tails alone are against the t-test.

    Of independent rows without weights: there limits of R², which allow for skewness, are above 0
    in 0.02 of the samples or fewer where the model is no better than the mean
    (``docs/coverage.md``).
    """
    leader = contest.leader
    explained = on_all_rows(results.metrics, "r2").get(leader)
    if explained is None or explained.low is None or explained.low <= 0:
        return
    no_better = any(row.model == leader for row in results.decision.at_chance)
    if not no_better and _are_heavy(results, contest):
        shown = of_value(explained, f"{numbers.level(results.confidence)} CI ")
        yield (
            f"{bounded(leader)} is significantly better than always predicting the mean: R² {shown}"
            ", whose limits allow for heavy tails, as the t-test does not."
        )


def closer_where_heavy(results: Results, contest: Contest) -> Iterator[str]:
    """On how many rows the best model is closer than the next, where few errors outweigh the rest.

    Such a share rests on no single row.
    """
    if len(contest.order) < 2 or not _are_heavy(results, contest):
        return
    pair = contest.order[:2]
    for one in results.data.get("closer_on_rows", ()):
        if set(one["models"]) != set(pair):
            continue
        (first, second), share, ends = one["models"], one["share"], (one["low"], one["high"])
        if share < 0.5:
            first, second, share = second, first, 1 - share
            ends = 1 - ends[1], 1 - ends[0]
        low, high = (numbers.fixed(100 * end, 1) for end in ends)
        yield (
            f"{bounded(first)} is closer to the truth than {bounded(second)} on "
            f"{numbers.percent(share)} of the rows ({numbers.level(results.confidence)} CI "
            f"{low} to {high})."
        )


def around_mean(results: Results, contest: Contest) -> str:
    """The headline where limits of R² put the best model above the mean of the truth, others below.

    Nothing where they do not, or where another reason than heavy tails is against the test.
    """
    if next(of_heavy_tails(results, contest), None) is None:
        return ""
    explained = on_all_rows(results.metrics, "r2")
    worse = [r.model for r in in_headline(results, contest) if r.worse and r.model in explained]
    if not worse:
        return ""
    leader = bounded(contest.leader)
    values = form.against(explained[contest.leader], explained[worse[0]])
    if len(worse) > 1:
        values = f"{values} of {bounded(worse[0])}"
    others = [name for name in contest.order if name not in (contest.leader, *worse)]
    left = f"; no conclusion on {leader} and {form.names_or(others)}" if others else ""
    below = f"{listed(form.names(worse))} worse"
    return f"{leader} is better than always predicting the mean, {below}: R² {values}{left}"


def _are_heavy(results: Results, contest: Contest) -> bool:
    """Whether a few rows outweigh all others in the tests of the best model against each other."""
    if contest.measure != SQUARED or contest.basis != "pooled rows":
        return False
    if results.data["rows_evaluated"] < UNSEEN:
        return False
    tests = [
        row
        for row in rows_of(results.comparisons, ComparisonRow)
        if row.metric == SQUARED and row.slice is None and contest.leader in row.models
    ]
    most = most_kurtosis(results.data["rows_evaluated"])
    heavy = (row.comparison == "paired_t" and (row.kurtosis or 0) > most for row in tests)
    recommended = any(row.recommendation == "recommended" for row in tests)
    return bool(tests) and not recommended and all(heavy)
