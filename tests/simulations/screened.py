"""The situations that are screened: unit of dependence, sizes, task, unlike models, weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.special import expit
from scipy.stats import norm

from tests.report_data import Rows, autocorrelated, data_sets, resampled
from tests.report_designs import coarse, in_time, repeated, scored, several, weighted

Generator = np.random.Generator
Frames = Callable[[Generator], pl.DataFrame]


@dataclass(frozen=True)
class Screened:
    """How to draw data, the spec of their report, and which measures differ in nothing (none: all).

    ``whole``: the tests need the measures, as those of claims do. ``differ``: by the margin of
    the spec, so that only tests of a margin count.
    """

    draw: Frames
    spec: Mapping[str, Any]
    columns: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    whole: bool = False
    differ: bool = False
    slow: bool = False


SCREENED: dict[str, Screened] = {}

GROUP, WEIGHT, TIME = {"group": "group"}, {"weight": "weight"}, {"time": "time"}
FITS = {name: name for name in ("id", "repeat", "fold", "role")}
COSTLY = scored(costs={"false_negative": 5, "false_positive": 1})
NUMBERS = {"truth": "truth", "models": {m: {"estimate": m} for m in "ab"}}
CLASSES = several("xyz")
LABELS = {**CLASSES, "truth": {k: f"is_{k}" for k in "xyz"}}
SPECS = {"binary": COSTLY, "regression": NUMBERS, "multiclass": CLASSES, "multilabel": LABELS}
OF_SIZES = ("mean_absolute_error",)


def add(name: str, draw: Frames, spec: Mapping[str, Any], **more: Any) -> None:
    SCREENED[name] = Screened(draw, spec, **more)


def once(draw: Callable[[Generator, int], pl.DataFrame]) -> Frames:
    """Data of the size that is declared, of two classes where a model needs both."""

    def drawn(random: Generator) -> pl.DataFrame:
        for _ in range(1000):
            frame = draw(random, 1)
            if "truth" not in frame.columns or frame["truth"].n_unique() > 1:
                break
        return frame

    return drawn


def scale_of(kind: str, random: Generator, group: np.ndarray) -> np.ndarray:
    """Sizes of the errors of one model, of mean 1."""
    number = int(group.max()) + 1
    if kind == "groups of unlike spread":
        return np.exp(0.7 * random.standard_normal(number) - 0.245)[group]
    if kind in ("errors of 3 df", "groups of 3 df"):
        heavy = 1 / np.sqrt(random.chisquare(3, len(group) if "errors" in kind else number) / 3)
        return (heavy if "errors" in kind else heavy[group]) / (np.sqrt(3) * np.sqrt(2 / np.pi))
    if kind == "1 % of groups ten times as large":
        return np.where(random.random(number) < 0.01, 10, 1)[group] / 1.09
    if kind == "1 % of errors ten times as large":
        return np.where(random.random(len(group)) < 0.01, 10, 1) / 1.09
    if kind == "5 % of errors four times as large":
        return np.where(random.random(len(group)) < 0.05, 4, 1) / 1.15
    return np.ones(len(group))


def unlike_numbers(rows: Rows, kind: str, both: bool = False) -> Frames:
    """Errors of two models with one mean absolute error, of sizes that vary in one, or in both."""

    def draw(random: Generator) -> pl.DataFrame:
        frame = rows(random, 1)
        group = frame["group"].to_numpy()
        truth = frame["truth"].to_numpy()
        scale = scale_of(kind, random, group)
        scales = scale, scale if both else np.ones(len(group))
        return frame.with_columns(
            **{
                m: truth + scale * (frame[m].to_numpy() - truth)
                for m, scale in zip("ab", scales, strict=True)
            }
        )

    return draw


def decisions(
    units: int, rows: int, errors: tuple[tuple[float, float], ...], prevalence: float
) -> Frames:
    """Labels of two models, each with its share of errors among negatives and among positives."""
    correlation = 0.6 if rows > 1 else 0.0
    group = np.repeat(np.arange(units), rows)

    def draw(random: Generator, _: int = 1) -> pl.DataFrame:
        def effects() -> np.ndarray:
            of_group = random.standard_normal(units)[group]
            noise = random.standard_normal(len(group))
            return np.sqrt(correlation) * of_group + np.sqrt(1 - correlation) * noise

        truth = effects() < norm.ppf(prevalence)
        columns = {}
        for model, rates in zip("ab", errors, strict=True):
            wrong = effects() < norm.ppf(np.where(truth, rates[1], rates[0]))
            columns[model] = (truth ^ wrong).astype(float)
        return pl.DataFrame({"truth": truth.astype(int), "group": group, **columns})

    return once(draw)


def areas_in_time(points: int, memory: float, prevalence: float, spread: float) -> Frames:
    """Scores and classes that follow an autoregression, both models with an AUC of 0.8."""

    def draw(random: Generator) -> pl.DataFrame:
        def series() -> np.ndarray:
            noise = random.standard_normal(points + 200) * np.sqrt(1 - memory**2)
            return lfilter([1.0], [1.0, -memory], noise)[200:]

        truth = series() < norm.ppf(prevalence)
        shift = norm.ppf(0.8) * truth
        a = np.sqrt(2) * shift + series()
        b = np.sqrt(1 + spread**2) * shift + np.where(truth, spread, 1) * series()
        return pl.DataFrame(
            {"truth": truth.astype(int), "a": expit(a), "b": expit(b), "time": np.arange(points)}
        )

    return draw


def folds_of_numbers(rows: int, scheme: str, heavy: bool, **options: Any) -> Frames:
    """Two ridge regressions on features of their own, over the splits of ``resampled``."""
    frames = resampled(scheme, "centroids", 0.0, rows, **options)

    def draw(random: Generator) -> pl.DataFrame:
        frame = frames(random, 1)
        where = frame["id"].cast(pl.Int64).to_numpy() - 1
        data = random.standard_normal((rows, 6))
        noise = random.standard_t(3, rows) if heavy else random.standard_normal(rows)
        y = data.sum(axis=1) / 2 + noise
        columns = {m: np.zeros(frame.height) for m in "ab"}
        for _, part in frame.with_row_index("at").group_by("repeat", "fold", maintain_order=True):
            at, train = part["at"].to_numpy(), part.filter(role="train")["at"].to_numpy()
            for m, side in (("a", slice(0, 3)), ("b", slice(3, 6))):
                x, old = data[where[train], side], y[where[train]]
                slopes = np.linalg.solve(x.T @ x + np.eye(3), x.T @ (old - old.mean()))
                columns[m][at] = old.mean() + data[where[at], side] @ slopes
        return frame.with_columns(truth=pl.Series(y[where]), **columns)

    return draw


SIZES = {
    "equal": {},
    "unequal": {"unequal": True},
    "one of 30 %": {"largest": 0.3},
    "unequal, one of 20 %": {"unequal": True, "largest": 0.2},
}

for _groups in (8, 10, 12, 20, 40):
    for _sizes, _more in SIZES.items():
        _of = f"{_groups} groups of 15, {_sizes}"
        _binary = Rows(_groups, 15, 0.6, **_more)
        add(_of, once(_binary), COSTLY, columns=GROUP)
        for _task in ("regression", "multiclass", "multilabel"):
            _rows = Rows(_groups, 15, 0.6, task=_task, **_more)
            add(f"{_of}, {_task}", once(_rows), SPECS[_task], columns=GROUP)
        _wide = Rows(_groups, 15, 0.6, spread=2, **_more)
        add(f"{_of}, spread 2", once(_wide), COSTLY, columns=GROUP, measures=("auc",))
        _class = Rows(_groups, 15, 0.6, prevalence=0.25, by_unit=True, **_more)
        add(f"{_of}, a class given by the group", once(_class), COSTLY, columns=GROUP)
    for _kind in (
        "groups of unlike spread",
        "groups of 3 df",
        "errors of 3 df",
        "1 % of groups ten times as large",
        "1 % of errors ten times as large",
    ):
        _of, _rows = f"{_groups} groups of 15, {_kind}", Rows(_groups, 15, 0.6, task="regression")
        _one = {"columns": GROUP, "measures": OF_SIZES}
        add(f"{_of}, one model", unlike_numbers(_rows, _kind), NUMBERS, **_one)
        add(f"{_of}, both models", unlike_numbers(_rows, _kind, True), NUMBERS, columns=GROUP)
    _weighted = weighted(Rows(_groups, 15, 0.6), 1.0)
    add(f"{_groups} groups of 15, weights", once(_weighted), COSTLY, columns=GROUP | WEIGHT)
    add(
        f"{_groups} groups of 15, a constant prediction",
        decisions(_groups, 15, ((0.0, 1.0), (0.2, 0.4)), 0.25),
        scored(),
        columns=GROUP,
        measures=("accuracy",),
    )

MARGIN = scored(baseline="a", comparisons={"margin": float(norm.cdf(0.8) - norm.cdf(0.5))})
CLAIM = scored("a", comparisons={"claims": [f"a.accuracy >= {norm.cdf(0.5):.9f}"]})
for _units, _size in ((60, 1), (200, 1), (8, 15), (12, 15), (40, 15)):
    _of = f"{_units} {'rows' if _size == 1 else 'groups of 15'}"
    _columns, _depends = (GROUP, 0.6) if _size > 1 else ({}, 0.0)
    _rows = Rows(_units, _size, _depends)
    add(f"{_of}, a claim", once(_rows), CLAIM, columns=_columns, whole=True)
    _worse = Rows(_units, _size, _depends, separation=1.6, second=-0.6)
    _one = {"columns": _columns, "measures": ("accuracy",), "differ": True}
    add(f"{_of}, worse by the margin", once(_worse), MARGIN, **_one)

for _n in (30, 40, 60, 200):
    add(f"{_n} rows", once(Rows(_n)), COSTLY)
    add(f"{_n} rows, tied scores", once(coarse(Rows(_n))), COSTLY)
    add(f"{_n} rows, regression", once(Rows(_n, task="regression")), NUMBERS)
    add(f"{_n} rows, nearly perfect", once(Rows(_n, separation=4.5)), COSTLY)
    add(f"{_n} rows, weights", once(weighted(Rows(_n), 1.0)), COSTLY, columns=WEIGHT)
    add(
        f"{_n} rows, weights, regression",
        once(weighted(Rows(_n, task="regression"), 1.0)),
        NUMBERS,
        columns=WEIGHT,
    )
    for _task in ("multiclass", "multilabel"):
        add(f"{_n} rows, {_task}", once(Rows(_n, task=_task)), SPECS[_task])
    for _kind in ("errors of 3 df", "5 % of errors four times as large"):
        _numbers = unlike_numbers(Rows(_n, task="regression"), _kind)
        add(f"{_n} rows, {_kind}", _numbers, NUMBERS, measures=OF_SIZES)
    for _sides in (((0.0, 1.0), (0.2, 0.4)), ((0.1, 0.0), (0.0, 0.3))):
        _draw = decisions(_n, 1, _sides, 0.25)
        add(f"{_n} rows, unlike decisions {_sides}", _draw, scored(), measures=("accuracy",))
add("1,000 rows, 10 positives", once(Rows(1000, positives=10, separation=2.0)), COSTLY)
add("2,000 rows, 20 positives", once(Rows(2000, positives=20, separation=2.0)), COSTLY)
add(
    "1,000 rows, 10 positives, spread 2",
    once(Rows(1000, positives=10, separation=1.5, spread=2)),
    COSTLY,
    measures=("auc",),
)
add("60 rows, five models", once(Rows(60, models="abcde")), scored("abcde"))
_five = Rows(12, 15, 0.6, models="abcde")
add("12 groups, five models", once(_five), scored("abcde"), columns=GROUP)

for _memory in (0.5, 0.8):
    _of = f"in time, memory {_memory:g}"
    for _points in (100, 200, 400):
        _numbers = in_time("ab", _points, _memory)
        add(f"{_points} points {_of}, regression", once(_numbers), NUMBERS, columns=TIME)
    for _spread in (1.0, 2.0):
        _areas = areas_in_time(500, _memory, 0.3, _spread)
        _only = ("auc",) if _spread > 1 else ()
        add(
            f"500 points {_of}, binary, spread {_spread:g}",
            _areas,
            scored(),
            columns=TIME,
            measures=_only,
        )
add("200 points in time, binary", once(autocorrelated("binary")), scored(), columns=TIME)

for _number in (6, 8, 14, 30):
    for _models in ("ab", "abcd"):
        add(
            f"{_number} data sets, {len(_models)} models",
            once(data_sets(_number, _models)),
            {"task": "comparison", "measure": "accuracy"},
            columns={"dataset": "dataset", "model": "model", "value": "value"},
        )
add(
    "40 groups of 5, three repeats",
    once(repeated(Rows(40, 5, 0.6), 3)),
    scored(),
    columns={"id": "id", "repeat": "repeat", **GROUP},
)
SCHEMES = {
    "10 folds": ("k_fold", {"folds": 10}),
    "5 × 5 folds": ("repeated_k_fold", {"folds": 5, "repeats": 5}),
    "15 splits": ("repeated_hold_out", {"repeats": 15}),
    "bootstrap": ("bootstrap", {"repeats": 15}),
    "leave-one-out": ("leave_one_out", {}),
}
for _scheme, (_name, _options) in SCHEMES.items():
    for _n in (40, 100):
        for _learner, _signal in (("centroids", 0.5), ("trees", 0.8), ("logistic", 0.6)):
            add(
                f"{_scheme} of {_n} rows, {_learner}",
                once(resampled(_name, _learner, _signal, _n, **_options)),
                COSTLY,
                columns=FITS,
                slow=_learner != "centroids",
            )
        for _heavy in (False, True):
            add(
                f"{_scheme} of {_n} rows, ridge{', errors of 3 df' * _heavy}",
                folds_of_numbers(_n, _name, _heavy, **_options),
                NUMBERS,
                columns=FITS,
            )
