"""How often page one says that a measure changed where none did: ``… 300``.

A reference of 300 rows and a test set of 200 from one source, two models. Page one names the
measures that changed significantly. Of 300 pairs of data sets each:

- estimates, errors of t with 5 df: 0.013
- two classes in three slices, AUC and accuracy: 0.043
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from reportgen.results import evaluate
from reportgen.spec import from_dict
from tests.quick import QUICK

Draw = Callable[[np.random.Generator, int], pl.DataFrame]


def _estimates(random: np.random.Generator, rows: int) -> pl.DataFrame:
    errors, seen = random.normal(size=(2, rows)), random.normal(size=rows)
    truth = seen + random.standard_t(5, size=rows)
    return pl.DataFrame({"y": truth, "a": seen + 0.3 * errors[0], "b": seen + 0.3 * errors[1]})


def _classes(random: np.random.Generator, rows: int) -> pl.DataFrame:
    seen = random.normal(size=rows)
    truth = random.random(rows) < 1 / (1 + np.exp(1.0 - 1.5 * seen))
    a, b = (1 / (1 + np.exp(-(1.5 * seen - 1 + random.normal(size=rows)))) for _ in "ab")
    site = random.integers(0, 3, rows).astype(str)
    return pl.DataFrame({"y": truth.astype(int), "a": a, "b": b, "site": site})


DESIGNS: dict[str, tuple[Draw, str, list[str]]] = {
    "estimates": (_estimates, "estimate", []),
    "two classes": (_classes, "score", ["site"]),
}


def main(runs: int) -> None:
    """Print the share of pairs in which a change is said."""
    for name, (draw, output, slices) in DESIGNS.items():
        said = 0
        with tempfile.TemporaryDirectory() as folder:
            for run in range(runs):
                random = np.random.default_rng(run + 1000)
                draw(random, 300).write_parquet(Path(folder) / "then.parquet")
                draw(random, 200).write_parquet(Path(folder) / "now.parquet")
                spec = {
                    "data": "now.parquet",
                    "reference": "then.parquet",
                    "truth": "y",
                    "models": {model: {output: model} for model in "ab"},
                    "slices": slices,
                    **QUICK,
                }
                decision = evaluate(from_dict(spec, Path(folder))).decision
                said += any(c.code == "changed_since_reference" for c in decision.caveats)
        print(f"{name}: {said / runs:.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
