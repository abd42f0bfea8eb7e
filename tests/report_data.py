"""Data of which the truth is known: rows in units, in order of time, of many fits, of data sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import polars as pl
from scipy.special import expit, ndtri
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from reportgen.splitting import split

Generator = np.random.Generator
Draw = Callable[[Generator, int], pl.DataFrame]


@dataclass(frozen=True)
class Rows:
    """Units of rows; ``correlation`` is the share of every variance that lies between units.

    The first unit has a share ``largest`` of the rows, where that is not 0. Positives' scores of
    the second model spread ``spread`` times as widely as those of negatives, at one AUC.
    ``by_unit``: all rows of a unit are of one class.
    """

    units: int
    rows: int = 1
    correlation: float = 0.0
    separation: float = 1.0
    prevalence: float = 0.4
    positives: int | None = None
    models: str = "ab"
    unequal: bool = False
    second: float = 0.0
    step: float = 0.0
    task: str = "binary"
    largest: float = 0.0
    spread: float = 1.0
    by_unit: bool = False

    def __call__(self, random: Generator, scale: int) -> pl.DataFrame:
        """The rows of ``scale`` times as many units."""
        units = self.units * scale
        sizes = np.full(units, self.rows)
        if self.unequal:
            sizes = random.geometric(1 / self.rows, units)
        if self.largest:
            sizes[0] = round(self.largest / (1 - self.largest) * sizes[1:].sum())
        group = np.repeat(np.arange(units), sizes)

        def effects(share: float = self.correlation) -> np.ndarray:
            noise = random.normal(size=len(group))
            return sqrt(share) * random.normal(size=units)[group] + sqrt(1 - share) * noise

        facts = {
            "group": group,
            "site": np.where(group % 2 == 1, "u", "v"),
            "part": np.where(np.arange(len(group)) % 2 == 1, "u", "v"),
        }
        return pl.DataFrame(facts | _TASKS[self.task](self, effects))


Effects = Callable[..., np.ndarray]
Columns = dict[str, np.ndarray]


def _binary(rows: Rows, effects: Effects) -> Columns:
    latent = effects(1.0) if rows.by_unit else effects()
    if rows.positives is not None:  # exactly so many of the units of one row
        truth = latent >= np.sort(latent)[-rows.positives * len(latent) // rows.units]
    else:
        truth = latent > -float(ndtri(rows.prevalence))
    scores = {}
    for model in rows.models:
        separation, noise = rows.separation, effects()
        if model == "b":
            separation = sqrt((1 + rows.spread**2) / 2) * (separation + rows.second)
            noise = np.where(truth, rows.spread, 1.0) * noise
        score = separation * (truth - 0.5) + noise
        scores[model] = expit(np.round(score / rows.step) * rows.step if rows.step else score)
    return {"truth": truth.astype(int), **scores}


def _regression(rows: Rows, effects: Effects) -> Columns:
    truth = effects()
    return {"truth": truth} | {m: truth + effects() for m in rows.models}


def _multiclass(rows: Rows, effects: Effects) -> Columns:
    truth = np.column_stack([effects() for _ in "xyz"]).argmax(axis=1)
    scores = {}
    for model in rows.models:
        logits = np.column_stack([(truth == k) * rows.separation + effects() for k in range(3)])
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        scores |= {f"{model}{name}": shares[:, k] for k, name in enumerate("xyz")}
    return {"truth": np.array(list("xyz"))[truth], **scores}


def _multilabel(rows: Rows, effects: Effects) -> Columns:
    columns = {}
    for label in "xyz":
        truth = effects() > 0
        columns[f"is_{label}"] = truth.astype(int)
        for model in rows.models:
            columns[f"{model}{label}"] = expit(rows.separation * (truth - 0.5) + effects())
    return columns


_TASKS = {
    "binary": _binary,
    "regression": _regression,
    "multiclass": _multiclass,
    "multilabel": _multilabel,
}


def autocorrelated(task: str) -> Draw:
    """Errors of two models at 200 time points, with an autocorrelation of 0.8."""

    def draw(random: Generator, scale: int) -> pl.DataFrame:
        n = 200 * scale
        noise = random.normal(size=(3, n + 50))
        for k in range(1, n + 50):
            noise[:, k] = 0.8 * noise[:, k - 1] + 0.6 * noise[:, k]
        y, a, b = noise[:, 50:]
        if task == "binary":
            truth = (y > 0).astype(int)
            y, a, b = truth, expit(truth - 0.5 + a), expit(truth - 0.5 + b)
        else:
            a, b = y + a, y + b
        return pl.DataFrame({"truth": y, "a": a, "b": b, "time": np.arange(n)})

    return draw


def resampled(  # one argument per thing that a design varies
    scheme: str,
    learner: str,
    signal: float,
    rows: int = 100,
    positive: float = 0.5,
    **options: Any,
) -> Draw:
    """Two learners on features of their own, each of which says as much of the class."""

    def draw(random: Generator, scale: int) -> pl.DataFrame:  # noqa: ARG001  # no true values
        truth = random.permutation(np.arange(rows) % round(1 / positive) == 0)
        data = random.normal(size=(rows, 6)) + signal * truth[:, None]
        ids = pl.DataFrame({"row": range(rows)})
        options_ = {**options, "seed": int(random.integers(2**31))}
        table = split(ids, scheme, **options_).drop("draws")
        where = table["id"].cast(pl.Int64).to_numpy() - 1
        scores = np.zeros((2, table.height))
        parts = table.with_row_index("at").group_by("repeat", "fold", maintain_order=True)
        for _, part in parts:
            at, train = part["at"].to_numpy(), part.filter(role="train")["at"].to_numpy()
            for k, columns in enumerate((slice(0, 3), slice(3, 6))):
                old, new = data[where[train], columns], data[where[at], columns]
                scores[k, at] = LEARNERS[learner](old, truth[where[train]], new)
        frame = {"truth": truth[where].astype(int), "a": scores[0], "b": scores[1]}
        return table.with_columns(**{name: pl.Series(v) for name, v in frame.items()})

    return draw


def _centroids(old: np.ndarray, truth: np.ndarray, new: np.ndarray) -> np.ndarray:
    up, down = old[truth].mean(axis=0), old[~truth].mean(axis=0)
    return expit((new - (up + down) / 2) @ (up - down))


def _tree(old: np.ndarray, truth: np.ndarray, new: np.ndarray) -> np.ndarray:
    fitted = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(old, truth)
    return fitted.predict_proba(new)[:, -1]


def _neighbours(old: np.ndarray, truth: np.ndarray, new: np.ndarray) -> np.ndarray:
    apart = ((new[:, None, :] - old) ** 2).sum(axis=2)
    return truth[np.argpartition(apart, 7, axis=1)[:, :7]].mean(axis=1)


def _logistic(old: np.ndarray, truth: np.ndarray, new: np.ndarray) -> np.ndarray:
    return LogisticRegression().fit(old, truth).predict_proba(new)[:, -1]


LEARNERS = {
    "centroids": _centroids,
    "trees": _tree,
    "neighbours": _neighbours,
    "logistic": _logistic,
}


def data_sets(number: int, models: str = "ab") -> Draw:
    """Accuracies of models on data sets of unlike difficulty."""

    def draw(random: Generator, scale: int) -> pl.DataFrame:  # noqa: ARG001  # no true values
        level = random.uniform(0.6, 0.95, number)
        return pl.DataFrame(
            [
                {"dataset": str(d), "model": m, "value": v + random.normal() * (1 - v) / 5}
                for d, v in enumerate(level)
                for m in models
            ]
        )

    return draw


def apart(random: Generator, scale: int) -> pl.DataFrame:
    """Two models in long form, on examples of their own."""
    parts = []
    for k, model in enumerate("ab"):
        rows = Rows(100)(random, scale).select(
            "truth", p="a", model=pl.lit(model), id=pl.int_range(pl.len()) + 100 * scale * k
        )
        parts.append(rows)
    return pl.concat(parts)
