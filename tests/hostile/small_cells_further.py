"""More designs that differ in a withheld count alone: scores of many values, roles, more models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from tests.hostile.small_cells import (
    LABELS,
    OF_CLASSES,
    OF_LABELS,
    Design,
    estimates,
    index,
    missed,
    of_two_labels,
    one,
    rows,
    two,
)

OF_SCORES: Mapping[str, Any] = {
    "data": "p.csv",
    "truth": "y",
    "models": {"a": {"score": "p"}, "b": {"score": "q"}},
}
OF_NUMBERS: Mapping[str, Any] = {
    "data": "p.csv",
    "truth": "y",
    "models": {"a": {"estimate": "a"}, "b": {"estimate": "b"}},
}
y, site = pl.col("y"), pl.col("site")


def noise(seed: int, size: float = 1.0) -> pl.Expr:
    """A number from 0 to ``size`` that hardly two rows have in common."""
    return index.hash(seed) % 7001 / 7001 * size


def scored(size: int = 600) -> pl.DataFrame:
    """Two classes, and scores of many values that overlap."""
    frame = pl.DataFrame({"i": range(size)}).with_columns(y=(index.hash(1) % 2).cast(pl.Int64))
    return frame.with_columns(p=y * 0.3 + noise(2, 0.7), q=y * 0.2 + noise(3, 0.7))


def some_above(few: int) -> pl.DataFrame:
    """Scores that separate the classes, but for few negatives above all positives."""
    number = (y == 0).cum_sum()
    above = (y == 0) & (number <= few)
    return scored().with_columns(p=pl.when(above).then(0.99 + noise(4, 0.01)).otherwise(y * 0.5))


def one_above(few: int) -> pl.DataFrame:
    """Scores in the order of the classes, but for one negative above few positives."""
    frame = scored().sort("y").with_row_index("rank")
    negatives = frame.height - frame["y"].sum()
    moved = pl.col("rank") == negatives - 1
    frame = frame.with_columns(
        p=pl.when(moved).then(negatives - 0.5 + few).otherwise("rank") / frame.height
    )
    return frame.drop("rank").sort("i")


def class_above(few: int) -> pl.DataFrame:
    """Three classes; few rows of the second have the highest scores of the first."""
    frame = pl.DataFrame({"i": range(450)}).with_columns(y=index % 3)
    own = [pl.when(y == k).then(0.6).otherwise(0.1) + noise(10 + k, 0.1) for k in range(3)]
    moved = (y == 1) & ((y == 1).cum_sum() <= few)
    own[0] = pl.when(moved).then(0.9 + noise(5, 0.001)).otherwise(own[0])
    columns = {f"p{k}": own[k] for k in range(3)} | {f"q{k}": noise(20 + k) for k in range(3)}
    return frame.with_columns(**columns)


def label_above(few: int) -> pl.DataFrame:
    """Two labels; few rows without the first have its highest scores."""
    u = pl.col("u")
    moved = (u == 0) & ((u == 0).cum_sum() <= few)
    return of_two_labels(0).with_columns(
        pu=pl.when(moved).then(0.95 + noise(5, 0.001)).otherwise(u * 0.5 + noise(3, 0.1)),
        **{name: noise(seed) for seed, name in enumerate(("pv", "qu", "qv"))},
    )


def beyond(few: int) -> pl.DataFrame:
    """Intervals of one width, few of which do not hold the truth."""
    shift = pl.when(index < few).then(6.0).otherwise(0.0)
    return estimates(20).with_columns(low=pl.col("a") - 5 + shift, high=pl.col("a") + 2 + shift)


def crossed(few: int) -> pl.DataFrame:
    """Few rows of E are f, and as many more of S: of each sex there are always the same."""
    numbers = {name: (site == name).cum_sum() for name in ("E", "S")}
    f = ((site == "E") & (numbers["E"] <= few)) | ((site == "S") & (numbers["S"] <= 40 - few))
    f |= site.is_in(["N", "W"]) & (index % 2 == 0)
    return rows().with_columns(sex=pl.when(f).then(pl.lit("f")).otherwise(pl.lit("m")))


def nameless(few: int) -> pl.DataFrame:
    """Few rows of E without a site."""
    gone = (site == "E") & ((site == "E").cum_sum() <= few)
    return rows().with_columns(site=pl.when(~gone).then("site"))


def more_models(few: int) -> pl.DataFrame:
    """Four models; a and c miss the same few positives."""
    return rows(few).with_columns(
        c=pl.when(index % 13 == 12).then(pl.lit(1)).otherwise("a"),
        d=pl.when(index % 11 == 0).then(1 - y).otherwise(y),
    )


def roles(few: int, *, validation: int) -> pl.DataFrame:
    """Rows to test and to choose a threshold on, and few to train on."""
    parts = {"test": 400, "validation": validation, "train": few}
    return pl.concat([scored(n).with_columns(role=pl.lit(role)) for role, n in parts.items()])


FURTHER: Mapping[str, Design] = {
    "negatives above all positives": Design(lambda few: one(some_above(few)), OF_SCORES),
    "pairs in the wrong order": Design(lambda few: one(one_above(few)), OF_SCORES),
    "pairs of a class in the wrong order": Design(lambda few: one(class_above(few)), OF_CLASSES),
    "pairs of a label in the wrong order": Design(lambda few: one(label_above(few)), OF_LABELS),
    "intervals that do not hold the truth": Design(
        lambda few: one(beyond(few)),
        {
            **OF_NUMBERS,
            "models": {"a": {"estimate": "a", "low": "low", "high": "high"}},
        },
    ),
    "rows outside of those of the reference": Design(
        lambda few: two(
            estimates(20),
            estimates(20).with_columns(a=pl.when(index < few).then(50.0).otherwise("a")),
            ("p.csv", "r.csv"),
        ),
        {**OF_NUMBERS, "reference": "r.csv"},
    ),
    "errors of the reference": Design(
        lambda few: two(rows(20), rows(few), ("p.csv", "r.csv")),
        {**LABELS, "reference": "r.csv", "slices": ["site"]},
    ),
    "combinations of two columns": Design(
        lambda few: one(crossed(few)), {**LABELS, "slices": [["site", "sex"]]}
    ),
    "rows without a site": Design(lambda few: one(nameless(few)), {**LABELS, "slices": ["site"]}),
    "errors that models share": Design(
        lambda few: one(more_models(few)),
        {**LABELS, "models": {name: {"label": name} for name in "abcd"}, "slices": ["site"]},
    ),
    "rows to train on": Design(
        lambda few: one(roles(few, validation=100)),
        {**OF_SCORES, "columns": {"role": "role"}, "threshold": {"maximise": "f1"}},
    ),
    "costs by row": missed(
        lambda f: f.with_columns(miss=pl.lit(5.0), alarm=pl.lit(1.0)),
        costs={"false_negative": {"column": "miss"}, "false_positive": {"column": "alarm"}},
    ),
    "rows of a site in groups": missed(
        lambda f: f.with_columns(g=index // 2), slices=["site"], columns={"group": "g"}
    ),
    "folds of repeats": missed(
        lambda f: pl.concat(
            [f.with_columns(id=index, repeat=pl.lit(k), fold=(index + k) % 4) for k in range(3)]
        ),
        columns={"id": "id", "repeat": "repeat", "fold": "fold"},
    ),
    "folds, counted": missed(
        lambda f: f.with_columns(fold=index % 4), columns={"fold": "fold"}, engine="streaming"
    ),
}
