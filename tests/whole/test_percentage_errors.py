"""Percentage errors that decide: page one says why there are none, and on which scale they are."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.results import Results
from reportgen.sections.models_by_rank import models_table
from tests.page_text import without_chinese
from tests.quick import QUICK


def of(*truths: float) -> Results:
    random = np.random.default_rng(3)
    truth = np.concatenate([truths, np.exp(random.normal(size=60))])
    frame = pl.DataFrame(
        {"y": truth, "a": truth * 1.1, "b": truth * random.normal(1, 0.5, len(truth))}
    )
    primary = {"primary": "mean_absolute_percentage_error"}
    models = {name: {"estimate": name} for name in "ab"}
    return evaluate({"truth": "y", "models": models, "comparisons": primary, **QUICK}, frame)


def test_a_truth_of_zero_is_named_as_the_reason():
    decision = of(0.0).decision

    assert decision.headline == "No conclusion: MAPE has no value"
    assert decision.sentence == "MAPE is undefined: a true value is zero."
    assert not without_chinese(of(0.0), [decision.headline, decision.sentence])


def test_the_models_table_says_what_its_shares_are_in_percent():
    results = of()
    value = results.decision.models[0].value

    assert round(value, 3) == 0.1
    notes = [note.replace("\xa0", " ") for note in models_table(results).notes]
    assert "MAPE as a share: 0.100 is 10.0 %." in notes


@pytest.mark.parametrize("columns", [{}, {"group": "g"}], ids=["rows", "groups"])
def test_percentage_errors_have_limits_unless_truths_are_near_0(columns):
    """Skewed errors have them as their sizes do: 0.90 to 0.98 of 30 and 100 rows cover."""
    random = np.random.default_rng(1)
    errors = 0.3 * random.lognormal(0, 1, 60)
    truths = {"far": 10 + random.normal(size=60), "near": random.gamma(1.3, 10, 60)}
    truths["near"][:3] = 0.01
    limits = {}
    for name, truth in truths.items():
        frame = pl.DataFrame({"y": truth, "a": truth + errors, "g": np.arange(60) // 2})
        models = {"models": {"a": {"estimate": "a"}}, "columns": columns}
        chosen = {"truth": "y", "measures": ["mean_absolute_percentage_error"], **QUICK}
        rows = evaluate({**models, **chosen}, frame).metrics
        limits[name] = rows.filter(metric="mean_absolute_percentage_error")["high"].to_list()

    assert limits["near"] == [None]
    assert limits["far"][0] < 0.2


def test_an_average_without_a_value_is_named_with_its_reason():
    random = np.random.default_rng(4)
    truth = random.choice(list("ab"), 60)
    frame = pl.DataFrame({"y": truth, "m": random.choice(list("ab"), 60), "n": truth})
    spec = {"truth": "y", "task": "multiclass", "classes": list("abc")}
    models = {name: {"label": name} for name in "mn"}
    chosen = {"models": models, "comparisons": {"primary": "macro_recall"}, **QUICK}
    results = evaluate({**spec, **chosen}, frame)
    decision = results.decision

    assert decision.headline == "No conclusion: macro recall has no value"
    assert decision.sentence == "Macro recall is undefined: a class or label has no value."
    assert not without_chinese(results, [decision.headline, decision.sentence])
