"""Why something has no value, where several layers say it in the same words."""

NO_SCORES = "the model gives labels, not scores"
"""Why a measure of scores has no value."""

SEVERAL_WITHOUT_SCORES = "the models give labels, not scores"
"""The same of several models."""
