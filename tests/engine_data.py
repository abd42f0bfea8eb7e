"""Rows of two models, and specs of the streaming engine, for tests of counted parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from reportgen import evaluate
from reportgen.engines.cache import Cache
from reportgen.engines.shards import count_shard
from reportgen.predictions import inputs
from reportgen.progress import silent
from reportgen.results import Results
from reportgen.spec import from_dict
from tests.quick import QUICK

ONE = {"a": {"score": "a"}}
TWO = {"a": {"score": "a"}, "b": {"score": "b", "label": "said"}}


def rows(number: int, seed: int = 0, digits: int | None = None) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.random(number) < 0.3
    noise = random.normal(size=number)
    a = 1 / (1 + np.exp(-(noise + truth - 1)))
    b = 1 / (1 + np.exp(-(noise / 2 + random.normal(size=number) + truth - 1)))
    if digits is not None:
        a, b = a.round(digits), b.round(digits)
    return pl.DataFrame(
        {
            "y": np.where(truth, "ill", "well"),
            "a": a,
            "b": b,
            "said": np.where(b > 0.45, "ill", "well"),
            "site": random.integers(0, 3, number).astype(str),
            "role": random.choice(["test", "validation"], number),
            "w": random.choice([0, 0.25, 1.5, 2], number),
        }
    )


def spec(data, engine="streaming", **more):
    return {
        "data": str(data),
        "truth": "y",
        "positive": "ill",
        "models": TWO,
        "engine": engine,
        **QUICK,
        **more,
    }


def written(frame: pl.DataFrame, path):
    frame.write_parquet(path)
    return path


def numbers(results) -> dict:
    keys = ("metric", "model", "slice", "class", "average")
    return {tuple(row[k] for k in keys): row for row in results.metrics.to_dicts()}


def close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-11, abs_tol=1e-11)


OF_CELLS = ("auc", "average_precision")
"""Averages of several classes or labels that cells of scores only bound."""


def assert_same_numbers(rows, counts, not_counted: str | None = None) -> None:
    """Numbers of counts are those of rows but for rounding, or within the bounds of the cells.

    ``not_counted`` is the reason that averages over pairs of classes have no value.
    """
    expected, result = numbers(rows), numbers(counts)
    assert expected.keys() == result.keys()
    for key, row in result.items():
        value = expected[key]["value"]
        if row["undefined"] and row["undefined"] == not_counted:
            assert key[4] in ("macro of pairs", "weighted of pairs")
        elif row["least"] is not None:
            assert key[0] in OF_CELLS
            assert row["least"] - 1e-12 <= value <= row["most"] + 1e-12, key
        else:
            assert close(row["value"], value), (key, row["value"], value)
            assert row["undefined"] == expected[key]["undefined"], key
        if row["interval"] == expected[key]["interval"] and key[0] not in OF_CELLS:
            assert close(row["low"], expected[key]["low"]), key
            assert close(row["high"], expected[key]["high"]), key


def assert_same_tests(rows, counts) -> None:
    """Tests of significance of counts are those of rows but for rounding."""
    assert len(rows.comparisons) > 1
    fields = ["comparison", "models", "metric", "statistic", "p_value", "estimate", "low", "high"]
    for one, other in zip(
        rows.comparisons.select(fields).iter_rows(),
        counts.comparisons.select(fields).iter_rows(),
        strict=True,
    ):
        assert all(
            close(a, b) if isinstance(a, float) else a == b for a, b in zip(one, other, strict=True)
        ), (one, other)


def assert_parts_add_up(folder, frame: pl.DataFrame, parts, spec_of) -> None:
    """Files of the parts, and counts of shards, give the numbers of all rows in any order."""
    whole = evaluate(spec_of(written(frame, folder / "all.parquet")))
    files, counts = [], []
    for k, part in enumerate(parts):
        files.append(str(written(part, folder / f"{k}.parquet")))
        of_shard = from_dict(spec_of(files[-1]))
        _, content = count_shard(of_shard, *inputs(of_shard), Cache(None), silent)
        counts.append(str(folder / f"{k}.counts"))
        (folder / f"{k}.counts").write_bytes(content)

    for data in (files[::-1], counts[::-1]):
        added = evaluate({**spec_of(""), "data": data})
        assert added.metrics.equals(whole.metrics)
        assert added.comparisons.equals(whole.comparisons)
        assert all(table.equals(whole.curves[name]) for name, table in added.curves.items())


def newly_counted(steps: Sequence[str]) -> int:
    """How many parts of the data were counted, by what is said of every step."""
    return sum(step.startswith("counted ") for step in steps)


def by_engine(
    cases: Mapping[str, tuple[pl.DataFrame, Mapping[str, Any]]],
    spec: Callable[..., dict[str, Any]],
    folder: Path,
) -> Callable[[str], list[Results]]:
    """Results of the rows and of their counts, each case once."""

    @cache
    def both(case: str) -> list[Results]:
        frame, more = cases[case]
        data = written(frame, folder / f"{case}.parquet")
        return [evaluate(spec(data, engine, **more)) for engine in ("exact", "streaming")]

    return both
