"""Gates by slice: failures stand first, and page one says how many fail by chance alone."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import reportgen
from reportgen.sections.gates import gates_table
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK

SITES, ROWS, RIGHT = 10, 20, 18


def results(gate, right=RIGHT):
    """Sites of 20 positives each, of which 18 are recalled; in the third one more is missed."""
    missed = np.where(np.arange(SITES) == 2, ROWS - right + 1, ROWS - right)
    label = np.concatenate([np.arange(ROWS) >= count for count in missed])
    site = np.repeat([f"s{k}" for k in range(SITES)], ROWS)
    frame = pl.DataFrame({"y": np.ones(len(label)), "m": label.astype(int), "site": site})
    negatives = pl.DataFrame({"y": np.zeros(SITES), "m": [0] * SITES, "site": site[::ROWS]})
    frame = pl.concat([frame, negatives.cast(frame.schema)])
    gates = gate if isinstance(gate, list) else [gate]
    spec = {"truth": "y", "models": {"m": {"label": "m"}}, "slices": ["site"], "gates": gates}
    return reportgen.evaluate({**spec, **QUICK}, frame)


def text_of(made):
    [text] = [c.text for c in made.decision.caveats if c.code == "gates_by_slice"]
    into = translator("zh", names_of(made.to_dict()))
    into.text(text, "li")
    assert not into.missing
    return text


def test_page_one_says_how_many_gates_by_slice_fail_by_chance():
    text = text_of(results("m.recall by site >= 0.9"))
    share = (SITES * RIGHT - 1) / (SITES * ROWS)
    exact = SITES * binom.cdf(RIGHT - 1, ROWS, share)

    start = "10 gates by slice are evaluated one by one: if all slices had the value of all rows, "
    assert share < 0.9
    assert (
        text == "10 gates by slice are evaluated one by one, by limits that do not hold for all of "
        "them at once."
    )
    text = text_of(results("m.recall by site >= 0.85"))
    exact = SITES * binom.cdf(16, ROWS, share)
    assert text.startswith(f"{start}about ")
    assert float(text.removeprefix(f"{start}about ").split()[0]) == pytest.approx(exact, abs=0.35)


def test_a_limit_far_away_fails_none_by_chance():
    codes = {c.code for c in results("m.recall by site >= 0.4").decision.caveats}
    assert "gates_by_slice" not in codes


def test_a_single_gate_is_not_counted():
    codes = {c.code for c in results("m.recall >= 0.5").decision.caveats}
    assert "gates_by_slice" not in codes


def test_gates_by_slice_that_failed_stand_first():
    table = gates_table(results("m.recall by site >= 0.9"))
    states = [row.cells["state"].text for row in table.rows]

    assert states == ["fail", *["inconclusive"] * 9]
    assert "s2" in table.rows[0].cells["gate"].text


def test_of_many_slices_that_pass_the_nearest_to_the_limit_stands_for_all():
    evaluated = results("m.recall by site >= 0.4")
    table = gates_table(evaluated)
    lowest = evaluated.gates.sort("margin").row(0, named=True)

    [row] = table.rows
    assert set(evaluated.gates["state"]) == {"pass"}
    assert row.cells["gate"].text == f"m.recall by site >= 0.4 [{lowest['slice']}]"
    assert any(note.startswith(f"m.recall by site >= 0.4: {SITES} slices") for note in table.notes)
    assert row.cells["margin"].text == f"+{lowest['margin']:.3f}"


def test_gates_that_failed_stand_first_whatever_their_order_in_the_spec():
    table = gates_table(results(["m.recall >= 0.5", "m.recall by site >= 0.9"]))

    assert [row.cells["state"].text for row in table.rows][::10] == ["fail", "pass"]
