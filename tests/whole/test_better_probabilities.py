"""Two models whose AUCs are alike: the headline says whose probabilities are better."""

import numpy as np
import polars as pl
import pytest
from scipy.special import expit, ndtri

import reportgen
from tests.page_text import without_chinese
from tests.quick import QUICK


def two(noise, slope=2.5, **more):
    """Calibrated scores, and the same log odds times a slope."""
    random = np.random.default_rng(3)
    odds = random.normal(-0.5, 1.3, 800)
    truth = random.random(800) < expit(odds)
    other = expit(slope * odds + noise * random.normal(size=800))
    frame = pl.DataFrame({"y": truth, "a": expit(odds), "b": other, "fold": np.arange(800) % 5})
    models = {name: {"score": name} for name in "ab"}
    return reportgen.evaluate({"truth": "y", "models": models, **QUICK, **more}, frame)


@pytest.mark.parametrize("noise", [0.0, 0.15], ids=["same ranking", "level"])
def test_the_headline_names_the_better_probabilities_of_models_that_rank_alike(noise):
    results = two(noise)
    row = results.differences.filter(metric="brier_score").row(0, named=True)
    low, high = sorted(abs(row[end]) for end in ("low", "high"))

    assert results.decision.relation == ("level" if noise else "no conclusion")
    size = f"(Brier score {abs(row['value']):.3f} lower, {low:.3f} to {high:.3f})"
    assert results.decision.headline.endswith(f"; a has the better probabilities {size}")
    assert not without_chinese(results, [results.decision.headline])


@pytest.mark.parametrize(
    ("noise", "more"),
    [
        pytest.param(0.15, {"slope": 1.0}, id="probabilities are alike"),
        pytest.param(4.0, {}, id="one ranks better"),
        pytest.param(0.15, {"columns": {"fold": "fold"}}, id="fits are pooled"),
    ],
)
def test_the_headline_does_not_name_them(noise, more):
    assert "probabilities" not in two(noise, **more).decision.headline


def test_its_limits_are_at_the_level_of_the_tests_beside_them():
    """At α 0.01 those of 95 % are too narrow: z is 2.576 in place of 1.960."""
    headlines = [
        two(0.15, **more).decision.headline
        for more in ({}, {"comparisons": {"alpha": 0.01}}, {"comparisons": {"alpha": 1e-12}})
    ]
    row = two(0.15).differences.filter(metric="brier_score").row(0, named=True)
    wider = ndtri(0.995) / ndtri(0.975)
    near, far = sorted(abs(row["value"] + wider * (row[e] - row["value"])) for e in ("low", "high"))

    assert headlines[1].endswith(f"lower, {near:.3f} to {far:.3f})")
    assert headlines[0] != headlines[1]
    assert "probabilities" not in headlines[2]
