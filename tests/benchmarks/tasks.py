"""Every task beside two classes: CPU of the whole evaluation of as many rows, and how it grows.

    python -m tests.benchmarks.tasks [NAME ...]

prints the growth: CPU seconds at three sizes, and the exponent of rows between the ends.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

Work = Callable[[], object]
Spec = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A kind of evaluation: data of so many rows, its spec, and the limit beside two classes.

    ``rows`` are those of the comparison, ``most`` how many times the CPU of two classes.
    """

    what: str
    rows: int
    most: float
    data: Callable[[int], pl.DataFrame]
    spec: Callable[[], Spec]


def two_classes(rows: int, kind: type[pl.DataType] = pl.Float64) -> pl.DataFrame:
    """Scores of two models, about 12 % positives, weights, groups, and 2,000 points of time."""
    random = np.random.default_rng(0)
    truth, noise = random.random(rows) < 0.12, random.normal(size=rows)
    other = 0.7 * noise + 0.7 * random.normal(size=rows)
    scores = {
        "a": 1 / (1 + np.exp(-(noise + truth * 1.2 - 1.8))),
        "b": 1 / (1 + np.exp(-(other + truth - 2))),
    }
    frame = pl.DataFrame({"y": truth.astype(np.int64), **scores})
    return frame.with_columns(
        pl.col("a", "b").cast(kind),
        w=pl.Series(random.gamma(2, 1, rows)),
        g=pl.Series(random.integers(0, max(rows // 5, 10), rows)),
        t=pl.int_range(rows) * 2000 // rows,
    )


def of_two(**more: Any) -> Callable[[], Spec]:
    """The spec of two classes."""
    return lambda: {"truth": "y", "models": {m: {"score": m} for m in "ab"}, **more}


def numbers(rows: int) -> pl.DataFrame:
    """Estimates of two models."""
    random = np.random.default_rng(0)
    truth = 50 + 10 * random.normal(size=rows)
    estimates = {"a": random.normal(size=rows), "b": random.standard_t(4, size=rows)}
    return pl.DataFrame({"y": truth} | {m: truth + 3 * e for m, e in estimates.items()})


def numbers_in_groups(rows: int) -> pl.DataFrame:
    """The same with weights, in a fifth as many groups."""
    random = np.random.default_rng(1)
    return numbers(rows).with_columns(
        w=pl.Series(random.gamma(2, 1, rows)),
        g=pl.Series(random.integers(0, max(rows // 5, 10), rows)),
    )


def in_slices(data: Callable[[int], pl.DataFrame], number: int) -> Callable[[int], pl.DataFrame]:
    """Data in so many slices, by their ``site``."""

    def sliced(rows: int) -> pl.DataFrame:
        site = np.random.default_rng(1).integers(0, number, rows)
        return data(rows).with_columns(site=pl.format("site {}", pl.Series(site)))

    return sliced


def of_two_numbers(**more: Any) -> Callable[[], Spec]:
    """The spec of estimates of two models."""
    return lambda: {"truth": "y", "models": {m: {"estimate": m} for m in "ab"}, **more}


def classes(number: int) -> Callable[[int], pl.DataFrame]:
    """Probabilities of two models, of so many classes."""

    def data(rows: int) -> pl.DataFrame:
        random = np.random.default_rng(0)
        truth = random.integers(0, number, rows)
        columns: dict[str, Any] = {"y": [f"c{k}" for k in truth]}
        for model, skill in (("a", 2.0), ("b", 1.8)):
            score = random.exponential(size=(rows, number))
            score[np.arange(rows), truth] += skill * random.exponential(size=rows)
            score /= score.sum(axis=1, keepdims=True)
            columns |= {f"{model}{k}": score[:, k].copy() for k in range(number)}
        return pl.DataFrame(columns)

    return data


def of_classes(number: int, **more: Any) -> Callable[[], Spec]:
    """The spec of them."""
    names = [f"c{k}" for k in range(number)]  # of few rows some classes have none
    scores = {m: {"scores": {f"c{k}": f"{m}{k}" for k in range(number)}} for m in "ab"}
    return lambda: {"truth": "y", "classes": names, "models": scores, **more}


def labels(number: int) -> Callable[[int], pl.DataFrame]:
    """Scores of one model, of so many labels."""

    def data(rows: int) -> pl.DataFrame:
        random = np.random.default_rng(0)
        columns: dict[str, npt.NDArray[Any]] = {}
        for k in range(number):
            truth = random.random(rows) < 0.1 + 0.2 * k / number
            score = 1 / (1 + np.exp(1.5 - 1.2 * truth - random.normal(size=rows)))
            columns |= {f"t{k}": truth, f"s{k}": score}
        return pl.DataFrame(columns)

    return data


def of_labels(number: int) -> Callable[[], Spec]:
    """The spec of them."""
    truth = {f"l{k}": f"t{k}" for k in range(number)}
    scores = {f"l{k}": f"s{k}" for k in range(number)}
    return lambda: {"truth": truth, "models": {"a": {"scores": scores}}}


def values(rows: int) -> pl.DataFrame:
    """A value of each of 50 models on so many thousandths of the rows as data sets."""
    random, sets = np.random.default_rng(0), max(rows // 1000, 10)
    value = 0.8 + 0.002 * np.arange(50) + 0.03 * random.normal(size=(sets, 50))
    places = np.indices(value.shape).reshape(2, -1)
    names = {n: pl.Series([f"{n}{k}" for k in at]) for n, at in zip("dm", places, strict=True)}
    return pl.DataFrame({**names, "value": value.clip(0, 1).ravel()})


def of_values() -> Spec:
    """The spec of them."""
    columns = {"dataset": "d", "model": "m", "value": "value"}
    return {"task": "comparison", "columns": columns, "measure": "accuracy"}


TASKS = {
    "regression": Task("regression, two models", 10**6, 4, numbers, of_two_numbers()),
    "regression_groups": Task(
        "regression in 200,000 groups",
        10**6,
        7,
        numbers_in_groups,
        of_two_numbers(columns={"group": "g"}),
    ),
    "regression_weights": Task(
        "regression with weights in 200,000 groups",
        10**6,
        7,
        numbers_in_groups,
        of_two_numbers(columns={"weight": "w", "group": "g"}),
    ),
    "regression_slices": Task(
        "regression in 180 slices",
        10**6,
        9,
        in_slices(numbers, 180),
        of_two_numbers(slices=["site"]),
    ),
    "regression_measures": Task(
        "every measure of a regression in 25 slices",
        10**5,
        13,
        in_slices(numbers, 25),
        of_two_numbers(slices=["site"], measures="all"),
    ),
    "float32": Task(
        "scores of 32 bits", 10**6, 1.2, lambda n: two_classes(n, pl.Float32), of_two()
    ),
    "weights": Task("weights", 10**6, 2.8, two_classes, of_two(columns={"weight": "w"})),
    "groups": Task("200,000 groups", 10**6, 3, two_classes, of_two(columns={"group": "g"})),
    "time": Task("order of time", 10**6, 4, two_classes, of_two(columns={"time": "t"})),
    "groups_in_time": Task(
        "costs, 200,000 groups in order of time",
        10**6,
        15,
        two_classes,
        of_two(
            columns={"group": "g", "time": "t"},
            costs={"false_negative": 10, "false_positive": 1},
        ),
    ),
    "permutation": Task(
        "a further measure by permutation",
        10**6,
        3.5,
        two_classes,
        of_two(comparisons={"measures": ["average_precision"]}),
    ),
    "classes_10": Task("10 classes", 10**6, 4.3, classes(10), of_classes(10)),
    "classes_10_slices": Task(
        "10 classes in 100 slices",
        2 * 10**4,
        27,
        in_slices(classes(10), 100),
        of_classes(10, slices=["site"]),
    ),
    "classes_measures": Task(
        "every measure of 5 classes in 25 slices",
        10**5,
        20,
        in_slices(classes(5), 25),
        of_classes(5, slices=["site"], measures="all"),
    ),
    "classes_100": Task("100 classes", 10**5, 6.5, classes(100), of_classes(100)),
    "classes_1000": Task("1,000 classes", 10**4, 37, classes(1000), of_classes(1000)),
    "labels_5": Task("5 labels, one model", 10**6, 1.8, labels(5), of_labels(5)),
    "labels_50": Task("50 labels, one model", 10**6, 10, labels(50), of_labels(50)),
    "data_sets": Task("50 models on 100 data sets", 10**5, 6, values, of_values),
}


def evaluation(path: Path, frame: pl.DataFrame, spec: Spec) -> Work:
    """The whole evaluation from a file."""
    import reportgen

    frame.write_parquet(path)
    return lambda: reportgen.evaluate({"data": str(path), **spec})


def beside_two_classes(task: Task) -> Callable[[Path, int], tuple[Work, Work]]:
    """The evaluation of a task, and of two classes of as many rows."""

    def make(path: Path, rows: int) -> tuple[Work, Work]:
        other = path.with_suffix(".two.parquet")
        return (
            evaluation(path, task.data(rows), task.spec()),
            evaluation(other, two_classes(rows), of_two()()),
        )

    return make


def growth(names: list[str]) -> list[str]:
    """CPU of each task at three sizes, the least of three, as lines of a Markdown table."""
    lines = ["| | rows | CPU s | exponent |", "|---|---|---|---:|"]
    for name in names:
        task = TASKS[name]
        sizes = [task.rows // 100, task.rows // 10, task.rows]
        with tempfile.TemporaryDirectory() as folder:
            seconds = [
                min(_cpu(evaluation(Path(folder) / "data.parquet", task.data(n), task.spec())))
                for n in (sizes[0], *sizes)  # the first imports what is needed
            ][1:]
        exponent = math.log(seconds[-1] / seconds[-2]) / math.log(10)
        rows, cpu = ", ".join(f"{n:,}" for n in sizes), ", ".join(f"{s:.3g}" for s in seconds)
        lines.append(f"| {task.what} | {rows} | {cpu} | {exponent:.2f} |")
    return lines


def _cpu(work: Work) -> list[float]:
    seconds = []
    for _ in range(3):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return seconds


if __name__ == "__main__":
    print("\n".join(growth(sys.argv[1:] or list(TASKS))))
