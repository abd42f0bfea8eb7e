"""The claims of a spec about one model, each with what the data say against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from reportgen.comparing.claims import NO_PROPORTION
from reportgen.concluding.claim_verdicts import decides, in_use, of_limits
from reportgen.records.decision import MEASURES_OF_ROWS
from reportgen.sections import lookup
from reportgen.sections.printed_names import mark_notes, marked
from reportgen.sections.tables import Cell, Column, Footnotes, Row, Table, valued
from reportgen.tables.comparisons import ComparisonRow, test_remarks
from reportgen.text import numbers

if TYPE_CHECKING:
    from reportgen.results import Results


def table(results: Results, records: Sequence[ComparisonRow]) -> Table:
    """One row per claim and test: the claim, what was observed, p, and whether it is refuted."""
    printed, footnotes = lookup.printed(results), Footnotes()
    heads = (
        Column("claim", "Claim"),
        Column("observed", "Observed"),
        Column("test", "Test", "left"),
        Column("p", "p"),
        *((Column("adjusted", "Adjusted p"),) if lookup.corrected(records) else ()),
        Column("critical", "Critical rate"),
        Column("result", "Outcome", "left"),
    )
    lines = tuple(
        Row(
            _cells(row, results, printed, footnotes),
            None,
            row["recommendation"] == "recommended",
        )
        for row in records
    )
    alpha = records[0]["alpha"]
    note = "Critical rate: an observed rate above it refutes the claim."
    notes = [note] if any(row["critical"] is not None for row in records) else []
    if len(records) > 1:
        notes.append("Limits of what was observed are not adjusted for the number of claims.")
    caption = f"Claims about one model, each tested as a null hypothesis at α = {alpha:g}"
    return Table("claims", caption, heads, lines, (*footnotes.all(), *notes, *mark_notes(records)))


def _cells(
    row: ComparisonRow, results: Results, printed: Mapping[str, str], footnotes: Footnotes
) -> dict[str, Cell | str]:
    (model,), by_limits = row["models"], of_limits(row, results)
    at_work = in_use(row, results) if by_limits is not None else None
    row = at_work or row
    about = (c for c in results.decision.caveats if c.is_about(row["metric"], model))
    of_measure = [c.text for c in about if at_work is None or c.code != MEASURES_OF_ROWS]
    if at_work is not None:
        share = numbers.prevalence(results.declared.prevalence)
        remarks = [f"At {share} positive, as the spec states.", *of_measure]
    else:
        texts = (row["undefined"], row["why"], *test_remarks(row), *of_measure)
        remarks = [text for text in texts if text]
    notes = footnotes.marks(map(lookup.sentence, remarks))
    outcome = {True: "refuted", False: "not rejected", None: "n/a"}[row["reject"]]
    if row["reject"] is not None and not decides(row):
        outcome = "does not decide"
    if by_limits is not None:
        outcome = f"{by_limits} by its limits"
    return {
        "claim": f"{printed[row['models'][0]]}: {lookup.clean(row['null_hypothesis'])}",
        "observed": valued(row["estimate"], row["low"], row["high"], default=4),
        "test": Cell("–" if row["undefined"] == NO_PROPORTION else marked(row), note=notes or None),
        "p": numbers.p_number(row["p_value"], row["alpha"]),
        "adjusted": numbers.p_number(row["p_adjusted"], row["alpha"]),
        "critical": "–" if row["critical"] is None else numbers.fixed(row["critical"], 3),
        "result": Cell(outcome, kind=None if outcome.startswith("refuted") else "muted"),
    }
