"""The corrected t-test over folds of a design, and whether reports recommend it."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from reportgen.comparing.near_guessing import Classes
from reportgen.comparisons import corrected_resampled_t, corrected_t_of_repeats
from reportgen.predictions.evaluation_scheme import Evaluation
from tests.simulations.advised import where_recommended
from tests.simulations.fold_measures import Measure, accuracy_at_0, auc, measured_by_fold
from tests.simulations.folds import Tested
from tests.simulations.situations import ALPHA, Generator, asked

MEASURES: dict[str, Measure] = {"auc": auc, "accuracy": accuracy_at_0}


class FoldDesign(Protocol):
    """How rows are dealt to folds, and what two models say of them."""

    @property
    def repeats(self) -> int:
        """How often the rows are dealt anew."""

    def tested(self, random: Generator) -> tuple[Tested, np.ndarray]:
        """Both models on every fold, and the truth of all rows."""

    def evaluation(self) -> Evaluation:
        """What a report knows of the folds."""


def advised(design: FoldDesign, result: Tested, truth: np.ndarray) -> dict[str, tuple[float, bool]]:
    """Of each measure: p, not a number without one, and whether the test is recommended."""
    share = float(truth.mean())
    classes = Classes(min(share, 1 - share), max(share, 1 - share))
    test = corrected_t_of_repeats if design.repeats > 1 else corrected_resampled_t
    tests = {}
    for metric, measure in MEASURES.items():
        record = replace(test(measured_by_fold(result, measure), asked(metric)), unit="folds")
        p = np.nan if record.p_value is None else record.p_value
        with_advice = where_recommended(record, design.evaluation(), classes)
        tests[metric] = (p, with_advice.p_value is not None)
    return tests


def rejected(design: FoldDesign, random: Generator) -> list[tuple[bool, bool, bool]]:
    """Of each measure: whether its test rejects, is recommended, and both."""
    tests = advised(design, *design.tested(random)).values()
    return [(p < ALPHA, recommended, p < ALPHA and recommended) for p, recommended in tests]
