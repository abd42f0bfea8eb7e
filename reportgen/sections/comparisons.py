"""Every test of every pair, the recommended one first, and what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.metric_names import quantile_of
from reportgen.records.definitions import Definitions
from reportgen.records.model import Results
from reportgen.sections import claims as of_claims
from reportgen.sections import correction_notes, differences_table, dominance, ledger, lookup
from reportgen.sections.better import NOTE, SHOWN, better, has_rejects, in_a_word, named_by
from reportgen.sections.printed_names import (
    comparison_label,
    effect_notes,
    mark_notes,
    marked,
    symbol_notes,
    with_critical,
)
from reportgen.sections.registry import section
from reportgen.sections.tables import (
    Cell,
    Column,
    Footnotes,
    Note,
    Row,
    Table,
    effect_of_test,
    in_own_unit,
    valued,
)
from reportgen.sections.tables import rows as rows_of
from reportgen.tables.comparisons import RECOMMENDATION_ORDER, ComparisonRow, test_remarks
from reportgen.text import numbers
from reportgen.text.words import listed

KIND_NOTES = {
    "probability": "Bayesian: probabilities that the first model is better, that the two are "
    "practically the same, and that the second is better.",
    "equivalence": "Equivalence and non-inferiority are tested against the margin declared in the "
    "spec.",
}
"""What needs saying of tests, by what they show."""

MEASURE = "{measure}"
"""Stands for the measure that a null hypothesis is about."""

PINBALL_LOSS = "pinball loss"
"""What the losses of several quantiles are called together."""

MOST_SENTENCES = 9
"""Of more such tests only the table tells."""

MOST_IN_PRINT = 16
"""Of more tests those that decide are printed; the page in HTML has all."""


@section(80)
@dataclass(frozen=True)
class ComparisonsSection:
    """Tests of significance and dominance of curves."""

    id: ClassVar[str] = "comparisons"
    title: ClassVar[str] = "Comparisons"

    decision: str
    sentences: tuple[str, ...]
    claims: Table | None
    ledger: Table | None
    matrices: tuple[Table, ...]
    differences: tuple[Table, ...]
    crossed: Table | None
    tests: Table | None
    dominance: Table | None
    figures: tuple[str, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> ComparisonsSection | None:
        """Fill the section; None with a single model."""
        every = lookup.compared(results)
        claims, records = parted(every)
        dominating = dominance.table(results)
        if not every and dominating is None:
            return None
        verdict = lookup.conclusion(results)
        of_all = len(results.decision.models) <= len(results.models)
        tabulated = of_all and bool(records) and not unmade(records)
        return cls(
            verdict,
            (*sentences(results, every, verdict), *override(results), *unmade(records)),
            of_claims.table(results, claims) if claims else None,
            ledger.ledger(results, records),
            ledger.matrices(results, records),
            differences_table.tables(results) if of_all else (),
            crossed(results, records) if of_all else None,
            table_of_tests(results, records) if tabulated else None,
            dominating if of_all else None,
            lookup.placed(figures, "comparisons"),
        )


def sentences(results: Results, records: Sequence[ComparisonRow], verdict: str) -> tuple[str, ...]:
    """What tests against the margin show, where neither the verdict nor the first table has it.

    That models are equivalent which all predict the same class of every row is no result.
    """
    single = results.reading.single_classes()
    within = [
        row
        for row in _shown_within(records)
        if row.recommendation != "recommended"
        and (row.metric != "accuracy" or not single.keys() >= {*row.models})
    ]
    verdicts = dict.fromkeys(lookup.clean(row.verdict) for row in within)
    others = tuple(text for text in verdicts if text not in verdict)
    return others if len(others) <= MOST_SENTENCES else ()


def _shown_within(records: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """Tests against the margin that show something; non-inferiority where equivalence does not.

    None to be avoided, and none that something speaks against beside one that nothing does.
    """
    within = [
        row
        for row in records
        if row.shows in SHOWN and row.reject and row.recommendation != "avoid"
    ]
    sound = {_question(row) for row in within if row.why is None}
    within = [row for row in within if row.why is None or _question(row) not in sound]
    equal = {(frozenset(row.models), row.metric) for row in within if row.shows == "equivalence"}
    return [
        row
        for row in within
        if row.shows == "equivalence" or (frozenset(row.models), row.metric) not in equal
    ]


def _question(row: ComparisonRow) -> tuple[frozenset[str], str, str]:
    return frozenset(row.models), row.metric, row.shows


def parted(every: Sequence[ComparisonRow]) -> tuple[list[ComparisonRow], list[ComparisonRow]]:
    """The tests of claims about one model, and those of several."""
    claims = [row for row in every if len(row.models) == 1]
    return claims, [row for row in every if len(row.models) > 1]


def grids(results: Results, every: Sequence[ComparisonRow]) -> list[Table]:
    """The tables of all tests: claims, then pairs where any test of them could be made."""
    claims, records = parted(every)
    first = [of_claims.table(results, claims)] if claims else []
    return [
        *first,
        *([table_of_tests(results, records)] if records and not unmade(records) else []),
    ]


def override(results: Results) -> tuple[str, ...]:
    """Say so where the spec chose a test in place of the recommended one."""
    name = results.declared.comparisons.test
    if not name:
        return ()
    chosen = comparison_label(name, results.definitions)
    return (f"The spec chose the test: {chosen} decides instead of the recommended one.",)


def unmade(records: Sequence[ComparisonRow]) -> tuple[str, ...]:
    """Why no test of several pairs could be made, where they have one reason in common."""
    reasons = {row.undefined or "" for row in records}
    pairs = len({tuple(row.models) for row in records})
    if pairs < 2 or len(reasons) != 1 or "" in reasons:
        return ()
    why = lookup.remark(reasons.pop(), {name for row in records for name in row.models})
    return (f"No test of the {pairs} pairs of models has a value. {why}",)


def table_of_tests(results: Results, records: Sequence[ComparisonRow]) -> Table:
    """All tests, by pair and measure; the recommended one of each first and marked."""
    footnotes = Footnotes()
    note = lookup.tabulated_pairs(results)[1]
    records = tabulated(results, records)
    shared: set[str] = set.intersection(*(set(test_remarks(row)) for row in records))
    printed = lookup.printed(results)
    alone, named = _alone(records), named_by(records)
    headings = [_heading(row, results, alone) for row in records]
    groups = list(dict.fromkeys(headings))
    ordered = sorted(
        zip(headings, records, strict=True),
        key=lambda two: (groups.index(two[0]), RECOMMENDATION_ORDER[two[1].recommendation]),
    )
    heads = (
        Column("test", "Test"),
        Column("difference", "Difference"),
        Column("statistic", "Statistic (critical)"),
        Column("p", "p"),
        *((Column("adjusted", "Adjusted"),) if lookup.corrected(records) else ()),
        Column("result", "Better", "left"),
    )
    lines = [
        Row(
            _cells(row, results, footnotes, shared, alone)
            | {"result": in_a_word(row, better(row, named, printed))},
            heading,
            row.recommendation == "recommended",
        )
        for heading, row in ordered
    ]
    alpha = records[0].alpha
    caption = f"Tests of every pair of models, two-sided, α = {alpha:g}"
    always: list[str] = [lookup.remark(text, printed) for text in sorted(shared)]
    notes: tuple[Note | str, ...] = (
        *footnotes.all(),
        *_notes(records, results),
        *always,
        *null_hypotheses(records, results),
        *note,
    )
    on_screen = len(lines) > MOST_IN_PRINT
    return Table("tests", caption, heads, tuple(lines), notes, screen=on_screen, by_measure=True)


def tabulated(results: Results, records: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """The tests of the pairs that have a row of their own in the table of all tests."""
    is_shown, _ = lookup.tabulated_pairs(results)
    return [row for row in records if is_shown(row.models)]


def _cells(
    row: ComparisonRow,
    results: Results,
    footnotes: Footnotes,
    shared: set[str],
    alone: set[str],
) -> dict[str, Cell | str]:
    remarks = [
        text for text in (row.undefined, row.why, *test_remarks(row)) if text and text not in shared
    ]
    printed = lookup.printed(results)
    marks = footnotes.marks(lookup.remark(text, printed) for text in remarks)
    name = lookup.several(row.models, printed) if row.metric in alone else ""
    return {
        "test": Cell(marked(row, name), note=marks or None),
        "difference": _difference(row),
        "statistic": _statistic(row, results.definitions),
        "p": numbers.p_number(row.p_value, row.alpha),
        "adjusted": numbers.p_number(row.p_adjusted, row.alpha),
    }


def _difference(row: ComparisonRow) -> Cell:
    """The effect with its sign; what several models show at once has none."""
    if len(row.models) == 2:
        return effect_of_test(row)
    return in_own_unit(valued(row.estimate), row)


def _statistic(row: ComparisonRow, definitions: Definitions) -> Cell | str:
    if row.probabilities:
        return " / ".join(numbers.p_number(p) for p in row.probabilities)
    if row.statistic is None:
        return Cell(numbers.UNDEFINED, kind="muted")
    return with_critical(row, definitions)


def crossed(results: Results, records: Sequence[ComparisonRow]) -> Table | None:
    """How many rows both, one or none of two models predict correctly, of every pair.

    Printed where a test that reads the counts decides.
    """
    shown, note = lookup.tabulated_pairs(results)
    rows = [row for row in records if row.cross_table and shown(row.models)]
    pairs = {tuple(row.models): row.cross_table or () for row in rows}
    if not pairs:
        return None
    printed = lookup.printed(results)
    by = "Items answered correctly by" if results.task.graded else "Rows predicted correctly by"
    heads = (Column("pair", "Pair"), *(Column(key, head, None, by) for key, head in CELLS.items()))
    lines: list[list[Cell | str]] = [
        [" and ".join(printed.get(name, name) for name in models), *map(numbers.count, cells)]
        for models, cells in pairs.items()
    ]
    what = "answers" if results.task.graded else "predictions"
    caption = f"Correct {what} of each pair, which McNemar's tests compare"
    decides = any(row.recommendation == "recommended" for row in rows)
    return Table("cross_tables", caption, heads, rows_of(heads, lines), note, screen=not decides)


CELLS = {"both": "both", "first": "only the first", "second": "only the second", "none": "neither"}
"""The four cells of the table that McNemar's tests read."""


def _alone(records: Sequence[ComparisonRow]) -> set[str]:
    """Measures with one kind of test, so that the pairs stand under it and not beside it."""
    kinds: dict[str, set[str]] = {}
    for row in records:
        kinds.setdefault(row.metric, set()).add(row.comparison)
    return {metric for metric, names in kinds.items() if len(names) == 1}


def _heading(row: ComparisonRow, results: Results, alone: set[str]) -> str:
    if row.metric in alone:
        return f"{lookup.label(row.metric, results)}: {row.short}"
    pair = lookup.several(row.models, lookup.printed(results))
    return f"{pair}, {lookup.phrase(row.metric, results)}"


def _notes(records: Sequence[ComparisonRow], results: Results) -> tuple[str, ...]:
    definitions = results.definitions
    tested = [row for row in records if row.p_value is not None]
    if not tested:
        return ()
    corrections = {name for row in tested if (name := row.correction) and name != "none"}
    alone = bool(corrections) and not lookup.corrected(records)
    named = listed(sorted(map(definitions.correction, corrections)))
    adjusted = (
        f"Adjusted: {named} correction of p over the family of each kind of test; limits of a "
        "difference are simultaneous over the same family (Bonferroni)."
        if corrections
        else "Not corrected for the number of pairs."
    )
    adjusted = "One comparison of each kind: p needs no correction." if alone else adjusted
    shown = {row.shows for row in records}
    return (
        *mark_notes(records, results.declared.comparisons.test),
        *effect_notes(records),
        *differences_table.cross_fitted(row.metric for row in tested),
        *symbol_notes(tested, definitions),
        *((NOTE,) if has_rejects(records) else ()),
        *(text for kind, text in KIND_NOTES.items() if kind in shown),
        f"{adjusted} Better: the significantly better model. Level: no significant difference, "
        "which is not evidence of equality. In brackets beside a statistic: its critical value at "
        "α, before correction.",
        *correction_notes.notes_of_tests(records, definitions),
    )


def null_hypotheses(records: Sequence[ComparisonRow], results: Results) -> tuple[str, ...]:
    """The null hypotheses with the tests of each, whatever the measure."""
    tests_of: dict[str, dict[str, None]] = {}
    measures: dict[str, dict[str, None]] = {}
    for row in records:
        measure = lookup.phrase(row.metric, results)
        hypothesis = row.null_hypothesis.replace(measure, MEASURE)
        tests_of.setdefault(hypothesis, {})[row.short] = None
        of_quantile = quantile_of(row.metric) is not None  # a comma would part it from its level
        measures.setdefault(hypothesis, {})[PINBALL_LOSS if of_quantile else measure] = None
    sentences = [
        f"{listed([*names])}: "
        + lookup.clean(text.replace(MEASURE, listed([*measures[text]], "or")))
        for text, names in tests_of.items()
    ]
    return (f"Null hypotheses. {'; '.join(sentences)}.",)
