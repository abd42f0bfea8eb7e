"""What ``init`` takes from values alone, where names of columns and labels say little."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.errors import DataError
from tests.test_spec_init_guesses import start

ROWS = 400
_RNG = np.random.default_rng(3)
HAPPENED = np.arange(ROWS) % 3 == 0


def labelled(positive: str, negative: str) -> list[str]:
    return [positive if t else negative for t in HAPPENED]


def similar(distance: float = 1.5):
    """Numbers on both sides of 0 that are higher where it happened."""
    return (distance * HAPPENED + _RNG.normal(0, 1, ROWS)).round(3)


def used_scores(spec) -> list[str]:
    return [model["score"] for model in spec["models"].values()]


@pytest.mark.parametrize(
    ("positive", "negative"),
    [("target", "nontarget"), ("case", "control"), ("responder", "non-responder")],
)
def test_numbers_of_any_scale_are_scores_of_two_labels(tmp_path, positive, negative):
    """Though they follow one another, as a truth and its estimates do."""
    base = similar()
    table = {
        "key": labelled(positive, negative),
        "first_cosine": base,
        "second_cosine": (base + _RNG.normal(0, 0.5, ROWS)).round(3),
        "amount": _RNG.gamma(2, 30, ROWS).round(2),
    }
    for options in ({}, {"truth": "key"}):
        spec, _, guesses = start(tmp_path, table, **options)

        assert (spec["truth"], spec["positive"]) == ("key", positive)
        assert used_scores(spec) == ["first_cosine", "second_cosine"]
        assert any("by their values alone" in guess for guess in guesses)


def test_a_percentage_is_a_score_by_its_values(tmp_path):
    percent = np.clip(10 * (3 + 2 * similar()).round(), 0, 100).astype(int)
    percent[0], percent[1] = 0, 100
    spec, text, _ = start(tmp_path, {"rain": labelled("yes", "no"), "pop_nws": percent})

    assert used_scores(spec) == ["pop_nws"]
    assert "threshold: 50" in text


def test_estimates_with_names_of_models_go_before_a_flag_that_they_separate(tmp_path):
    sales = 50 + 10 * similar()
    table = {"promoted": labelled("yes", "no"), "sales": sales, "lstm": sales + similar(0)}
    assert start(tmp_path, table)[0]["truth"] == "sales"


def test_numbers_that_run_the_other_way_or_by_chance_are_no_scores(tmp_path):
    table = {
        "status": labelled("case", "control"),
        "crp": similar(),
        "albumin": -similar(),
        "noise": _RNG.normal(0, 1, ROWS),
        "month": (HAPPENED * 3 + np.arange(ROWS) % 9 + 1).astype(int),
    }
    assert used_scores(start(tmp_path, table)[0]) == ["crp"]

    with pytest.raises(DataError, match="no score or label column"):
        start(tmp_path, {name: table[name] for name in ("status", "noise")})
    with pytest.raises(DataError, match="no score or label column"):  # as groups of a customer
        start(tmp_path, {"sex": labelled("m", "f"), "a": table["crp"], "b": similar()})
