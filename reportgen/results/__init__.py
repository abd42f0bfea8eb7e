"""Evaluate predictions: the end of the computing half, the beginning of the rendering half."""

from reportgen.results.evaluation import evaluate, of_predictions
from reportgen.results.model import SCHEMA, Results, typed

__all__ = ["SCHEMA", "Results", "evaluate", "of_predictions", "typed"]
