"""Tests over data sets: mean ranks, the diagram, every test of all models, pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.definitions import Definitions
from reportgen.records.model import Results
from reportgen.sections import claims as of_claims
from reportgen.sections import correction_notes, lookup
from reportgen.sections.better import NOTE, better, has_rejects, in_a_word, named_by
from reportgen.sections.ledger import families
from reportgen.sections.printed_names import (
    effect_notes,
    full_label,
    mark_notes,
    marked,
    with_critical,
)
from reportgen.sections.registry import SCORES, section
from reportgen.sections.score_data import unit
from reportgen.sections.tables import (
    Cell,
    Column,
    Footnotes,
    Row,
    Table,
    columns,
    effect_of_test,
    in_own_unit,
    rows,
    valued,
)
from reportgen.tables.comparisons import RECOMMENDATION_ORDER, ComparisonRow, test_remarks
from reportgen.text import numbers
from reportgen.text.words import listed

MOST_PAIRS = 28
"""Of more pairs only those that differ significantly are printed, the recommended test alone."""

MOST_IN_PRINT = 8
"""Models of a matrix that fits an upright page; of more, the page in HTML has it."""

BESIDE = ("mean_ranks_sign_flip", "bonferroni_dunn", "mean_ranks_baseline")
"""Tests of mean ranks that stand beside those of pairs."""

MATRIX = ("nemenyi", "mean_ranks")
"""Whose p-values stand below and above the diagonal of the matrix."""


@section(80, SCORES)
@dataclass(frozen=True)
class ScoreTests:
    """Tests of several models over data sets."""

    template: ClassVar[str] = "sections/score_tests.html.j2"
    id: ClassVar[str] = "comparisons"
    title: ClassVar[str] = "Comparisons"

    decision: str
    ranks: Table
    figures: tuple[str, ...]
    overall: Table | None
    pairs: Table | None
    claims: Table | None
    matrix: Table | None
    posterior: Table | None

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> ScoreTests:
        """Fill the section; it always applies."""
        every = lookup.compared(results)
        claimed = [row for row in every if len(row.models) == 1]
        records = [row for row in every if len(row.models) > 1]
        return cls(
            lookup.conclusion(results),
            ranks(results),
            lookup.placed(figures, "comparisons"),
            overall(results, records),
            pairs(results, records) if records else None,
            of_claims.table(results, claimed) if claimed else None,
            matrix(results, records),
            posterior(results, records),
        )


def ordered(results: Results) -> list[str]:
    """The models, best mean rank first."""
    means = results.metrics.filter(metric="mean_rank").sort("value", maintain_order=True)
    names: list[str] = means["model"].to_list()
    return names


def ranks(results: Results) -> Table:
    """Mean rank, mean and median of each model, and how many data sets or folds it won."""
    what, printed, one = results.data["measure"], lookup.printed(results), unit(results.data)
    names = (f"mean {what}", f"median {what}", "mean_rank", f"{one}s won")
    value = {(r["metric"], r["model"]): r["value"] for r in results.metrics.to_dicts()}
    phrase = lookup.phrase(what, results)
    means = (f"Mean {phrase}", f"Median {phrase}")
    if len(printed) == 1:  # which ranks nowhere
        of_one: list[list[Cell | str]] = [
            [n, *(valued(value[key, m]) for key in names[:2])] for m, n in printed.items()
        ]
        heads = columns("Model", *means)
        return Table("ranks", f"Values over {one}s", heads, rows(heads, of_one))
    heads = columns("Model", "Mean rank", *means, f"{one.capitalize()}s won")
    won = [value[names[3], model] for model in printed]
    digits = 0 if all(float(number).is_integer() for number in won) else 2
    lines: list[list[Cell | str]] = [
        [
            printed[model],
            numbers.fixed(value[names[2], model], 2),
            valued(value[names[0], model]),
            valued(value[names[1], model]),
            numbers.fixed(value[names[3], model], digits),
        ]
        for model in ordered(results)
    ]
    notes = ("Rank 1 is the best; ties share their mean rank, and wins are shared likewise.",)
    return Table("ranks", "Models by mean rank", heads, rows(heads, lines), notes)


def overall(results: Results, records: Sequence[ComparisonRow]) -> Table | None:
    """The tests of all models at once, the recommended one first."""
    several = [row for row in of_kind("several", records, results) if len(row.models) > 2]
    if not several:
        return None
    caption = "Do the models differ at all?"
    return _table("overall", caption, several, results, paired=False)


def of_kind(
    compares: str, records: Sequence[ComparisonRow], results: Results
) -> list[ComparisonRow]:
    """The tests that compare so many models by their nature."""
    named = {test.name for test in results.definitions.tests if test.compares == compares}
    return [row for row in records if row.comparison in named]


def pairs(results: Results, records: Sequence[ComparisonRow]) -> Table | None:
    """Every test of pairs but those of the matrix, by pair; of many the significant ones.

    None of many of which no test differs significantly: the matrix has their p.
    """
    of_pairs = [row for row in records if len(row.models) == 2 and not row.probabilities]
    direct = of_kind("pair", of_pairs, results)
    against = [row for row in of_pairs if row.comparison in BESIDE]
    shown = [*direct, *against]
    count = len({tuple(row.models) for row in shown})
    caption, note = "Tests of pairs of models", ""
    many = count > MOST_PAIRS
    if many:
        deciding = [r for r in of_pairs if r.recommendation == "recommended"]
        shown = [r for r in deciding if r.reject]
        if not shown:
            return None
        note = (
            f"Shown: {len(shown)} of {count} pairs, which differ significantly by the recommended "
            "test; results.json has all."
        )
        caption += f", {full_label(deciding[0].label)}" if deciding else ""
    return _table("pairs", caption, shown, results, paired=True, note=note, listed=many)


def _table(
    name: str,
    caption: str,
    records: Sequence[ComparisonRow],
    results: Results,
    *,
    paired: bool,
    note: str = "",
    listed: bool = False,
) -> Table:
    """Tests as rows; ``listed``: one test per pair, so that the pair stands in its place."""
    footnotes = Footnotes()
    printed, named = lookup.printed(results), named_by(records)
    heads = (
        Column("pair", "Pair") if listed else Column("test", "Test"),
        Column("effect", "Effect"),
        Column("statistic", "Statistic (critical)"),
        Column("p", "p"),
        *((Column("adjusted", "Adjusted"),) if paired and lookup.corrected(records) else ()),
        Column("result", "Better" if paired else "Significant", "left"),
    )
    order = {tuple(row.models): i for i, row in reversed(list(enumerate(records)))}
    lines = tuple(
        Row(
            _cells(row, better(row, named, printed), footnotes, results.definitions, paired=paired)
            | {"pair": " − ".join(printed[m] for m in row.models)},
            " − ".join(printed[m] for m in row.models) if paired and not listed else None,
            row.recommendation == "recommended" and not listed,
        )
        for row in sorted(
            records,
            key=lambda row: (
                order[tuple(row.models)],
                RECOMMENDATION_ORDER[row.recommendation],
            ),
        )
    )
    shared = [note] if note else []
    shared += [NOTE] if paired and has_rejects(records) else []
    if not listed:
        shared += mark_notes(records, results.declared.comparisons.test)
    shared += effect_notes(records)
    shared += _adjusted(records, results.definitions) if paired else []
    return Table(name, caption, heads, lines, (*footnotes.all(), *shared))


def _adjusted(records: Sequence[ComparisonRow], definitions: Definitions) -> list[str]:
    used = {name for row in records if (name := row.correction) and name != "none"}
    own = used & {"westfall_young"}
    named = listed(sorted(map(definitions.correction, used - own)))
    if not named or not lookup.corrected(records):
        return []
    return [
        f"Adjusted: {named} correction of p over the family of each kind of test; limits are "
        "simultaneous over it (Bonferroni). Level: no significant difference, which is not "
        "evidence of equality.",
        *(["The sign-flip test corrects by itself, after Westfall and Young."] if own else []),
        *correction_notes.notes_of_tests(records, definitions),
    ]


def _cells(
    row: ComparisonRow,
    winner: str,
    footnotes: Footnotes,
    definitions: Definitions,
    *,
    paired: bool,
) -> dict[str, Cell | str]:
    avoid = row.recommendation == "avoid" and not row.undefined
    reasons = (row.undefined, row.why if avoid else None, *test_remarks(row))
    remarks = [text for text in reasons if text]
    marks = footnotes.marks(map(lookup.sentence, remarks))
    some = {None: "n/a", True: "yes", False: "no"}[row.reject]
    alone = in_own_unit(valued(row.estimate), row)
    return {
        "test": Cell(marked(row), note=marks or None),
        "statistic": _statistic(row, definitions),
        "p": numbers.p_number(row.p_value, row.alpha),
        "adjusted": numbers.p_number(row.p_adjusted, row.alpha),
        "effect": effect_of_test(row) if paired else alone,
        "result": in_a_word(row, winner)
        if paired
        else Cell(some, kind=None if row.reject else "muted"),
    }


def _statistic(row: ComparisonRow, definitions: Definitions) -> Cell | str:
    if row.statistic is None:
        return Cell("–" if row.p_value is not None else numbers.UNDEFINED, kind="muted")
    return with_critical(row, definitions)


def matrix(results: Results, records: Sequence[ComparisonRow]) -> Table | None:
    """Adjusted p of every pair of mean ranks: Nemenyi below the diagonal, z-tests above."""
    order, printed = ordered(results), lookup.printed(results)
    p = {
        (row.comparison, frozenset(row.models)): row for row in records if row.comparison in MATRIX
    }
    if len(order) < 3 or not p:
        return None
    heads = (
        Column("model", "Model"),
        *(Column(str(i), str(i), "right") for i in range(1, len(order) + 1)),
    )
    lines = tuple(
        Row(
            {
                "model": f"{i}  {printed[one]}",
                **{
                    str(j): _p_cell(p.get((MATRIX[i < j], frozenset((one, other)))), i == j)
                    for j, other in enumerate(order, 1)
                },
            }
        )
        for i, one in enumerate(order, 1)
    )
    corrected = {row.correction for row in p.values() if row.comparison == "mean_ranks"}
    named = listed(sorted(results.definitions.correction(c or "", "no") for c in corrected))
    of_z = [row for row in records if row.comparison == MATRIX[1]]
    notes = (
        f"Below the diagonal: Nemenyi's test; above: z-tests of mean ranks, {named} correction "
        f"over {families(of_z)}. Bold: below α.",
    )
    caption = "Adjusted p of every pair of models, best mean rank first"
    on_screen = len(order) > MOST_IN_PRINT
    return Table("matrix", caption, heads, lines, notes, screen=on_screen)


def _p_cell(row: ComparisonRow | None, diagonal: bool) -> Cell:
    if diagonal:
        return Cell("", kind="muted")
    if row is None or row.p_adjusted is None:
        return Cell(numbers.UNDEFINED, kind="muted")
    text = numbers.p_number(row.p_adjusted, row.alpha)
    return Cell(text, kind="best" if row.reject else None)


def _share(probability: float) -> str:
    """A posterior probability, never 0 and never 1."""
    if probability < 0.001:
        return "< 0.001"
    return "> 0.999" if probability > 0.999 else numbers.fixed(probability, 3)


def posterior(results: Results, records: Sequence[ComparisonRow]) -> Table | None:
    """The three probabilities of the Bayesian test."""
    tests = [row for row in records if row.probabilities]
    if not tests or len(tests) > MOST_PAIRS:
        return None
    printed, width = lookup.printed(results), tests[0].against
    heads = columns("Pair", "First better", f"Within {width:g}", "Second better")
    lines: list[list[Cell | str]] = [
        [
            " − ".join(printed[m] for m in row.models),
            *(_share(p) for p in row.probabilities or ()),
        ]
        for row in tests
    ]
    signed = tests[0].comparison == "bayesian_signed_rank"
    first, smaller = (
        f"the first model is better by more than {width:g}",
        "the difference is smaller",
    )
    note = (
        f"Probability that in expectation {first}, that {smaller}, and that the second is better "
        "by more. It is not corrected for the number of pairs."
    )
    if signed:
        note = (
            f"Probability that the likeliest outcome on a further data set is that {first}, that "
            f"{smaller}, and that the second is better by more. It is not corrected for the "
            "number of pairs."
        )
    notes = (note,)
    caption = full_label(tests[0].label)
    return Table("posterior", caption, heads, rows(heads, lines), notes)
