"""Tasks other than that of two classes, and rows in groups: specs for engines that count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

OTHER_TASKS: dict[str, dict[str, Any]] = {
    "regression": {"models": {name: {"estimate": name} for name in "ab"}, "truth": "t"},
    "multiclass": {
        "models": {"m": {"scores": {"0": "a", "1": "b", "2": "c"}}, "n": {"label": "j"}},
        "truth": "k",
    },
    "groups": {"columns": {"group": "g"}},
    "regression in groups": {
        "models": {name: {"estimate": name} for name in "ab"},
        "truth": "t",
        "columns": {"group": "g"},
    },
    "classes in groups": {
        "models": {"m": {"scores": {"0": "a", "1": "b", "2": "c"}}, "n": {"label": "j"}},
        "truth": "k",
        "columns": {"group": "g"},
    },
    "labels in groups": {
        "models": {"m": {"scores": {"u": "a", "v": "b"}}},
        "truth": {"u": "y", "v": "z"},
        "columns": {"group": "g"},
    },
    "multilabel": {
        "models": {"m": {"scores": {"u": "a", "v": "b"}}},
        "truth": {"u": "y", "v": "z"},
    },
}


def with_other_tasks(folder: Path, rows: int = 4000) -> None:
    """Add to files with a truth ``y`` and scores ``a``, ``b`` what the other tasks read."""
    for path in folder.glob("*.parquet"):
        other = {
            "t": pl.col("a") - 0.1 * pl.col("y"),
            "z": pl.col("b") > 0.6,
            "c": 1 - pl.col("a"),
            "k": pl.int_range(pl.len()) % 3,
            "j": pl.int_range(pl.len()) % 5 % 3,
            "g": pl.int_range(pl.len()) * 7 % 100,
        }
        pl.read_parquet(path).head(rows).with_columns(**other).write_parquet(path)
