"""Every value of the reference cases on tests over folds, data sets and samples."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
import pytest

from reportgen.comparisons import (
    CORRECTIONS,
    TESTS,
    Pairs,
    Question,
    adjust,
    bayesian_correlated_t,
    binomial,
    bonferroni_dunn,
    cochran_q,
    corrected_resampled_t,
    cross_tabulated,
    five_by_two_f,
    five_by_two_t,
    friedman,
    iman_davenport,
    mean_ranks,
    nemenyi,
    one_sample_t,
    paired_t_folds,
    permuted_samples,
    quade,
    rank_sums,
    ranks,
    sign,
    sign_flip,
    signed_rank,
    two_proportions,
    two_sample_t,
)
from reportgen.comparisons.rank_pairs import critical_difference
from reportgen.comparisons.signed_ranks import RankSums
from reportgen.tables import BlockScores, FoldPairs
from tests.cases import agrees, all_cases, rows

QUESTION = Question(("a", "b"), "accuracy")


def name_of(case: dict[str, Any]) -> str:
    return str(case["case"])


def assert_agree(case: dict[str, Any], values: dict[str, Any]) -> None:
    """Every expected name is found, and each has the expected value."""
    assert case["expected"].keys() <= values.keys()
    for name in case["expected"]:
        assert agrees(case, name, values[name]), (name, values[name], case["expected"][name])


def folds(case: dict[str, Any]) -> pl.DataFrame:
    sizes = {"train_rows": "n_train", "test_rows": "n_test"}
    return FoldPairs.validate(
        rows(case).select(
            pl.col("rep").cast(pl.String).alias("repeat"),
            pl.col("fold").cast(pl.String),
            first="score_a",
            second="score_b",
            **{name: pl.col(column).cast(pl.Float64) for name, column in sizes.items()},
        )
    )


def pairs(case: dict[str, Any]) -> pl.DataFrame:
    spec = case["spec"]
    return rows(case).select(
        first=pl.col(spec["a"]).cast(pl.Float64), second=pl.col(spec["b"]).cast(pl.Float64)
    )


@pytest.mark.parametrize("case", all_cases("resampled_scores"), ids=name_of)
def test_a_test_over_folds_has_the_values_that_outside_programs_give(case):
    frame = folds(case)
    naive, corrected = paired_t_folds(frame, QUESTION), corrected_resampled_t(frame, QUESTION)
    five, f = five_by_two_t(frame, QUESTION)[0], five_by_two_f(frame, QUESTION)
    differences = frame["first"] - frame["second"]
    ratio = Fraction(case["spec"].get("test_train_ratio", 0))
    assert_agree(
        case,
        {
            "mean_difference": naive.estimate,
            "sd_difference": differences.std(),
            "paired_t.t": naive.statistic,
            "paired_t.p": naive.p_value,
            "paired_t.df": naive.df,
            "paired_t.ci_lower": naive.low,
            "paired_t.ci_upper": naive.high,
            "corrected_t.t": corrected.statistic,
            "corrected_t.p": corrected.p_value,
            "corrected_t.ratio": float(ratio),
            "5x2cv_t.t": five.statistic,
            "5x2cv_t.p": five.p_value,
            "5x2cv_f.f": f.statistic,
            "5x2cv_f.p": f.p_value,
        }
        | posterior(case, frame, ratio),
    )


def posterior(case: dict[str, Any], frame: pl.DataFrame, ratio: Fraction) -> dict[str, Any]:
    if "rope" not in case["spec"]:
        return {}
    options: dict[str, Any] = {"ratio": float(ratio)}
    at, zero = (
        bayesian_correlated_t(frame, QUESTION, rope=rope, **options).probabilities
        for rope in (case["spec"]["rope"], 0.0)
    )
    first, same, second = at
    return {
        "bayes_correlated_t.p_a_better_beyond_rope": first,
        "bayes_correlated_t.p_rope": same,
        "bayes_correlated_t.p_b_better_beyond_rope": second,
        "bayes_correlated_t.p_a_better_rope0": zero[0],
    }


def z_without_ties(sums: RankSums) -> float:
    """Demšar's z of the smaller sum, without correction for ties."""
    n = sums.rank_count
    return (min(sums.plus, sums.minus) - n * (n + 1) / 4) / (n * (n + 1) * (2 * n + 1) / 24) ** 0.5


@pytest.mark.parametrize("case", all_cases("wilcoxon"), ids=name_of)
def test_signed_ranks_and_signs_have_the_values_that_outside_programs_give(case):
    frame = pairs(case)
    values: dict[str, Any] = {}
    for zeros, prefix in (("drop", "drop0"), ("pratt", "pratt"), ("split", "zsplit")):
        sums = rank_sums(frame, zeros)
        values |= {
            f"{prefix}.w_plus": sums.plus,
            f"{prefix}.w_minus": sums.minus,
            f"{prefix}.w_min": min(sums.plus, sums.minus),
            f"{prefix}.p_exact": sums.exact_p(),
            f"{prefix}.z": sums.z,
            f"{prefix}.p_normal": sums.normal_p(),
            f"{prefix}.p_normal_cc": sums.normal_p(0.5),
            f"{prefix}.z_demsar_no_tie_correction": z_without_ties(sums),
        }
    signs = sign(frame, QUESTION)
    wins, losses = [int(word) for word in signs.assumptions[0].split() if word.isdigit()][:2]
    values |= {"sign.n_pos": wins, "sign.n_neg": losses, "sign.p_exact": signs.p_value}
    values["signflip_permutation.p_exact"] = sign_flip(frame.head(20), QUESTION).p_value
    assert_agree(case, values)
    assert signed_rank(frame, QUESTION).p_value == values["drop0.p_exact"]


def blocks(case: dict[str, Any]) -> pl.DataFrame:
    long = rows(case).unpivot(
        index="dataset", on=case["spec"]["columns"], variable_name="model", value_name="value"
    )
    return BlockScores.validate(long.rename({"dataset": "block"}))


@pytest.mark.parametrize("case", all_cases("friedman"), ids=name_of)
def test_tests_over_data_sets_have_the_values_that_outside_programs_give(case):
    scores, models = blocks(case), tuple(case["spec"]["columns"])
    question = Question(models, "accuracy", less_is_better=not case["spec"]["higher_is_better"])
    means = ranks(scores, question).group_by("model").agg(pl.col("rank").mean())
    mean_of = dict(means.iter_rows())
    pairs_of_ranks = mean_ranks(scores, question)
    values: dict[str, Any] = {
        "avg_ranks": [mean_of[model] for model in models],
        "nemenyi_p": [r.p_value for r in nemenyi(scores, question)],
        "post_z": [r.statistic for r in pairs_of_ranks],
        "post_p_unadjusted": [r.p_value for r in pairs_of_ranks],
        "bonferroni_dunn_cd.0.05": bonferroni_dunn(scores, question, models[0])[0].critical,
        "quade.f": quade(scores, question).statistic,
        "quade.p": quade(scores, question).p_value,
    }
    for ties, suffix in ((True, ""), (False, "_no_tie_correction")):
        chi, f = (t(scores, question, ties=ties) for t in (friedman, iman_davenport))
        values |= {
            f"friedman{suffix}.chi2": chi.statistic,
            f"friedman{suffix}.p": chi.p_value,
            f"iman_davenport{suffix}.f": f.statistic,
            f"iman_davenport{suffix}.p": f.p_value,
        }
    for alpha in ("0.05", "0.1", "0.01"):
        width = critical_difference(len(models), scores["block"].n_unique(), float(alpha))
        values[f"nemenyi_cd.{alpha}"] = width
    for correction in ("holm", "shaffer", "bonferroni", "bergmann_hommel"):
        adjusted = [r.p_adjusted for r in adjust(pairs_of_ranks, correction)]
        values[f"post_p_{correction}"] = adjusted
    assert_agree(case, values)


@pytest.mark.parametrize("case", all_cases("cochran"), ids=name_of)
def test_cochrans_q_has_the_values_that_outside_programs_give(case):
    names = case["spec"]["columns"]
    right = {name: pl.col(name) == 1 for name in names}
    q, f = cochran_q(rows(case), right, Question(tuple(names), "accuracy"))
    assert_agree(
        case,
        {
            "cochran_q.stat": q.statistic,
            "cochran_q.p": q.p_value,
            "cochran_q.df": q.df,
            "looney_f.f": f.statistic,
            "looney_f.p": f.p_value,
        },
    )


@pytest.mark.parametrize("case", all_cases("binomial_test"), ids=name_of)
def test_the_binomial_test_has_the_values_that_outside_programs_give(case):
    spec, question = case["spec"], Question(("m",), "accuracy")
    sides = {"two.sided": "two-sided", "greater": "greater", "less": "less"}
    values = {
        f"binom_p.{name}": binomial(
            spec["x"], spec["n"], float(Fraction(spec["p"])), question, alternative=side
        ).p_value
        for name, side in sides.items()
    }
    assert_agree(case, values)


@pytest.mark.parametrize("case", all_cases("one_sample_t"), ids=name_of)
def test_the_one_sample_t_test_has_the_values_that_outside_programs_give(case):
    spec, question = case["spec"], Question(("m",), "accuracy")
    values = rows(case)[spec["column"]]
    both = one_sample_t(values, spec["mu0"], question)
    above = one_sample_t(values, spec["mu0"], question, alternative="greater")
    assert_agree(
        case,
        {
            "one_sample_t.t": both.statistic,
            "one_sample_t.df": both.df,
            "one_sample_t.p": both.p_value,
            "one_sample_t.p_greater": above.p_value,
            "mean_ci.lower": both.low,
            "mean_ci.upper": both.high,
        },
    )


@pytest.mark.parametrize("case", all_cases("two_sample"), ids=name_of)
def test_tests_of_two_samples_have_the_values_that_outside_programs_give(case):
    spec = case["spec"]
    samples = [rows(case).filter(pl.col(spec["group"]) == g)[spec["value"]] for g in "ab"]
    welch, pooled = two_sample_t(*samples, QUESTION)
    means, mann_whitney = permuted_samples(*samples, QUESTION)
    assert_agree(
        case,
        {
            "t.t": pooled.statistic,
            "t.p": pooled.p_value,
            "welch.t": welch.statistic,
            "welch.p": welch.p_value,
            "welch.df": welch.df,
            "permutation_mean_diff.p_exact": means.p_value,
            "mann_whitney.p_exact": mann_whitney.p_value,
        },
    )


def given(case: dict[str, Any]) -> pl.DataFrame | Pairs:
    """The table of a case as a registered test takes it, by what the test says that it is given."""
    table, columns = rows(case), case["spec"]["columns"]
    kind = TESTS[case["spec"]["test"]].needs.given
    if kind == "decisions":
        return cross_tabulated(table, *(pl.col(name) == 1 for name in columns))
    if kind == "blocks":
        return by_block(table.select(block=pl.int_range(pl.len()), **{n: n for n in columns}))
    first, second = columns
    values = table.select(
        repeat=pl.lit("1"), fold=pl.int_range(pl.len()).cast(pl.String), first=first, second=second
    )
    unknown = pl.lit(None, pl.Float64)
    return FoldPairs.validate(values.with_columns(train_rows=unknown, test_rows=unknown))


def by_block(wide: pl.DataFrame) -> pl.DataFrame:
    long = wide.unpivot(index="block", variable_name="model", value_name="value")
    return BlockScores.validate(long.with_columns(pl.col("block").cast(pl.String)))


@pytest.mark.parametrize("case", all_cases("test of significance"), ids=name_of)
def test_a_registered_test_has_the_values_that_outside_programs_give(case):
    """A new test that reports make by themselves needs nothing but its case."""
    test, models = TESTS[case["spec"]["test"]], tuple(case["spec"]["columns"])
    records = test.compute(given(case), Question(models, "accuracy", unit=case["spec"]["unit"]))
    (record,) = records if isinstance(records, list) else [records]
    assert_agree(case, {name: getattr(record, name) for name in case["expected"]})


@pytest.mark.parametrize("case", all_cases("two_proportions"), ids=name_of)
def test_tests_of_two_shares_have_the_values_that_outside_programs_give(case):
    spec = case["spec"]
    successes, sizes = ((spec[f"{letter}1"], spec[f"{letter}2"]) for letter in "xn")
    z, fisher = two_proportions(
        successes, sizes, Question(("a", "b"), "accuracy", 0.05, spec["conf"])
    )
    for name, value in {
        "diff": z.estimate,
        "newcombe.lower": z.low,
        "newcombe.upper": z.high,
        "pooled_z": z.statistic,
        "p": z.p_value,
        "fisher_p": fisher.p_value,
    }.items():
        assert agrees(case, name, value), name


@pytest.mark.parametrize("case", all_cases("p_adjust"), ids=name_of)
def test_a_correction_has_the_values_that_outside_programs_give(case):
    names = {"BH": "benjamini_hochberg", "BY": "benjamini_yekutieli"}
    values = {}
    for name in case["expected"]:
        method = name.removeprefix("p_adjusted.")
        values[name] = CORRECTIONS[names.get(method, method)](case["spec"]["p"])
    assert_agree(case, values)
