"""Reports of simulated predictions: what they conclude where the truth is known.

Whole reports are made of data of which the true values are known: models that do
not differ, or that differ by a known amount. Of many data sets each count is a
share with a name: ``rejects`` (a recommended test, after its adjustment),
``covers`` (limits of a measure), ``too high`` and ``too low`` (one of them beyond the true
value, in slices, too), ``covers difference``, ``concludes`` (the
decision says that a model is ahead), ``passes`` (a gate), ``margin`` (a test against
a margin), ``gap``, and ``disagrees`` (a gate or the decision with the recommended
test).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate

Generator = np.random.Generator
Draw = Callable[[Generator, int], pl.DataFrame]
Truth = Mapping[tuple[str, str], float]
Outcomes = dict[tuple[str, str], bool]
Shares = dict[tuple[str, str], tuple[int, int]]

ALPHA = 0.05


@dataclass(frozen=True)
class Situation:
    """How to draw data, the spec of their report, and what of it is to be counted.

    ``draw`` takes how many times as many independent units to draw, from which
    the true values come; ``spec`` takes these. ``alike``: the models do not
    differ. ``columns`` declare the dependence, which true values do without.
    """

    draw: Draw
    spec: Callable[[Truth], Mapping[str, Any]]
    scale: int = 0
    alike: bool = True
    columns: Mapping[str, str] = field(default_factory=dict)

    def truth(self) -> Truth:
        """The values of every measure and model in a data set ``scale`` times as large."""
        if not self.scale:
            return {}
        frame = self.draw(np.random.default_rng(12), self.scale)
        spec = {**self.spec({}), "bootstrap": {"replicates": 0}, "gates": [], "slices": []}
        rows = _whole(evaluate({**spec, "data": "frame", "columns": {}}, frame).metrics)
        rows = rows.drop_nulls("value")
        if self.alike:
            rows = rows.with_columns(value=pl.col("value").mean().over("metric"))
        return {(r["metric"], r["model"]): r["value"] for r in rows.to_dicts()}

    def counted(self, runs: int, seed: int = 0) -> Shares:
        """What the reports of ``runs`` data sets say, as hits and how often they were possible."""
        truth, rejected, runs_of = self.truth(), Counter[Any](), Counter[Any]()
        for run in range(runs):
            frame = self.draw(np.random.default_rng([seed, run]), 1)
            spec = {**_quick(self.spec(truth)), "data": "frame"}
            results = evaluate({**spec, "columns": self.columns}, frame)
            for name, hit in outcomes(results, truth, alike=self.alike).items():
                rejected[name] += hit
                runs_of[name] += 1
        return {name: (rejected[name], runs_of[name]) for name in runs_of}


def _quick(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """The spec without bootstrap samples, where it names none."""
    return spec if "task" in spec else {"bootstrap": {"replicates": 0}, **spec}


def _whole(metrics: pl.DataFrame) -> pl.DataFrame:
    return metrics.filter(pl.all_horizontal(pl.col("slice", "class", "average").is_null()))


def outcomes(results: Results, truth: Truth, *, alike: bool) -> Outcomes:
    """What one report says that may be counted."""
    decision = results.decision
    return {
        **_rejections(results),
        **_coverage(results, truth, alike=alike),
        **_gaps(results),
        ("concludes", "a model is ahead"): decision.relation in ("ahead", "mixed"),
        **_agreement(results),
    }


def _rejections(results: Results) -> Outcomes:
    """Of tests of many pairs any rejection counts."""
    outcomes: Outcomes = {}
    for row in results.comparisons.drop_nulls("reject").to_dicts():
        against_margin = row["shows"] in ("equivalence", "non_inferiority")
        if row["slice"] is not None or not (
            row["recommendation"] == "recommended" or against_margin
        ):
            continue
        kind = "margin" if against_margin else "rejects"
        name = (kind, f"{row['comparison']} of {row['metric']}")
        outcomes[name] = outcomes.get(name, False) or row["reject"]
    return outcomes


def _coverage(results: Results, truth: Truth, *, alike: bool) -> Outcomes:
    outcomes: Outcomes = {}
    for row in _whole(results.metrics).drop_nulls(["low", "high"]).to_dicts():
        key = (row["metric"], row["model"])
        if key in truth:
            outcomes["covers", " of ".join(key)] = row["low"] <= truth[key] <= row["high"]
            outcomes["too high", " of ".join(key)] = row["low"] > truth[key]
            outcomes["too low", " of ".join(key)] = row["high"] < truth[key]
    sliced = results.metrics.filter(
        pl.col("slice").is_not_null(), pl.col("class").is_null(), pl.col("average").is_null()
    )
    for row in sliced.drop_nulls(["low", "high"]).to_dicts():
        key = (row["metric"], row["model"])
        if key in truth:
            name = f"{' of '.join(key)}, {row['slice']}"
            outcomes["too high", name] = row["low"] > truth[key]
            outcomes["too low", name] = row["high"] < truth[key]
    for row in results.differences.drop_nulls(["low", "high"]).to_dicts():
        metric, (first, second) = row["metric"], row["models"]
        if alike or (metric, first) in truth:
            true = 0.0 if alike else truth[metric, first] - truth[metric, second]
            name = f"{metric} of {first} and {second}, {row['basis']}"
            outcomes["covers difference", name] = row["low"] <= true <= row["high"]
    return outcomes


def _gaps(results: Results) -> Outcomes:
    outcomes: Outcomes = {}
    for row in results.gaps.drop_nulls("p_value").to_dicts():
        name = f"{row['slicing'][0]}: {row['metric']} of {row['model']}"
        outcomes["gap", name] = row["p_value"] <= ALPHA
        adjusted = ("gap", "any, adjusted")
        outcomes[adjusted] = outcomes.get(adjusted, False) or row["p_adjusted"] <= ALPHA
    return outcomes


def _agreement(results: Results) -> Outcomes:
    """Whether gates pass where the test says the same, and the decision follows its test."""
    outcomes: Outcomes = {}
    tests = results.comparisons.filter(
        pl.col("slice").is_null(),
        pl.col("models").list.len() == 2,
        recommendation="recommended",
        shows="difference",
    ).drop_nulls("reject")
    better = {r["metric"]: r["better"] if r["reject"] else None for r in tests.to_dicts()}
    for row in results.gates.to_dicts():
        passes, metric = row["state"] == "pass", row["gate"].split(" ")[0].removeprefix("a.")
        outcomes["passes", row["gate"]] = passes
        if metric in better:
            outcomes["disagrees", row["gate"]] = passes != (better[metric] == "a")
    decision = results.decision
    pair = len(results.data["models"]) == len("ab")
    if pair and decision.measure in better and decision.relation != "at chance":
        ahead = decision.leader if decision.relation == "ahead" else None
        outcomes["disagrees", "decision"] = ahead != better[decision.measure]
    return outcomes
