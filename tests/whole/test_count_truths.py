"""Numbers to predict that look like counts."""

import numpy as np
import polars as pl

from reportgen import evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK


def inflated():
    """Counts of which six tenths are 0 by nature, their mean, and a constant."""
    random = np.random.default_rng(1)
    mean = np.exp(0.5 + 0.8 * random.normal(size=600))
    counts = np.where(random.random(600) < 0.6, 0, random.poisson(mean)).astype(float)
    frame = pl.DataFrame({"y": counts, "glm": 0.4 * mean, "flat": np.full(600, counts.mean())})
    models = {name: {"estimate": name} for name in ("glm", "flat")}
    spec = {"truth": "y", "models": models, **QUICK}
    return lambda **more: evaluate({**spec, **more}, frame), frame


def stated(results):
    return [c.text for c in results.decision.caveats if c.code == "counts"]


def test_counts_that_squared_errors_leave_open_have_a_loss_named_that_suits_them():
    report, _ = inflated()
    results = report()

    assert results.decision.relation == "no conclusion"
    [text] = stated(results)
    assert "comparisons.primary: poisson_deviance" in text
    assert not without_chinese(results, [text])


def test_nothing_is_advised_where_the_spec_says_what_decides():
    report, _ = inflated()

    assert not stated(report(comparisons={"primary": "mae"}))


def test_ratings_and_models_without_a_deviance_are_not_advised():
    _, frame = inflated()
    models = {name: {"estimate": name} for name in ("glm", "flat")}
    spec = {"truth": "y", "models": models, **QUICK}
    ratings = frame.with_columns(y=pl.col("y").clip(0, 1) + 3)
    below = frame.with_columns(flat=pl.lit(-0.1))

    assert not stated(evaluate(spec, ratings))
    assert not stated(evaluate(spec, below))


def test_a_model_without_a_deviance_is_not_ranked_for_the_reason_of_its_measure():
    random = np.random.default_rng(3)
    means = np.exp(0.2 + 0.5 * random.normal(size=200))
    frame = pl.DataFrame({"y": random.poisson(means), "a": means, "b": np.floor(means)})
    primary = {"comparisons": {"primary": "poisson_deviance"}}
    spec = {"truth": "y", "models": {m: {"estimate": m} for m in "ab"}, **QUICK, **primary}
    of = evaluate(spec, frame)

    [text] = [c.text for c in of.decision.caveats if c.code == "not_ranked"]
    assert text == (
        "b has no Poisson deviance and is not ranked: a truth is negative, or an estimate not "
        "above zero."
    )
    assert not without_chinese(of, [text])
