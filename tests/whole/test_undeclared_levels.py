"""Prediction intervals without a level, and exposures: what the page and ``init`` say of them."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.initial_spec import init_spec
from tests.page_text import page_text
from tests.quick import QUICK


def rows(number=120):
    random = np.random.default_rng(2)
    centre = random.normal(size=number)
    return pl.DataFrame(
        {
            "y": centre + random.normal(size=number),
            "pred_a": centre,
            "a_lower": centre - 1.5,
            "a_upper": centre + 1.5,
            "exposure": random.random(number),
        }
    )


@pytest.mark.parametrize(
    ("more", "confidence", "words"),
    [
        ({}, 0.9, "the spec declares no nominal level, and the Winkler score takes 90\xa0%"),
        ({"level": 0.8}, 0.9, "80\xa0% is the nominal level"),
    ],
)
def test_the_page_says_which_level_the_winkler_score_takes(more, confidence, words):
    model = {"estimate": "pred_a", "low": "a_lower", "high": "a_upper", **more}
    keys = {"truth": "y", "models": {"a": model}, "confidence": confidence, **QUICK}

    results = evaluate(keys, rows())

    assert f"lie in its prediction intervals; {words}." in page_text(results)
    decided = evaluate({**keys, "comparisons": {"primary": "winkler_score"}}, rows())
    assumed = "Where the spec declares no level, the Winkler score takes 90\xa0%."
    assert (assumed in page_text(decided)) == (not more)
    level = more.get("level", confidence)
    y, low, high = (rows()[name].to_numpy() for name in ("y", "a_lower", "a_upper"))
    outside = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    score = results.metrics.filter(metric="winkler_score", model="a")["value"][0]
    assert score == pytest.approx((high - low + 2 / (1 - level) * outside).mean())


def test_init_offers_the_level_and_the_exposure(tmp_path):
    rows().write_csv(tmp_path / "p.csv")

    text = init_spec(tmp_path / "p.csv")

    assert "add level: 0.9 for 90 % intervals" in text
    assert "# weight: exposure  # if truth and estimates are rates per unit of it" in text.replace(
        "#   ", "# "
    )


def test_init_offers_neither_where_a_name_tells_the_level_and_a_weight_is_there(tmp_path):
    renamed = {"a_lower": "a-lo-80", "a_upper": "a-hi-80", "pred_a": "a", "exposure": "weight"}
    rows().rename(renamed).write_csv(tmp_path / "p.csv")

    text = init_spec(tmp_path / "p.csv")

    assert "level: 0.8" in text
    assert "add level" not in text
    assert "rates per unit" not in text
