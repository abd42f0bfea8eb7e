"""Which of two labels is meant as positive, guessed from their names."""

from __future__ import annotations

import re
from collections.abc import Mapping

POSITIVE = frozenset(
    {
        *("1", "1.0", "true", "t", "yes", "y", "+", "positive", "pos"),
        *("malignant", "cancer", "tumour", "tumor", "disease", "diseased", "sick", "ill", "case"),
        *("abnormal", "anomaly", "anomalous", "defect", "defective", "failure", "failed", "fault"),
        *("event", "fraud", "fraudulent", "spam", "attack", "intrusion", "present", "relevant"),
        *("churn", "churned", "default", "defaulted", "click", "clicked", "converted"),
        *("是", "真", "正", "正例", "正类", "阳", "阳性", "好瓜"),
    }
)
"""Names that usually stand for the class that is looked for."""

NEGATIVE = frozenset(
    {
        *("0", "0.0", "-1", "-1.0", "false", "f", "no", "n", "-", "negative", "neg"),
        *("benign", "healthy", "control", "normal", "none", "ham", "legitimate", "genuine"),
        *("absent", "irrelevant", "否", "假", "负", "反例", "负类", "阴", "阴性", "坏瓜"),
    }
)
"""Names that usually stand for the other class."""

_WEKA = re.compile(r"\A\d+:(?=.)")
"""The number that Weka writes before a label."""


def by_name(label_counts: Mapping[str, int]) -> str | None:
    """Return the label whose name, or whose opposite's name, says that it is positive.

    Weka's labels, such as ``2:yes``, count without their number.

    >>> by_name({"1:no": 3, "2:yes": 5}), by_name({"a": 3, "b": 2})
    ('2:yes', None)
    """
    positive = [label for label in label_counts if _bare(label) in POSITIVE]
    if positive:
        return positive[0]
    others = [label for label in label_counts if _bare(label) not in NEGATIVE]
    return others[0] if len(others) == 1 and len(label_counts) == 2 else None


def _bare(label: str) -> str:
    return _WEKA.sub("", label.casefold())


def likely_positive(label_counts: Mapping[str, int]) -> str:
    """Return the label that is probably the positive one: by its name, else the rarer.

    >>> likely_positive({"benign": 3, "malignant": 5}), likely_positive({"a": 3, "b": 2})
    ('malignant', 'b')
    """
    return by_name(label_counts) or min(label_counts, key=lambda label: label_counts[label])
