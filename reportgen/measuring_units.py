"""Estimates in another unit than the truth, such as hours beside minutes."""

from __future__ import annotations

import math

FACTORS = (60, 1000, 100, 24, 3600, 1440, 3.6, 1.609344, 2.204623, 2.54, 25.4, 3.28084)
"""Minutes of an hour, grams of a kilogram, hours of a day, kilometres of a mile, and their like."""

SMALL = 10
"""Factors below are near what a poor model is off by, and so need more: see ``NEEDED``."""

NEEDED = {False: (0.6, 0.05), True: (0.95, 0.01)}
"""The least correlation, and how far the logarithm of the ratio may be off; of small factors."""


def factor_of(ratio: float, correlation: float) -> float | None:
    """What the estimates need to be multiplied by to be in the truth's unit; None where no factor.

    ``ratio`` is the total of the truth by that of the estimates, which is near a factor.

    >>> factor_of(61, 0.83), factor_of(1 / 61, 0.83)
    (60, 0.016666666666666666)
    >>> factor_of(61, 0.3), factor_of(50, 0.83)  # they do not follow the truth; no factor
    (None, None)
    """
    if ratio <= 0:
        return None
    for factor in FACTORS:
        least, near = NEEDED[factor < SMALL]
        for signed in (factor, 1 / factor):
            if correlation >= least and abs(math.log(ratio / signed)) <= near:
                return signed
    return None


def as_sentence(factor: float) -> str:
    """What estimates look like that need to be multiplied by a factor.

    >>> as_sentence(60), as_sentence(1 / 1000)
    ('the truth divided by 60', 'the truth times 1,000')
    """
    verb = "divided by" if factor > 1 else "times"
    return f"the truth {verb} {max(factor, 1 / factor):,.5g}"
