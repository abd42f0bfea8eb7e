"""Predictions: one row per example with truth and a score or label per model.

``read`` takes them from the files that a spec names, ``from_frame`` from
memory; both give validated ``Predictions`` under canonical names.
"""

from __future__ import annotations

from reportgen.predictions.inputs import all_hashes, inputs
from reportgen.predictions.reading import from_frame, identifiers, read, read_reference
from reportgen.predictions.scores import Scores, read_scores
from reportgen.predictions.validated import Check, InputFile, ModelColumns, Predictions
