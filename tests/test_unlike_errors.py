"""Of labels, accuracy counts both kinds of error alike: page one says so where that matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import reportgen
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def said(hits: float, alarms: float, **more: Any) -> list[str]:
    """What is said beside rules that find half of the positives with one false alarm in 100."""
    random, truth = np.random.default_rng(1), np.arange(1_200) < 200
    strict, wide = (
        random.random(1_200) < np.where(truth, found, false)
        for found, false in ((0.5, 0.01), (hits, alarms))
    )
    frame = pl.DataFrame({"y": truth, "strict": strict, "wide": wide})
    models = {name: {"label": name} for name in ("strict", "wide")}
    results = reportgen.evaluate({"truth": "y", "models": models, **QUICK, **more}, frame)
    texts = [c.text for c in results.decision.caveats if c.code == "unlike_errors"]
    into = translator("zh", names_of(results.to_dict()))
    for text in texts:
        into.text(text, "li")
    assert not into.missing
    return texts


def test_a_rule_that_finds_more_positives_is_named_where_another_is_more_accurate():
    [text] = said(0.95, 0.25)

    assert text.startswith(
        "Accuracy decides, for which a missed positive and a false alarm count alike: wide has a "
        "recall of 0.9"
    )
    assert text.endswith("Declare costs, which then decide, if one is worse than the other.")


def test_a_rule_with_fewer_false_alarms_is_named_where_another_finds_more():
    [text] = said(0.95, 0.04)

    assert "strict has a specificity of 0.9" in text


def test_nothing_is_said_of_rules_that_err_alike_or_where_costs_decide():
    assert said(0.52, 0.012) == []
    assert said(0.95, 0.25, costs={"false_negative": 5, "false_positive": 1}) == []
