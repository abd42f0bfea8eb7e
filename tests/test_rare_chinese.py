"""Sentences of rare reports in Chinese, with names where reports have them."""

from __future__ import annotations

import pytest

from reportgen.translation import translator
from reportgen.translation.names import names_of

RARE = (
    "Order: distance from the threshold (m0); probability of the wrong class (m1 and m2).",
    "Every block ranks the models identically, so F has no value.",
    "Difference in mean rank of m1 − m0: −1.0 (95 % simultaneous CI −3.0 to below 0, sign-flip "
    "test of mean ranks, p = 0.016, Westfall–Young-adjusted over 6 comparisons).",
    "Median difference (Hodges–Lehmann) of m0 − m1: −4.8 (95 % simultaneous CI −8.5 to below 0, "
    "Wilcoxon's signed-rank test, p = 0.014, Holm-adjusted over 15 comparisons).",
    "m0 is not significantly better than always predicting the mean: R² 0.000",
    "No conclusion on which model is better: the outputs of the models differ in only 2 rows",
    "No conclusion on which model is better: there are only 2 folds, and the corrected resampled "
    "t-test needs at least 3",
    "AUC of m0 and m1 in each of 8 data sets.",
    "1 test row is 1, and no other class is present, so discrimination cannot be evaluated.",
    "The log loss of m0, 1.414, is not below that of always predicting the shares of the classes, "
    "0.637.",
    "Pooled average precision at 30.0 % positive: 0.216 for both models",
    "No value is in bold: 450 of 600 test rows repeat another one.",
)


@pytest.mark.parametrize("text", RARE)
def test_a_rare_sentence_has_its_chinese(text):
    into = translator("zh", ("m0", "m1", "m2"))
    translated = into.text(text)

    assert not into.missing
    assert translated != text


def test_the_fields_of_a_model_are_no_names():
    """As a name "level" would stay English in the column of better models."""
    model = {"estimate": "p", "low": "a", "high": "b", "level": None, "quantile": None}
    names = names_of({"spec": {"models": {"m": model}}})

    assert names == {"m", "p", "a", "b"}
    assert translator("zh", names).text("level") != "level"
