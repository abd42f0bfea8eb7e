"""Comparisons of values by fold: schemes, tests that the folds allow, faults of the table."""

from __future__ import annotations

import polars as pl
import pytest

import reportgen
import reportgen.spec
from reportgen.charts import figures
from reportgen.errors import DataError, SpecError
from reportgen.render import summary
from reportgen.results import Results
from reportgen.sections import sections
from tests.cases import agrees, all_cases, rows

BY_FOLD = {"repeat": "repeat", "fold": "fold", "model": "model", "value": "accuracy"}


def folds(repeats: int = 1, count: int = 10, models: str = "ab", gain: float = 0.05):
    """A measure of each model in every fold, each better than the one before by ``gain``."""
    return pl.DataFrame(
        [
            {
                "repeat": r,
                "fold": f,
                "model": m,
                "accuracy": 0.7 + gain * k + 0.01 * ((7 * f + 3 * k * f + 5 * r * (k + 1)) % 11),
                "trained": 90 * (count - 1) / count,
                "tested": 90 / count,
            }
            for r in range(repeats)
            for f in range(count)
            for k, m in enumerate(models)
        ]
    )


def by_fold(frame: pl.DataFrame, columns: dict[str, str] = BY_FOLD, **more: object) -> Results:
    return reportgen.evaluate(
        {"task": "comparison", "measure": "accuracy", "columns": columns, **more}, frame
    )


@pytest.mark.parametrize(
    ("frame", "scheme", "recommended"),
    [
        (folds(), "k_fold", "corrected_resampled_t"),
        (folds(repeats=4), "repeated_k_fold", "corrected_t_repeats"),
        (folds(repeats=5, count=2), "five_by_two", "corrected_t_repeats"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_values_of_folds_are_compared_as_the_folds_allow(frame, scheme, recommended):
    results = by_fold(frame)
    assert (results.data["unit"], results.data["evaluation"]["scheme"]) == ("fold", scheme)
    recommendation = dict(results.comparisons.select("comparison", "recommendation").iter_rows())
    assert recommendation[recommended] == "recommended"
    assert list(recommendation.values()).count("recommended") == 1
    assert recommendation["paired_t_folds"] == "avoid"
    assert "friedman" not in recommendation  # the folds of one data set are no independent blocks


def test_the_corrected_test_of_a_table_is_the_one_of_the_reference_cases():
    """Bouckaert & Frank's test on the ten times ten folds that outside programs evaluated."""
    case = next(c for c in all_cases("resampled_scores") if c["case"] == "pub/resampling/10x10")
    wide = rows(case)
    long = wide.unpivot(
        on=["score_a", "score_b"],
        index=["rep", "fold", "n_train", "n_test"],
        variable_name="model",
        value_name="accuracy",
    )
    columns = {"repeat": "rep", "fold": "fold", "model": "model", "value": "accuracy"}
    sizes = {"train_rows": "n_train", "test_rows": "n_test"}
    results = by_fold(long, {**columns, **sizes})
    test = results.comparisons.filter(comparison="corrected_resampled_t").row(0, named=True)
    assert agrees(case, "corrected_t.t", test["statistic"])
    assert agrees(case, "corrected_t.p", test["p_value"])
    assert results.decision.relation == "level"


def test_without_sizes_each_fold_is_taken_to_be_trained_on_the_others():
    implied = by_fold(folds())
    with_sizes = by_fold(folds(), {**BY_FOLD, "train_rows": "trained", "test_rows": "tested"})
    of = [r.comparisons.filter(comparison="corrected_resampled_t") for r in (implied, with_sizes)]
    assert of[0]["p_value"][0] == pytest.approx(of[1]["p_value"][0])
    assert "does not give the sizes" in of[0]["caveats"][0][0]
    assert of[1]["caveats"].to_list() == [[]]


def test_repeated_splits_without_sizes_have_no_corrected_test():
    columns = {"repeat": "fold", "model": "model", "value": "accuracy"}
    results = by_fold(folds(), columns)
    test = results.comparisons.filter(comparison="corrected_resampled_t").row(0, named=True)
    assert test["undefined"] == "the sizes of the training sets are unknown"
    assert results.decision.relation == "no conclusion"


@pytest.mark.parametrize(
    ("gain", "relation", "start"),
    [(0.15, "ahead", "c leads with accuracy "), (0.0, "level", "")],
)
def test_several_models_over_folds_are_decided_by_their_pairs(gain, relation, start):
    decision = by_fold(folds(models="abc", gain=gain)).decision
    assert (decision.relation, decision.basis) == (relation, "mean over folds")
    assert decision.headline.startswith(start)


def test_a_fold_that_lacks_a_model_leaves_its_tests_without_a_value():
    results = by_fold(folds(models="abc").tail(-1))
    tests = results.comparisons.filter(comparison="corrected_resampled_t")
    assert dict(zip(map(tuple, tests["models"]), tests["undefined"], strict=True)) == {
        ("c", "b"): None,
        ("b", "a"): "the measure is undefined in 1 of 10 folds",
        ("c", "a"): "the measure is undefined in 1 of 10 folds",
    }


def test_a_report_of_folds_speaks_of_folds():
    results = by_fold(folds(models="abc"))
    text = summary(results)
    assert "3 models in 10 folds" in text
    assert "data set" not in text
    names = [type(s).__name__ for s in sections(results, figures(results))]
    assert "ScoreTests" in names


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"model": "model", "value": "accuracy"}, "neither a dataset nor a fold"),
        ({**BY_FOLD, "train_rows": "trained"}, "is one of two sizes"),
        ({**BY_FOLD, "dataset": "d", "train_rows": "t", "test_rows": "u"}, "has no effect"),
    ],
)
def test_columns_of_a_table_that_do_not_fit_together_are_told(columns, message):
    with pytest.raises(SpecError, match=message):
        by_fold(folds(), columns)


def test_a_fold_that_has_two_values_of_a_model_is_told():
    columns = {"fold": "fold", "model": "model", "value": "accuracy"}
    with pytest.raises(DataError, match="name fold and repeat in columns"):
        by_fold(folds(repeats=2), columns)


def test_models_with_other_sizes_of_one_fold_are_refused():
    """The larger size made the folds overlap less than they do."""
    table = folds().with_row_index("row")
    table = table.with_columns(trained=pl.when(pl.col("row") == 5).then(300.0).otherwise("trained"))
    columns = BY_FOLD | {"train_rows": "trained", "test_rows": "tested"}

    with pytest.raises(DataError, match="size differs from another of the fold"):
        by_fold(table, columns)
