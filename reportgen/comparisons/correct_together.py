"""How many rows several models predict correctly: each of them, and two together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats


@dataclass(frozen=True, slots=True)
class CorrectTogether:
    """What the tests of several models' accuracies are made of.

    ``both`` counts the rows that two models predict correctly, models × models, on its diagonal
    those of each; ``rows`` are all, and in ``unlike`` of them the models differ.
    """

    rows: float
    unlike: float
    both: Floats

    @classmethod
    def of(
        cls, rows: pl.DataFrame, correct: Mapping[str, pl.Expr], count: str | None = None
    ) -> CorrectTogether:
        """From whether each model predicts a row correctly; ``count``: for how many rows it stands.

        >>> rows = pl.DataFrame({"a": [True, True, False], "b": [True, False, False]})
        >>> together = CorrectTogether.of(rows, {name: pl.col(name) for name in "ab"})
        >>> together.rows, together.unlike, together.both.tolist()
        (3.0, 1.0, [[2.0, 1.0], [1.0, 1.0]])
        """
        flags = [expr.cast(pl.Boolean).alias(f"m{i}") for i, expr in enumerate(correct.values())]
        times = (pl.lit(1) if count is None else pl.col(count)).cast(pl.Float64).alias("times")
        names = [f"m{i}" for i in range(len(flags))]
        pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
        unlike = pl.any_horizontal(names) & ~pl.all_horizontal(names)
        number, differ, *products = (
            rows.lazy()
            .select(*flags, times)
            .select(
                pl.col("times").sum().alias("number"),
                pl.col("times").filter(unlike).sum().alias("differ"),
                *(
                    pl.col("times")
                    .filter(pl.col(names[i]) & pl.col(names[j]))
                    .sum()
                    .alias(f"{i} {j}")
                    for i, j in pairs
                ),
            )
            .collect()
            .row(0)
        )
        both = np.zeros((len(names), len(names)))
        for (i, j), value in zip(pairs, products, strict=True):
            both[i, j] = both[j, i] = value
        return cls(number, differ, both)
