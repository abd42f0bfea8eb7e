"""What the page needs to move a threshold: counts at each, and how measures follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypedDict

import polars as pl

from reportgen.records.model import Results
from reportgen.sections import lookup
from reportgen.text import numbers
from reportgen.text.words import listed

_ALL = (1, 1, 1, 1)

RATES: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = MappingProxyType(
    {
        "precision": ((1, 0, 0, 0), (1, 1, 0, 0)),
        "recall": ((1, 0, 0, 0), (1, 0, 1, 0)),
        "specificity": ((0, 0, 0, 1), (0, 1, 0, 1)),
        "false_positive_rate": ((0, 1, 0, 0), (0, 1, 0, 1)),
        "negative_predictive_value": ((0, 0, 0, 1), (0, 0, 1, 1)),
        "f1": ((2, 0, 0, 0), (2, 1, 1, 0)),
        "accuracy": ((1, 0, 0, 1), _ALL),
        "detection_prevalence": ((1, 1, 0, 0), _ALL),
    }
)
"""Each rate as a quotient of two sums: how often TP, FP, FN and TN count in either."""


class ModelPositions(TypedDict):
    """The thresholds of a model, strictest first, with the counts at each.

    ``reported`` is the position of ``in_use``, the threshold of the report; both are null for a
    model without one.
    """

    threshold: Sequence[float | None]
    tp: Sequence[float]
    fp: Sequence[float]
    positives: float
    negatives: float
    reported: int | None
    in_use: float | None


class MeasureParts(TypedDict):
    """A measure as a quotient of two weighted sums of TP, FP, FN and TN; no ``whole``: a sum."""

    key: str
    label: str
    part: Sequence[float]
    whole: Sequence[float] | None


class ExplorerData(TypedDict):
    """What the script of the page reads."""

    models: Sequence[ModelPositions]
    measures: Sequence[MeasureParts]


@dataclass(frozen=True)
class ThresholdExplorer:
    """A threshold that the reader moves, on a page with scripts.

    ``models`` are (position, printed name); ``data`` is what the script reads. ``measures`` are
    (key, label). ``notes`` say what the positions leave out.
    """

    positive: str
    negative: str
    unit: str
    models: tuple[str, ...]
    measures: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    data: ExplorerData


def explorer(results: Results) -> ThresholdExplorer | None:
    """Gather the counts of every model with scores; None where there are none."""
    table = results.curves.get("threshold_counts")
    if table is None or table.is_empty():
        return None
    printed = lookup.printed(results)
    counted = {
        name: table.filter((pl.col("model") == name) & pl.col("slice").is_null())
        for name in table["model"].unique(maintain_order=True)
    }
    reported = {model["name"]: model["threshold"] for model in results.data["models"]}
    measures = _measures(results)
    return ThresholdExplorer(
        lookup.clean(results.data["positive"], 30),
        lookup.clean(results.data["negative"], 30),
        "Sums of weights" if results.data.get("weighted") else "Rows",
        tuple(printed[name] for name in counted),
        tuple((one["key"], one["label"]) for one in measures),
        _notes(results, counted),
        {
            "models": [_positions(rows, reported[name]) for name, rows in counted.items()],
            "measures": measures,
        },
    )


def _positions(rows: pl.DataFrame, reported: float | None) -> ModelPositions:
    """The thresholds of a model with the counts, and the position that the report is about."""
    strictest = rows["threshold"].fill_null(float("inf"))
    at = None if reported is None else int((strictest >= reported).sum()) - 1
    last = rows.row(-1, named=True)
    return {
        "threshold": rows["threshold"].to_list(),
        "tp": _whole(rows["tp"]),
        "fp": _whole(rows["fp"]),
        "positives": last["tp"] + last["fn"],
        "negatives": last["fp"] + last["tn"],
        "reported": at,
        "in_use": reported,
    }


def _whole(counts: pl.Series) -> list[float]:
    return [int(n) if n.is_integer() else n for n in counts.to_list()]


def _measures(results: Results) -> list[MeasureParts]:
    """The measures with their parts; costs too, where each kind of error has one."""
    rates: list[MeasureParts] = [
        {
            "key": name,
            "label": lookup.label(name, results),
            "part": list(part),
            "whole": list(whole),
        }
        for name, (part, whole) in RATES.items()
    ]
    if _cost_varies(results):
        return rates
    false_negative, false_positive, given = lookup.costs(results)
    if not given:
        return rates
    cost = [0, false_positive, false_negative, 0]
    return [
        *rates,
        {
            "key": "total_cost",
            "label": lookup.label("total_cost", results),
            "part": cost,
            "whole": None,
        },
        {
            "key": "cost_sensitive_error_rate",
            "label": "Cost per row",
            "part": cost,
            "whole": list(_ALL),
        },
    ]


def _cost_varies(results: Results) -> bool:
    costs = results.declared.costs
    return any(isinstance(cost, Mapping) for cost in costs.values())


def _notes(results: Results, counted: Mapping[str, pl.DataFrame]) -> tuple[str, ...]:
    """What is not at every position, and what supplied labels have to do with it."""
    printed = lookup.printed(results)
    notes = [
        f"{printed[name]}: {numbers.count(rows.height)} of its "
        f"{numbers.count(rows.height + skipped)} thresholds, spread evenly over scores and rows; "
        "the numbers at each are exact."
        for name, rows in counted.items()
        if (skipped := int(rows["skipped"].sum()))
    ]
    labelled = [
        printed[model["name"]]
        for model in results.data["models"]
        if lookup.gives_labels(model) and model["name"] in counted
    ]
    if labelled:
        notes.append(f"Supplied labels of {listed(labelled)} are not used here, only the scores.")
    if _cost_varies(results):
        notes.append("Costs that differ from row to row are not recomputed here.")
    return tuple(notes)
