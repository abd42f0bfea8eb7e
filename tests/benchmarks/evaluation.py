"""CPU of an evaluation, as ratios: to reading and sorting, of slices, of many models.

python -m tests.benchmarks.evaluation [ROWS]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import reportgen

ROUNDS = 3
"""The cases take turns, so that other work on the machine meets all alike."""


def predictions(rows: int, models: int = 10) -> pl.DataFrame:
    """Scores of ``models`` on the same rows, a site of twenty, three positives in ten."""
    random = np.random.default_rng(0)
    truth = random.random(rows) < 0.3
    signal = random.normal(size=rows) + 1.5 * truth
    scores = {
        f"m{k}": 1 / (1 + np.exp(1 - signal - (0.5 + k / 10) * random.normal(size=rows)))
        for k in range(models)
    }
    return pl.DataFrame({"truth": truth, "site": random.integers(0, 20, rows), **scores})


def spec(path: Path, models: int, **more: Any) -> dict[str, Any]:
    """A spec of the first ``models`` models, all else as it is by default."""
    named = {f"m{k}": {"score": f"m{k}"} for k in range(models)}
    return {"data": str(path), "truth": "truth", "models": named, **more}


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds, those of all threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def compared(work: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Median CPU seconds of each."""
    rounds = [{name: cpu(one) for name, one in work.items()} for _ in range(ROUNDS)]
    return {name: statistics.median(r[name] for r in rounds) for name in work}


def main(rows: int) -> None:
    """Print the seconds and the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        predictions(rows).write_parquet(path)

        def limit() -> None:
            frame = pl.read_parquet(path, columns=["truth", "m0", "m1"])
            for name in ("m0", "m1"):
                frame[name].sort()

        timings = compared(
            {
                "read and sort": limit,
                "one model": lambda: reportgen.evaluate(spec(path, 1)),
                "two models": lambda: reportgen.evaluate(spec(path, 2)),
                "in 20 slices": lambda: reportgen.evaluate(spec(path, 2, slices=["site"])),
                "ten models": lambda: reportgen.evaluate(spec(path, 10)),
            }
        )
    for name, seconds in timings.items():
        print(f"{name:16}{seconds:8.2f} s")
    two, one = timings["two models"], timings["one model"]
    print(f"two models / read and sort {two / timings['read and sort']:.1f}")
    print(f"slices / none {timings['in 20 slices'] / two:.2f} (at most 2)")
    print(f"ten models / one {timings['ten models'] / one:.2f} (at most 10)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
