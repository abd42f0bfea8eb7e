"""The reference cases, and the names of their values here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

FOLDER = Path(__file__).parent / "reference"

METRIC_NAMES = {
    "npv": "negative_predictive_value",
    "fpr": "false_positive_rate",
    "fnr": "false_negative_rate",
    "fdr": "false_discovery_rate",
    "for": "false_omission_rate",
    "f0.5": "f_half",
    "youden_j": "informedness",
    "lr_plus": "positive_likelihood_ratio",
    "lr_minus": "negative_likelihood_ratio",
    "dor": "diagnostic_odds_ratio",
    "ks": "ks_statistic",
    "youden_max": "maximal_informedness",
    "pr_break_even": "break_even_point",
    "cost_area": "expected_total_cost",
    "brier": "brier_score",
    "brier_unc": "brier_uncertainty",
    "brier_unc.bins10": "brier_uncertainty",
    "brier_rel.unique": "brier_reliability_distinct",
    "brier_res.unique": "brier_resolution_distinct",
    "brier_rel.bins10": "brier_reliability",
    "brier_res.bins10": "brier_resolution",
    "ece.width10": "expected_calibration_error",
    "mce.width10": "maximum_calibration_error",
    "rmsce.width10": "root_mean_squared_calibration_error",
    "cost_error": "cost_sensitive_error_rate",
    "pauc.fpr<=0.1": "partial_auc_10",
    "pauc.fpr<=0.2": "partial_auc_20",
    "pauc_mcclish.fpr<=0.1": "standardised_partial_auc_10",
    "pauc_mcclish.fpr<=0.2": "standardised_partial_auc_20",
    "pauc.tpr>=0.9": "partial_auc_sensitive",
    "h_measure.severity1": "h_measure_symmetric",
}


def all_cases(*tasks: str) -> list[Any]:
    """The cases of these tasks, as dicts."""
    cases = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("cases/*.json"))]
    return [case for case in cases if case["spec"]["task"] in tasks]


def peers(task: str) -> list[Any]:
    """The cases of ``peers.json`` of a task, which ``make_peers.py`` wrote."""
    document = json.loads((FOLDER / "peers.json").read_text(encoding="utf-8"))
    return [case for case in document["cases"] if case["task"] == task]


def rows(case: dict[str, Any]) -> pl.DataFrame:
    """The input of a case."""
    path = FOLDER / case["input"]
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)


def agrees(case: dict[str, Any], name: str, value: Any) -> bool:
    """Whether a value is the expected one, or another that the case accepts."""
    expected = [case["expected"][name], *(case.get("also_accept") or {}).get(name, [])]
    tolerance = {**case["tolerance"], **case["tolerance"].get("per_name", {}).get(name, {})}
    return any(_close(value, want, tolerance) for want in expected)


def _close(value: Any, want: Any, tolerance: dict[str, float]) -> bool:
    if value is None or want is None or isinstance(want, str):
        # An infinite ratio is undefined here: a number over zero.
        return value is None and (want is None or want == "inf")
    if isinstance(want, list):
        return len(value) == len(want) and all(
            _close(v, w, tolerance) for v, w in zip(value, want, strict=True)
        )
    return bool(abs(value - want) <= tolerance["abs"] + tolerance["rel"] * abs(want))
