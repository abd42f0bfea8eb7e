"""Why something has no value, or no limits, where several modules say it in the same words."""

from __future__ import annotations

WEIGHTED = "rows are weighted, which the test does not allow for"
"""Why a test that takes all rows alike is not made."""

EVALUATED_AGAIN = "rows are evaluated more than once"
"""Why no gap between slices is tested."""

NO_TEST = "no test of this measure"
"""Why a gap between slices has no p."""

NO_PROPORTION = "the measure is not a proportion of rows"
"""Why a claim has no test."""

NO_SCORES = "the model gives labels, not scores"
"""Why a measure of scores has no value."""

ONE_WITHOUT_SCORES = "a model gives labels, not scores"
"""The same of a pair of models."""

SEVERAL_WITHOUT_SCORES = "the models give labels, not scores"
"""The same of several models."""


DRAWN_TWICE = "a forecast that resampling draws twice would look certain"
OF_EXTREME_ROWS = "it depends on the few most extreme rows"
RAISED_BY_NOISE = "noise raises it, and resampling raises it again"
OF_LARGEST_CLASS = (
    "it depends on which class is the largest, and no limits tried for such measures kept their "
    "level"
)


ONE_CLASS = "only one class is present"
ONE_CLASS_OF_EITHER = "truth or predictions have a single class"
NO_POSITIVES = "no actual positives"
CONSTANT_TRUTH = "the truth is constant"
