"""Deviances that a few rare errors may decide, as they decide a mean squared error."""

import numpy as np
import pytest

from tests.page_text import without_chinese
from tests.simulations.deviances import report


@pytest.mark.parametrize("kind", ["poisson", "gamma"])
@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (150, "150 rows cannot rule out rare large errors that dominate this measure. "),
        (600, "a few errors outweigh all others (kurtosis of the differences by row "),
    ],
)
def test_no_test_of_a_deviance_is_recommended_that_rare_errors_may_decide(kind, rows, reason):
    results = report(np.random.default_rng(2), kind, rows, rare=True)
    [test] = results.comparisons.filter(comparison="paired_permutation").to_dicts()

    assert test["recommendation"] == "valid"
    assert test["why"].startswith(reason)
    assert results.decision.relation == "no conclusion"
    assert not without_chinese(results, [test["why"]])


@pytest.mark.parametrize(("rows", "says"), [(600, True), (1500, False)])
def test_of_many_rows_with_errors_of_one_kind_it_is_and_says_what_they_may_lack(rows, says):
    results = report(np.random.default_rng(2), "poisson", rows, rare=False)
    [test] = results.comparisons.filter(comparison="paired_permutation").to_dicts()

    assert test["recommendation"] == "recommended"
    assert any("may lack rare, far larger errors" in text for text in test["caveats"]) == says
    assert not without_chinese(results, test["caveats"])
