"""A model that guesses is named whatever measure decides, and whatever others can do."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate

QUIET = {"bootstrap": {"replicates": 100}}


def texts(results, code):
    return [c.text for c in results.decision.caveats if c.code == code]


@pytest.mark.parametrize("measure", ["mcc", "cohen_kappa"])
def test_beside_a_model_that_sees_something(measure):
    random = np.random.default_rng(0)
    truth = random.random(600) < 0.3

    def says(share):
        """The truth in a share of the rows, and a coin that falls as often else."""
        return np.where(random.random(600) < share, truth, random.random(600) < 0.3)

    frame = pl.DataFrame({"y": truth, "good": says(0.6), "noise": says(0.0)}).cast(pl.Int8)
    models = {name: {"label": name} for name in ("good", "noise")}
    spec = {"truth": "y", "positive": "1", "models": models, "comparisons": {"primary": measure}}

    results = evaluate({**spec, **QUIET}, frame)

    assert [row.model for row in results.decision.at_chance] == ["noise"]
    assert results.decision.leader == "good"


@pytest.mark.parametrize(("wrong", "named"), [((0.15, 0.2), "a and b"), ((0.02, 0.2), "b")])
def test_beside_the_more_frequent_value_of_every_label(wrong, named):
    random = np.random.default_rng(1)
    truth = random.random((800, 6)) < 0.08
    table = {f"y{k}": truth[:, k] for k in range(6)}
    for model, share in zip("ab", wrong, strict=True):
        given = truth ^ (random.random(truth.shape) < share)
        table |= {f"{model}{k}": given[:, k] for k in range(6)}
    models = {m: {"labels": {f"l{k}": f"{m}{k}" for k in range(6)}} for m in "ab"}
    spec = {"task": "multilabel", "truth": {f"l{k}": f"y{k}" for k in range(6)}, "models": models}
    asked = {"comparisons": {"primary": "hamming_loss"}}

    of_hamming = evaluate({**spec, **asked, **QUIET}, pl.DataFrame(table))
    of_rows = evaluate({**spec, **QUIET}, pl.DataFrame(table))

    guess = np.minimum(truth.mean(axis=0), 1 - truth.mean(axis=0)).mean()
    text = (
        "Always predicting the more frequent value of each label has a Hamming loss of "
        f"{guess:.3f}: that of {named} is no lower."
    )
    assert text in texts(of_hamming, "below_no_labels")
    assert text not in texts(of_rows, "below_no_labels")
