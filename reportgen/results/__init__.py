"""Evaluate predictions: the end of the computing half, the beginning of the rendering half."""

from reportgen.records.model import SCHEMA, Results, typed
from reportgen.results.evaluation import evaluate, of_predictions

__all__ = ["SCHEMA", "Results", "evaluate", "of_predictions", "typed"]
