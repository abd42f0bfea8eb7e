"""Two models whose AUCs are alike: page one says whose probabilities are better."""

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


ASKED = {"comparisons": {"measures": ["brier_score"]}, "bootstrap": {"replicates": 1000}}


def caveat(results):
    """What page one says of a Brier score that no test compares; null where it says nothing."""
    of = [c.text for c in results.decision.caveats if c.code == "untested_probabilities"]
    return of[0] if of else None


@pytest.mark.parametrize("noise", [0.0, 0.15], ids=["same ranking", "level"])
def test_a_recommended_test_in_the_comparisons_names_the_better_probabilities(noise):
    results = two(noise, **ASKED)
    (test,) = results.comparisons.filter(
        metric="brier_score", recommendation="recommended"
    ).to_dicts()
    low, high = sorted(abs(test[f"simultaneous_{end}"]) for end in ("low", "high"))

    assert results.decision.relation == ("level" if noise else "no conclusion")
    size = f"(Brier score {abs(test['estimate']):.3f} lower, {low:.3f} to {high:.3f})"
    assert results.decision.headline.endswith(f"; a has the better probabilities {size}")
    assert caveat(results) is None
    assert not without_chinese(results, [results.decision.headline])


@pytest.mark.parametrize("noise", [0.0, 0.15], ids=["same ranking", "level"])
def test_without_a_test_the_headline_is_silent_and_a_caveat_has_the_difference(noise):
    results = two(noise)
    row = results.differences.filter(metric="brier_score").row(0, named=True)
    sign = 1 if row["models"] == ["a", "b"] else -1
    low, high = sorted(sign * row[end] for end in ("low", "high"))
    text = caveat(results)

    assert "probabilities" not in results.decision.headline
    shown = [f"{value:.3f}".replace("-", "−") for value in (sign * row["value"], low, high)]
    limits = f"(95\N{NO-BREAK SPACE}% CI {shown[1]} to {shown[2]}), which is not tested here."
    assert text.startswith(f"In Brier score a − b is {shown[0]} {limits}")
    assert not without_chinese(results, [text])


@pytest.mark.parametrize(
    ("noise", "more"),
    [
        pytest.param(0.15, {"slope": 1.0}, id="probabilities are alike"),
        pytest.param(4.0, {}, id="one ranks better"),
        pytest.param(0.15, {"columns": {"fold": "fold"}}, id="fits are pooled"),
    ],
)
def test_page_one_does_not_name_them(noise, more):
    results = two(noise, **more)
    assert "probabilities" not in results.decision.headline
    assert caveat(results) is None


def test_its_limits_are_at_the_level_of_the_tests_beside_them():
    """At α 0.01 those of 95 % are too narrow: z is 2.576 in place of 1.960."""
    usual, strict, none = (
        caveat(two(0.15, **more))
        for more in ({}, {"comparisons": {"alpha": 0.01}}, {"comparisons": {"alpha": 1e-12}})
    )
    row = two(0.15).differences.filter(metric="brier_score").row(0, named=True)
    wider = ndtri(0.995) / ndtri(0.975)
    near, far = sorted(abs(row["value"] + wider * (row[e] - row["value"])) for e in ("low", "high"))

    assert f"(99\N{NO-BREAK SPACE}% CI −{far:.3f} to −{near:.3f})" in strict
    assert usual != strict
    assert none is None
