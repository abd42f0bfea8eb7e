"""Sentences of pages that a first reader misread."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from reportgen.sections import models_by_rank, summary, verdict
from reportgen.sections.notable_rows import RowsSection
from reportgen.sections.slices import SlicesSection
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def in_chinese(results: Results, *texts: str) -> None:
    into = translator("zh", names_of(results.to_dict()))
    for text in texts:
        into.text(text)
    assert not into.missing


def test_a_gate_that_is_inconclusive_beside_an_equivalence_says_which_limits_it_reads():
    """400 rows: 14 errors that only a has, and 14 that only b has."""
    truth = np.tile(["p", "n"], 200)
    other = np.where(truth == "p", "n", "p")
    a, b = truth.copy(), truth.copy()
    a[:14], b[14:28] = other[:14], other[14:28]
    a[28:48], b[28:48] = other[28:48], other[28:48]
    models = {name: {"label": name} for name in "ab"}
    spec = {"truth": "y", "positive": "p", "models": models, "baseline": "b", **QUICK}
    results = evaluate(
        {**spec, "comparisons": {"margin": 0.0235}, "gates": ["a.accuracy - b.accuracy > -0.0235"]},
        pl.DataFrame({"y": truth, "a": a, "b": b}),
    )

    assert results.decision.relation == "equivalent"
    text = verdict.state_text(results)
    assert text.endswith(
        "inconclusive; gates read 95\u00a0% intervals, tests of equivalence 90\u00a0% intervals"
    )
    in_chinese(results, text)


def of_two_slices() -> Results:
    random = np.random.default_rng(3)
    frame = pl.DataFrame({"y": random.integers(0, 2, 200), "sex": ["f", "m"] * 100})
    frame = frame.with_columns(p=pl.Series(random.integers(1, 10, 200)))
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "threshold": 5, "slices": ["sex"]}
    return evaluate({**spec, **QUICK}, frame)


def test_gaps_of_two_slices_are_not_said_to_be_those_of_the_extreme_ones():
    results = of_two_slices()
    [table] = SlicesSection.from_results(results, []).gaps
    notes = [note if isinstance(note, str) else note.text for note in table.notes]

    assert "Gap: f minus m." in notes
    assert "Gap: f minus m." in summary.text(results)
    assert any(note.startswith("p: two-sided test of the two slices;") for note in notes)
    assert not any("highest minus lowest" in note or "extreme" in note for note in notes)
    in_chinese(results, *notes)


def test_whole_scores_of_single_rows_have_no_decimals():
    tables = RowsSection.from_results(of_two_slices(), []).tables
    scores = [row.cells["score"] for t in tables for row in t.rows if "score" in row.cells]

    assert scores
    assert all(str(score).isdecimal() for score in scores)


def test_the_number_of_a_row_has_no_mark_between_thousands():
    truth = np.tile([0, 1], 1000)
    score = np.where(truth, 0.9, 0.1)
    score[1234] = 0.95
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, **QUICK}
    results = evaluate(spec, pl.DataFrame({"y": truth, "p": score}))
    [table] = RowsSection.from_results(results, []).tables

    assert [row.cells["row"] for row in table.rows] == ["1235"]


def test_the_name_of_a_leader_is_bold_only_where_it_is_ahead_of_another():
    truth = np.tile(["p", "n"], 200)
    other = np.where(truth == "p", "n", "p")
    for errors, bold in ((20, False), (120, True)):
        a, b = truth.copy(), truth.copy()
        a[:18], b[18 : 18 + errors] = other[:18], other[18 : 18 + errors]
        spec = {"truth": "y", "positive": "p", "models": {m: {"label": m} for m in "ab"}, **QUICK}
        results = evaluate(spec, pl.DataFrame({"y": truth, "a": a, "b": b}))

        rows = models_by_rank.models_table(results).rows
        assert any(row.emphasis for row in rows) == bold
