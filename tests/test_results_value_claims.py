"""Claims about the values of a table: the one-sample t-test of a list of error rates."""

from __future__ import annotations

import polars as pl
import pytest
from scipy import stats

import reportgen
from reportgen.errors import EmptyError, SpecError
from reportgen.spec.reading import from_dict
from tests.page_text import without_chinese

ERRORS = [0.12, 0.08, 0.15, 0.11, 0.09, 0.14, 0.10, 0.13, 0.07, 0.16]


def table(*models: str) -> pl.DataFrame:
    return pl.concat(
        pl.DataFrame({"test": range(10), "m": [name] * 10, "error": ERRORS}).with_columns(
            pl.col("error") + 0.01 * k * (pl.col("test") % 3)
        )
        for k, name in enumerate(models)
    )


def spec(unit: str = "dataset", *claims: str, **more: object) -> dict[str, object]:
    return {
        "task": "comparison",
        "data": "f",
        "measure": "error_rate",
        "columns": {unit: "test", "model": "m", "value": "error"},
        "comparisons": {"claims": list(claims)},
    } | more


@pytest.mark.parametrize(
    ("claim", "alternative"),
    [
        ("tree.error_rate = 0.09", "two-sided"),
        ("tree.error_rate == 0.09", "two-sided"),
        ("tree.error_rate <= 0.09", "greater"),
        ("tree.value >= 0.13", "less"),
    ],
)
def test_a_list_of_error_rates_is_tested_against_a_claim(claim, alternative):
    results = reportgen.evaluate(spec("dataset", claim), table("tree"))
    (row,) = results.comparisons.to_dicts()
    limit = float(claim.split()[-1])
    expected = stats.ttest_1samp(ERRORS, limit, alternative=alternative)

    assert row["comparison"] == "one_sample_t"
    assert row["statistic"] == pytest.approx(expected.statistic)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert row["recommendation"] == "recommended"
    assert results.metrics.filter(metric="mean error_rate")["value"][0] == pytest.approx(0.115)


def test_folds_of_one_data_set_are_corrected_for_overlapping_training_sets():
    results = reportgen.evaluate(spec("fold", "tree.error_rate = 0.09"), table("tree"))
    (row,) = results.comparisons.to_dicts()
    deviation = pl.Series(ERRORS).std() * (1 / 10 + 1 / 9) ** 0.5
    expected = (0.115 - 0.09) / deviation

    assert row["comparison"] == "corrected_one_sample_t"
    assert row["statistic"] == pytest.approx(expected)
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(expected, 9))


def test_each_claim_has_its_own_recommended_test():
    claims = ("tree.error_rate = 0.05", "tree.error_rate <= 0.05", "svm.error_rate <= 0.3")
    results = reportgen.evaluate(spec("dataset", *claims), table("tree", "svm"))
    of_claims = results.comparisons.filter(pl.col("models").list.len() == 1)

    assert of_claims["recommendation"].to_list() == ["recommended"] * 3
    assert of_claims["reject"].to_list() == [True, True, False]
    assert results.comparisons.filter(pl.col("models").list.len() == 2).height > 0


@pytest.mark.parametrize(
    ("claimed", "outcome"), [(0.025, ("valid", 0.05)), (0.05, ("recommended", 0.01))]
)
def test_a_claim_that_limits_near_a_bound_hold_is_not_refuted_by_the_t_test(claimed, outcome):
    """Error rates near 0 are skewed: a sample may lack the large ones."""
    frame = pl.DataFrame({"test": range(5), "m": ["tree"] * 5})
    errors = [0.01, 0.015, 0.008, 0.012, 0.03]
    claim = f"tree.error_rate >= {claimed}"
    results = reportgen.evaluate(
        spec("dataset", claim), frame.with_columns(error=pl.Series(errors))
    )
    [test] = results.comparisons.to_dicts()
    recommendation, most = outcome

    assert test["recommendation"] == recommendation
    assert 0 < test["p_value"] < most
    assert (test["why"] is None) == (recommendation == "recommended")
    assert not without_chinese(results, [test["why"]] if test["why"] else [])


def test_the_report_of_one_model_shows_the_claims(tmp_path):
    table("tree").write_csv(tmp_path / "errors.csv")
    requested = spec("dataset", "tree.error_rate = 0.09", data=str(tmp_path / "errors.csv"))
    done = reportgen.build(from_dict(requested), out=tmp_path / "out", formats=["html"])
    page = done.files["html"].read_text("utf-8")

    assert "the expected error rate is 0.09" in page
    assert "refuted" in page
    assert "Tests of pairs" not in page


def test_one_model_without_a_claim_is_nothing_to_compare():
    with pytest.raises(EmptyError, match="a claim about it can be tested"):
        reportgen.evaluate(spec("dataset"), table("tree"))


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("tree.auc <= 0.1", "there is no measure 'auc'"),
        ("tree.error_rate", "is not a claim"),
        ("tree.error_rate - svm.error_rate <= 0", "is not a claim"),
        ("forest.error_rate <= 0.1", "there is no model 'forest'"),
    ],
)
def test_a_claim_that_cannot_be_tested_is_refused(claim, message):
    with pytest.raises(SpecError, match=message):
        reportgen.evaluate(spec("dataset", claim), table("tree", "svm"))


def test_a_gate_is_no_equation():
    models = {"m": {"score": "p"}}
    with pytest.raises(SpecError, match="is not a gate"):
        from_dict({"data": "f", "truth": "y", "models": models, "gates": ["m.auc = 0.9"]})


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        ("tree.error_rate >= 0.2", True),  # a data set in which the tree fails would keep it
        ("tree.error_rate <= 0.2", True),
        ("tree.error_rate <= 0.05", False),  # refuted all the more
    ],
)
def test_a_mean_over_few_data_sets_may_lack_those_in_which_a_model_fails(claim, says):
    results = reportgen.evaluate(spec("dataset", claim), table("tree"))
    assert ("claims_of_few_sets" in {c.code for c in results.decision.caveats}) is says
