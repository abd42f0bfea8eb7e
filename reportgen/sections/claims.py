"""The claims of a spec about one model, each with what the data say against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.records.decision import MEASURES_OF_ROWS
from reportgen.records.model import Results
from reportgen.records.section_reading import ClaimReading
from reportgen.sections import lookup
from reportgen.sections.printed_names import mark_notes, marked
from reportgen.sections.tables import Cell, Column, Footnotes, Row, Table, valued
from reportgen.tables.comparisons import ComparisonRow, is_decided, test_remarks
from reportgen.text import numbers
from reportgen.text.reasons import NO_PROPORTION


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
            row.recommendation == "recommended",
        )
        for row in records
    )
    alpha = records[0].alpha
    note = "Critical rate: an observed rate above it refutes the claim."
    notes = [note] if any(row.critical is not None for row in records) else []
    if len(records) > 1:
        notes.append("Limits of the observed values are not adjusted for the number of claims.")
    caption = f"Claims about one model, each tested as a null hypothesis at α = {alpha:g}"
    return Table("claims", caption, heads, lines, (*footnotes.all(), *notes, *mark_notes(records)))


def _cells(
    row: ComparisonRow, results: Results, printed: Mapping[str, str], footnotes: Footnotes
) -> dict[str, Cell | str]:
    (model,), reading = row.models, _reading(row, results)
    at_work = reading is not None and reading.value is not None
    if reading is not None and at_work:
        row = row.without_test(reading.value, reading.low, reading.high)
    about = (c for c in results.decision.caveats if c.is_about(row.metric, model))
    of_measure = [c.text for c in about if not at_work or c.code != MEASURES_OF_ROWS]
    if at_work:
        share = numbers.prevalence(results.reading.stated_prevalence)
        remarks = [f"At {share} positive, as the spec states.", *of_measure]
    else:
        texts = (row.undefined, row.why, *test_remarks(row), *of_measure)
        remarks = [text for text in texts if text]
    notes = footnotes.marks(map(lookup.sentence, remarks))
    outcome = {True: "refuted", False: "not rejected", None: "n/a"}[row.reject]
    if row.reject is not None and not is_decided(row):
        outcome = "does not decide"
    is_refuted = outcome == "refuted"
    if reading is not None:
        outcome, is_refuted = f"{reading.by_limits} by its limits", reading.by_limits == "refuted"
    return {
        "claim": f"{printed[row.models[0]]}: {lookup.clean(row.null_hypothesis)}",
        "observed": valued(row.estimate, row.low, row.high, default=4),
        "test": Cell("–" if row.undefined == NO_PROPORTION else marked(row), note=notes or None),
        "p": numbers.p_number(row.p_value, row.alpha),
        "adjusted": numbers.p_number(row.p_adjusted, row.alpha),
        "critical": "–" if row.critical is None else numbers.fixed(row.critical, 3),
        "result": Cell(outcome, kind=None if is_refuted else "muted"),
    }


def _reading(row: ComparisonRow, results: Results) -> ClaimReading | None:
    """What limits say of a claim that no test decides."""
    key = (row.models[0], row.null_hypothesis, row.slice)
    readings = results.reading.claims
    return next((c for c in readings if (c.model, c.null_hypothesis, c.slice) == key), None)
