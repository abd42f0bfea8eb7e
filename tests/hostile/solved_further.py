"""What can be worked out of withheld counts where there are classes, labels, weights or numbers.

As in ``solved_counts``: rows by all that results count are the unknown numbers, each printed number
that follows from them is an equation, and an integer program bounds each small count.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl

import reportgen
from tests.hostile.solved_counts import CELLS, SHARES, Solver
from tests.small_counts import LABELS

Named = Iterator[tuple[str, np.ndarray]]


class Rows(Solver):
    """Rows by the values of some columns; ``weights`` are what such a row weighs."""

    slack = 1e-5  # sums of weights are added up with more rounding

    def __init__(
        self, frame: pl.DataFrame, names: Sequence[str], weight: str | None = None
    ) -> None:
        self.names = tuple(names)
        self.unknown = list(product(*(sorted(set(frame[name])) for name in names)))
        counts = {row[:-1]: row[-1] for row in frame.group_by(self.names).len().rows()}
        self.truth = np.array([counts.get(one, 0) for one in self.unknown], dtype=float)
        at = None if weight is None else self.names.index(weight)
        self.weights = np.array([1.0 if at is None else one[at] for one in self.unknown])
        self.most = frame.height
        self.left, self.right = [], []
        self.state(self.sum(), frame.height)

    def where(self, test: Any) -> np.ndarray:
        """Which rows pass a test of their values by name."""
        named = (dict(zip(self.names, one, strict=True)) for one in self.unknown)
        return np.array([float(test(one)) for one in named])

    def sum(self, **wanted: Any) -> np.ndarray:
        return self.where(lambda row: all(row[name] == value for name, value in wanted.items()))


def _printed(results: reportgen.Results) -> Iterator[Mapping[str, Any]]:
    yield from results.metrics.filter(pl.col("value").is_not_null()).iter_rows(named=True)


def _joint(results: reportgen.Results, rows: Rows, weighted: bool = False) -> None:
    for row in results.comparisons.iter_rows(named=True):
        for correct, count in zip(product((1, 0), (1, 0)), row["cross_table"], strict=False):
            of = dict(zip(row["models"], correct, strict=True))
            here = rows.where(lambda r, of=of: all((r[m] == r["y"]) == k for m, k in of.items()))
            rows.state(here * (rows.weights if weighted else 1), count)


def _wrong(draw: random.Random, y: int, share: float) -> int:
    return 1 - y if draw.random() < share else y


def _by_label(draw: random.Random) -> pl.DataFrame:
    """Three or four classes, some of which models seldom take for others."""
    classes = range(draw.choice((3, 4)))
    wrong = {(m, y): draw.choice((0.0, 0.02, 0.05, 0.3)) for m in "ab" for y in classes}
    table: dict[str, list[int]] = {name: [] for name in "yab"}
    for _ in range(draw.choice((80, 150, 300))):
        table["y"].append(y := draw.choice(classes))
        for m in "ab":
            table[m].append(draw.choice(classes) if draw.random() < wrong[m, y] else y)
    return pl.DataFrame(table)


def of_classes(draw: random.Random, privacy: Any) -> tuple[int, list[str]]:
    """Three or four classes by label."""
    frame = _by_label(draw)
    spec = {"truth": "y", "models": LABELS["models"], "measures": draw.choice(("core", "all"))}
    results = reportgen.evaluate({"task": "multiclass", **spec, **privacy}, frame)
    rows = Rows(frame, "yab")
    for one in results.data["classes"]:
        rows.state(rows.sum(y=int(one["class"])), one["rows"])
    if "confusion" in results.curves:
        for cell in results.curves["confusion"].iter_rows(named=True):
            place = {"y": int(cell["truth"]), cell["model"]: int(cell["predicted"])}
            rows.state(rows.sum(**place), cell["count"])
    for row in _printed(results):
        if row["metric"] in SHARES and row["class"] is not None:
            rows.share(
                row["metric"], row["value"], _of_class(rows, row["model"], int(row["class"]))
            )
        elif row["metric"] == "error_rate" and row["average"] is None:
            rows.state(_wrong_of(rows, row["model"]), row["value"] * frame.height)
    _joint(results, rows)
    return rows.following(_counts_of_classes(rows, sorted(set(frame["y"]))), rows.truth, rows.most)


def _wrong_of(rows: Rows, model: str) -> np.ndarray:
    return rows.where(lambda row: row[model] != row["y"])


def _counts_of_classes(rows: Rows, classes: Sequence[int]) -> Named:
    for m, y, k in product("ab", classes, classes):
        yield f"{m} takes {y} for {k}", rows.sum(y=y, **{m: k})
    for m, other in ("ab", "ba"):
        yield f"errors of {m}", _wrong_of(rows, m)
        yield f"only {m}", (1 - _wrong_of(rows, m)) * _wrong_of(rows, other)


def _of_class(rows: Rows, model: str, k: int) -> np.ndarray:
    true = rows.where(lambda row: row["y"] == k)
    taken = rows.where(lambda row: row[model] == k)
    return _four(true, taken)


def _four(true: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """The cells of two classes."""
    return np.array(
        [true * taken, (1 - true) * taken, true * (1 - taken), (1 - true) * (1 - taken)]
    )


def _decided(draw: random.Random) -> pl.DataFrame:
    """Labels u and v, and what two models make of each."""
    wrong = {m + k: draw.choice((0.01, 0.03, 0.2)) for m in "ab" for k in "uv"}
    table: dict[str, list[int]] = {name: [] for name in ("u", "v", *wrong)}
    for _ in range(draw.choice((100, 200, 400))):
        for k in "uv":
            table[k].append(int(draw.random() < 0.4))
            for m in "ab":
                table[m + k].append(_wrong(draw, table[k][-1], wrong[m + k]))
    return pl.DataFrame(table)


def of_labels(draw: random.Random, privacy: Any) -> tuple[int, list[str]]:
    """Two labels by scores of many values, each decided at a half."""
    frame = _decided(draw)
    noise = pl.Series([draw.random() / 2.01 for _ in range(frame.height)])
    scores = [(pl.col(m + k) / 2 + noise).alias(f"s{m}{k}") for m in "ab" for k in "uv"]
    models = {m: {"scores": {k: f"s{m}{k}" for k in "uv"}} for m in "ab"}
    spec = {"truth": {"u": "u", "v": "v"}, "models": models}
    spec |= {"measures": draw.choice(("core", "all")), **privacy}
    results = reportgen.evaluate(spec, frame.with_columns(scores))
    rows = Rows(frame, frame.columns)
    for one in results.data["classes"]:
        rows.state(rows.sum(**{one["class"]: 1}), one["rows"])
    for row in _printed(results):
        if row["metric"] in SHARES and row["class"] is not None:
            cells = _four(
                rows.sum(**{row["class"]: 1}), rows.sum(**{row["model"] + row["class"]: 1})
            )
            rows.share(row["metric"], row["value"], cells)
        elif row["metric"] == "subset_accuracy":
            rows.state(_any_wrong(rows, row["model"]), (1 - row["value"]) * frame.height)
    return rows.following(_counts_of_labels(rows), rows.truth, rows.most)


def _any_wrong(rows: Rows, m: str) -> np.ndarray:
    return rows.where(lambda row: any(row[k] != row[m + k] for k in "uv"))


def _counts_of_labels(rows: Rows) -> Named:
    for m, k in product("ab", "uv"):
        cells = _four(rows.sum(**{k: 1}), rows.sum(**{m + k: 1}))
        for name, cell in zip(CELLS, cells, strict=True):
            yield f"{name} of {m}, {k}", cell
    for m in "ab":
        yield f"rows with an error of {m}", _any_wrong(rows, m)
        yield (
            f"both wrong, {m}",
            rows.where(lambda row, m=m: all(row[k] != row[m + k] for k in "uv")),
        )


def _weighted(draw: random.Random) -> pl.DataFrame:
    """Two classes by site in rows of two weights."""
    weights = draw.choice(((1.0, 2.0), (0.5, 3.0), (1.0, 40.0)))
    wrong = {(m, s): draw.choice((0.02, 0.1, 0.3)) for m in "ab" for s in "NESW"}
    table: dict[str, list[Any]] = {name: [] for name in ("y", "a", "b", "site", "w")}
    for site in "NESW"[: draw.randint(2, 4)]:
        for _ in range(draw.choice((8, 40, 90))):
            table["y"].append(y := int(draw.random() < 0.4))
            for m in "ab":
                table[m].append(_wrong(draw, y, wrong[m, site]))
            table["site"].append(site)
            table["w"].append(draw.choice(weights))
    return pl.DataFrame(table)


def of_weights(draw: random.Random, privacy: Any) -> tuple[int, list[str]]:
    """Two classes by site in rows of two weights."""
    frame = _weighted(draw)
    spec = {"truth": "y", **LABELS, "slices": ["site"], "columns": {"weight": "w"}}
    spec |= {"measures": draw.choice(("core", "all")), **privacy}
    results = reportgen.evaluate(spec, frame)
    rows = Rows(frame, ("y", "a", "b", "site", "w"), "w")
    rows.state(rows.sum(y=1), results.data["positives"])
    rows.state(rows.weights, results.data["weight_total"])
    for one in results.slices.iter_rows(named=True):
        rows.state(rows.sum(site=one["values"][0]), one["rows"])
        rows.state(rows.sum(site=one["values"][0], y=1), one["positives"])
    for row in _printed(results):
        if row["metric"] in SHARES:
            site = (row["slice"] or "").removeprefix("site = ") or None
            cells = _of_site(rows, row["model"], site) * rows.weights
            rows.share(row["metric"], row["value"], cells)
    _joint(results, rows, weighted=True)
    return rows.following(
        _counts_of_sites(rows, (None, *sorted(set(frame["site"])))), rows.truth, rows.most
    )


def _of_site(rows: Rows, model: str, site: str | None) -> np.ndarray:
    here = rows.sum() if site is None else rows.sum(site=site)
    return _four(rows.sum(y=1), rows.sum(**{model: 1})) * here


def _counts_of_sites(rows: Rows, sites: Iterable[str | None]) -> Named:
    for site in sites:
        yield f"rows of {site}", _of_site(rows, "a", site).sum(axis=0)
        for m in "ab":
            for name, cell in zip(CELLS, _of_site(rows, m, site), strict=True):
                yield f"{name} of {m}, {site}", cell


def _estimated(draw: random.Random) -> pl.DataFrame:
    """Whole numbers by site and land, some of which models take for the next."""
    wrong = {site: draw.choice((0.0, 0.02, 0.3)) for site in "NESW"}
    table: dict[str, list[Any]] = {name: [] for name in ("y", "a", "b", "site", "land")}
    for site in "NESW":
        for _ in range(draw.choice((3, 9, 40, 90))):
            table["y"].append(y := draw.randint(0, 6))
            for m in "ab":
                table[m].append(y + int(draw.random() < wrong[site]))
            table["site"].append(site)
            table["land"].append(draw.choice("12"))
    return pl.DataFrame(table)


def of_numbers(draw: random.Random, privacy: Any) -> tuple[int, list[str]]:
    """Whole numbers: rows of slices, and rows with an error, by site and land."""
    frame = _estimated(draw)
    slices = draw.choice((["site"], ["site", "land"], [["site", "land"]]))
    spec = {"task": "regression", "truth": "y", "models": {m: {"estimate": m} for m in "ab"}}
    results = reportgen.evaluate({**spec, "slices": slices, **privacy}, frame)
    wrong = frame.with_columns((pl.col(m) - pl.col("y")).alias(m) for m in "ab")
    rows = Rows(wrong, ("site", "land", "a", "b"))
    places: dict[str | None, dict[str, str]] = {None: {}}
    for one in results.slices.iter_rows(named=True):
        places[one["slice"]] = dict(zip(one["slicing"], one["values"], strict=True))
        rows.state(rows.sum(**places[one["slice"]]), one["rows"])
    for row in _printed(results):
        place = places[row["slice"]]
        if row["metric"] == "mean_absolute_error":
            errors = rows.sum(**{row["model"]: 1}, **place)
            rows.state(errors - row["value"] * rows.sum(**place), 0.0)
    parts = frame.select("site", "land").unique().sort("site", "land").to_dicts()
    names = [[s] if isinstance(s, str) else s for s in slices]
    of_slices = [{k: part[k] for k in by} for by in names for part in parts]
    return rows.following(_counts_of_errors(rows, [{}, *of_slices]), rows.truth, rows.most)


def _counts_of_errors(rows: Rows, places: Iterable[Mapping[str, str]]) -> Named:
    once = {str(place): place for place in places}
    for name, place in once.items():
        yield f"rows {name}", rows.sum(**place)
        for m in "ab":
            yield f"errors of {m} {name}", rows.sum(**{m: 1}, **place)


DESIGNS = {
    "classes": of_classes,
    "labels": of_labels,
    "weights": of_weights,
    "numbers": of_numbers,
}
