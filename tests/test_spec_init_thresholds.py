"""The threshold that ``init`` writes for scores that are no probabilities."""

from __future__ import annotations

from tests.layouts import SCORE, TRUTH
from tests.test_spec_init_guesses import start


def test_a_threshold_on_an_unknown_scale_is_told_as_a_guess(tmp_path):
    margins = [8 * score - 4 for score in SCORE]
    spec, _, guesses = start(tmp_path, {"truth": TRUTH.astype(int), "margin": margins})

    assert spec["threshold"] == 0
    assert guesses == [
        "the threshold is a guess: 0, as for log-odds and margins: state it under threshold:"
    ]
    assert not start(tmp_path, {"truth": TRUTH.astype(int), "p": SCORE})[2]
