"""What page one says of pairs of models without a test of their difference."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK


def nearly_alike() -> Results:
    """b is a, c is a but for two rows, and d moves a tenth of the rows a little."""
    random = np.random.default_rng(8)
    truth = np.arange(600) % 2
    score = 1 / (1 + np.exp(0.5 - truth - random.normal(size=600)))
    changed = np.where(np.isin(np.arange(600), (7, 8)), 0.5, score)
    other = np.where(np.arange(600) % 10 < 2, score + 0.01 * random.normal(size=600), score)
    frame = pl.DataFrame({"y": truth, "a": score, "b": score, "c": changed, "d": other})
    models = {name: {"score": name} for name in "abcd"}
    spec = {"truth": "y", "models": models, "baseline": "a", "comparisons": {"margin": 0.02}}
    return evaluate({**spec, **QUICK}, frame)


def texts(results: Results, code: str) -> list[str]:
    return [caveat.text for caveat in results.decision.caveats if caveat.code == code]


def test_the_headline_names_all_that_are_equivalent_to_the_baseline():
    results = nearly_alike()
    headline = results.decision.headline

    assert headline.endswith(" are equivalent to a in AUC within ±0.02")
    assert {*headline.split(" are ")[0].replace(" and", ",").split(", ")} == {*"bcd"}
    assert not without_chinese(results, [headline])


def test_a_pair_with_a_test_of_equivalence_alone_is_compared():
    results = nearly_alike()
    [text] = texts(results, "not_compared")

    assert text.startswith("c is compared with a by the test of equivalence alone: the outputs ")
    assert not without_chinese(results, [text])


@pytest.mark.parametrize(("baseline", "code"), [(None, "not_compared"), ("a", "no_valid_test")])
def test_the_reason_is_that_against_the_test_that_decides(baseline, code):
    """Of 5 × 2 folds the corrected t-test of repeats, but for a model near chance."""
    random = np.random.default_rng(2)
    truth = np.arange(100) % 2
    strengths = {"a": 0.1, "b": 1.5, "c": 1.0}
    parts = [
        pl.DataFrame(
            {
                "id": np.arange(100),
                "y": truth,
                "fold": (random.permutation(100) < 50).astype(int),
                "repeat": np.full(100, repeat),
                **{n: k * truth + random.normal(size=100) for n, k in strengths.items()},
            }
        )
        for repeat in range(5)
    ]
    models = {name: {"score": name} for name in strengths}
    columns = {name: name for name in ("id", "fold", "repeat")}
    spec = {"truth": "y", "models": models, "columns": columns, "baseline": baseline, **QUICK}
    [text] = texts(evaluate(spec, pl.concat(parts)), code)

    assert ": the mean AUC of one model is " in text
    assert "the corrected t-test of repeats holds its level only from 2 on" in text


def of_heavy_tails(**comparisons: str) -> Results:
    """``heavy`` has rare large errors and the lowest MSE, though none lower than ``normal``."""
    random = np.random.default_rng(3)
    truth = 100 + 10 * random.normal(size=600)
    errors = {
        "normal": 5 * random.normal(size=600),
        "far": 8 * random.normal(size=600),
        "heavy": random.standard_t(3, 600) * 5 / 3**0.5,
    }
    frame = pl.DataFrame({"y": truth, **{name: truth + e for name, e in errors.items()}})
    models = {name: {"estimate": name} for name in errors}
    spec = {"task": "regression", "truth": "y", "models": models, "comparisons": comparisons}
    return evaluate({**spec, **QUICK}, frame)


def test_a_model_does_not_lead_where_no_test_compares_it_with_the_next_one():
    decision = of_heavy_tails(primary="mean_squared_error").decision

    assert decision.relation == "mixed"
    best, rest = decision.headline.split("; ")
    assert best.startswith("heavy has the lowest MSE, ")
    assert best.endswith(", and is significantly ahead of far")
    assert rest == "normal is not compared with heavy"


def test_a_measure_in_which_the_best_two_are_compared_comes_first():
    results = of_heavy_tails()

    assert results.decision.measure == "mean_absolute_error"
    assert results.decision.headline.startswith("heavy leads with MAE ")
    assert not without_chinese(
        results, [of_heavy_tails(primary="mean_squared_error").decision.headline]
    )


def test_what_absolute_errors_say_of_a_model_whose_squared_errors_are_not_compared():
    random = np.random.default_rng(1)
    y = 5 * random.normal(size=500)
    errors = {"a": random.normal(size=500), "b": 1.02 * random.normal(size=500)}
    errors["c"] = 1.3 * random.standard_t(2.5, 500)
    frame = pl.DataFrame({"y": y, **{name: y + error for name, error in errors.items()}})
    models = {name: {"estimate": name} for name in errors}
    results = evaluate({"truth": "y", "models": models, **QUICK}, frame)
    [why], [text] = texts(results, "not_compared"), texts(results, "ahead_elsewhere")

    assert results.decision.measure == "mean_squared_error"
    assert why.startswith("c is not compared with a: a few errors outweigh all others")
    assert text.startswith("a is significantly ahead of c in MAE: 0.")
    assert not without_chinese(results, [text])
