"""Models on rows of their own, with unlike classes or numbers: no mean over rows decides."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from tests.page_text import without_chinese
from tests.quick import QUICK

SPEC = {
    "truth": "y",
    "models": {"column": "version", "label": "p"},
    "columns": {"id": "id"},
    **QUICK,
}


def versions(shares: tuple[float, float], seed: int = 1, rows: int = 900) -> pl.DataFrame:
    """Two versions that find 0.6 of the positives and spare 0.95 of the negatives."""
    random = np.random.default_rng(seed)
    parts = []
    for name, share in zip(("v1", "v2"), shares, strict=True):
        positive = random.random(rows) < share
        predicted = np.where(positive, random.random(rows) < 0.6, random.random(rows) > 0.95)
        ids = [f"{name}{i}" for i in range(rows)]
        parts.append(pl.DataFrame({"id": ids, "version": name, "y": positive, "p": predicted}))
    return pl.concat(parts).with_columns(pl.col("p").cast(pl.Boolean))


def test_other_shares_of_the_classes_make_no_winner_and_the_reason_has_the_difference_of_one_mix():
    gates = ["v2.accuracy - v1.accuracy >= 0", "v2.precision - v1.precision <= 0.5"]
    results = reportgen.evaluate({**SPEC, "gates": gates}, versions((0.35, 0.1)))
    tests = results.comparisons.filter(unit="samples", metric="accuracy")

    assert results.decision.relation == "no conclusion"
    assert (tests["p_value"] < 0.001).all()
    assert set(tests["recommendation"]) == {"valid"}
    [reason] = {str(why) for why in tests["why"] if "equal shares" in str(why)}
    assert "differ in the shares of the classes: with equal shares v2 − v1 is " in reason
    values = results.metrics.filter(pl.col("slice").is_null())
    recall, specificity = (
        dict(values.filter(metric=name).select("model", "value").iter_rows())
        for name in ("recall", "specificity")
    )
    [unlike] = results.data["unlike_truths"]
    of_both = [sum(side[name] for side in unlike["rows"]) for name in ("true", "false")]
    share = of_both[0] / sum(of_both)
    one_mix = share * (recall["v2"] - recall["v1"])
    one_mix += (1 - share) * (specificity["v2"] - specificity["v1"])
    assert f"is {one_mix:+.3f} (".replace("-", "−") in reason
    assert results.gates["state"].to_list() == ["inconclusive"] * 2
    assert not without_chinese(results, [reason, results.decision.headline])


def test_like_shares_leave_the_test_recommended_and_few_are_said_to_be_unlike():
    seen = [
        bool(reportgen.evaluate(SPEC, versions((0.3, 0.3), seed)).data.get("unlike_truths"))
        for seed in range(30)
    ]

    assert sum(seen) <= 2
    results = reportgen.evaluate(SPEC, versions((0.3, 0.3)))
    assert "recommended" in set(results.comparisons["recommendation"])


def test_classes_are_named_and_rows_in_groups_count_as_groups():
    random, rows = np.random.default_rng(3), 700
    parts = []
    for name, shares in (("v1", (0.3, 0.5, 0.2)), ("v2", (0.5, 0.1, 0.4))):
        truth = random.choice(["bill", "other", "tech"], rows, p=shares)
        right = random.random(rows) < np.where(truth == "other", 0.6, 0.9)
        group = [f"{name} {label}" for label in truth]
        predicted = np.where(right, truth, "bill")
        ids = [f"{name}{i}" for i in range(rows)]
        parts.append(
            pl.DataFrame({"id": ids, "version": name, "y": truth, "p": predicted, "g": group})
        )
    frame = pl.concat(parts)

    [unlike] = reportgen.evaluate(SPEC, frame).data["unlike_truths"]
    assert [set(side) for side in unlike["rows"]] == [{"bill", "other", "tech"}] * 2
    grouped = {**SPEC, "columns": {"id": "id", "group": "g"}}
    assert "unlike_truths" not in reportgen.evaluate(grouped, frame).data  # three groups a side


@pytest.mark.parametrize(("times", "relation"), [(3.0, "no conclusion"), (1.0, "ahead")])
def test_errors_of_unlike_numbers_are_not_compared(times, relation):
    """Errors of a fifth of the truth, or of a tenth where they are said to be compared."""
    random, parts = np.random.default_rng(4), []
    for name, scale in (("v1", times), ("v2", 1.0)):
        truth = 30 * scale * np.exp(0.5 * random.normal(size=500))
        size = 0.2 if name == "v1" else 0.2 if times > 1 else 0.1
        estimate = truth * (1 + size * random.normal(size=500))
        ids = [f"{name}{i}" for i in range(500)]
        parts.append(pl.DataFrame({"id": ids, "version": name, "y": truth, "p": estimate}))
    spec = {**SPEC, "models": {"column": "version", "estimate": "p"}}
    results = reportgen.evaluate(spec, pl.concat(parts))

    assert results.decision.relation == relation
    assert ("true values are distributed differently" in results.decision.headline) == (times > 1)
    assert not without_chinese(results, [results.decision.headline])


@pytest.mark.parametrize(
    "gate", ["v1.accuracy - v2.accuracy >= 0", "v2.accuracy - v1.accuracy >= 0"]
)
def test_a_gate_on_what_may_be_the_mix_neither_passes_nor_fails(gate):
    results = reportgen.evaluate({**SPEC, "gates": [gate]}, versions((0.35, 0.1)))

    assert results.gates["state"].to_list() == ["inconclusive"]


@pytest.mark.parametrize(
    "columns", [{"id": "id", "group": "g"}, {"id": "id", "group": "g", "weight": "w"}]
)
@pytest.mark.parametrize("classes", [2, 3])
def test_claims_are_tested_on_the_rows_that_a_model_has(columns, classes):
    """Each of three models is right in half of its rows: rows of others are no successes."""
    random, rows = np.random.default_rng(6), 240
    parts = []
    for name in ("v1", "v2", "v3"):
        truth = random.integers(0, classes, rows)
        predicted = np.where(random.random(rows) < 0.5, truth, (truth + 1) % classes)
        parts.append(
            pl.DataFrame(
                {
                    "id": [f"{name}{i}" for i in range(rows)],
                    "version": name,
                    "y": [f"c{k}" for k in truth],
                    "p": [f"c{k}" for k in predicted],
                    "g": [f"{name}{i // 4}" for i in range(rows)],
                    "w": random.choice([1.0, 1.5], rows),
                }
            )
        )
    two = {"positive": "c1"} if classes == 2 else {}
    claims = {"comparisons": {"claims": ["v1.accuracy >= 0.7"]}}
    results = reportgen.evaluate({**SPEC, **two, **claims, "columns": columns}, pl.concat(parts))
    [claim] = results.comparisons.filter(pl.col("models").list.len() == 1).to_dicts()
    value = results.metrics.filter(
        pl.col("slice").is_null(), pl.col("average").is_null(), metric="accuracy", model="v1"
    )["value"].item()

    assert claim["estimate"] == pytest.approx(value)
    assert claim["p_value"] < 0.001
