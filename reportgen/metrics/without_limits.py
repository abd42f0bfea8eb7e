"""Why several measures never have limits: those of resampling would be wrong.

Limits of both calibration errors held the true one of calibrated models in at most 0.2 of the
samples (docs/coverage.md); of a measure of the largest class none held where classes are of like
size.
"""

from __future__ import annotations

DRAWN_TWICE = "a forecast that resampling draws twice would look certain"
OF_EXTREME_ROWS = "it depends on the few most extreme rows"
RAISED_BY_NOISE = "noise raises it, and resampling raises it again"
OF_LARGEST_CLASS = (
    "it depends on which class is the largest, and no limits tried for such measures kept their "
    "level"
)
