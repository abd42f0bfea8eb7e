"""What tests of the declared margin establish, and what they do not."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reportgen.comparisons.paired_losses import ABSOLUTE, SQUARED
from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding import headline_numbers as form
from reportgen.concluding.contest import Contest, Difference
from reportgen.metrics import find
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.spec import ScoresSpec, Spec
from reportgen.spec.gates import parse
from reportgen.spec.measures import margin_in
from reportgen.tables.comparisons import MARGINS, MEDIAN, ComparisonRow
from reportgen.text import numbers
from reportgen.text.words import sentence


def widths(results: Results) -> str:
    """Which intervals gates and the test of the margin read, where it is met and a gate is open.

    A gate asks one-sided 2.5 % at a confidence of 95 %, as ICH E9 does of non-inferiority; the
    tests of a margin are at α, by an interval of 1 − 2α. Empty where nothing needs explaining.
    """
    decision = results.decision
    narrow = 1 - 2 * decision.alpha
    if "inconclusive" not in results.gates["state"] or narrow >= results.confidence:
        return ""
    level, of_test = map(numbers.level, (results.confidence, narrow))
    if decision.relation == "equivalent":
        return f"gates read {level} intervals, tests of equivalence {of_test} intervals"
    if not _open_difference(results) or not _non_inferior(results):
        return ""
    of_gate, of_alpha = map(numbers.level, ((1 - results.confidence) / 2, decision.alpha))
    return (
        f"gates read {level} intervals (a one-sided level of {of_gate}), the test of "
        f"non-inferiority a {of_test} interval (a one-sided level of {of_alpha})"
    )


def levels(results: Results) -> Iterator[str]:
    """The levels of a gate on a difference and of the test of non-inferiority, where both stand.

    The state says them where the gate is open and the test is met.
    """
    gates = map(parse, results.gates["gate"].to_list())
    on_difference = [g for g in gates if g.right is not None and g.earlier is None]
    measured = [g for g in on_difference if g.left.metric == results.decision.measure]
    narrow = 1 - 2 * results.decision.alpha
    if not measured or narrow >= results.confidence or widths(results):
        return
    level, of_gate = map(numbers.level, (results.confidence, (1 - results.confidence) / 2))
    yield (
        f"The test of non-inferiority has a one-sided level of "
        f"{numbers.level(results.decision.alpha)}; gates read {level} intervals, a one-sided level "
        f"of {of_gate}."
    )


SMALL, OF_ERROR = 0.01, 0.05
"""A difference is small below this, and this share of what the leader lacks to 1."""


def small_difference(results: Results, contest: Contest) -> Iterator[Caveat]:
    """That a significant difference is small, where no margin says which one matters."""
    decision, definition = results.decision, find(contest.measure, results.task.name)
    other = decision.compared_with
    if decision.relation != "ahead" or decision.margin is not None or other is None:
        return
    if contest.by_rank or definition is None or definition.bounds != (0.0, 1.0):
        return
    difference = contest.difference(contest.leader, other)
    if difference is None or difference.low is None or difference.high is None:
        return
    far, value = max(abs(difference.low), abs(difference.high)), contest.values[contest.leader]
    lacking = value.value if contest.less_is_better else 1 - value.value
    if far < min(SMALL, OF_ERROR * lacking):
        text = (
            f"With {numbers.plural(results.data['rows_evaluated'], 'row')} even small differences "
            f"are significant: {bounded(contest.leader)} is ahead by at most "
            f"{form.far_limit([difference])}. comparisons.margin states which difference matters."
        )
        yield Caveat("small_difference", "moderate", text)


def is_of_squares(results: Results, contest: Contest) -> bool:
    """Whether errors of estimates decide that the spec does not name: MSE, or MAE beside it."""
    undeclared = results.declared.comparisons.primary is None
    return undeclared and contest.measure in (SQUARED, ABSOLUTE)


def declared(spec: Spec | ScoresSpec, contest: Contest) -> float | None:
    """The margin of a spec, where it is in the unit of the measure that decides."""
    if isinstance(spec, ScoresSpec):
        return spec.comparisons.margin
    return margin_in(contest.measure, spec)


def lies_within(results: Results, contest: Contest) -> bool:
    """Whether limits alone say that the leader's difference is within the margin: no test does."""
    margin, other = results.decision.margin, results.decision.compared_with
    if margin is None or other is None or contest.has_margin_tests:
        return False
    difference = contest.difference(contest.leader, other)
    if difference is None or difference.low is None or difference.high is None:
        return False
    return -margin < difference.low and difference.high < margin


def untested_margin(results: Results, contest: Contest) -> Iterator[Caveat]:
    """That a margin is declared, and no recommended test compares the models with it."""
    margin = results.declared.comparisons.margin
    if margin is None or not contest.tests or contest.has_margin_tests:
        return
    if is_of_squares(results, contest):  # of which another caveat says it
        return
    if results.decision.margin is None:
        text = f"The margin of {form.plain(margin)} is not one of {contest.what}, which decides."
        yield Caveat("untested_margin", "moderate", text)
        return
    pair = (contest.leader, str(results.decision.compared_with))
    if is_beyond(contest.difference(*pair), results.decision.margin):
        return
    text = f"No recommended test asks whether models are equivalent in {contest.what} within the "
    text += f"margin of {form.plain(margin)}."
    if lies_within(results, contest):
        text += f" The limits of the difference between {form.names_or(pair)} lie within it."
    yield Caveat("untested_margin", "moderate", text)


def of_squares(results: Results, contest: Contest) -> Iterator[Caveat]:
    """That a margin is one of squared errors, where the spec does not say what decides."""
    margin = results.declared.comparisons.margin
    if margin is not None and is_of_squares(results, contest):
        text = (
            f"The margin of {form.plain(margin)} is one of {measure(SQUARED)}, in squared "
            f"units of the truth{_unanswered(results)}: “comparisons: {{primary: mae}}” makes it "
            "one of MAE, in its units."
        )
        yield Caveat("margin_of_squares", "moderate", text)


def _unanswered(results: Results) -> str:
    """That no test of the margin is recommended, where models are level and there are some."""
    if results.decision.relation != "level":
        return ""
    tests = results.comparisons.filter(
        pl.col("shows").is_in(MARGINS),
        pl.col("slice").is_null(),
        metric=SQUARED,
    )
    if tests.is_empty() or "recommended" in tests["recommendation"].to_list():
        return ""
    return ". No test of it is recommended here"


def beside_level(results: Results, contest: Contest) -> str:
    """What the headline adds on the margin that a model is tested against; or empty.

    Of a model that is level with the declared baseline.
    """
    decision = results.decision
    others = [name for name in contest.order if name != decision.baseline]
    if decision.relation != "level" or contest.by_rank or len(others) != 1:
        return ""
    margin, one_sided = form.plain(decision.margin), numbers.level(decision.alpha)
    if others[0] in contest.not_inferior:
        who = bounded(others[0])
        return f"; {who} is non-inferior within the margin of {margin} (one-sided {one_sided})"
    asked = [row for row in contest.open_margins if row.shows == "non_inferiority"]
    return f"; non-inferiority within {margin} is not established" if asked else ""


def asked_of(contest: Contest, leader: str, other: str | None, baseline: str | None) -> str:
    """What the declared margin asks of the two models that page one compares."""
    asked = any(
        row.shows == "non_inferiority" and set(row.models) == {leader, other}
        for row in contest.open_margins
    )
    return "non_inferiority" if asked and baseline in (leader, other) else "difference"


def is_beyond(difference: Difference | None, margin: float | None) -> bool:
    """Whether the limits of a difference leave the margin out, on one side."""
    if difference is None or margin is None or difference.low is None or difference.high is None:
        return False
    return difference.low > margin or difference.high < -margin


def _open_difference(results: Results) -> bool:
    """Whether a gate on a difference in the measure that decides is inconclusive."""
    gates = map(parse, results.gates.filter(state="inconclusive")["gate"])
    return any(g.right is not None and g.left.metric == results.decision.measure for g in gates)


def _non_inferior(results: Results) -> bool:
    """Whether a test establishes non-inferiority in the measure that decides."""
    rows = results.comparisons.filter(
        pl.col("slice").is_null(),
        pl.col("reject"),
        metric=results.decision.measure,
        shows="non_inferiority",
    )
    return rows.height > 0


def beyond_in_sets(row: ComparisonRow) -> Iterator[str]:
    """In how many data sets a difference is beyond the margin that its median is within."""
    yield from map(sentence, row.caveats if row.effect == MEDIAN else ())


def within_margin(results: Results, contest: Contest) -> Iterator[str]:
    """What tests of the declared margin establish that the headline does not say.

    A model that is equivalent, or significantly better, is not inferior either.
    """
    relation = results.decision.relation
    reference = contest.reference(contest.leader, results.decision.baseline)
    others = [name for name in contest.order if name != reference]
    equivalent = [n for n in others if frozenset((n, reference)) in contest.within]
    if relation == "equivalent":
        equivalent = [n for n in equivalent if contest.standing(n, reference) != "equivalent"]
    not_inferior = [
        n
        for n in others
        if n in contest.not_inferior
        and frozenset((n, reference)) not in contest.within
        and contest.standing(n, reference) != "ahead"
    ]
    margin = f"in {contest.what} within the margin of {form.plain(results.decision.margin)}"
    to = f"to {bounded(reference)} {margin}"
    if len(equivalent) == 1:
        yield contest.within[frozenset((*equivalent, reference))].verdict
    elif equivalent:
        yield f"{form.names_or(equivalent)} are equivalent {to}."
    if len(not_inferior) == 1:
        yield contest.not_inferior[not_inferior[0]].verdict
    elif not_inferior:
        yield f"{form.names_or(not_inferior)} are non-inferior {to}."
    rows = [contest.within[frozenset((name, reference))] for name in equivalent]
    for row in [*rows, *(contest.not_inferior[name] for name in not_inferior)]:
        yield from beyond_in_sets(row)
    if worse := beyond_margin(results, contest):
        verb = "is" if len(worse) == 1 else "are"
        yield (
            f"{form.names_or(worse)} {verb} worse than {bounded(reference)} by more than the "
            f"margin of {form.plain(results.decision.margin)}."
        )
    open_margins = list(_not_established(results, contest))
    yield from open_margins
    asked = results.decision.baseline is not None and (not_inferior or open_margins)
    yield from levels(results) if asked else ()


def _not_established(results: Results, contest: Contest) -> Iterator[str]:
    """That the declared margin is not kept: non-inferiority to a declared baseline, or equivalence.

    Of models that are significantly better, and of those within the margin, nobody asks it.
    """
    reference = contest.reference(contest.leader, results.decision.baseline)
    margin = results.decision.margin
    asked = "equivalence" if results.decision.baseline is None else "non_inferiority"
    rows = [
        row
        for row in contest.open_margins
        if row.shows == asked
        and reference in row.models
        and frozenset(row.models) not in contest.within
        and contest.standing(_other_than(reference, row), reference) != "ahead"
        and not is_beyond(contest.difference(_other_than(reference, row), reference), margin)
    ]
    if len(rows) == 1:
        yield rows[0].verdict
    elif rows:
        who = form.names_or([_other_than(reference, row) for row in rows])
        what = "Equivalence" if asked == "equivalence" else "Non-inferiority"
        yield (
            f"{what} of {who} to {bounded(reference)} in {contest.what} within the margin of "
            f"{form.plain(results.decision.margin)} is not established."
        )


def beyond_margin(results: Results, contest: Contest) -> list[str]:
    """The models that are worse than the baseline by more than the margin, else than the leader.

    Without the one that the headline says so of.
    """
    baseline, margin = results.decision.baseline, results.decision.margin
    reference = contest.leader if baseline is None else baseline
    return [
        name
        for name in contest.order
        if contest.standing(name, reference) == "behind"
        if is_beyond(contest.difference(name, reference), margin)
        if baseline is not None or not _in_headline(results, name)
    ]


def _in_headline(results: Results, name: str) -> bool:
    return results.decision.relation == "ahead" and name == results.decision.compared_with


def _other_than(model: str, row: ComparisonRow) -> str:
    return next(name for name in row.models if name != model)
