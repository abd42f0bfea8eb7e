"""Why models are not compared, or in another measure: the reasons against the tests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.comparing.approximation import DRIFTS
from reportgen.comparing.first_choices import FIRST_CHOICE
from reportgen.comparing.unlike_mix import of_rows_alone
from reportgen.comparisons import TESTS
from reportgen.comparisons.folds import SIZES_UNKNOWN
from reportgen.comparisons.records import lower_is_better
from reportgen.comparisons.wording import bounded, joined, measure
from reportgen.concluding import reversed_scores
from reportgen.concluding.caveats import takes_away
from reportgen.concluding.class_order import closer
from reportgen.concluding.contest import Contest
from reportgen.concluding.cost_headline import are_of_rows
from reportgen.concluding.headline_numbers import in_like_digits, look_alike
from reportgen.concluding.leading import OF_DECISIONS, deciding_measures
from reportgen.concluding.model_values import on_all_rows
from reportgen.concluding.validated_labels import against_winner
from reportgen.metric_names import COST, quantile_in_words
from reportgen.predictions.long import WITHOUT_ID
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord, evaluation_of, rows_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text.numbers import count, number
from reportgen.text.reasons import WEIGHTED
from reportgen.text.words import sentence, with_article, without_article

OF_COMMON_CLASS = "accuracy says little about a rare class"

UNIDENTIFIED = "without ids it is unknown which rows the repeats share"

ADVICE = {
    UNIDENTIFIED: " Name the id: the repeats of a row are then a group, or, where fold names the "
    "fits too, separately fitted models.",
    WITHOUT_ID: " Declare the column that identifies a row as columns.id.",
}
"""What would make a test possible, by the reason that there is none."""

MOST_POINTS, LEAST_A_POINT = 12, 30
"""Up to so many time points, of so many rows each on average, may be parts of the data."""


@dataclass(frozen=True, slots=True)
class Untested:
    """Why no test of the models is recommended: in words, and the test that it speaks of.

    ``turned_off``: by the spec. ``least`` data sets would make a test possible.
    """

    why: str
    test: ComparisonRow | None = None
    turned_off: bool = False
    least: int | None = None


def without_conclusion(results: Results, contest: Contest) -> Untested:
    """The reason that no test of the models is recommended."""
    reason = takes_away(results.data, contest.measure) or different_quantities(results.data)
    reason = reason or reversed_scores.reason(results, contest)
    reason = reason or against_winner(results, contest.measure)
    if reason:
        return Untested(reason)
    if contest.common is not None or evaluation_of(results.data).unidentified_repeats:
        return Untested(UNIDENTIFIED if contest.common is None else OF_COMMON_CLASS)
    leader = contest.leader
    undone = (row for pair, row in contest.undone.items() if leader in pair)
    if (row := next(undone, None)) is not None:
        return Untested(_against(row))
    if any(contest.standing(name, leader) == "ahead" for name in contest.order):
        return Untested("every model is significantly behind another one")
    if len(contest.values) < 2:  # a pair
        return Untested("only one model has a value")
    return _of_tests(results, contest)


def _of_tests(results: Results, contest: Contest) -> Untested:
    """What speaks against the tests of the measure, or why there are none."""
    rows, what = tests_of_measure(results, contest.measure), measure(contest.measure)
    if not rows and results.data.get("engine", {}).get("name", "exact") != "exact":
        return Untested(f"tests of {what} need single rows, and these are counted (engine: exact)")
    if not rows and results.declared.bootstrap.replicates == 0:
        why = f"bootstrap.replicates is 0, which turns off the tests of {what}"
        return Untested(why, turned_off=True)
    asked = contest.unanswered(results.decision.baseline)
    rows = [row for row in rows if asked in (None, frozenset(row.models))]
    valued = set(contest.values)
    rows = [r for r in rows if contest.leader in r.models and valued.issuperset(r.models)] or rows
    against_tests = _of_mix(results, rows) or reason_against(rows)
    few = _few_data_sets(results, None if against_tests is None else against_tests.test)
    return few or against_tests or Untested("no test of these models is recommended on these data")


def _of_mix(results: Results, rows: Sequence[ComparisonRow]) -> Untested | None:
    """That a difference between models on rows of their own may be one of the rows."""
    for row in rows if results.data.get("unpaired") else ():
        if row.unit != "samples" or row.slice is not None or len(row.models) != 2:
            continue
        if why := of_rows_alone(row, results.metrics, results.slices, results.data):
            return Untested(why, row)
    return None


def _few_data_sets(results: Results, test: ComparisonRow | None) -> Untested | None:
    """That a table of values has too few data sets, whatever the test of a pair lacks or needs.

    Of several models that of mean ranks by sign flips needs fewer than Wilcoxon's, corrected for
    the pairs.
    """
    datasets = results.data.get("datasets")
    if not results.task.of_values or not datasets or test is None:
        return None
    name = "iman_davenport" if test.undefined else "mean_ranks_sign_flip"
    if not test.undefined and (test.unit != "data sets" or len(results.data["models"]) < 3):
        return None
    why = f"{count(datasets)} data sets are too few for a test"
    least = TESTS[name].needs.least
    if datasets >= least:
        return None
    return Untested(why) if test.undefined else Untested(why, test, least=least)


def untested(results: Results, name: str, leader: str) -> str:
    """What has no recommended test: the leader, where other pairs have, the measure, or all."""
    tested = results.comparisons.filter(
        pl.col("models").list.len() > 1,
        pl.col("slice").is_null(),
        pl.col("reject").is_not_null(),
        recommendation="recommended",
    )
    pairs = tested.filter(pl.col("models").list.len() == 2, metric=name, shows="difference")
    if not pairs.is_empty():
        return f"{bounded(leader)} against another model"
    others = tested.filter(pl.col("metric") != name)
    return "the models" if others.is_empty() else measure(name)


def sets_needed(reason: Untested, results: Results) -> int | None:
    """How many data sets the test needs that has too few; null where that is not the reason."""
    sets, test = results.data.get("datasets"), reason.test
    if not results.task.of_values or sets is None or test is None:
        return None
    least = reason.least or TESTS[test.comparison].needs.least
    return least if sets < least else None


def remedy(reason: Untested, results: Results) -> str:
    """What would make a test possible, as a sentence after the reason; nothing where unknown."""
    if reason.test is not None and reason.test.why == DRIFTS:
        return " Compare the models on a period in which neither changes."
    if reason.why in ADVICE:
        return ADVICE[reason.why]
    of_pair = results.task.of_numbers and len(results.data["models"]) > 1
    if of_pair and evaluation_of(results.data).scheme == "leave_one_out":
        return " Folds of several rows each would make the corrected resampled t-test possible."
    if reason.why != SIZES_UNKNOWN:
        return _remedy_of_time(reason, results)
    if results.task.of_values:
        return " The columns train_rows and test_rows would make the corrected t-test possible."
    return (
        " The training rows of each split, marked in a column of roles, would make the corrected "
        "t-test possible."
    )


def _remedy_of_time(reason: Untested, results: Results) -> str:
    """What to declare where few time points, of many rows each, make a test impossible."""
    time = results.declared.columns.time
    points, test = results.data.get("points_of_time"), reason.test
    if points is None or time is None or not _needs_more_points(test, points):
        return ""
    rows = (results.data["rows_evaluated"] or 0) / points
    if points > MOST_POINTS or rows < LEAST_A_POINT:
        return ""
    return (
        f" {bounded(time)} has {count(round(rows))} rows per time point: declare it under slices, "
        "or an earlier period as reference, instead of time, unless rows of one point depend on "
        "each other."
    )


def _needs_more_points(row: ComparisonRow | None, points: int) -> bool:
    """Whether a test allows for the order of time, but of more points than there are."""
    if row is None or row.undefined:
        return False
    test = TESTS[row.comparison]
    return "time" in test.allows and points < test.needs.least


EACH_ALONE = (
    "Errors of estimates of different quantities do not rank the models: evaluate those of the "
    "mean and those of quantiles in reports of their own."
)


def different_quantities(data: DataRecord) -> str | None:
    """What models estimate where it is not the same: their errors then rank nobody."""
    of = {model["name"]: model.get("quantile") for model in data["models"]}
    if None not in of.values() or len(set(of.values())) < 2:  # quantiles are compared by level
        return None
    parts = [
        f"{bounded(name)} the {'mean' if level is None else quantile_in_words(level)}"
        for name, level in of.items()
    ]
    return f"the models estimate different quantities ({joined(parts)})"


def passed_over(results: Results, contest: Contest, baseline: str | None) -> Iterator[Caveat]:
    """Why a measure decides that is not the primary one, or not the first one of the task."""
    primary = results.declared.comparisons.primary
    if primary is None:
        yield from _not_first(results, contest, baseline)
    elif primary != contest.measure:
        text = f"{sentence(measure(contest.measure)).rstrip('.')} decides: it orders the models "
        text += f"as {measure(primary)} does, and has the recommended test."
        yield Caveat("measure", "moderate", text)


def _not_first(results: Results, contest: Contest, baseline: str | None) -> Iterator[Caveat]:
    """Why a measure decides that is not the first one of the task: AUC stands before accuracy."""
    if contest.measure in OF_DECISIONS and results.task.two_classes:
        yield from _of_rare_class(results, contest)
    measures = deciding_measures(
        results.data, rows_of(results.comparisons, ComparisonRow), costs=are_of_rows(results)
    )
    if contest.measure not in measures or not contest.tests:
        return
    if results.declared.ordered and contest.measure != COST:
        yield _of_order(results, contest)
    for name in measures[: measures.index(contest.measure)]:
        rows = _of_paired(tests_of_measure(results, name), results.data)
        if not rows:
            continue
        first, other = sentence(measure(contest.measure)).rstrip("."), measure(name)
        if baseline is not None and not any(baseline in row.models for row in rows):
            text = f"{first} decides, as {bounded(baseline)}, the baseline, has no {other}."
            yield Caveat("measure", "moderate", text)
            continue
        of = ""
        if _is_decided(rows):
            pair = _asked_first(results, name, contest, baseline)
            rows = [row for row in rows if {*pair} <= {*row.models}]
            of = f" for {joined([bounded(name) for name in contest.order if name in pair])}"
        if not _is_decided(rows) and (why := reason_against(rows)):
            text = f"{first} decides, as no test of {other} is recommended{of}: {why.why}."
            text += _first_by(results, name, contest.leader)
            yield Caveat("measure", "moderate", text)


def _asked_first(
    results: Results, name: str, contest: Contest, baseline: str | None
) -> Collection[str]:
    """The models whose test a measure needs to decide: without a baseline the best two of it."""
    leader = contest.leader
    if baseline is not None:
        return {leader, contest.reference(leader, baseline)}
    values = on_all_rows(results.metrics, name)
    sign = 1 if lower_is_better(name) else -1
    return sorted(values, key=lambda model: sign * values[model].value)[:2] or {leader}


def _of_paired(rows: list[ComparisonRow], data: DataRecord) -> list[ComparisonRow]:
    """The tests of models that have every row where some lack rows, if there are any such tests."""
    paired = data.get("paired_models")
    return [row for row in rows if paired and {*row.models} <= {*paired}] or rows


def _first_by(results: Results, name: str, leader: str) -> str:
    """Which model has the best value of a measure that does not decide, if not the leader."""
    values = on_all_rows(results.metrics, name)
    if leader not in values:
        return ""
    best = (min if lower_is_better(name) else max)(values, key=lambda m: values[m].value)
    if look_alike(values[best], values[leader]):
        return ""
    of_best, of_leader = in_like_digits(values[best], values[leader])
    return f" {bounded(best)} is first by {measure(name)}: {of_best} against {of_leader}."


def _of_order(results: Results, contest: Contest) -> Caveat:
    """That what decides takes ordered classes as unordered, and what would not."""
    name, _ = results.task.leading_of_order[0]
    tested = results.declared.comparisons.measures
    text = (
        f"{sentence(measure(contest.measure)).rstrip('.')} decides, for which all errors are alike"
    )
    if name not in tested:
        text += f"; comparisons.measures: [{name}] would test differences that weigh how far off "
        text += "they are"
    first = "" if closer(results, contest) else _first_by(results, name, contest.leader)
    return Caveat("ordered", "moderate", f"{text}.{first}")  # the headline names what is closer


def _is_decided(rows: Sequence[ComparisonRow]) -> bool:
    return any(r.recommendation == "recommended" and r.undefined is None for r in rows)


def _of_rare_class(results: Results, contest: Contest) -> Iterator[Caveat]:
    """Why neither the AUC nor the accuracy decides."""
    first = sentence(measure(contest.measure)).rstrip(".")
    if not are_of_rows(results):
        unlike = "accuracy depends on the share of positives, which is not that of the population"
        yield Caveat("measure", "moderate", f"{first} decides: {unlike}.")
        return
    shares = results.metrics.filter(pl.col("slice").is_null(), metric="no_information_rate")
    common = shares["value"].drop_nulls().max()
    if isinstance(common, float):
        always = f"always predicting the other has an accuracy of {number(common)}"
        yield Caveat("measure", "moderate", f"{first} decides: one class is rare, and {always}.")


def tests_of_measure(results: Results, name: str) -> list[ComparisonRow]:
    """The tests of models in a measure on all rows."""
    return [
        row
        for row in rows_of(results.comparisons, ComparisonRow)
        if row.metric == name and len(row.models) > 1 and row.slice is None
    ]


def reason_against(
    rows: Sequence[ComparisonRow], deciding: frozenset[str] = frozenset()
) -> Untested | None:
    """The reason against the tests: of those over folds, if any, the one of the first choice.

    Else of the tests that decide other pairs, then of the first choice for rows in order of time,
    then the one of most pairs, then why one is undefined, and why it is not recommended before why
    it is to be avoided.
    """
    against = [
        row for row in rows if row.undefined or (row.why and row.recommendation != "recommended")
    ]
    reasons = [_against(row) for row in against]

    def rank(place: int) -> tuple[int, bool, bool, bool, int, bool, bool]:
        row = against[place]
        return (
            _choice_over_folds(row),
            row.comparison not in deciding,
            not _is_first_in_time(row),
            row.undefined == WEIGHTED,  # other tests allow for weights
            -reasons.count(reasons[place]),
            not row.undefined,
            row.recommendation == "avoid",
        )

    first = min(range(len(against)), key=rank, default=None)
    return None if first is None else Untested(reasons[first], against[first])


def _is_first_in_time(row: ComparisonRow) -> bool:
    name = row.comparison
    return name in FIRST_CHOICE["rows"] and "time" in TESTS[name].allows


def _choice_over_folds(row: ComparisonRow) -> int:
    """The place of a test among those over folds: the first choices stand first."""
    first = FIRST_CHOICE["folds"]
    if row.unit != "folds":
        return len(first) + 1
    return first.index(row.comparison) if row.comparison in first else len(first)


def _against(row: ComparisonRow) -> str:
    if row.undefined:
        return _undefined(row.label, row.undefined)
    return named_reason(row.label, row.why or "")


def _undefined(label: str, why: str) -> str:
    """Why a test has no result; where it speaks of the test, with its name."""
    return named_reason(label, why) if "the test " in why else why


def named_reason(label: str, why: str) -> str:
    """A reason against a test, with the name of the test that it speaks of.

    >>> named_reason("DeLong's test", "the test ranks scores")
    "DeLong's test ranks scores"
    >>> named_reason("The sign test", "few, and the test")
    'few, and the sign test'
    >>> named_reason("DeLong's test", "folds overlap")
    "folds overlap (DeLong's test)"
    """
    if "the test" in why:
        return why.replace("the test", with_article(label), 1)
    return f"{why} ({without_article(label)})"
