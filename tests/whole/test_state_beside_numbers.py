"""What page one says of the state and of its table, against the numbers beside it."""

from __future__ import annotations

import numpy as np
import polars as pl

import reportgen
from reportgen.sections.models_by_rank import models_table
from tests.quick import QUICK


def test_the_state_names_what_no_model_is_better_than():
    """An AUC above chance is no contradiction to an accuracy that is that of guessing."""
    truth = [0] * 9 + [1] * 5
    scores = [0.1, 0.2, 0.15, 0.3, 0.25, 0.35, 0.2, 0.1, 0.6, 0.7, 0.8, 0.9, 0.75, 0.45]
    other = [0.4, 0.6, 0.3, 0.7, 0.2, 0.55, 0.3, 0.65, 0.1, 0.6, 0.7, 0.4, 0.3, 0.8]
    spec = {
        "truth": "y",
        "models": {"u": {"score": "u"}, "v": {"score": "v"}},
        "gates": ["u.auc.low > 0.5"],
        **QUICK,
    }
    spec["comparisons"] = {**spec.get("comparisons", {}), "primary": "accuracy"}

    decision = reportgen.evaluate(
        spec, pl.DataFrame({"y": truth, "u": scores, "v": other})
    ).decision

    assert decision.relation == "at chance"
    assert decision.measure == "accuracy"
    assert decision.gates_text.endswith(
        "but no model is significantly better than always predicting the most frequent class"
    )


def test_the_table_says_how_many_comparisons_its_own_p_are_corrected_for():
    """The headline compares the best model with the baseline, so its family is the table's."""
    random = np.random.default_rng(1)
    truth = np.arange(80) % 2
    frame = pl.DataFrame(
        {
            "y": truth,
            "perfect": truth.astype(float),
            "ok": 1.2 * truth + random.normal(size=80),
            "constant": np.full(80, 0.4),
        }
    )
    spec = {
        "truth": "y",
        "models": {name: {"score": name} for name in ("perfect", "ok", "constant")},
        "baseline": "constant",
        **QUICK,
    }

    results = reportgen.evaluate(spec, frame)

    assert results.decision.compared_with == "constant"
    assert results.decision.family.size == 2
    table = models_table(results)
    assert table.notes[0].endswith("simultaneous 95\u00a0% limits (Bonferroni) over 2 comparisons.")
    assert "Adjusted p" in [column.label for column in table.columns]
