"""Odd tables of every task: evaluated with scikit-learn's numbers and drawn, or refused.

One of each kind in every run; ``make hold`` has all of them.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn import metrics

import reportgen
from reportgen.errors import DataError, EmptyError, SpecError
from reportgen.render import DEFAULT, pages
from reportgen.results import Results

Columns = dict[str, Any]

ROWS = 120
RANDOM = np.random.default_rng(3)
DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(ROWS)]
TRUTH = RANDOM.random(ROWS) < 0.4
CLASSES = np.array(list("xyz"))[RANDOM.integers(0, 3, ROWS)]
NUMBERS = RANDOM.normal(size=ROWS)
SHARES = RANDOM.dirichlet([1, 1, 1], ROWS)
COLUMNS: Columns = {
    "y": TRUTH.astype(int),
    "a": np.clip(0.5 * TRUTH + 0.6 * RANDOM.random(ROWS), 0.001, 0.999),
    "b": np.clip(0.3 * TRUTH + 0.7 * RANDOM.random(ROWS), 0.001, 0.999),
    "k": CLASSES,
    "q1": np.where(RANDOM.random(ROWS) < 0.7, CLASSES, "x"),
    "q2": np.where(RANDOM.random(ROWS) < 0.5, CLASSES, "y"),
    **{f"p{name}": SHARES[:, i] for i, name in enumerate("xyz")},
    "number": NUMBERS,
    "e1": NUMBERS + 0.3 * RANDOM.normal(size=ROWS),
    "e2": NUMBERS + 0.5 * RANDOM.normal(size=ROWS),
    **{name: RANDOM.random(ROWS) < 0.4 for name in "uv"},
    **{f"{name}{i}": RANDOM.random(ROWS) for name in "uv" for i in (1, 2)},
    "w": RANDOM.integers(1, 5, ROWS).astype(float),
    "g": [f"g{i // 4}" for i in range(ROWS)],
    "day": DAYS,
    "fold": np.arange(ROWS) % 5,
    "repeat": np.arange(ROWS) % 2,
    "s": np.array(["A", "B", "C"])[RANDOM.integers(0, 3, ROWS)],
    "t": np.array(["p", "q"])[RANDOM.integers(0, 2, ROWS)],
    "id": [f"c{i}" for i in range(ROWS)],
}
TASKS: Mapping[str, Mapping[str, Any]] = {
    "binary": {"truth": "y", "models": {"m1": {"score": "a"}, "m2": {"score": "b"}}},
    "multiclass": {
        "truth": "k",
        "models": {
            "m1": {"label": "q1"},
            "m2": {"label": "q2"},
            "m3": {"scores": {name: f"p{name}" for name in "xyz"}},
        },
    },
    "regression": {
        "truth": "number",
        "models": {"m1": {"estimate": "e1"}, "m2": {"estimate": "e2"}},
    },
    "multilabel": {
        "truth": {"u": "u", "v": "v"},
        "models": {f"m{i}": {"scores": {n: f"{n}{i}" for n in "uv"}} for i in (1, 2)},
    },
}
W, G, T = {"weight": "w"}, {"group": "g"}, {"time": "day"}
EVERY = {"id": "id", "fold": "fold", "repeat": "repeat", **W, **G, **T}

DESIGNS: Mapping[str, tuple[Columns, Mapping[str, str]]] = {
    "everything": ({}, EVERY),
    "one time point": ({"day": [DAYS[0]] * ROWS}, T),
    "two time points": ({"day": DAYS[:2] * (ROWS // 2)}, T),
    "equal time points": ({"day": [DAYS[i // 8] for i in range(ROWS)]}, T),
    "a missing time point": ({"day": [None, *DAYS[1:]]}, T),
    "times of flags": ({"day": [i % 2 == 0 for i in range(ROWS)]}, T),
    "times of floats": ({"day": np.linspace(0, 1, ROWS)}, T),
    "an infinite time": ({"day": [float("inf"), *range(ROWS - 1)]}, T),
    "German times": ({"day": [f"{d:%d.%m.%Y}" for d in DAYS]}, T),
    "American times": ({"day": [f"{d:%m/%d/%Y}" for d in DAYS]}, T),
    "the first year": ({"day": [dt.date(1, 1, 1), *DAYS[1:]]}, T),
    "the last year": ({"day": [*DAYS[1:], dt.date(9999, 12, 31)]}, T),
    "a group per row": ({"g": range(ROWS)}, G),
    "one group": ({"g": ["x"] * ROWS}, G),
    "two groups in time": ({"g": ["x", "y"] * (ROWS // 2)}, {**G, **T}),
    "some without a group": ({"g": [None if i % 7 == 0 else f"g{i % 9}" for i in range(ROWS)]}, G),
    "no group at all": ({"g": [None] * ROWS}, G),
    "negative weights": ({"w": -COLUMNS["w"]}, W),
    "weights of 0": ({"w": [0.0] * ROWS}, W),
    "one weight": ({"w": np.eye(ROWS)[0]}, W),
    "tiny weights": ({"w": COLUMNS["w"] * 1e-200}, W),
    "huge weights": ({"w": COLUMNS["w"] * 1e200}, W),
    "flags for weights": ({"w": COLUMNS["w"] > 2}, W),
    "weights in groups and time": ({}, {**W, **G, **T}),
    "folds in time": ({}, {**T, "fold": "fold"}),
    "one class": ({"y": [1] * ROWS, "k": ["x"] * ROWS, "number": [1.0] * ROWS}, {}),
    "a class per row": ({"k": [f"k{i}" for i in range(ROWS)]}, {}),
    "perfect": ({"y": COLUMNS["a"] > 0.5, "number": COLUMNS["e1"], "k": COLUMNS["q1"]}, {}),
    "no truth": ({"y": [None] * ROWS, "k": [None] * ROWS, "number": [None] * ROWS}, {}),
}
SIZES = (0, 1, 2, 3, 7)
NAMES = (
    *("score:0", "label:0", "slice:s", "__index__", "truth", "rows", "model", "count", "index"),
    *("", " ", "a.b", "a:b", "^a$", "*", "nan", "null", "None", "true", "1", "0", "$ne", "x" * 300),
    *(
        "{{x}}",
        "<b>",
        "\u202eabc",
        "שלום",
        "مرحبا",
        "𠜎",
        "👩\u200d👩\u200d👧",
        "a\nb",
        "a\tb",
        "auc",
    ),
    *("all", "none", "previous", "baseline", "within", "history", "high", "by", "latest"),
)
SMALL = ("two groups in time", "weights in groups and time")


def check(task: str, frame: pl.DataFrame, **more: Any) -> bool:
    """Whether a table is evaluated, with scikit-learn's numbers, and drawn; else it is refused."""
    spec = {
        **TASKS[task],
        "bootstrap": {"replicates": 20},
        "intervals": {"ratios": "delta"},
        **more,
    }
    try:
        text = reportgen.evaluate(spec, frame).to_json()
    except (SpecError, DataError, EmptyError):
        return False
    results = Results.from_json(text)
    pages.job(results, ["html"], attachments={}, notes={}, page_style=DEFAULT)
    assert "NaN" not in text
    assert "Infinity" not in text
    pooled = results.metrics.filter(pl.col("slice").is_null(), pl.col("class").is_null())
    for model, metric, expected in outside(task, frame, spec):
        rows = pooled.filter(pl.col("average").is_null(), model=model, metric=metric)
        assert rows["value"].to_list() == [pytest.approx(expected, rel=1e-9)], (model, metric)
    return True


def outside(
    task: str, frame: pl.DataFrame, spec: Mapping[str, Any]
) -> Iterator[tuple[str, str, float]]:
    """What scikit-learn says of each model in the columns of this module."""
    weight = spec.get("columns", {}).get("weight")
    given = {"sample_weight": None if weight is None else frame[weight].cast(pl.Float64).to_numpy()}
    for name, model in spec["models"].items():
        match task, model:
            case "binary", {"score": ("a" | "b") as column} if _both_classes(frame, weight):
                truth, score = frame["y"].to_numpy(), frame[column].to_numpy()
                yield name, "auc", metrics.roc_auc_score(truth, score, **given)
                yield name, "brier_score", metrics.brier_score_loss(truth, score, **given)
            case "multiclass", {"label": column}:
                truth, label = (frame[c].cast(pl.String).to_list() for c in ("k", column))
                yield name, "accuracy", metrics.accuracy_score(truth, label, **given)
            case "regression", {"estimate": column}:
                truth, estimate = frame["number"].to_numpy(), frame[column].to_numpy()
                yield (
                    name,
                    "mean_absolute_error",
                    metrics.mean_absolute_error(truth, estimate, **given),
                )


def _both_classes(frame: pl.DataFrame, weight: str | None) -> bool:
    weighed = frame if weight is None else frame.filter(pl.col(weight).cast(pl.Float64) > 0)
    return weighed["y"].n_unique() == 2


def table(changes: Columns) -> pl.DataFrame:
    return pl.DataFrame({**COLUMNS, **changes}, strict=False)


@pytest.mark.parametrize(
    ("task", "design"),
    [
        pytest.param(
            task,
            name,
            marks=() if (task, name) in zip(TASKS, SMALL, strict=False) else pytest.mark.slow,
        )
        for task, name in itertools.product(TASKS, DESIGNS)
    ],
)
def test_odd_designs_have_the_numbers_of_scikit_learn_or_are_refused(task, design):
    changes, columns = DESIGNS[design]
    usual = check(task, table(changes), columns=columns, slices=["s", ["s", "t"]])

    assert usual or changes


@pytest.mark.slow
@pytest.mark.parametrize(("task", "size"), list(itertools.product(TASKS, SIZES)))
def test_few_rows_have_the_numbers_of_scikit_learn_or_are_refused(task, size):
    for columns in ({}, T, {**W, **G, **T}):
        check(task, table({}).head(size), columns=columns, slices=["s"])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_odd_names_change_no_number(name):
    """Of a column, a model, a class, a value of a slice and in a gate."""
    renamed = table({}).rename({"a": name}).with_columns(a=pl.Series(COLUMNS["a"]))
    models = {"m1": {"score": name}, "m2": {"score": "b"}}
    gates = [f"{name}.auc >= 0.5"] if name.isalpha() else []
    classes = {c: [name if v == "x" else v for v in COLUMNS[c]] for c in ("k", "q1", "q2")}
    scored = {"m3": {"scores": {name: "px", "y": "py", "z": "pz"}}}
    check("binary", renamed, models=models, slices=["s"])
    check("regression", table({}).rename({"s": name}), slices=[name])
    check("binary", table({}), models={name: {"score": "a"}, "m2": {"score": "b"}}, gates=gates)
    check("multiclass", table(classes), models={**TASKS["multiclass"]["models"], **scored})
    check("binary", table({"s": [name if i % 3 else "B" for i in range(ROWS)]}), slices=["s"])
