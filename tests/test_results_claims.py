"""One model against a claim of the spec."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import reportgen
from reportgen.charts import figures
from reportgen.comparisons import holm
from reportgen.errors import SpecError
from reportgen.results import Results
from reportgen.sections import sections
from reportgen.splitting import split
from tests.quick import QUICK

WRONG, ROWS = 14, 100


def rows() -> pl.DataFrame:
    """A model that gets 14 of 100 rows wrong, ten of them positive."""
    truth = np.arange(ROWS) % 2
    predicted = np.where(np.arange(ROWS) < WRONG, 1 - truth, truth)
    return pl.DataFrame({"y": truth, "m": predicted})


def results_of(claim: str, frame: pl.DataFrame | None = None, **more: Any) -> Results:
    spec = {
        "data": "frame",
        "truth": "y",
        "models": {"m": {"label": "m"}},
        "comparisons": {"claims": [claim]},
        **QUICK,
    } | more
    return reportgen.evaluate(spec, rows() if frame is None else frame)


def record(results: Results, name: str = "binomial") -> dict[str, Any]:
    return results.comparisons.filter(comparison=name).row(0, named=True)


@pytest.mark.parametrize(
    ("claim", "successes", "rate", "alternative", "refuted"),
    [
        ("m.error_rate <= 0.05", WRONG, 0.05, "greater", True),
        ("m.error_rate <= 0.1", WRONG, 0.1, "greater", False),
        ("m.accuracy >= 0.95", ROWS - WRONG, 0.95, "less", True),
        ("m.sensitivity >= 0.8", 43, 0.8, "less", False),
    ],
)
def test_a_share_of_rows_is_tested_by_the_binomial_test(
    claim, successes, rate, alternative, refuted
):
    sized = 50 if "sensitivity" in claim else ROWS
    test = record(results_of(claim))
    expected = stats.binomtest(successes, sized, rate, alternative=alternative)
    assert test["p_value"] == pytest.approx(expected.pvalue)
    assert (test["reject"], test["recommendation"]) == (refuted, "recommended")


def test_claims_of_several_measures_are_one_family():
    """Four claims are corrected as four, whatever the names of their measures."""
    claims = ["m.accuracy >= 0.9", "m.error_rate = 0.05", "m.recall >= 0.9", "m.precision >= 0.5"]
    table = results_of(claims[0], comparisons={"claims": claims}).comparisons
    assert table["family_size"].to_list() == [4.0] * 4
    assert table["p_adjusted"].to_list() == holm(table["p_value"].to_list())


def test_the_verdict_says_what_the_rows_say_against_the_claim():
    verdict = record(results_of("m.error_rate <= 0.05"))["verdict"]
    assert verdict.startswith("The error rate of m is above the claimed maximum 0.05: 0.140 (95")
    verdict = record(results_of("m.error_rate <= 0.1"))["verdict"]
    assert verdict.startswith("The error rate of m is not significantly above the claimed 0.1 at α")
    verdict = record(results_of("m.error_rate <= 0.2"))["verdict"]
    neither = "The claim of at most 0.2 is neither refuted nor established: error rate of m 0.140 ("
    assert verdict.startswith(neither)
    verdict = record(results_of("m.error_rate <= 0.4"))["verdict"]
    assert verdict.startswith("The error rate of m supports the claim of at most 0.4: 0.140")


def of_counts(wrong: int, number: int, claim: str) -> Results:
    truth = np.arange(number) % 2
    predicted = np.where(np.arange(number) < wrong, 1 - truth, truth)
    return results_of(claim, pl.DataFrame({"y": truth, "m": predicted}))


@pytest.mark.parametrize("claim", ["m.error_rate <= 0.05", "m.accuracy >= 0.8", "m.accuracy = 0.9"])
def test_a_claim_has_the_limits_that_the_report_prints_of_the_number(claim):
    results = results_of(claim)
    test = record(results)
    [number] = results.metrics.filter(
        pl.col("metric") == claim[2:].split()[0], pl.col("slice").is_null()
    ).to_dicts()
    assert number["interval"] == test["interval"] == "wilson_modified"
    assert (test["low"], test["high"]) == (number["low"], number["high"])


@pytest.mark.parametrize("claim", ["m.error_rate = 0.25", "m.accuracy = 0.75"])
def test_limits_of_a_claim_do_not_refute_it_where_its_test_does_not(claim):
    """Of 9 errors in 20 rows the limits that the report prints of the number do, from 0.258 on."""
    results = of_counts(9, 20, claim)
    test = record(results)
    [printed] = results.metrics.filter(metric="error_rate").to_dicts()
    assert printed["low"] > 0.25
    assert not test["reject"]
    assert test["low"] <= float(claim.split()[-1]) <= test["high"]
    assert test["interval"] == "clopper_pearson"


@pytest.mark.parametrize("claim", ["m.error_rate <= 0.05", "m.accuracy >= 0.95"])
def test_printed_limits_refute_no_claim_of_a_bound_that_its_test_does_not(claim):
    """Wilson's limits of 3 errors in 20 rows begin at 0.0524, those of the report at 0.0422."""
    test = record(of_counts(3, 20, claim))
    assert not test["reject"]
    assert test["low"] <= float(claim.split()[-1]) <= test["high"]
    assert test["interval"] == "wilson_modified"


def over_folds(kind: str, **options: Any) -> pl.DataFrame:
    random = np.random.default_rng(2)
    y = (random.random(60) < 0.5).astype(int)
    table = split(pl.DataFrame({"row": range(60)}), kind, **options).drop("draws")
    truth = y[table["id"].cast(pl.Int64).to_numpy() - 1]
    predicted = np.where(random.random(table.height) < 0.2, 1 - truth, truth)
    return table.with_columns(y=pl.Series(truth), m=pl.Series(predicted))


COLUMNS = {name: name for name in ("id", "repeat", "fold", "role")}


def test_repeats_are_tested_by_the_t_test_that_allows_for_their_overlap():
    results = results_of(
        "m.error_rate <= 0.1", over_folds("repeated_hold_out", repeats=8), columns=COLUMNS
    )
    values = 1 - results.folds.filter(metric="accuracy", role="test")["value"].to_numpy()
    test = record(results, "corrected_one_sample_t")
    error = values.std(ddof=1) * (1 / 4 + 15 / 45) ** 0.5  # eight repeats count as one
    t = (values.mean() - 0.1) / error
    assert test["statistic"] == pytest.approx(t)
    assert test["p_value"] == pytest.approx(stats.t.sf(t, 7))
    assert test["recommendation"] == "recommended"
    assert record(results)["recommendation"] == "avoid"  # rows return


def test_training_parts_that_may_overlap_are_taken_to_do_so():
    """Without ids nothing says whether they do: the naive t-test would reject too often."""
    frame = over_folds("repeated_hold_out", repeats=8)
    unknown = {name: name for name in ("repeat", "fold", "role")}
    results = results_of("m.error_rate <= 0.1", frame, columns=unknown)

    assert results.data["evaluation"]["training_overlap"] == "unknown"
    assert record(results, "corrected_one_sample_t")["p_value"] is not None
    assert "one_sample_t" not in results.comparisons["comparison"].to_list()


def test_over_folds_the_binomial_test_takes_all_fits_as_one_model():
    results = results_of("m.error_rate <= 0.1", over_folds("k_fold", folds=5), columns=COLUMNS)
    assert record(results)["why"].startswith("the test treats the fits of all folds as one model")


@pytest.mark.parametrize("column", ["weight", "group", "time"])
def test_a_claim_has_the_limits_that_the_report_prints_of_the_share(column):
    frame = rows().with_columns(
        c=1 + pl.int_range(ROWS) % 25 if column == "weight" else pl.int_range(ROWS) // 5
    )
    results = results_of("m.sensitivity >= 0.8", frame, columns={column: "c"})
    (number,) = results.metrics.filter(metric="recall", model="m").rows(named=True)
    (test,) = results.comparisons.rows(named=True)
    assert test["low"] is not None
    assert [test[key] for key in ("low", "high", "interval")] == [
        number[key] for key in ("low", "high", "interval")
    ]


def test_a_measure_that_is_no_share_has_no_binomial_test():
    assert (
        record(results_of("m.mcc >= 0.5"))["undefined"] == "the measure is not a proportion of rows"
    )


def test_claims_stand_in_a_table_of_their_own():
    results = results_of("m.error_rate <= 0.05")
    section = next(s for s in sections(results, figures(results)) if s.id == "comparisons")
    (row,) = section.claims.rows
    assert row.cells["claim"] == "m: the error rate is at most 0.05"
    assert row.cells["result"].text == "refuted"


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("m.error_rate", "is not a claim"),
        ("m.error_rate.high <= 0.1", "is not a claim"),
        ("m.eror_rate <= 0.1", "did you mean 'error_rate'"),
        ("n.error_rate <= 0.1", "there is no model 'n'"),
    ],
)
def test_what_is_no_claim_is_refused_with_the_spec(claim, message):
    with pytest.raises(SpecError, match=message):
        results_of(claim)
