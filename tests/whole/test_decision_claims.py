"""What page one concludes from claims about one model."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.concluding.claim_verdicts import of_limits
from reportgen.records.rows import rows_of
from reportgen.results import Results, evaluate
from reportgen.sections import claims as claims_section
from reportgen.sections import summary
from reportgen.sections.score_data import values
from reportgen.sections.score_tests import ScoreTests
from reportgen.sections.verdict import Verdict
from reportgen.tables.comparisons import ComparisonRow
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.page_text import without_chinese


def claims(frame: pl.DataFrame, **more: Any) -> Results:
    return evaluate(more, frame)


@cache
def claimed() -> Results:
    random = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "m": ["tree"] * 10,
            "s": [f"s{i}" for i in range(10)],
            "v": 0.13 + 0.02 * random.normal(size=10),
        }
    )
    columns = {"dataset": "s", "model": "m", "value": "v"}
    requested = ["tree.error_rate = 0.1", "tree.error_rate <= 0.15"]
    return claims(
        frame,
        task="comparison",
        measure="error_rate",
        columns=columns,
        comparisons={"claims": requested},
    )


def test_the_verdict_on_one_model_with_claims_is_that_of_the_claims():
    results = claimed()
    decision, section = results.decision, ScoreTests.from_results(results, [])

    assert decision.headline == "tree: 1 of the 2 claims is refuted"
    assert decision.sentence.startswith("The error rate of tree is above the claimed 0.1: ")
    assert "limits of the claims are not adjusted for multiplicity" in decision.sentence
    assert "not adjusted for the number of claims" in str(section.claims.notes)
    assert "The error rate of tree is above" in summary.text(results)


def test_one_model_has_no_rank_and_no_leader():
    results = claimed()
    tables = [
        Verdict.from_results(results, []).models,
        ScoreTests.from_results(results, []).ranks,
        *values(results),
    ]
    heads = [t.caption + str(t.notes) + str([c.label for c in t.columns]) for t in tables]
    printed = " ".join([*heads, summary.text(results)]).lower()

    assert "rank" not in printed
    assert " won" not in printed
    assert "lead" not in printed
    assert results.decision.models[0].mean_rank is None


def test_a_claim_without_a_recommended_test_is_stated_as_its_table_has_it():
    """Over folds the recall has the binomial test of pooled rows alone, which decides nothing."""
    truth = np.arange(200) % 2
    score = 0.2 + 0.2 * truth + 0.4 * (np.arange(200) % 10 == 1)
    frame = pl.DataFrame({"y": truth, "m": score, "f": np.arange(200) // 2 % 5})
    results = claims(
        frame,
        truth="y",
        models={"m": {"score": "m"}},
        columns={"fold": "f"},
        comparisons={"claims": ["m.error_rate <= 0.9", "m.recall >= 0.8"]},
    )
    decision, table = results.decision, of_claims(results)

    told = "m: none of the 2 claims is refuted, 1 has no recommended test"
    assert decision.headline == f"{told}: its 0.8 lies outside the limits"
    assert "The recall of m is 0.200 (95\u00a0% interval" in decision.sentence
    assert (
        "), far below the claimed minimum 0.8; no test of it is recommended: " in decision.sentence
    )
    assert "not tested" not in decision.sentence
    assert table["m: the recall is at least 0.8"] == "does not decide"
    assert table["m: the expected error rate is at most 0.9"] == "not rejected"


def of_claims(results: Results) -> dict[str, str]:
    """The outcome of every claim in the table of tests."""
    tests = [row for row in rows_of(results.comparisons, ComparisonRow) if len(row.models) == 1]
    rows = claims_section.table(results, tests).rows
    return {str(row.cells["claim"]): row.cells["result"].text for row in rows}


def test_a_claim_without_a_test_that_lies_outside_the_limits_is_named_in_the_headline():
    """Forty groups are worth too few rows for a test of a claim of 0.9."""
    row = np.arange(600)
    wrong = (row // 15 % 40 < 8) | (row % 37 == 0)
    frame = pl.DataFrame({"y": row % 2, "m": (row % 2) ^ wrong, "g": row // 15})
    results = claims(
        frame,
        truth="y",
        models={"m": {"label": "m"}},
        columns={"group": "g"},
        comparisons={"claims": ["m.accuracy >= 0.6", "m.accuracy >= 0.95"]},
    )
    headline = results.decision.headline
    into = translator("zh", names_of(results.to_dict()))
    into.text(headline)
    into.text(results.decision.sentence, "p")

    assert headline.endswith("1 has no recommended test: its 0.95 lies outside the limits")
    assert "against a claim of 0.95 the Rao–Scott test of a proportion holds its" in (
        results.decision.sentence
    )
    assert not into.missing


CLAIMS = {"supported": "m.mean_absolute_error <= 2", "refuted": "m.rmse <= 1.8"}


def of_errors(*claimed: str, **more: Any) -> Results:
    """One model whose errors are normal with a standard deviation of 2."""
    random = np.random.default_rng(3)
    truth = random.normal(20, 5, 500)
    frame = pl.DataFrame(
        {"y": truth, "m": truth + random.normal(0, 2, 500), "f": np.arange(500) % 5}
    ).with_row_index("t")
    frame = frame.with_columns(g=pl.col("t") // 2, w=1 + pl.col("f"))
    asked = {"claims": [CLAIMS.get(claim, claim) for claim in claimed]}
    return claims(frame, truth="y", models={"m": {"estimate": "m"}}, comparisons=asked, **more)


def test_limits_of_a_measure_without_a_test_are_the_verdict_on_its_claim():
    results = of_errors("supported", "refuted")
    decision = results.decision

    assert decision.headline == (
        "m: the claim that the RMSE is at most 1.8 is refuted; the claim that the MAE is at most 2 "
        "is supported (by their limits)"
    )
    assert ", above the claimed maximum 1.8: its limits refute the claim. The MAE of m is " in (
        decision.sentence
    )
    assert "no test of it" not in decision.sentence
    assert of_claims(results) == {
        "m: the MAE is at most 2": "supported by its limits",
        "m: the RMSE is at most 1.8": "refuted by its limits",
    }


def test_one_claim_of_several_is_counted_with_the_word_that_limits_decide_it():
    alone = of_errors("refuted").decision.headline
    several = of_errors("supported", "refuted", "m.r2 >= 0.5").decision.headline

    assert alone == "m: the claim that the RMSE is at most 1.8 is refuted (by its limits)"
    assert several == "m: 1 of the 3 claims is refuted (by their limits)"


def test_limits_that_hold_the_claimed_value_or_of_a_lower_level_are_no_verdict():
    inside = of_errors("m.rmse <= 2").decision
    of_level = of_errors("refuted", confidence=0.8).decision

    assert not inside.headline.startswith("m: the claim")
    assert not of_level.headline.startswith("m: the claim")


@pytest.mark.parametrize(
    ("columns", "outcome"),
    [
        ({"weight": "w"}, "refuted by its limits"),
        ({"group": "g"}, "refuted by its limits"),
        ({"time": "t"}, "n/a"),
    ],
)
def test_limits_of_weighted_and_of_grouped_rows_are_a_verdict_and_those_of_series_are_none(
    columns, outcome
):
    results = of_errors("m.mae <= 1.2", columns=columns)

    assert of_claims(results) == {"m: the MAE is at most 1.2": outcome}
    assert "The MAE of m is 1.6" in results.decision.sentence


@pytest.mark.parametrize(("heavy", "decided"), [(1.0, True), (4.0, True), (40.0, False)])
def test_limits_of_a_mean_loss_of_few_heavy_rows_are_no_verdict(heavy, decided):
    """Where rows are counted nobody knows what they are worth, and no such limits decide either."""
    random = np.random.default_rng(8)
    score = random.random(200)
    frame = pl.DataFrame({"y": random.random(200) < score, "m": score})
    frame = frame.with_columns(w=pl.when(pl.int_range(200) % 20 == 0).then(heavy).otherwise(1.0))
    asked = {"columns": {"weight": "w"}, "comparisons": {"claims": ["m.brier_score <= 0.02"]}}
    results = claims(frame, truth="y", models={"m": {"score": "m"}}, **asked)
    [row] = rows_of(results.comparisons, ComparisonRow)
    counted = replace(results, data={**results.data, "weights": None})

    assert of_limits(row, results) == ("refuted" if decided else None)
    assert of_limits(row, counted) is None
    reason = "limits of weighted rows that may be worth fewer than 50 of equal weight refuted up to"
    assert (reason in results.decision.sentence) != decided
    assert not without_chinese(results, [] if decided else [results.decision.sentence])


def test_limits_of_groups_that_are_too_unequal_are_no_verdict():
    frame = {"y": np.arange(200.0), "m": np.arange(200.0) + 5 + np.arange(200) % 3}
    group = np.where(np.arange(200) < 150, 0, np.arange(200) % 4)
    results = claims(
        pl.DataFrame({**frame, "g": group}),
        truth="y",
        models={"m": {"estimate": "m"}},
        columns={"group": "g"},
        comparisons={"claims": ["m.mae <= 1"]},
    )

    assert results.data["groups"]["too_unequal"]
    assert of_claims(results) == {"m: the MAE is at most 1": "n/a"}


def test_limits_of_pooled_fits_are_no_verdict_on_a_claim():
    decision = of_errors("m.r2 >= 0.99", columns={"fold": "f"}).decision

    assert "limits" not in decision.headline.split(",")[0]


def of_two(*claimed: str) -> Results:
    """Two models whose errors are normal with standard deviations of 2 and 4."""
    random = np.random.default_rng(3)
    truth = random.normal(20, 5, 500)
    frame = pl.DataFrame(
        {"y": truth, "a": truth + random.normal(0, 2, 500), "b": truth + random.normal(0, 4, 500)}
    )
    models = {name: {"estimate": name} for name in "ab"}
    return claims(frame, truth="y", models=models, comparisons={"claims": [*claimed]})


def about_claims(results: Results) -> list[str]:
    return [one.text for one in results.decision.caveats if one.code == "claims"]


def test_page_one_on_several_models_names_the_claims_that_are_refuted():
    results = of_two("a.rmse <= 1", "b.rmse <= 5", "b.mae <= 2")
    (text,) = about_claims(results)
    into = translator("zh", names_of(results.to_dict()))
    into.text(text)

    assert results.decision.headline.startswith("a beats b")
    assert text.startswith("2 of the 3 claims are refuted (by their limits). The RMSE of a is ")
    assert "The MAE of b is" in text
    assert "The RMSE of b is" not in text
    assert "2 of the 3 claims are refuted" in summary.text(results)
    assert not into.missing


def test_one_claim_about_one_of_several_models_is_stated_whether_refuted_or_not():
    (refuted,) = about_claims(of_two("b.rmse <= 1"))
    (supported,) = about_claims(of_two("b.rmse <= 5"))

    assert refuted.startswith("The RMSE of b is ")
    assert refuted.endswith("far above the claimed maximum 1: its limits refute the claim.")
    assert supported.endswith("in line with the claimed maximum 5: its limits support the claim.")


def test_the_table_of_claims_names_no_test_of_a_measure_that_has_none():
    results = of_two("a.rmse <= 1")
    tests = [row for row in rows_of(results.comparisons, ComparisonRow) if len(row.models) == 1]
    (row,) = claims_section.table(results, tests).rows

    assert row.cells["test"].text == "–"
    assert row.cells["test"].note


def test_a_refuted_claim_of_a_test_is_not_said_to_be_refuted_by_limits():
    random = np.random.default_rng(6)
    signal = random.normal(size=400)
    truth = (signal + random.normal(size=400) > 0).astype(int)
    frame = pl.DataFrame({"y": truth, "m": 1 / (1 + np.exp(-1.6 * signal))})
    requested = {"claims": ["m.auc >= 0.8", "m.recall >= 0.9", "m.accuracy >= 0.72"]}
    results = claims(frame, truth="y", models={"m": {"score": "m"}}, comparisons=requested)

    assert results.decision.headline == "m: 1 of the 3 claims is refuted (limits decide 1 of the 3)"
    assert "The recall of m is below the claimed minimum 0.9" in results.decision.sentence


def test_limits_decide_a_claim_on_an_average_over_the_classes():
    """As they do of the balanced accuracy, which is the average of the recalls."""
    random = np.random.default_rng(2)
    classes = np.array(["u", "v", "w"])
    truth = random.integers(0, 3, 300)
    predicted = np.where(random.random(300) < 0.7, truth, random.integers(0, 3, 300))
    requested = ["m.macro_f1 >= 0.95", "m.macro_f1 >= 0.5", "m.balanced_accuracy >= 0.5"]
    results = claims(
        pl.DataFrame({"t": classes[truth], "p": classes[predicted]}),
        task="multiclass",
        truth="t",
        models={"m": {"label": "p"}},
        comparisons={"claims": requested},
    )
    number = results.metrics.filter(metric="f1", average="macro").row(0, named=True)
    rows = [row for row in rows_of(results.comparisons, ComparisonRow) if len(row.models) == 1]

    for row in rows[:2]:
        assert (row.estimate, row.low, row.high) == tuple(
            number[key] for key in ("value", "low", "high")
        )
    assert results.decision.headline == "m: 1 of the 3 claims is refuted (by their limits)"
    assert "macro F1" in results.decision.sentence
    assert "was not tested" not in results.decision.sentence


def test_one_claim_that_a_test_leaves_standing_is_stated_beside_several_models():
    """The caveat was empty: neither a test that refutes it nor limits had anything to say."""
    rows = np.arange(100)
    truth = rows % 2
    frame = pl.DataFrame(
        {"y": truth, "a": np.where(rows < 20, 1 - truth, truth), "b": np.where(rows < 40, 0, truth)}
    )
    models = {name: {"label": name} for name in "ab"}
    results = claims(frame, truth="y", models=models, comparisons={"claims": ["a.accuracy >= 0.7"]})
    (text,) = about_claims(results)

    assert "accuracy of a" in text
    assert "0.7" in text


def test_the_interval_of_a_claim_has_the_level_of_the_report_not_of_the_tests():
    random = np.random.default_rng(6)
    signal = random.normal(size=300)
    truth = (signal + random.normal(size=300) > 0).astype(int)
    frame = pl.DataFrame({"y": truth, "m": 1 / (1 + np.exp(-1.6 * signal))})
    results = claims(
        frame,
        truth="y",
        models={"m": {"score": "m"}},
        comparisons={"claims": ["m.auc >= 0.99"]},
        confidence=0.8,
    )

    assert "(80\u00a0% interval " in results.decision.sentence
    assert "95\u00a0%" not in results.decision.sentence


def test_limits_of_a_lower_level_than_the_test_support_no_claim():
    """As those of measures without a test decide none then."""
    random = np.random.default_rng(2)
    truth = random.integers(0, 2, 200)
    predicted = np.where(random.random(200) < 0.8, truth, 1 - truth)
    frame = pl.DataFrame({"y": truth, "m": predicted})
    accuracy = (truth == predicted).mean()
    claim = round(float(accuracy - 1.45 * (accuracy * (1 - accuracy) / 200) ** 0.5), 3)

    def said(confidence: float) -> str:
        asked = {"claims": [f"m.accuracy >= {claim}"]}
        models = {"m": {"label": "m"}}
        results = claims(frame, truth="y", models=models, comparisons=asked, confidence=confidence)
        return results.decision.headline

    assert "neither refuted nor established" in said(0.8)
