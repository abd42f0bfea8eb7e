"""Leave-one-out: measures that rank scores of as many fits as rows have no limits, and say why."""

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.metrics import METRICS
from reportgen.records.limit_widths import OF_MANY_FITS
from tests.page_text import without_chinese
from tests.quick import QUICK

RANKING = [name for name, metric in METRICS.items() if metric.group == "ranking"]


def single_rows(folds=60, **spec):
    random = np.random.default_rng(3)
    truth = random.random(60) < 0.5
    scores = 1 / (1 + np.exp(1.2 - 2.2 * truth - random.normal(size=60)))
    frame = pl.DataFrame({"y": truth, "m": scores, "fold": np.arange(60) % folds})
    fixed = {"truth": "y", "models": {"m": {"score": "m"}}, "columns": {"fold": "fold"}}
    return reportgen.evaluate({**fixed, **QUICK, **spec}, frame)


def test_rankings_of_single_rows_have_no_limits_but_the_reason():
    results = single_rows()
    ranked = results.metrics.filter(pl.col("metric").is_in(RANKING))

    assert ranked["low"].null_count() == ranked["high"].null_count() == ranked.height
    assert OF_MANY_FITS in ranked.filter(metric="auc")["no_interval"].to_list()
    assert results.metrics.filter(metric="accuracy")["low"].null_count() == 0
    assert "(" not in results.decision.headline
    [text] = [c.text for c in results.decision.caveats if c.code == "pooled_fits"]
    assert text.endswith(
        " Measures that rank scores, as the AUC does, have no limits: no two scores are of one fit."
    )
    assert not without_chinese(results, [text, OF_MANY_FITS])


@pytest.mark.parametrize(
    "gate", ["m.auc > 0.6", "m.auc > 0.99", "m.auc.low > 0.6", "m.average_precision >= 0.5"]
)
def test_no_gate_is_decided_on_a_ranking_of_single_rows(gate):
    """Nor fails: scores that say nothing have an AUC of 0 there, not of 0.5."""
    row = single_rows(gates=[gate]).gates.row(0, named=True)

    assert row["state"] == "inconclusive"
    assert OF_MANY_FITS in row["why"]


def test_rankings_of_folds_keep_their_limits():
    areas = single_rows(folds=5).metrics.filter(pl.col("average").is_null(), metric="auc")

    assert areas["low"].null_count() == 0


def test_leave_one_out_of_a_regression_says_what_would_give_a_conclusion():
    random = np.random.default_rng(8)
    truth, rows = random.normal(size=40), np.arange(40)
    errors = {"a": truth + 0.5, "b": truth + random.normal(0, 2, 40)}
    frame = pl.DataFrame({"id": rows, "f": rows, "y": truth, **errors})
    models = {name: {"estimate": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"id": "id", "fold": "f"}, **QUICK}
    results = reportgen.evaluate(spec, frame)
    (text,) = (one.text for one in results.decision.caveats if one.code == "no_valid_test")

    assert text.endswith(
        " Folds of several rows each would make the corrected resampled t-test possible."
    )
    assert not without_chinese(results, [text])
