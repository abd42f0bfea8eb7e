"""When a class is so rare that a report is read otherwise."""

from __future__ import annotations

from reportgen.comparisons.balanced_decisions import RARE
from reportgen.metrics import measure_tested_as
from reportgen.records.rows import DataRecord

OF_THE_LIST = ("average_precision", "pr_auc", "auc")
"""Measures of how far up positives are ranked, in the order in which a rare class is read."""

OF_COMMON_CLASS = ("accuracy", "error_rate", "specificity", "negative_predictive_value")
"""Measures that are good where all rows are predicted to be of the common class."""


def has_rare_class(data: DataRecord) -> bool:
    """Whether one of two classes is rare: always predicting the other does well.

    Neither accuracy nor a calibration error is a finding then. Negatives that are absent, as of
    graded answers, are no rare class.

    >>> [has_rare_class({"prevalence": share}) for share in (0.02, 0.98, 1.0, None)]
    [True, True, False, False]
    """
    prevalence = data.get("prevalence") or 0
    return is_rare(data) or (prevalence < 1 and _below(1 - prevalence))


def says_little(measure: str, deciding: str | None, data: DataRecord) -> bool:
    """Whether a measure is one of the common class, beside another one that decides."""
    decides = measure_tested_as(measure) == measure_tested_as(deciding or "")
    return measure in OF_COMMON_CLASS and not decides and has_rare_class(data)


def say_little(deciding: str | None, data: DataRecord) -> tuple[str, ...]:
    """The measures of which that is so."""
    return tuple(measure for measure in OF_COMMON_CLASS if says_little(measure, deciding, data))


def is_rare(data: DataRecord) -> bool:
    """Whether positives are rare: the top of the list counts."""
    return _below(data.get("prevalence"))


def _below(share: float | None) -> bool:
    return share is not None and 0 <= share < RARE
