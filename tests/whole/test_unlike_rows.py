"""Two models whose outputs differ in few rows."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK


def nearly(rows, **more):
    """Scores of a model, and the same with those of so many high positives reversed."""
    signal = np.random.default_rng(3).normal(size=(2, 300))
    truth, scores = signal.sum(axis=0) > 0, 1 / (1 + np.exp(-1.6 * signal[0]))
    places = np.flatnonzero(truth & (scores > 0.75))[:rows]
    other = scores.copy()
    other[places] = 1 - other[places]
    frame = pl.DataFrame({"y": truth.astype(int), "a": scores, "b": other})
    models = {name: {"score": name} for name in "ab"}
    return evaluate({"truth": "y", "models": models, **QUICK, **more}, frame)


def stated(results):
    return [c.text for c in results.decision.caveats if c.code == "unlike_rows"]


def test_page_one_says_that_the_winner_differs_in_six_rows():
    results = nearly(6)

    assert results.decision.relation == "ahead"
    assert stated(results) == [
        "The outputs of a and b differ in only 6 rows, on which their test rests."
    ]
    assert results.data["unlike_rows"] == [{"models": ["a", "b"], "rows": 6, "units": 6}]
    assert not without_chinese(results, stated(results))


SO_FEW = "the outputs of the models differ in only "


def test_five_rows_may_all_favour_one_by_chance_and_six_at_the_level_may_not():
    """2^(1 − 5) is 0.0625, 2^(1 − 6) half of it."""
    of_five, of_six = (nearly(k).comparisons.filter(comparison="delong") for k in (5, 6))

    assert of_five["why"].str.starts_with(f"{SO_FEW}5 rows").all()
    assert of_five["recommendation"].to_list() == ["valid"]
    assert of_six["recommendation"].to_list() == ["recommended"]


def test_no_approximate_test_of_so_few_rows_that_all_may_favour_one_by_chance_is_recommended():
    results = nearly(4)
    tests = results.comparisons.filter(pl.col("why").str.starts_with(SO_FEW))

    assert results.decision.measure == "accuracy"
    assert results.decision.relation == "level"
    assert {"delong"} <= set(tests["comparison"]) <= set(tests.filter(unit="rows")["comparison"])
    assert tests["recommendation"].unique().to_list() == ["valid"]
    assert tests["why"][0].endswith(
        "4 rows, which all favour the same one with probability 0.125 if neither is better"
    )
    assert not without_chinese(results, [tests["why"][0]])


def test_hotellings_test_of_several_models_that_differ_in_few_rows_is_not_recommended():
    """Three false alarms of one of three models: no test of so few rows may decide."""
    alarms = pl.int_range(2000, eager=True).is_between(10, 12)
    frame = pl.DataFrame({"y": [1] * 8 + [0] * 1992, "a": [0.1] * 2000, "b": [0.2] * 2000})
    models = {name: {"score": name} for name in "ab"} | {"rule": {"label": "rule"}}
    results = evaluate(
        {"truth": "y", "models": models, **QUICK}, frame.with_columns(rule=alarms.cast(pl.Int64))
    )
    [test] = results.comparisons.filter(comparison="cochran_groups").to_dicts()
    reason = "the models differ in only 3 rows, and the test of 3 models needs at least 15"

    assert (test["recommendation"], test["why"]) == ("valid", reason)
    assert not without_chinese(results, [reason])


def estimates(groups):
    """Estimates of two models that differ in 16 of 400 rows, which are of so many groups."""
    random = np.random.default_rng(4)
    truth, first = random.normal(size=(2, 400))
    second = first + np.where(np.arange(400) % 25 == 0, 3.0, 0.0)
    group = np.where(np.arange(400) % 25 == 0, np.arange(400) // 25 % groups, 20 + np.arange(400))
    frame = pl.DataFrame({"y": truth, "a": first, "b": second, "g": group})
    models = {name: {"estimate": name} for name in "ab"}
    spec = {"truth": "y", "task": "regression", "models": models, "columns": {"group": "g"}}
    return evaluate({**spec, **QUICK}, frame)


def test_of_rows_in_groups_the_groups_count():
    of_few, of_many = estimates(4), estimates(6)
    [why] = of_few.comparisons.filter(comparison="paired_t_groups", metric="mean_absolute_error")[
        "why"
    ]

    assert why.startswith(f"{SO_FEW}4 groups, which all ")
    assert of_few.decision.relation not in ("ahead", "mixed")
    assert of_many.data["unlike_rows"] == [{"models": ["a", "b"], "rows": 16, "units": 6}]
    assert not of_many.comparisons["why"].drop_nulls().str.starts_with(SO_FEW).any()
    assert not without_chinese(of_few, [why])


@pytest.mark.parametrize(("groups", "why"), [(8, None), (4, "there are only 4 groups, which all ")])
def test_models_that_differ_in_every_group_do_not_differ_in_only_so_many(groups, why):
    random = np.random.default_rng(6)
    truth, *errors = random.normal(size=(3, 400))
    outputs = {name: truth + error for name, error in zip("ab", errors, strict=True)}
    frame = pl.DataFrame({"y": truth, **outputs, "g": np.arange(400) % groups})
    models = {name: {"estimate": name} for name in "ab"}
    results = evaluate({"truth": "y", "models": models, "columns": {"group": "g"}, **QUICK}, frame)
    reasons = results.comparisons["why"].drop_nulls()

    assert results.data["unlike_rows"] == [{"models": ["a", "b"], "rows": 400, "units": groups}]
    assert not stated(results)
    assert not reasons.str.starts_with(SO_FEW).any()
    if why is not None:
        texts = reasons.filter(reasons.str.starts_with(why))
        assert len(texts)
        assert not without_chinese(results, [texts[0]])


@pytest.mark.parametrize("more", [{"rows": 10}, {"rows": 6, "privacy": {"small_cells": 5}}])
def test_models_that_differ_in_more_rows_or_where_counts_are_withheld_have_no_such_word(more):
    assert not stated(nearly(**more))


def test_a_test_of_decisions_says_itself_how_few_rows_it_rests_on():
    results = nearly(4, comparisons={"primary": "accuracy"})

    assert not stated(results)
    assert "Only 4 rows are predicted correctly" in results.decision.caveats[0].text


def test_so_few_rows_pass_a_gate_that_equal_models_meet_but_none_that_they_miss():
    """All of four rows may favour one by chance; that it is hardly worse does not rest on them."""
    gates = ["a.auc - b.auc > -0.1", "a.auc - b.auc > 0"]
    of = nearly(4, gates=gates).gates

    assert of["low"].min() > 0
    assert of["state"].to_list() == ["pass", "inconclusive"]
    assert of["why"][1].startswith(SO_FEW)
