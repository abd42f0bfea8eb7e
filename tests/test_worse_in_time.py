"""A model that gets worse in time is named, whatever its rank; parts of the time split nothing."""

from __future__ import annotations

import numpy as np
import polars as pl

import reportgen
from reportgen.sections.shift import ShiftSection
from tests.quick import QUICK

ROWS = 240


def _results(slices: list[str]) -> reportgen.Results:
    random = np.random.default_rng(1)
    truth, late = random.normal(size=ROWS), np.arange(ROWS) >= ROWS // 2
    frame = pl.DataFrame(
        {
            "y": truth,
            "hour": np.arange(ROWS),
            "half": np.where(late, "second", "first"),
            "kind": random.choice(["x", "z"], ROWS),
            "a": truth + random.normal(size=ROWS),
            "b": truth + random.normal(size=ROWS) * 1.1,
            "c": truth + random.normal(size=ROWS) * np.where(late, 4, 1),
        }
    )
    models = {name: {"estimate": name} for name in "abc"}
    spec = {"task": "regression", "truth": "y", "models": models, "slices": slices, **QUICK}
    return reportgen.evaluate(spec | {"columns": {"time": "hour"}}, frame)


def test_the_model_that_got_worse_is_on_page_one_and_first_in_its_section():
    results = _results(["kind"])
    [text] = [c.text for c in results.decision.caveats if c.code == "worse_in_time"]
    section = ShiftSection.from_results(results, [])

    assert text.startswith("c got worse in time: MSE ")
    assert section is not None
    assert any("MSE of c changed by +" in one for one in section.findings)


def test_a_change_is_not_split_over_slices_that_are_parts_of_the_time():
    by = {change.by for change in _results(["half", "kind"]).shift.changes}

    assert by == {"kind"}
