"""Codes of missing values among scores, estimates and true values."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.sections.key_numbers import without_probabilities
from tests.page_text import without_chinese
from tests.quick import QUICK


def scored(code=-999.0, rows=12):
    """Scores of two models, of which the second lacks some."""
    random = np.random.default_rng(4)
    signal = random.normal(size=200)
    truth = (signal + random.normal(size=200) > 0).astype(int)
    given = signal + 0.3 * random.normal(size=200)
    given[:rows] = code
    return pl.DataFrame({"y": truth, "a": signal, "b": given})


def results(frame, output="score", **more):
    models = {name: {output: name} for name in "ab"}
    spec = {"truth": "y", "models": models, **QUICK} | more
    return evaluate(spec, frame)


def stated(of):
    return [(c.severity, c.text) for c in of.decision.caveats if c.code == "missing_codes"]


def test_a_code_among_scores_is_named_and_leaves_the_state_open():
    of = results(scored())

    [(severity, text)] = stated(of)
    assert severity == "severe"
    assert text.startswith("In 12 rows the score of b is −999; in all others it is between −3")
    assert of.decision.state == "inconclusive"
    assert of.decision.headline.endswith("; 12 scores of b may be codes of missing values (−999)")
    assert not without_chinese(of, [of.decision.headline])
    assert [one["model"] for one in of.data["isolated_values"]] == ["b"]
    assert not without_chinese(of, [text])


@pytest.mark.parametrize(("code", "severity"), [(9999.0, "severe"), (-25.0, "moderate")])
def test_a_lump_far_from_all_others_is_no_usual_code(code, severity):
    of = results(scored(code))
    assert [one for one, _ in stated(of)] == [severity]
    assert ("codes of missing values" in of.decision.headline) == (severity == "severe")


def test_codes_among_true_values_and_estimates_are_named():
    random = np.random.default_rng(5)
    truth = random.normal(size=200) + 10
    frame = pl.DataFrame({"y": truth, "a": truth + 0.5, "b": truth - 0.3 * random.normal(size=200)})
    frame = frame.with_columns(
        y=pl.when(pl.int_range(200) < 5).then(-99.0).otherwise("y"),
        b=pl.when(pl.int_range(200) > 190).then(99999.0).otherwise("b"),
    )
    of = results(frame, "estimate")

    assert of.decision.headline.endswith("; 5 true values may be codes of missing values (−99)")
    assert not without_chinese(of, [of.decision.headline])
    texts = [text for _, text in stated(of)]
    assert texts[0].startswith("In 5 rows the true value is −99; in")
    assert texts[1].startswith("In 9 rows the estimate of b is 99,999; in")
    assert not without_chinese(of, texts)


def test_neither_steps_nor_few_rows_nor_withheld_counts_show_a_code():
    hard = scored(0.0).with_columns(b=pl.col("y").cast(pl.Float64))

    assert not stated(results(hard, threshold=0.5))
    assert not stated(results(scored(rows=2)))
    assert not stated(results(scored(-4.0)))
    assert "isolated_values" not in results(scored(), privacy={"small_cells": 5}).data


def test_a_code_among_the_scores_of_classes_is_named_and_no_softmax_advised():
    random = np.random.default_rng(6)
    shares = random.dirichlet((1.0, 1.0, 1.0), 300)
    truth = [("cat", "dog", "hen")[k] for k in shares.argmax(axis=1)]
    shares[:15, 1:] = -1.0
    columns = {name: shares[:, k] for k, name in enumerate(("cat", "dog", "hen"))}
    models = {"m": {"scores": {name: name for name in columns}}}
    of = evaluate({"truth": "y", "models": models, **QUICK}, pl.DataFrame({"y": truth, **columns}))

    [(severity, text)] = stated(of)
    assert severity == "severe"
    assert text.startswith("In 15 rows the score of m is −1; in all others it is between 0.")
    [left_out] = without_probabilities(of)
    assert "Probability measures of m are left out" in left_out


def test_a_rare_class_that_is_certain_in_a_few_rows_is_no_code():
    random = np.random.default_rng(6)
    rare = np.where(np.arange(300) < 5, 1.0, 0.01 * random.random(300))
    columns = {"cat": (1 - rare) * 0.7, "dog": (1 - rare) * 0.3, "hen": rare}
    truth = np.where(rare == 1, "hen", np.where(random.random(300) < 0.7, "cat", "dog"))
    models = {"m": {"scores": {name: name for name in columns}}}
    frame = pl.DataFrame({"y": truth, **columns})

    assert not stated(evaluate({"truth": "y", "models": models, **QUICK}, frame))


def test_sure_scores_of_positives_are_no_codes():
    random = np.random.default_rng(5)
    truth = np.arange(200) < 60
    scores = np.where(truth, 1 - 1e-6, random.uniform(1e-6, 0.02, 200))
    frame = pl.DataFrame({"y": truth.astype(int), "a": scores, "b": random.random(200)})

    assert not stated(results(frame))
    assert stated(results(frame.with_columns(a=pl.when(pl.col("y") == 1).then(9.0).otherwise("a"))))
