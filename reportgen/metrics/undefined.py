"""Why a measure of several modules is undefined."""

from __future__ import annotations

ONE_CLASS = "only one class is present"
ONE_CLASS_OF_EITHER = "truth or predictions have a single class"
NO_POSITIVES = "no actual positives"
CONSTANT_TRUTH = "the truth is constant"
