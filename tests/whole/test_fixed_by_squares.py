"""RMSE and R² order models as the MSE does, whose test is the recommended one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK


@pytest.mark.parametrize("primary", ["root_mean_squared_error", "r2"])
def test_the_test_of_mean_squares_answers_for_what_it_fixes(primary):
    random = np.random.default_rng(1)
    truth = 10 + 3 * random.normal(size=800)
    errors = {"a": random.normal(size=800), "b": 1.3 * random.normal(size=800)}
    frame = pl.DataFrame({"y": truth, **{name: truth + e for name, e in errors.items()}})
    models = {name: {"estimate": name} for name in "ab"}
    asked = {"comparisons": {"primary": primary}}
    results = evaluate({"truth": "y", "models": models, **QUICK, **asked}, frame)

    assert results.decision.relation == "ahead"
    assert results.decision.headline.startswith("a beats b: MSE ")
    [text] = [one.text for one in results.decision.caveats if one.code == "measure"]
    assert text.startswith("MSE decides: it orders the models as R")
    assert not without_chinese(results, [text])
