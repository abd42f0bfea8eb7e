"""Thresholds that validation rows chose which other folds test are chosen on the tested rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from reportgen.sections.decisions import Decisions
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK

ROWS, FOLDS = 120, 4


def nested(own: bool = False) -> pl.DataFrame:
    """Four folds, each with test rows and with validation rows: those of the next fold, or of none.

    Model b is no better than chance, a is.
    """
    random = np.random.default_rng(4)
    truth = np.arange(ROWS) % 2
    signal, noise = truth + random.normal(0, 1, ROWS), random.normal(0, 1, ROWS)
    parts = []
    for fold in range(FOLDS):
        for part, role in ((fold, "test"), ((fold + 1) % FOLDS, "validation")):
            of_part = np.flatnonzero(np.arange(ROWS) // 2 % FOLDS == part)
            shift = ROWS * (own and role == "validation")
            parts.append(
                pl.DataFrame(
                    {
                        "id": of_part + shift,
                        "fold": fold,
                        "role": role,
                        "y": truth[of_part],
                        "a": 1 / (1 + np.exp(-signal[of_part])),
                        "b": 1 / (1 + np.exp(-noise[of_part])),
                    }
                )
            )
    return pl.concat(parts)


def evaluated(frame: pl.DataFrame, **more: Any) -> Results:
    columns = {name: name for name in ("id", "fold", "role") if name in frame.columns}
    spec = {
        "truth": "y",
        "models": {name: {"score": name} for name in "ab"},
        "columns": columns,
        "threshold": {"maximise": "accuracy"},
        "comparisons": {"primary": "accuracy"},
        **QUICK,
        **more,
    }
    return evaluate(spec, None if "data" in spec else frame)


@pytest.mark.parametrize("frame", [nested(), nested().drop("id")], ids=["by id", "without ids"])
def test_validation_rows_that_other_folds_test_leave_no_conclusion(frame):
    results = evaluated(frame)
    decision = results.decision
    (text,) = (c.text for c in decision.caveats if c.code == "chosen_threshold")
    into = translator("zh", names_of(results.to_dict()))
    into.text(text)
    (warning, *_) = Decisions.from_results(results, []).warnings
    into.text(warning)

    assert {model["threshold_role"] for model in results.data["models"]} == {"other fits"}
    assert decision.relation == "no conclusion"
    assert decision.headline.endswith("thresholds were chosen on the evaluation data")
    assert "test rows of others: choose the threshold of each fit on its own" in text
    assert "use validation rows" not in warning
    assert not into.missing


def test_validation_rows_that_no_fold_tests_choose_thresholds_for_the_tested_rows():
    decision = evaluated(nested(own=True)).decision

    assert decision.relation == "ahead"
    assert not [c for c in decision.caveats if c.code == "chosen_threshold"]


def test_the_threshold_of_least_cost_is_cross_fitted_where_folds_share_rows():
    costs = {"false_negative": 5, "false_positive": 1}
    shared, own = (
        evaluated(frame, threshold=0.5, costs=costs, comparisons={}).decision.action
        for frame in (nested(), nested(own=True))
    )

    assert own.estimated == "threshold chosen on the validation rows"
    assert shared.estimated != own.estimated


def test_counted_rows_choose_thresholds_as_the_rows_themselves_do(tmp_path):
    data = tmp_path / "rows.parquet"
    nested().write_parquet(data)
    counted = evaluated(nested(), data=str(data), engine="streaming")

    assert counted.data["engine"]["name"] == "streaming"
    assert {m["threshold_role"] for m in counted.data["models"]} == {"other fits"}
