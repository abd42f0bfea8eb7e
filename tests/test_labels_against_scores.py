"""A label that contradicts the score of its model is noticed, in `check` and on page one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.cli import main
from reportgen.results import Results, evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK

SPEC = {"truth": "y", "models": {"m": {"score": "p", "label": "label"}, "k": {"score": "q"}}}


def frame(*, flipped: bool) -> pl.DataFrame:
    random = np.random.default_rng(1)
    odds = random.normal(0, 1.5, 500)
    p, q = (1 / (1 + np.exp(-odds - noise)) for noise in random.normal(0, (0.1, 1.0), (500, 2)).T)
    truth = random.random(500) < 1 / (1 + np.exp(-odds))
    label = (p < 0.5) if flipped else (p > 0.7)
    return pl.DataFrame({"y": truth, "p": p, "label": label, "q": q}).cast({pl.Boolean: pl.Int64})


def texts(results: Results, code: str) -> list[str]:
    into = translator("zh", names_of(results.to_dict()))
    for caveat in results.decision.caveats:
        into.text(caveat.text)
    assert not into.missing
    return [one.text for one in results.decision.caveats if one.code == code]


def test_flipped_labels_are_a_severe_caveat():
    results = evaluate({**SPEC, **QUICK}, frame(flipped=True))
    (text,) = texts(results, "labels_against_scores")

    assert text.startswith(
        "The labels of m run against its scores and are worse than chance, MCC −"
    )
    assert text.endswith(": check the label column.")
    assert results.decision.state == "inconclusive"


def test_labels_of_another_threshold_are_no_contradiction():
    assert not texts(evaluate({**SPEC, **QUICK}, frame(flipped=False)), "labels_against_scores")


def test_what_labels_say_is_not_said_of_thresholds():
    """One model has a threshold, the other labels."""
    results = evaluate({**SPEC, **QUICK}, frame(flipped=True))
    (text,) = texts(results, "against_leader")

    assert text.startswith("k is significantly ahead of m in accuracy")


@pytest.mark.parametrize("flipped", [True, False])
def test_check_warns_of_flipped_labels(capsys, tmp_path, flipped):
    frame(flipped=flipped).write_csv(tmp_path / "data.csv")
    (tmp_path / "report.yaml").write_text(
        "data: data.csv\ntruth: y\nmodels: {m: {score: p, label: label}}\n"
    )
    with pytest.raises(SystemExit) as left:
        main(["check", str(tmp_path / "report.yaml")])

    assert left.value.code in (None, 0)
    assert ("m: the labels run against the scores" in capsys.readouterr().err) is flipped


def test_the_headline_names_labels_that_run_against_the_scores():
    results = evaluate({**SPEC, **QUICK}, frame(flipped=True))
    into = translator("zh", names_of(results.to_dict()))
    into.text(results.decision.headline, "p")

    assert results.decision.headline.endswith("; the labels of m run against the scores")
    assert not into.missing
