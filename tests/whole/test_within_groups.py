"""AUC within groups: the pairs of one group, its limits, and what page one says of it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

import reportgen
from reportgen.clusters import Groups
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.pairs_within_groups import (
    area_within_groups,
    differences_within_groups,
    pairs_in_order,
)
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def queries(offset: float, rates: float = 0.0, count: int = 80, rows: int = 10) -> pl.DataFrame:
    """Scores with an offset of each query, whose shares of positives may differ with it."""
    random = np.random.default_rng(7)
    group = np.repeat(np.arange(count), rows)
    of_query = random.normal(size=count)[group]
    truth = random.random(count * rows) < 1 / (1 + np.exp(0.5 - rates * of_query))
    score = truth + random.normal(size=count * rows) + offset * of_query
    score = np.round(score, 1)  # ties
    return pl.DataFrame({"group": group, "truth": truth, "s": score})


def pairs(frame: pl.DataFrame, score: str = "s"):
    return pairs_in_order(Groups.of(frame["group"]), frame["truth"].to_numpy(), frame[score])


def said(frame):
    spec = {"truth": "truth", "models": {"m": {"score": "s"}}, "columns": {"group": "group"}}
    results = reportgen.evaluate({**spec, **QUICK}, frame)
    return results, [c.text for c in results.decision.caveats if c.code == "within_groups"]


def test_it_is_the_mean_of_the_areas_of_the_groups_weighted_by_their_pairs():
    frame = queries(1.0)
    areas, weights = [], []
    for _, part in frame.group_by("group"):
        positives = part["truth"].sum()
        if 0 < positives < part.height:
            areas.append(roc_auc_score(part["truth"], part["s"]))
            weights.append(positives * (part.height - positives))
    one = area_within_groups(pairs(frame), MetricSubject("m"))
    assert one["value"] == pytest.approx(np.average(areas, weights=weights), rel=1e-12)
    assert (one["groups"], one["pairs"]) == (len(areas), sum(weights))
    assert pairs(frame.filter(pl.col("group") < 9)) is None


def test_scores_that_say_less_across_groups_are_named():
    results, (text,) = said(queries(2.0))
    (one,) = results.data["groups"]["within"]
    assert text.startswith(
        f"Within groups m ranks better than over all rows: AUC {one['value']:.3f}"
    )
    assert text.endswith("as in search, the value within groups counts.")


def test_scores_that_tell_groups_apart_are_named():
    _, (text,) = said(queries(2.0, rates=2.0))
    assert text.startswith("Within groups m ranks worse than over all rows: ")
    assert text.endswith(
        "Part of its AUC comes from distinguishing groups, not from ranking rows within a group."
    )


def test_scores_without_anything_of_the_groups_are_not():
    assert said(queries(0.0))[1] == []


def test_limits_hold_the_area_within_groups():
    """The true value is Φ(1/√2), but for ties."""
    random = np.random.default_rng(3)
    held = 0
    for _ in range(300):
        group = np.repeat(np.arange(40), 8)
        truth = random.random(320) < 0.3
        score = truth + random.normal(size=320) + 2 * random.normal(size=40)[group]
        frame = pl.DataFrame({"group": group, "truth": truth, "s": score})
        one = area_within_groups(pairs(frame), MetricSubject("m"))
        held += one["low"] <= 0.76025 <= one["high"]
    assert held / 300 >= 0.92


def test_two_models_are_set_against_each_other_within_groups():
    frame = queries(2.0)
    noise = np.random.default_rng(1).normal(size=frame.height)
    frame = frame.with_columns(t=pl.col("s") + 0.3 * pl.Series(noise))
    models = {"m": {"score": "s"}, "other": {"score": "t"}}
    spec = {"truth": "truth", "models": models, "columns": {"group": "group"}, **QUICK}
    results = reportgen.evaluate(spec, frame)
    [text] = [c.text for c in results.decision.caveats if c.code == "within_groups"]
    [one] = results.data["groups"]["differences_within"]
    by_model = {area["model"]: area["value"] for area in results.data["groups"]["within"]}

    assert one["value"] == pytest.approx(by_model["m"] - by_model["other"], rel=1e-12)
    assert text.startswith("Within groups both models rank better than over all rows. The AUC of m")
    difference = f"The difference within groups, m \N{MINUS SIGN} other, is {one['value']:.3f} ("
    assert difference in text
    into = translator("zh", names_of(results.to_dict()))
    into.text(text, "li")
    assert not into.missing


def test_models_that_score_other_rows_have_no_difference_within_groups():
    frame = queries(2.0).with_columns(
        t=pl.when(pl.col("group") > 3).then(pl.col("s")).otherwise(None)
    )
    assert (
        differences_within_groups(
            {MetricSubject("m"): pairs(frame), MetricSubject("other"): pairs(frame, "t")}
        )
        == []
    )


def test_limits_hold_the_difference_within_groups():
    """Two scores that know as much: 0."""
    random = np.random.default_rng(4)
    held = 0
    for _ in range(300):
        group = np.repeat(np.arange(40), 8)
        truth = random.random(320) < 0.3
        shared = truth + 2 * random.normal(size=40)[group] + 0.7 * random.normal(size=320)
        scores = {name: shared + 0.7 * random.normal(size=320) for name in ("s", "t")}
        frame = pl.DataFrame({"group": group, "truth": truth, **scores})
        [one] = differences_within_groups(
            {MetricSubject("m"): pairs(frame), MetricSubject("n"): pairs(frame, "t")}
        )
        held += one["low"] <= 0 <= one["high"]
    assert 0.92 <= held / 300 <= 0.99
