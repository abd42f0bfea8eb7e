"""Hotelling's test that several differences are 0, from their covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from scipy.special import fdtrc

from reportgen.array_types import Floats
from reportgen.comparisons.paired import NOISE


class HotellingFields(TypedDict):
    """Fields of a comparison of several models."""

    statistic: float
    df: float
    df_denominator: float
    p_value: float
    effect: str
    estimate: float


@dataclass(frozen=True, slots=True)
class Hotelling:
    """Hotelling's T² of differences, its F and the degrees of freedom."""

    squared: float
    statistic: float
    df: float
    df_denominator: float

    def test(self) -> HotellingFields:
        """Fields of the test that all differences are 0."""
        return {
            "statistic": self.statistic,
            "df": self.df,
            "df_denominator": self.df_denominator,
            "p_value": float(fdtrc(self.df, self.df_denominator, self.statistic)),
            "effect": "Hotelling's T²",
            "estimate": self.squared,
        }


def hotelling(differences: Floats, covariance: Floats, of_variance: float) -> Hotelling | None:
    """Hotelling's test of differences whose covariance has so many degrees of freedom.

    Differences that follow from others count once: the degrees of freedom are the rank of the
    covariance. None where a difference that is not 0 has no variance, or none has any.

    Hotelling (1931), doi:10.1214/aoms/1177732979.

    >>> test = hotelling(np.array([0.3, 0.1]), np.diag([0.01, 0.02]), 9.0)
    >>> round(test.statistic, 4), test.df_denominator, round(test.test()["p_value"], 4)
    (4.2222, 8.0, 0.056)
    """
    inverse = np.linalg.pinv(covariance, rcond=NOISE, hermitian=True)
    if not np.allclose(covariance @ inverse @ differences, differences):
        return None
    squared = float(differences @ inverse @ differences)
    tolerance = NOISE * float(np.trace(covariance))
    df = float(np.linalg.matrix_rank(covariance, tol=tolerance, hermitian=True))
    if not df:
        return None
    df_denominator = max(of_variance + 1 - df, 1.0)
    return Hotelling(squared, df_denominator / (of_variance * df) * squared, df, df_denominator)
