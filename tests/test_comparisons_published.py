"""Published tables of tests over data sets."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen.comparisons import (
    Question,
    adjust,
    bonferroni_dunn,
    critical_difference,
    friedman,
    iman_davenport,
    mean_ranks,
    nemenyi,
    rank_sums,
    ranks,
    signed_rank,
)
from reportgen.tables import BlockScores
from tests.cases import FOLDER

MODELS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
QUESTION = Question(MODELS, "auc")


@pytest.fixture(scope="module")
def demsar() -> pl.DataFrame:
    """Demšar (2006), table 6: AUC of four learners on 14 data sets.

    His ranks are of values before rounding: of the two 0.975 of "voting" the
    first has rank 2 and the second rank 3.
    """
    wide = pl.read_csv(FOLDER / "data" / "demsar_2006.csv").with_columns(
        pl.col("C4.5+cf") + pl.when(dataset="voting").then(1e-5).otherwise(0.0)
    )
    long = wide.unpivot(index="dataset", variable_name="model", value_name="value")
    return BlockScores.validate(long.rename({"dataset": "block"}))


def test_demsars_mean_ranks(demsar):
    means = ranks(demsar, QUESTION).group_by("model").agg(pl.col("rank").mean())
    by_model = dict(means.iter_rows())
    assert [round(by_model[m], 3) for m in MODELS] == [3.143, 2.0, 2.893, 1.964]


def test_demsars_friedman_and_iman_davenport(demsar):
    """9.28 and 3.69 are from rounded mean ranks, without the correction for ties."""
    chi, f = (test(demsar, QUESTION, ties=False) for test in (friedman, iman_davenport))
    assert chi.statistic == pytest.approx(9.28, abs=0.01)
    assert f.statistic == pytest.approx(3.69, abs=0.01)
    assert (chi.df, f.df, f.df_denominator) == (3, 3, 39)
    assert f.p_value < 0.05
    assert f.effect == "Kendall's W"
    assert f.estimate == pytest.approx(9.28 / (14 * 3), abs=1e-3)


def test_demsars_critical_differences(demsar):
    dunn = bonferroni_dunn(demsar, QUESTION, "C4.5")
    assert round(nemenyi(demsar, QUESTION)[0].critical, 2) == 1.25
    assert round(critical_difference(4, 14, 0.1), 2) == 1.12
    assert round(dunn[0].critical, 2) == 1.17


def test_demsars_holm_procedure_against_the_baseline(demsar):
    """His z and p are from mean ranks of three decimals."""
    by_model = {r.models[0]: r for r in adjust(mean_ranks(demsar, QUESTION, "C4.5"))}
    z = {"C4.5+m": 2.342, "C4.5+cf": 0.512, "C4.5+m+cf": 2.416}
    p = {"C4.5+m": 0.019, "C4.5+cf": 0.607, "C4.5+m+cf": 0.016}
    assert {m: abs(r.statistic) for m, r in by_model.items()} == pytest.approx(z, abs=1.5e-3)
    assert {m: r.p_value for m, r in by_model.items()} == pytest.approx(p, abs=1.5e-3)
    assert {model for model, r in by_model.items() if r.better == model} == {"C4.5+m", "C4.5+m+cf"}


def test_demsars_wilcoxon_test_of_c45_with_and_without_m(demsar):
    """R+ = 93 and R− = 12 with the zero difference split and one left out: table 2."""
    wide = demsar.pivot("model", index="block", values="value")
    pairs = wide.select(first="C4.5+m", second="C4.5")
    sums = rank_sums(pairs, "split")
    assert (sums.plus + 0.5 * (105 - sums.plus - sums.minus), sums.rank_count) == (93, 14)
    assert adjust([signed_rank(pairs, Question(("C4.5+m", "C4.5"), "auc"))])[0].better == "C4.5+m"


@pytest.mark.parametrize(
    ("alpha", "printed"),
    [
        (0.05, (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)),
        (0.10, (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920)),
    ],
)
def test_nemenyis_q_is_that_of_demsars_table_5(alpha, printed):
    """q = CD / √(k(k + 1)/6N), with one data set."""
    for k, q in enumerate(printed, start=2):
        critical_q = critical_difference(k, 1, alpha) / (k * (k + 1) / 6) ** 0.5
        assert critical_q == pytest.approx(q, abs=1.1e-3), k
