"""What the reports of several tasks say alike."""

from __future__ import annotations

COUNTS = "TP, FP, FN, TN: true and false positives and negatives"

THRESHOLD, TIES = "Positive at a threshold", "Ties in a ranking"
MACRO_F1, AVERAGES = "Macro-F1", "Averages"
ERROR_RATE, MCNEMAR = "Error rate", "McNemar"
"""Conventions, by their names in the methods."""
