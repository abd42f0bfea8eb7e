"""Designs of data that differ in one count below ``small_cells`` alone, of any kind of count.

Each gives the files and the spec for a count of so many rows; whatever the count, up to the least
that is published, a build is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from tests.small_counts import SITES

Frames = Mapping[str, pl.DataFrame]

LABELS: Mapping[str, Any] = {
    "data": "p.csv",
    "truth": "y",
    "positive": "1",
    "models": {"a": {"label": "a"}, "b": {"label": "b"}},
}
index = pl.col("i")


@dataclass(frozen=True)
class Design:
    """The files that a count gives, and the spec that reads them."""

    frames: Callable[[int], Frames]
    spec: Mapping[str, Any]


def rows(missed: int | None = None) -> pl.DataFrame:
    """The rows of all sites, numbered; with ``missed``, so many false negatives of a in all."""
    parts = []
    for site, (tp, fp, fn, tn) in SITES.items():
        truth = [1] * (tp + fn) + [0] * (fp + tn)
        a = [1] * tp + [0 if missed is None else 1] * fn + [1] * fp + [0] * tn
        b = [1 - t if i % 3 == 0 else t for i, t in enumerate(truth)]
        parts.append(pl.DataFrame({"y": truth, "a": a, "b": b}).with_columns(site=pl.lit(site)))
    frame = pl.concat(parts).with_row_index("i").with_columns(index.cast(pl.Int64))
    return frame.with_columns(
        a=pl.when((pl.col("y") == 1) & (index < (missed or 0))).then(0).otherwise("a")
    )


def first(few: int, then: object, other: pl.Expr) -> pl.Expr:
    """A value for the first rows, another for the others."""
    return pl.when(index < few).then(pl.lit(then)).otherwise(other)


def one(frame: pl.DataFrame) -> Frames:
    """One file, without the numbers of the rows."""
    return {"p.csv": frame.drop("i")}


def two(frame: pl.DataFrame, other: pl.DataFrame, names: tuple[str, str]) -> Frames:
    """Two files."""
    return {names[0]: frame.drop("i"), names[1]: other.drop("i")}


def of_labels(change: Callable[[pl.DataFrame, int], pl.DataFrame], **spec: object) -> Design:
    """The usual rows, changed, in one file."""
    return Design(lambda few: one(change(rows(), few)), {**LABELS, **spec})


def missed(change: Callable[[pl.DataFrame], pl.DataFrame] = lambda f: f, **spec: object) -> Design:
    """Few false negatives of a over all rows."""
    return Design(lambda few: one(change(rows(few))), {**LABELS, **spec})


def by_class(few: int) -> pl.DataFrame:
    """Three classes in 300 rows; the scores of two models take two values each."""
    frame = pl.DataFrame({"i": range(300)}).with_columns(y=index % 3)
    wrong = {"p": index < few, "q": index % 7 == 0}
    scores = [
        pl.when(pl.when(where).then((pl.col("y") + 1) % 3).otherwise("y") == k)
        .then(0.9)
        .otherwise(0.05)
        .alias(f"{name}{k}")
        for name, where in wrong.items()
        for k in range(3)
    ]
    return frame.with_columns(scores)


def cell_of_three(few: int) -> pl.DataFrame:
    """Three classes, and few rows of the first that a takes for the second."""
    frame = pl.DataFrame({"i": range(300)}).with_columns(y=index.hash(5) % 20 % 3)
    number, y = (pl.col("y") == 0).cum_sum(), pl.col("y")
    a = pl.when((y == 0) & (number <= few)).then(1).when((y == 0) & (number <= 30)).then(2)
    return frame.with_columns(
        a=a.otherwise(y), b=pl.when(index % 7 == 0).then((y + 1) % 3).otherwise(y)
    )


def of_two_labels(few: int) -> pl.DataFrame:
    """Two labels in 400 rows; a errs in few rows of the first."""
    frame = pl.DataFrame({"i": range(400)}).with_columns(u=index % 2, v=index // 2 % 2)
    wrong = pl.when(index < few).then(1 - pl.col("u")).otherwise("u")
    return frame.with_columns(
        pu=wrong * 0.8 + 0.1, pv=pl.col("v") * 0.7 + 0.1, qu=index / 401, qv=1 - index / 401
    )


def estimates(few: int) -> pl.DataFrame:
    """300 rows with a number; few of the site X."""
    site = first(few, "X", pl.when(index < 20).then(pl.lit("Y")).otherwise(pl.lit("Z")))
    return (
        pl.DataFrame({"i": range(300)})
        .with_columns(y=index.hash(1) % 997 / 100, site=site)
        .with_columns(
            a=pl.col("y") + index.hash(2) % 97 / 100, b=pl.col("y") + index.hash(3) % 197 / 100
        )
    )


def long(few: int, *, of_class: bool) -> Frames:
    """Model b lacks few rows of those of a, or has few of one class."""
    a = rows().select("i", "y", m=pl.lit("a"), l=pl.col("a"))
    if of_class:
        negatives, positives = (a.filter(pl.col("y") == k) for k in (0, 1))
        b = pl.concat([negatives.head(100), positives.head(few)])
    else:
        b = a.tail(a.height - few)
    return {"p.csv": pl.concat([a, b.with_columns(m=pl.lit("b"))])}


def moved(frame: pl.DataFrame, few: int) -> pl.DataFrame:
    """So many of the false negatives of E and S are of E."""
    y, site = pl.col("y"), pl.col("site")
    a = pl.col("a")
    for name, count in (("E", few), ("S", 11 - few)):
        here = (site == name) & (y == 1)
        a = pl.when(here).then((here.cum_sum() > count).cast(pl.Int64)).otherwise(a)
    return frame.with_columns(a=a)


def apart(frame: pl.DataFrame, few: int) -> pl.DataFrame:
    """Model b errs where a does, but for few rows that either predicts correctly alone."""
    correct = (pl.col("y") == 1) & (pl.col("a") == 1)
    wrong = (pl.col("y") == 1) & (pl.col("a") == 0)
    turned = (correct & (correct.cum_sum() <= few)) | (wrong & (wrong.cum_sum() <= few))
    return frame.with_columns(b=pl.when(turned).then(1 - pl.col("a")).otherwise("a"))


def words(frame: pl.DataFrame) -> pl.DataFrame:
    """The classes by names of different lengths."""
    names = {0: "healthy", 1: "sick"}
    return frame.with_columns(pl.col("y", "a", "b").replace_strict(names))


def as_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """The labels as scores of two values."""
    return frame.with_columns(pl.col("a", "b") * 0.8 + 0.1)


SCORED = {"models": {"a": {"score": "a"}, "b": {"score": "b"}}}
COSTS = {"costs": {"false_negative": 5, "false_positive": 1}, "prevalence": 0.1}
CLAIMS = {"claims": ["a.error_rate <= 0.2", "b.recall >= 0.1"], "margin": 0.05}
OF_CLASSES = {
    "data": "p.csv",
    "truth": "y",
    "models": {
        name: {"scores": {str(k): f"{column}{k}" for k in range(3)}}
        for name, column in (("a", "p"), ("b", "q"))
    },
}
OF_LABELS = {
    "data": "p.csv",
    "truth": {"u": "u", "v": "v"},
    "models": {n: {"scores": {k: f"{c}{k}" for k in "uv"}} for n, c in (("a", "p"), ("b", "q"))},
}
LONG = {
    **LABELS,
    "models": {"column": "m", "label": "l"},
    "columns": {"id": "i"},
}

DESIGNS: Mapping[str, Design] = {
    "slices of a column": of_labels(
        moved, slices=["site"], gates=["a.recall by site >= 0.5"], **COSTS
    ),
    "slices of two columns": of_labels(
        lambda f, few: moved(f, few).with_columns(
            land=pl.col("site").replace({"E": "1", "S": "1", "N": "2", "W": "2"})
        ),
        slices=["site", "land"],
    ),
    "false negatives": missed(slices=["site"], gates=["a.recall >= 0.5"]),
    "false negatives, claims": missed(comparisons=CLAIMS, **COSTS),
    "labels of different lengths": missed(words, positive="sick"),
    "rows of a role": of_labels(
        lambda f, few: pl.concat(
            [f.with_columns(role=pl.lit("test")), f.head(few).with_columns(role=pl.lit("train"))]
        ),
        columns={"role": "role"},
    ),
    "rows of a second file": Design(
        lambda few: two(
            rows().filter(index >= few), rows().filter(index < few), ("a.csv", "b.csv")
        ),
        {**LABELS, "data": ["a.csv", "b.csv"]},
    ),
    "rows of a folder": Design(
        lambda few: two(
            rows().filter(index >= few).drop("site"),
            rows().filter(index < few).drop("site"),
            ("site=A/p.parquet", "site=B/p.parquet"),
        ),
        {**LABELS, "data": "*/p.parquet", "hive": True, "slices": ["site"]},
    ),
    "a slice of the reference": Design(
        lambda few: two(
            rows(), rows().with_columns(site=first(few, "X", pl.col("site"))), ("p.csv", "r.csv")
        ),
        {**LABELS, "reference": "r.csv", "slices": ["site"]},
    ),
    "a class of the reference": Design(
        lambda few: two(
            rows(),
            pl.concat([rows().filter(y=0), rows().filter(y=1).head(few)]),
            ("p.csv", "r.csv"),
        ),
        {**LABELS, "reference": "r.csv"},
    ),
    "rows of a fold": of_labels(
        lambda f, few: f.with_columns(fold=first(few, 9, index % 3)), columns={"fold": "fold"}
    ),
    "rows of a data set": of_labels(
        lambda f, few: f.with_columns(part=first(few, 9, index % 3)), columns={"dataset": "part"}
    ),
    "rows of weight 0": of_labels(
        lambda f, few: pl.concat(
            [f.with_columns(w=pl.lit(1.0)), f.head(few).with_columns(w=pl.lit(0.0))]
        ),
        columns={"weight": "w"},
    ),
    "heavy rows": missed(
        lambda f: f.with_columns(w=pl.lit(40.0)), slices=["site"], columns={"weight": "w"}
    ),
    "examples in repeats": missed(
        lambda f: pl.concat([f.with_columns(id=index, repeat=pl.lit(k)) for k in range(3)]),
        columns={"id": "id", "repeat": "repeat"},
    ),
    "rows in groups": missed(lambda f: f.with_columns(g=index // 2), columns={"group": "g"}),
    "rows in order of time": missed(lambda f: f.with_columns(t=index), columns={"time": "t"}),
    "rows that two models differ in": of_labels(apart),
    "look-alike slices": of_labels(
        lambda f, few: f.with_columns(site=first(few, "n", pl.col("site"))).filter(
            pl.col("site").is_in(["n", "N", "W"])
        ),
        slices=["site"],
    ),
    "scores of two values": missed(as_scores, slices=["site"], **SCORED, **COSTS),
    "scores of two values, counted": missed(as_scores, engine="streaming", **SCORED),
    "a cell of three classes": Design(
        lambda few: one(cell_of_three(few)),
        {key: value for key, value in LABELS.items() if key != "positive"},
    ),
    "coarse scores of three classes": Design(lambda few: one(by_class(few)), OF_CLASSES),
    "coarse scores of three classes, counted": Design(
        lambda few: one(by_class(few)), {**OF_CLASSES, "engine": "streaming"}
    ),
    "coarse scores of two labels": Design(lambda few: one(of_two_labels(few)), OF_LABELS),
    "estimates by slice": Design(
        lambda few: one(estimates(few)),
        {
            "data": "p.csv",
            "truth": "y",
            "models": {"a": {"estimate": "a"}, "b": {"estimate": "b"}},
            "slices": ["site"],
        },
    ),
    "rows that a model lacks": Design(lambda few: long(few, of_class=False), LONG),
    "a class of a model's own rows": Design(lambda few: long(few, of_class=True), LONG),
}
