"""Calibration of each class against the rest: numbers by hand, and where they stand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.charts import figures
from reportgen.sections.calibration import CalibrationSection
from tests import charts_tasks as tasks


def by_hand(score: np.ndarray, truth: np.ndarray) -> float:
    """The expected calibration error of ten even bins, without anything of this package."""
    place = np.minimum((score * 10).astype(int), 9)
    return sum(
        abs(score[place == k].mean() - truth[place == k].mean()) * (place == k).mean()
        for k in np.unique(place)
    )


def test_each_class_has_the_error_of_its_own_score_and_macro_is_their_mean():
    names = [f"kind {k}" for k in range(4)]
    draw = np.random.default_rng(7)
    truth = np.tile(np.arange(4), 40)
    height = np.eye(4)[truth] + draw.normal(size=(len(truth), 4))
    share = np.exp(height) / np.exp(height).sum(axis=1, keepdims=True)
    frame = pl.DataFrame(
        {"truth": [names[k] for k in truth], **{f"p{k}": share[:, k] for k in range(4)}}
    )
    scores = {name: f"p{k}" for k, name in enumerate(names)}
    results = tasks.evaluated(frame, {"m": {"scores": scores}})

    errors = results.metrics.filter(metric="expected_calibration_error")
    expected = [by_hand(share[:, k], truth == k) for k in range(4)]
    by_class = dict(errors.drop_nulls("class").select("class", "value").iter_rows())
    assert [by_class[name] for name in names] == pytest.approx(expected)
    assert errors.filter(average="macro")["value"].item() == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("make", [tasks.classes, tasks.labelled])
def test_a_calibration_curve_of_each_class_holds_all_rows(make):
    results = make()
    curve = results.curves["calibration"].drop_nulls("class")
    sums = curve.group_by("model", "class").agg(pl.col("count").sum())

    assert sums.height == 2 * len(results.data["classes"])
    assert set(sums["count"]) == {results.data["rows"]}


def test_labels_alone_have_no_calibration_and_say_why():
    frame = pl.DataFrame({"truth": ["a", "b", "c"] * 4, "said": ["a", "b", "b"] * 4})
    results = tasks.evaluated(frame, {"m": {"label": "said"}})
    rows = results.metrics.filter(metric="expected_calibration_error", average="macro")

    assert "calibration" not in results.curves
    assert rows["value"].to_list() == [None]
    assert "labels" in rows["undefined"].item()


def test_scores_of_labels_are_probabilities_where_all_are_shares():
    shares = tasks.labelled()
    draw = np.random.default_rng(3)
    frame = {"t0": draw.random(60) < 0.4, "t1": draw.random(60) < 0.5}
    frame |= {"s0": draw.random(60), "s1": draw.normal(size=60)}
    models = {"m": {"scores": {"a": "s0", "b": "s1"}}}
    others = tasks.evaluated(pl.DataFrame(frame), models, truth={"a": "t0", "b": "t1"})

    assert {model["probability"] for model in shares.data["models"]} == {True}
    assert [model["probability"] for model in others.data["models"]] == [False]
    section = CalibrationSection.from_results(shares, figures(shares))
    assert section is not None
    assert section.left_out == ()
    assert section.figures == ("class_calibration",)
