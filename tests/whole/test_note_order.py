"""Marks of footnotes follow each other down the table of all tests."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen import evaluate
from reportgen.records.rows import rows_of
from reportgen.sections.comparisons import table_of_tests
from reportgen.tables.comparisons import ComparisonRow


def test_marks_of_the_table_of_tests_are_in_the_order_of_its_rows():
    """The recommended test of a measure has a note of its own, below those of another measure."""
    random = np.random.default_rng(4)
    truth = random.random(300) < 0.4
    labels = {
        name: truth ^ (random.random(300) < share) for name, share in (("a", 0.2), ("b", 0.3))
    }
    models = {name: {"label": name} for name in labels}
    spec = {"truth": "y", "models": models, "comparisons": {"measures": ["f1"]}}
    results = evaluate(spec, pl.DataFrame({"y": truth, **labels}))
    table = table_of_tests(results, rows_of(results.comparisons, ComparisonRow))
    cells = [cell for row in table.rows for cell in row.cells.values() if not isinstance(cell, str)]
    marks = [mark for cell in cells if cell.note for mark in cell.note.split(", ")]

    assert len(set(marks)) > 1
    assert list(dict.fromkeys(marks)) == sorted(set(marks))
