"""What page one says where the test of log losses detects little."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.results import Results
from tests.page_text import without_chinese
from tests.quick import FEW
from tests.simulations.power_of_log_losses import SIGNALS, calibrated, rejected

LITTLE = "The test of log losses allows for sure and wrong predictions"


def report(rows: int, seed: int, primary: str = "log_loss") -> Results:
    random = np.random.default_rng(seed)
    truth = (random.random(rows) < 0.1).astype(float)
    first, second = (calibrated(random, truth, signal, 0.1) for signal in SIGNALS[0])
    frame = pl.DataFrame({"y": truth.astype(int), "a": first, "b": second})
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "y", "positive": 1, "models": models, "comparisons": {"primary": primary}}
    return evaluate({**spec, **FEW}, frame)


def test_log_losses_that_do_not_differ_stand_beside_what_the_test_detects_and_what_others_say():
    results = report(300, 2)
    decision = results.decision

    assert decision.relation == "level"
    assert LITTLE in decision.sentence
    [text] = [one.text for one in decision.caveats if one.code == "ahead_elsewhere"]
    assert text.startswith("a is significantly ahead of b in AUC: +")
    assert not without_chinese(results, [decision.sentence, text])


@pytest.mark.parametrize(("rows", "primary"), [(2_600, "log_loss"), (300, "brier_score")])
def test_nothing_is_said_of_many_rows_or_of_brier_scores(rows, primary):
    assert LITTLE not in report(rows, 2, primary).decision.sentence


def test_of_few_positives_log_losses_are_detected_far_less_often_than_by_a_t_test():
    by_measure = rejected(300, 0.1, SIGNALS[0], 60)

    detected, by_t = by_measure["log_loss"]
    assert detected < 0.15
    assert by_t > 0.25
    assert by_measure["brier_score"][0] > 0.2
