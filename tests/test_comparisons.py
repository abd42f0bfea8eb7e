"""Comparisons: verdicts, undefined cases, corrections, dominance."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons import (
    CORRECTIONS,
    Pairs,
    Question,
    adjust,
    area_covariance,
    delong,
    dominance,
    mcnemar,
    paired_counts,
    table,
)
from reportgen.comparisons.area_covariances import AreaCovariance
from reportgen.comparisons.delong import delong_pair
from reportgen.curves import hull
from reportgen.intervals import delong_score
from reportgen.sweeping import sweep
from reportgen.text.numbers import p_value


def pair(rows: int = 400, seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.random(rows) < 0.4
    noise = random.normal(size=(2, rows))
    return pl.DataFrame(
        {"truth": truth, "a": 2.0 * truth + noise[0], "b": 0.5 * truth + noise[1]},
    )


def dominated(frame: pl.DataFrame, curve: str) -> dict[str, object]:
    steps = {name: sweep(frame, score=name) for name in ("a", "b")}
    return dominance(curve, *((name, s, hull(s)) for name, s in steps.items()))


AB = Question(("a", "b"), "accuracy")
AREAS = Question(("a", "b"), "auc")


def test_few_discordant_rows_are_said_as_a_caveat():
    assert (
        "only 4 rows are predicted correctly by exactly one"
        in mcnemar(Pairs(50, 3, 1, 5), AB)[0].caveats[0]
    )
    assert mcnemar(Pairs(50, 30, 20, 5), AB)[0].caveats == ()


def test_models_that_are_correct_on_the_same_rows_have_no_test():
    records = adjust(mcnemar(Pairs(50, 0, 0, 5), AB))
    assert len(records) == 4
    for record in records:
        assert record.p_value is None
        assert record.reject is None
        assert "correct on the same rows" in record.verdict


def test_the_cells_are_named_after_the_model_that_is_wrong():
    frame = pl.DataFrame({"truth": [True] * 3, "a": [True, True, False], "b": [False, True, True]})
    counts = paired_counts(frame.vstack(frame.head(1)), "a", "b")
    assert (counts.only_b_wrong, counts.only_a_wrong, counts.both_correct) == (2, 1, 1)


@pytest.mark.parametrize(
    ("pairs", "text"),
    [
        (Pairs(60, 30, 5, 5), "a has higher accuracy than b"),
        (Pairs(60, 5, 30, 5), "b has higher accuracy than a"),
        (Pairs(60, 9, 8, 5), "No significant difference in accuracy between a and b at α"),
    ],
)
def test_a_verdict_names_the_better_model_or_states_no_significant_difference(pairs, text):
    for record in adjust(mcnemar(pairs, AB)):
        assert record.verdict.startswith(text)
        assert "equal" not in record.verdict
        assert "accept" not in record.verdict


def test_delong_is_undefined_for_the_same_ranking():
    frame = pair().with_columns(b=pl.col("a").exp())
    record = adjust([delong(frame, AREAS)])[0]
    assert record.p_value is None
    assert record.estimate == 0
    assert "no variance" in record.verdict


def test_delong_is_undefined_with_one_row_of_a_class():
    frame = pl.DataFrame({"truth": [True, False, False], "a": [1, 2, 3], "b": [3, 1, 2]})
    assert delong(frame, AREAS).undefined == "a class has fewer than two rows"


def test_delong_is_antisymmetric():
    one, other = delong(pair(), AREAS), delong(pair(), Question(("b", "a"), "auc"))
    assert one.p_value == pytest.approx(other.p_value)
    assert one.estimate == pytest.approx(-other.estimate)
    assert one.low == pytest.approx(-other.high)


def test_delongs_covariance_is_that_of_the_placements_by_brute_force():
    frame = pair(60).with_columns(pl.col("a", "b").round(0))
    truth = frame["truth"].to_numpy()
    placed = []
    for name in ("a", "b"):
        score = frame[name].to_numpy()
        beats = np.sign(score[truth][:, None] - score[~truth][None, :]) / 2 + 0.5
        placed.append((beats.mean(1), beats.mean(0)))
    parts = [np.cov([p[side] for p in placed]) / len(placed[0][side]) for side in (0, 1)]
    estimates = area_covariance(frame, ("a", "b"))
    np.testing.assert_allclose(estimates.covariance, parts[0] + parts[1], atol=1e-14)


def test_unit_weights_give_delongs_unweighted_covariance():
    frame = pair(100).with_columns(w=pl.lit(2.0))
    weighted = area_covariance(frame, ("a", "b"), weight="w")
    np.testing.assert_allclose(
        weighted.covariance, area_covariance(frame, ("a", "b")).covariance, atol=1e-14
    )


def test_p_values_are_corrected_within_a_kind_of_test_only():
    frames = [
        delong(pair(200, seed), Question((f"a{seed}", f"b{seed}"), "auc"), scores=("a", "b"))
        for seed in range(3)
    ]
    records = adjust([*frames, *mcnemar(Pairs(50, 9, 3, 5), Question(("x", "y"), "accuracy"))])
    holm = CORRECTIONS["holm"]([r.p_value for r in records[:3]])
    assert [r.p_adjusted for r in records[:3]] == holm
    assert all(r.p_adjusted == r.p_value for r in records[3:])


def test_a_corrected_p_value_decides():
    pairs = Pairs(60, 16, 6, 5)
    raw = adjust(mcnemar(pairs, AB), "none")[0]
    many = [r for k in range(3) for r in mcnemar(pairs, Question(("a", f"b{k}"), "accuracy"))]
    corrected = adjust(many, "bonferroni")[0]
    assert raw.reject
    assert not corrected.reject
    assert "Bonferroni-adjusted" in corrected.verdict


def test_a_p_value_is_never_printed_as_zero():
    assert p_value(1e-300) == "p < 0.001"
    assert p_value(0.0004) == "p < 0.001"


def test_records_become_a_typed_table():
    comparisons = table(adjust([delong(pair(), AREAS)]))
    assert comparisons["models"].to_list() == [["a", "b"]]
    assert comparisons.select("label", "symbol", "unit").row(0) == ("DeLong's test", "z", "rows")


@pytest.mark.parametrize("curve", ["roc", "precision_recall", "cost"])
def test_a_curve_contains_one_that_lies_below_it_everywhere(curve):
    frame = pl.DataFrame(
        {
            "truth": [True, True, False, True, False, False],
            "a": [6, 5, 4, 3, 2, 1],
            "b": [6, 4, 5, 2, 3, 1],
        }
    )
    dominance = dominated(frame, curve)
    assert dominance["relation"] == "contains"
    assert dominance["crossings"] == []
    turned = dominated(frame.rename({"a": "b", "b": "a"}), curve)
    assert turned["relation"] == "is contained"


@pytest.mark.parametrize("curve", ["roc", "precision_recall", "cost"])
def test_the_same_ranking_gives_coinciding_curves(curve):
    assert dominated(pair().with_columns(b=pl.col("a") * 3), curve)["relation"] == "coincides"


def test_a_curve_that_there_is_not_is_refused_with_the_names_of_those_there_are():
    with pytest.raises(ValueError, match="'lift' is not one of roc, precision_recall, cost"):
        dominated(pair(20), "lift")


def test_crossing_roc_curves_say_where_and_who_wins():
    frame = pl.DataFrame(
        {
            "truth": [True, True, False, False],
            "a": [4, 1, 3, 2],  # (0, ½), (1, ½), (1, 1)
            "b": [3, 2, 4, 1],  # (½, 0), (½, 1), (1, 1)
        }
    )
    dominance = dominated(frame, "roc")
    assert dominance["relation"] == "crosses"
    assert dominance["crossings"] == [0.5]
    assert dominance["region_better"] == ["a", "b"]


@pytest.mark.parametrize("seed", range(30))
def test_roc_dominance_and_precision_recall_dominance_agree(seed):
    frame = pair(25, seed).with_columns(pl.col("a", "b").round(1))
    assert dominated(frame, "roc")["relation"] == dominated(frame, "precision_recall")["relation"]


def test_many_crossings_are_told_as_a_few_regions():
    frame = pair(3000, 5).with_columns(b=pl.col("a") + 0.3 * pl.col("b"))
    dominance = dominated(frame, "roc")
    assert len(dominance["region_low"]) <= 12
    assert dominance["region_low"][0] == 0
    assert dominance["region_high"][-1] == 1


def areas_of(first, second, positives=10, negatives=20, shared=0.5):
    """Two AUCs (value and standard error) with what DeLong's test needs of them."""
    (a, one), (b, other) = first, second
    covariance = np.array([[one**2, shared * one * other], [shared * one * other, other**2]])
    return AreaCovariance(np.array([a, b]), covariance, (positives, negatives))


def test_a_perfect_ranking_against_another_has_limits_of_the_difference_that_its_rows_allow():
    one = areas_of((1.0, 0.0), (0.9, 0.06))
    record = delong_pair(one, (0, 1), Question(("a", "b"), "auc"))
    worst = delong_score(1.0, 0.0, 10, 20)[0]
    assert record.low < 0 < record.estimate < record.high
    assert record.estimate - record.low > 1 - worst


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.0), (1.0, 1.0)])
def test_areas_without_variance_have_limits_of_their_difference_though_no_test(a, b):
    estimates = areas_of((a, 0.0), (b, 0.0))
    record = delong_pair(estimates, (0, 1), Question(("a", "b"), "auc"))
    assert record.p_value is None
    assert record.low < a - b
    assert record.high == (a - b if a > b else pytest.approx(-record.low))


@pytest.mark.parametrize("area", [0.6, 0.8, 0.95])
@pytest.mark.parametrize("shared", [0.99, 0.9999])
def test_limits_of_a_difference_of_like_models_are_as_narrow_as_the_difference_is_certain(
    area, shared
):
    one = areas_of((area, 0.02), (area, 0.02), 100, 900, shared)
    record = delong_pair(one, (0, 1), Question(("a", "b"), "auc"))
    error = 0.02 * np.sqrt(2 - 2 * shared)
    assert record.high - record.low == pytest.approx(2 * 1.96 * error, rel=0.1)


@pytest.mark.parametrize("seed", range(40))
def test_limits_of_a_difference_of_areas_leave_0_out_where_the_test_rejects(seed):
    random = np.random.default_rng(seed)
    truth = np.arange(60) < random.integers(3, 30)
    scores = {name: random.normal(truth * 1.3 * k, 1) for name, k in (("a", 1), ("b", 2))}
    frame = pl.DataFrame({"truth": truth, **scores})
    record = delong(frame, Question(("a", "b"), "auc"))
    assert (record.p_value < 0.05) == (record.low > 0 or record.high < 0)
