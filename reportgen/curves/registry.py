"""The curves that are made of a ranking alone: each module that declares one is discovered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import polars as pl

from reportgen.sweeping import Ranking
from reportgen.tables import CURVES


class FromRanking(Protocol):
    """Makes the table of a curve of a model with that name."""

    def __call__(self, sweep: Ranking, model: str = ..., /) -> pl.DataFrame:
        """The curve of the model, in columns of its table."""


CurveFunction = TypeVar("CurveFunction", bound=FromRanking)


@dataclass(frozen=True, slots=True)
class RankingCurve:
    """What makes a curve, and whether only scores that are probabilities have it."""

    make: FromRanking
    probability: bool


RANKING_CURVES: dict[str, RankingCurve] = {}
"""The curves of a model's ranking by their key."""


def of_ranking(key: str, *, probability: bool = False) -> Callable[[CurveFunction], CurveFunction]:
    """Have every model with scores and rows of both classes get the curve of this function.

    Its table is declared under the same key, by ``tables.curves.curve``: above the function,
    or in ``tables/curves.py``.
    """

    def record(make: CurveFunction) -> CurveFunction:
        if key not in CURVES:
            raise ValueError(f"the curve {key!r} has no table")
        RANKING_CURVES[key] = RankingCurve(make, probability)
        return make

    return record
