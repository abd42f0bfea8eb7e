"""A model without an error on many rows may have seen the truth, and page one says so."""

from __future__ import annotations

import pytest

import reportgen
from tests.quick import QUICK

TRUTHS = {
    "binary": [0, 1] * 20,
    "multiclass": ["a", "b", "c", "d"] * 10,
    "regression": [0.5 + i for i in range(40)],
}


def _caveats(truth, models):
    decision = reportgen.report(truth, models, **QUICK).results.decision
    return [c.text for c in decision.caveats if c.code == "without_error"]


@pytest.mark.parametrize("task", TRUTHS)
def test_many_rows_without_an_error_are_a_reason_to_look_for_the_truth_in_the_outputs(task):
    truth = TRUTHS[task]
    right = [float(t) for t in truth] if task == "binary" else truth
    wrong = [right[1], *right[1:]]

    [text] = _caveats(truth, {"m": right, "n": wrong})
    assert text.startswith("m ranks every" if task == "binary" else "m predicts every row")
    assert _caveats(truth, {"n": wrong}) == []
    assert _caveats(truth[:28], {"m": right[:28]}) == []
