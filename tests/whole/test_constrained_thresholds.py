"""What page one says of thresholds that were chosen under a limit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.records.model import Results
from tests.quick import QUICK

CHOICE = {"maximise": "precision", "subject to": {"recall": ">= 0.8"}}


def evaluated(*, shift: float = 0.0, columns: dict[str, str] | None = None) -> Results:
    """Two models with thresholds of 600 validation rows; positives score ``shift`` less in 900."""
    random = np.random.default_rng(3)
    truth = np.arange(1500) % 3 == 0
    test = np.arange(1500) >= 600
    score = {
        name: d * truth - shift * (truth & test) + random.normal(size=1500)
        for name, d in (("sharp", 2.5), ("blunt", 1.5))
    }
    role = np.where(test, "test", "validation")
    frame = pl.DataFrame({"y": truth.astype(int), "role": role, **score})
    spec = {
        "truth": "y",
        "models": {name: {"score": name} for name in score},
        "threshold": CHOICE,
        "columns": {"role": "role"} if columns is None else columns,
    }
    return evaluate(spec, frame)


def caveat(results: Results) -> str:
    (text,) = [c.text for c in results.decision.caveats if c.code == "constrained_threshold"]
    return text


def test_page_one_says_where_the_threshold_is_whether_the_limit_holds_and_who_is_more_precise():
    results = evaluated(shift=-0.15)
    text = caveat(results)
    model = next(m for m in results.data["models"] if m["name"] == "sharp")
    metrics = results.metrics.filter(pl.col("slice").is_null(), model="sharp", metric="recall")
    low, high = metrics.select("low", "high").row(0)

    assert model["threshold_choice"]["limits"] == ({"metric": "recall", "op": ">=", "limit": 0.8},)
    assert f"The threshold of sharp is {model['threshold']:.3g}" in text.replace("−", "-")
    assert "it maximises precision with recall >= 0.8 on the validation rows" in text
    assert low < 0.8 < high
    assert "whether the limit >= 0.8 holds is open" in text
    assert "sharp has a higher precision there than blunt" in text
    assert ": a difference of +" in text


@pytest.mark.parametrize(("shift", "state"), [(-1.0, "holds"), (1.0, "is missed")])
def test_a_limit_holds_or_is_missed_by_the_whole_interval(shift, state):
    text = caveat(evaluated(shift=shift))

    assert text.count(f"the limit >= 0.8 {state}.") == 2
    assert ("has a higher precision there" in text) == (state == "holds")


def test_rows_that_chose_the_threshold_do_not_show_that_its_limit_holds():
    text = caveat(evaluated(columns={}))

    assert "on the evaluation data" in text
    assert "the limit >= 0.8 holds." not in text


def test_a_difference_at_thresholds_of_validation_rows_is_said_to_be_theirs():
    """Models that rank alike; few validation rows put one threshold far below the other."""
    random = np.random.default_rng(4)
    truth = random.random(600) < 0.3
    a, b = (truth + random.normal(size=600) for _ in range(2))
    b = np.where(np.arange(600) < 100, b - 1.0, b)  # b's validation rows score lower
    frame = pl.DataFrame(
        {"y": truth, "a": a, "b": b, "part": ["validation"] * 100 + ["test"] * 500}
    )
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"role": "part"}, **QUICK}
    chosen, stated = (
        [one.text for one in evaluate({**spec, "threshold": at}, frame).decision.caveats]
        for at in ({"maximise": "f1"}, 0.5)
    )

    start = "Differences at the thresholds, such as that in accuracy, hold for the thresholds that"
    assert any(text.startswith(f"{start} 100 ") for text in chosen)
    assert not any("that 100" in text for text in stated)
