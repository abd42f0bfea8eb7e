"""Which label ``init`` takes as positive, and where it says that this is a guess."""

from __future__ import annotations

import pytest

from tests.layouts import SCORE, TRUTH, named
from tests.test_spec_init_guesses import FLAGS, start


def test_a_positive_that_stands_by_convention_is_no_matter_of_its_name(tmp_path):
    assert (
        "positive: 1  # conventional; " in start(tmp_path, {"y": TRUTH.astype(int), "p": SCORE})[1]
    )


def test_a_score_against_the_positive_label_is_said(tmp_path):
    _, text, guesses = start(tmp_path, {"default": FLAGS, "score": (600 - 200 * SCORE).round(2)})

    assert "But 'score' is higher for '0'" in text
    assert "but 'score' is higher for '0'" in guesses[0]


@pytest.mark.parametrize(
    ("columns", "positive", "reason"),
    [
        ({"Class 1": 1 - SCORE, "Class 2": SCORE}, 1, "the first class, as in caret and yardstick"),
        ({"score": SCORE}, 2, "'score' is higher for it"),
        ({"score": 1 - SCORE}, 1, "'score' is higher for it"),
    ],
)
def test_classes_1_and_2_do_not_say_which_is_positive(tmp_path, columns, positive, reason):
    table = {"obs": named("2", "1"), **columns}
    spec, text, (guess,) = start(tmp_path, table)

    assert spec["positive"] == positive
    assert f"positive: {positive}  # a guess: {reason}" in text
    assert f"'{positive}'; it may be '{3 - positive}'" in guess


@pytest.mark.parametrize(
    ("labels", "written"), [(("1", "-1"), "1"), (("yes", "no"), '"yes"'), (("1", "0"), "1")]
)
def test_labels_that_say_which_is_positive_are_no_guess(tmp_path, labels, written):
    _, text, guesses = start(tmp_path, {"obs": named(*labels), "score": SCORE})

    assert f"\npositive: {written} " in text
    assert guesses == []
