"""The catalogue as it was published, and its entries by name.

Reading the registries takes longer than an answer may, so the catalogue is
published as ``schemas/catalogue.json`` beside the other contracts, made by
``reportgen.cli.collected``; a test says when it is out of date, and
``make schemas`` writes it again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from reportgen.resources import SCHEMAS

Entry = dict[str, Any]

PUBLISHED = SCHEMAS / "catalogue.json"

TASKS = ("binary", "multiclass", "multilabel", "regression")

ALIASES = {
    "auroc": "auc",
    "roc_auc": "auc",
    "auprc": "average_precision",
    "decision_curve": "net_benefit",
    "ece": "expected_calibration_error",
    "eer": "equal_error_rate",
    "fnr": "false_negative_rate",
    "fpr": "false_positive_rate",
    "kappa": "cohen_kappa",
    "kendall": "kendall_tau",
    "lift_curve": "gain",
    "npv": "negative_predictive_value",
    "ppv": "precision",
    "rec": "error_characteristic",
    "sensitivity": "recall",
    "spearman": "spearman_rho",
    "tnr": "specificity",
    "tpr": "recall",
    "youden_j": "informedness",
}
"""Other names by which the field knows some of them."""


def entries(task: str | None = None) -> list[Entry]:
    """Return everything that has a name, as it was published; for one task where it is given."""
    found: list[Entry] = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return [entry for entry in found if task is None or task in entry["tasks"]]


def called(word: str, found: Iterable[Entry]) -> list[Entry]:
    """Return the entries of this name, alias or label, however it is spelt.

    >>> [entry["name"] for entry in called("RMSE", entries())]
    ['root_mean_squared_error']
    """
    key, every = _key(word), list(found)
    key = ALIASES.get(key, key)
    by_name = [entry for entry in every if _key(entry["name"]) == key]
    return by_name or [entry for entry in every if key and _key(entry.get("label") or "") == key]


def _key(text: str) -> str:
    return re.sub(r"\W+", "_", text.casefold()).strip("_")
