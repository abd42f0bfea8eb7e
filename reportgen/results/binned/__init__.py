"""Results from counts: the same measures, curves and tests, over binned sweeps."""

from __future__ import annotations

from reportgen.results.binned.counted_evaluation import evaluate_counts

__all__ = ["evaluate_counts"]
