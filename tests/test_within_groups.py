"""AUC within groups: the pairs of one group, its limits, and what page one says of it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

import reportgen
from reportgen.measuring.dependence import area_within_groups
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


def said(frame):
    spec = {"truth": "truth", "models": {"m": {"score": "s"}}, "columns": {"group": "group"}}
    results = reportgen.evaluate({**spec, **QUICK}, frame)
    return results, [c.text for c in results.decision.caveats if c.code == "within_groups"]


def test_it_is_the_mean_of_the_areas_of_the_groups_weighted_by_their_pairs():
    frame = queries(1.0)
    areas, pairs = [], []
    for _, part in frame.group_by("group"):
        positives = part["truth"].sum()
        if 0 < positives < part.height:
            areas.append(roc_auc_score(part["truth"], part["s"]))
            pairs.append(positives * (part.height - positives))
    one = area_within_groups(frame, "m", "s", 0.95)
    assert one["value"] == pytest.approx(np.average(areas, weights=pairs), rel=1e-12)
    assert (one["groups"], one["pairs"]) == (len(areas), sum(pairs))
    assert area_within_groups(frame.filter(pl.col("group") < 9), "m", "s", 0.95) is None


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
    assert text.endswith("Part of its AUC tells groups apart, not the rows of one group.")


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
        one = area_within_groups(frame, "m", "s", 0.95)
        held += one["low"] <= 0.76025 <= one["high"]
    assert held / 300 >= 0.92
