"""Designs of reports in which several kinds of dependence meet, or scores and rows are coarse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from scipy.special import expit
from scipy.stats import norm

from tests.report_data import Draw, Generator, Rows, resampled
from tests.report_levels import Situation, Truth

GROUP = {"group": "group"}
BETTER = 0.6
"""By how much the classes lie farther apart under the better of two models."""

MARGIN = float(norm.cdf(0.8) - norm.cdf(0.5))
MARGIN_OF_AREAS = float(norm.cdf(1.6 / np.sqrt(2)) - norm.cdf(1 / np.sqrt(2)))
"""What that is in accuracy and in AUC."""

GATED = ("accuracy", "auc", "brier_score", "recall", "specificity", "precision", "f1", "mcc")


def scored(models: str = "ab", **more: Any) -> Mapping[str, Any]:
    """A spec of models with a score each."""
    return {"truth": "truth", "models": {m: {"score": m} for m in models}, **more}


def several(scores: str, models: str = "ab", **more: Any) -> Mapping[str, Any]:
    """A spec of models with scores of these classes, or of these labels."""
    named = {m: {"scores": {k: m + k for k in scores}} for m in models}
    return {"truth": "truth", "models": named, **more}


def coarse(rows: Rows) -> Draw:
    """Scores in steps of 0.1."""

    def draw(random: Generator, scale: int) -> pl.DataFrame:
        return rows(random, scale).with_columns(pl.col(list(rows.models)).round(1))

    return draw


def weighted(rows: Rows, spread: float) -> Draw:
    """Rows whose weights are lognormal with this standard deviation, the same in a group."""

    def draw(random: Generator, scale: int) -> pl.DataFrame:
        frame = rows(random, scale)
        of_group = np.exp(spread * random.standard_normal(rows.units * scale))
        return frame.with_columns(weight=of_group[frame["group"].to_numpy()])

    return draw


def repeated(rows: Rows, repeats: int) -> Draw:
    """Rows that return in every repeat, where all scores have noise of their own fit."""
    scores = list(rows.models)
    if rows.task == "multilabel":
        scores = [m + label for m in rows.models for label in "xyz"]

    def draw(random: Generator, scale: int) -> pl.DataFrame:
        frame = rows(random, scale).with_row_index("id")

        def again(repeat: int) -> pl.DataFrame:
            noise = random.standard_normal((len(scores), frame.height)) / 2
            return frame.with_columns(
                *(
                    pl.Series(s, expit(np.log(frame[s] / (1 - frame[s])) + noise[k]))
                    for k, s in enumerate(scores)
                ),
                repeat=pl.lit(repeat),
            )

        return pl.concat([again(r) for r in range(repeats)])

    return draw


def alike_but_for(rows: int) -> Draw:
    """Two models that give the same scores but in the first rows."""

    def draw(random: Generator, scale: int) -> pl.DataFrame:
        frame = Rows(100)(random, scale)
        return frame.with_columns(
            b=pl.when(pl.int_range(pl.len()) < rows * scale).then("b").otherwise("a")
        )

    return draw


def hard_labels(rows: int, positives: int) -> Draw:
    """Decisions of two models, given as scores of 0 and 1."""

    def draw(random: Generator, scale: int) -> pl.DataFrame:
        frame = Rows(rows, positives=positives, separation=1.2)(random, scale)
        return frame.with_columns((pl.col("a", "b") > 0.5).cast(pl.Float64))

    return draw


def in_time(models: str, points: int = 200, memory: float = 0.8) -> Draw:
    """Errors of several models at time points, with an autocorrelation."""

    def draw(random: Generator, scale: int) -> pl.DataFrame:
        n = points * scale
        noise = random.normal(size=(1 + len(models), n + 50))
        for k in range(1, n + 50):
            noise[:, k] = memory * noise[:, k - 1] + np.sqrt(1 - memory**2) * noise[:, k]
        y, *errors = noise[:, 50:]
        columns = {m: y + e for m, e in zip(models, errors, strict=True)}
        return pl.DataFrame({"truth": y, **columns, "time": np.arange(n)})

    return draw


def quantiles(units: int, rows: int, correlation: float, level: float) -> Draw:
    """Forecasts of a quantile, each from a predictor of its own."""

    def draw(random: Generator, scale: int) -> pl.DataFrame:
        group = np.repeat(np.arange(units * scale), rows)

        def effects() -> np.ndarray:
            of_group = random.standard_normal(units * scale)[group]
            of_rows = random.standard_normal(len(group))
            return np.sqrt(correlation) * of_group + np.sqrt(1 - correlation) * of_rows

        known = {m: effects() for m in "ab"}
        truth = sum(known.values()) + effects()
        reach = np.sqrt(2) * norm.ppf(level)
        return pl.DataFrame(
            {"truth": truth, "group": group, **{m: k + reach for m, k in known.items()}}
        )

    return draw


def leave_one_out(rows: int, signal: float) -> Draw:
    """Three classes, and for each row two nearest-centroid models fitted on all others."""

    def draw(random: Generator, scale: int) -> pl.DataFrame:
        truth = random.permutation(np.arange(rows * scale) % 3)
        data = random.normal(size=(rows * scale, 6))
        for k in range(3):
            data[:, [k, k + 3]] += signal * (truth == k)[:, None]
        columns: dict[str, np.ndarray] = {}
        for m, side in (("a", slice(0, 3)), ("b", slice(3, 6))):
            x = data[:, side]
            totals = np.array([x[truth == k].sum(axis=0) for k in range(3)])
            sizes = np.bincount(truth, minlength=3).astype(float)
            logits = np.empty((len(x), 3))
            for k in range(3):
                mine = (truth == k)[:, None]
                centre = (totals[k] - mine * x) / (sizes[k] - mine)
                logits[:, k] = -((x - centre) ** 2).sum(axis=1) / 2
            shares = np.exp(logits - logits.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            columns |= {m + name: shares[:, k] for k, name in enumerate("xyz")}
        names = np.array(list("xyz"))[truth]
        every = np.arange(len(truth))
        return pl.DataFrame({"truth": names, **columns, "id": every, "fold": every})

    return draw


def of_quantile(measure: str) -> Mapping[str, Any]:
    """Models of the upper tenth, compared by their pinball loss."""
    models = {m: {"estimate": m, "quantile": 0.9} for m in "ab"}
    chosen = {"comparisons": {"measures": [measure]}, "bootstrap": {"replicates": 200}}
    return {"truth": "truth", "models": models, **chosen}


def gated(by: str | None, models: str = "a") -> Any:
    """Gates at the true values: passing one by chance is what a limit on one side must not do."""

    def spec(truth: Truth) -> Mapping[str, Any]:
        where = f" by {by}" if by else ""
        gates = []
        for metric in GATED:
            if (metric, "a") in truth:
                op = "<=" if metric == "brier_score" else ">="
                gates.append(f"a.{metric}{where} {op} {truth[metric, 'a']:.6f}")
        return scored(models, gates=gates, slices=[by] if by else [])

    return spec


def fixed(spec: Mapping[str, Any]) -> Any:
    """A spec that needs no true values."""
    return lambda _: spec


REPEATS = {"id": "id", "repeat": "repeat"}
LABELS = {**several("xyz"), "truth": {k: f"is_{k}" for k in "xyz"}}
EIGHT = Rows(8, 15, 0.6, separation=1 + BETTER, second=-BETTER)
"""The second model is worse than the first, the reference, by just the margin."""

DESIGNS = {
    "200 rows, scores in steps of 0.1": Situation(coarse(Rows(200)), fixed(scored()), 300),
    "40 groups of 15, scores in steps of 0.1": Situation(
        coarse(Rows(40, 15, 0.6)), fixed(scored()), 300, columns=GROUP
    ),
    "weights, 40 groups of 15": Situation(
        weighted(Rows(40, 15, 0.6), 0.7), fixed(scored()), 300, columns=GROUP | {"weight": "weight"}
    ),
    "weights, 200 rows": Situation(
        weighted(Rows(200), 0.7), fixed(scored()), 300, columns={"weight": "weight"}
    ),
    "weights, numbers": Situation(
        weighted(Rows(200, task="regression"), 0.7),
        fixed({"truth": "truth", "models": {m: {"estimate": m} for m in "ab"}}),
        300,
        columns={"weight": "weight"},
    ),
    "weights, numbers, 20 groups of 15": Situation(
        weighted(Rows(20, 15, 0.6, task="regression"), 0.7),
        fixed({"truth": "truth", "models": {m: {"estimate": m} for m in "ab"}}),
        300,
        columns=GROUP | {"weight": "weight"},
    ),
    "labels, three repeats": Situation(
        repeated(Rows(100, task="multilabel"), 3), fixed(LABELS), columns=REPEATS
    ),
    "groups, three repeats": Situation(
        repeated(Rows(40, 5, 0.6), 3), fixed(scored()), columns=REPEATS | GROUP
    ),
    "in time, four models": Situation(
        in_time("abcd"),
        fixed({"truth": "truth", "models": {m: {"estimate": m} for m in "abcd"}}),
        columns={"time": "time"},
    ),
    "leave-one-out, classes": Situation(
        leave_one_out(60, 0.7),
        fixed(several("xyz")),
        columns={"id": "id", "fold": "fold"},
    ),
    "alike but for 2 rows": Situation(
        alike_but_for(2), fixed(scored(costs={"false_negative": 5, "false_positive": 1}))
    ),
    "60 rows, hard labels": Situation(
        hard_labels(60, 15), fixed(scored(costs={"false_negative": 5, "false_positive": 1}))
    ),
    "60 rows, numbers": Situation(
        Rows(60, task="regression"),
        fixed({"truth": "truth", "models": {m: {"estimate": m} for m in "ab"}}),
    ),
    "5 × 5 folds, neighbours": Situation(
        resampled("repeated_k_fold", "neighbours", 0.6, 200, folds=5, repeats=5),
        fixed(scored()),
        columns={name: name for name in ("id", "repeat", "fold", "role")},
    ),
    "quantiles, 100 rows": Situation(
        quantiles(100, 1, 0.0, 0.9), fixed(of_quantile("pinball_high"))
    ),
    "quantiles, 40 groups of 15": Situation(
        quantiles(40, 15, 0.6, 0.9), fixed(of_quantile("pinball_high")), columns=GROUP
    ),
    "8 groups, accuracy of the margin": Situation(
        EIGHT,
        fixed(scored(baseline="a", comparisons={"margin": MARGIN})),
        alike=False,
        columns=GROUP,
    ),
    "8 groups, AUC of the margin": Situation(
        EIGHT,
        fixed(scored(baseline="a", comparisons={"margin": MARGIN_OF_AREAS})),
        alike=False,
        columns=GROUP,
    ),
    "60 rows, gates by slice": Situation(Rows(60, models="a"), gated("part"), 1000),
    "30 rows, gates by slice": Situation(Rows(30, models="a", separation=2.0), gated("part"), 2000),
    "100 rows, gates": Situation(Rows(100, models="a", separation=2.0), gated(None), 1000),
    "20 groups of 10, gates": Situation(
        Rows(20, 10, 0.6, models="a"), gated(None), 1000, columns=GROUP
    ),
}
