"""Page one where a class has few rows, and where the measures of the classes disagree."""

from __future__ import annotations

import re
from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from reportgen.sections.gates import _of_measures
from reportgen.sections.verdict import Verdict
from tests.charts_results import by_id
from tests.page_text import without_chinese
from tests.quick import QUICK


def texts(results: Results, code: str) -> list[str]:
    return [caveat.text for caveat in results.decision.caveats if caveat.code == code]


def classes(right: tuple[float, ...], rows: tuple[int, ...], **more: object) -> Results:
    """One model that is right on these shares of the rows of each class."""
    truth = np.repeat(np.arange(len(rows)), rows)
    text = np.concatenate(
        [
            np.where(np.arange(n) < round(n * p), k, (k + 1) % len(rows))
            for k, (n, p) in enumerate(zip(rows, right, strict=True))
        ]
    )
    names = np.array(["cat", "dog", "eel"])
    frame = pl.DataFrame({"y": names[truth], "m": names[text]})
    return evaluate({"truth": "y", "models": {"m": {"label": "m"}}, **QUICK, **more}, frame)


def test_the_lowest_recall_names_class_model_and_value_and_small_classes_have_a_caveat():
    results = classes((0.9, 0.75, 0.8), (100, 100, 10))
    page = Verdict.from_results(results, [])

    assert page.lowest_of == "Lowest recall"
    assert page.lowest.startswith("of m in class dog: 0.75")
    assert results.decision.lowest.class_ == "dog"
    assert texts(results, "few_of_class") == [
        "Only 10 rows of class eel: limits of its measures are rough."
    ]


def test_the_limits_of_the_lowest_recall_hold_for_all_classes():
    """The lowest of many like classes lies low by chance."""
    results = classes((0.9, 0.75, 0.8), (100, 100, 100))
    lowest = results.decision.lowest
    row = results.metrics.row(
        by_predicate=pl.col("slice").is_null()
        & (pl.col("class") == "dog")
        & (pl.col("metric") == "recall"),
        named=True,
    )
    widened = NormalDist().inv_cdf(1 - 0.025 / 3) / NormalDist().inv_cdf(0.975)

    assert (lowest.class_, lowest.value) == ("dog", row["value"])
    assert lowest.low == pytest.approx(row["value"] - widened * (row["value"] - row["low"]))
    assert "simultaneous CI" in Verdict.from_results(results, []).lowest


def test_the_lowest_recall_says_among_which_classes_it_is_the_lowest():
    small = Verdict.from_results(classes((0.9, 0.75, 0.5), (100, 100, 10)), [])
    missed = Verdict.from_results(classes((0.9, 0.75, 0.0), (100, 100, 10)), [])
    large = Verdict.from_results(classes((0.9, 0.75, 0.8), (100, 100, 30)), [])

    assert small.lowest.startswith("of m in class dog: 0.75")
    assert small.lowest.endswith(", all rows, among classes with at least 30 rows.")
    assert missed.lowest.startswith("of m in class eel: 0.000")
    assert missed.lowest.endswith(", all rows.")
    few = Verdict.from_results(classes((0.9, 0.7, 0.8), (9, 7, 6)), [])
    assert few.lowest.endswith(", all rows.")
    assert large.lowest.endswith(", all rows.")


def test_page_one_and_gates_on_macro_averages_say_that_they_rest_on_a_class_of_four_rows():
    gates = ["m.balanced_accuracy >= 0.5", "m.macro_f1 >= 0.5", "m.weighted_f1 >= 0.5"]
    results = classes((0.9, 0.75, 0.5), (100, 100, 4), gates=gates)
    (text,) = texts(results, "few_of_class")

    assert text == (
        "Only 4 rows of class eel: limits of its measures are rough, and 1/3 of every macro "
        "average rests on them."
    )
    assert f"m.balanced_accuracy >= 0.5; m.macro_f1 >= 0.5: {text}" in _of_measures(results)
    (text,) = texts(classes((0.9, 0.75, 0.5), (100, 20, 4)), "few_of_class")
    assert text.endswith("1 has fewer than 10 and makes up 1/3 of every macro average.")


def test_a_class_of_four_rows_is_not_the_lowest_where_others_have_enough():
    """Its recall of 0 says little; that of a class with fifty rows is the failure."""
    results = classes((0.9, 0.1, 0.0), (100, 50, 4))

    assert results.decision.lowest.class_ == "dog"
    assert by_id(results)["per_class"].title == "Lowest recall: eel (4 rows), 0.000"
    assert classes((0.9, 0.5, 0.0), (20, 20, 4)).decision.lowest.class_ == "eel"


def test_models_level_in_accuracy_and_apart_in_macro_f1_are_said_to_be():
    """One is right on the common class alone, the other as often on all of them."""
    truth = np.repeat(["cat", "dog", "eel"], (180, 120, 120))
    common = np.where((truth == "dog") & (np.arange(420) % 2 == 0), "dog", "cat")
    even = np.where(np.arange(420) % 7 < 4, truth, np.roll(truth, 150))
    frame = pl.DataFrame({"y": truth, "common": common, "even": even})
    models = {name: {"label": name} for name in ("common", "even")}
    results = evaluate({"truth": "y", "models": models, **QUICK}, frame)

    assert results.decision.relation == "level"
    (text,) = texts(results, "other_measure")
    assert re.fullmatch(
        r"even has a higher macro F1 than common, 0\.\d+ against 0\.\d+: a difference of "
        r"\+0\.\d+ \(95.% CI \+0\.\d+ to \+0\.\d+\)\.",
        text,
    )
    alike = evaluate({"truth": "y", "models": models, **QUICK}, frame.with_columns(even="common"))
    assert texts(alike, "other_measure") == []


@pytest.mark.parametrize(("size", "seed", "said"), [(600, 0, True), (60, 1, False)])
def test_macro_f1_of_pooled_folds_is_set_apart_by_wide_margins_alone(size, seed, said):
    """One never predicts the rare class; limits of pooled folds, too narrow, would do for both."""
    random = np.random.default_rng(seed)
    truth = random.choice(["a", "b", "c"], size, p=[0.6, 0.3, 0.1])
    even = np.where(random.random(size) < 0.8, truth, random.choice(["a", "b", "c"], size))
    common = np.where((random.random(size) < 0.86) & (truth != "c"), truth, "a")
    columns = {"y": truth, "even": even, "common": common, "fold": np.arange(size) % 5}
    models = {name: {"label": name} for name in ("even", "common")}
    spec = {"truth": "y", "models": models, "columns": {"fold": "fold"}, **QUICK}
    results = evaluate(spec, pl.DataFrame(columns))

    lines = texts(results, "other_measure")
    stated = [
        line for line in lines if line.startswith("even has a higher macro F1 than common, 0.")
    ]
    assert bool(stated) == said
    assert all(line.endswith("; the difference was not tested.") for line in stated)
    assert not without_chinese(results, stated)


def test_no_class_is_the_lowest_of_two_that_tie():
    results = classes((0.9, 0.8, 0.8), (100, 100, 50))

    assert results.decision.lowest is None
    assert Verdict.from_results(results, []).lowest == ""
    assert texts(results, "few_of_class") == []


def test_a_class_of_few_rows_that_is_lower_still_is_named_with_its_rows():
    results = classes((0.9, 0.75, 0.5), (100, 100, 10))

    assert texts(results, "lower_of_few") == [
        "The recall of m is lowest where rows are few, so that values are rough: "
        "eel 0.500 (10 rows)."
    ]
    assert not texts(classes((0.9, 0.75, 0.8), (100, 100, 30)), "lower_of_few")
