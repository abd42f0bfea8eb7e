"""Why something has no value, where several layers say it in the same words."""

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
