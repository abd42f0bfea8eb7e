"""The facts of the data that tell no small count of rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import polars as pl

from reportgen.predictions import look_alikes
from reportgen.predictions.passed_checks import WITHOUT_FOLD
from reportgen.predictions.validated import ImproperScores
from reportgen.records.model import Results
from reportgen.records.rows import CheckRecord, DataRecord, FileRecord, ModelRecord
from reportgen.results.privacy.cells import Least

UNPAIRED = "each model has rows of its own"

OF_ROWS = ("minimum", "median", "maximum")
"""Of the distribution of the truth, what is the truth of a single row."""


def without_small_counts(data: DataRecord, limit: Least) -> DataRecord:
    """Return the facts of files, rows, roles, checks and models without small counts."""
    data = data.copy()
    data["files"] = [_without_sizes(file) for file in data["files"]]
    if "reference" in data:
        data["reference"] = [_without_sizes(file) for file in data["reference"]]
    again, hidden = (
        data.get("identical_rows"),
        {look_alikes.NAME, look_alikes.OF_MISSING, WITHOUT_FOLD},
    )
    if again and not limit.allows([again]):
        data["identical_rows"] = None
        hidden.add("identical rows")
    data.pop("share_without_labels", None)  # a share of known rows is a count
    hidden |= set(_hide_rows(data, limit))
    data["checks"] = [
        _without_counted_rows(check) for check in data["checks"] if check["name"] not in hidden
    ]
    if left := data.pop("rows_left_out", None):
        counts = [left["rows"], left["of"] - left["rows"], *(one["rows"] for one in left["labels"])]
        if limit.allows(counts):
            data["rows_left_out"] = {**left, "slices": [], "models": []}
    if "distribution" in data:
        data["distribution"] = {**data["distribution"], **dict.fromkeys(OF_ROWS)}
    if data.get("unpaired"):
        data["unpaired"] = UNPAIRED
        data.pop("rows_in_common", None)
        data.pop("on_common_rows", None)
    data.pop("slice_levels", None)  # they count events
    data.pop("pairs_by_slice", None)  # and these rows
    data["models"] = [_without_counts(one) for one in data["models"]]
    return data


def _without_counted_rows(check: CheckRecord) -> CheckRecord:
    """A check that counts no rows and names none."""
    scores = check.get("improper")
    if scores is None or scores["rows"] == 0:
        return {**check, "detail": check.get("uncounted", check["detail"])}
    untold = ImproperScores(scores["model"], None)
    return {
        **check,
        "detail": untold.text,
        "improper": {**scores, "rows": None, "least": None, "most": None},
    }


def _hide_rows(data: DataRecord, limit: Least) -> Iterator[str]:
    """Withhold how many rows are not evaluated where these are few; the names of checks on them.

    They have another role, or a weight of 0.
    """
    roles, others = data.get("roles"), (data["rows"] or 0) - data["rows_evaluated"]
    if others or data.get("unpaired"):
        yield "labels"  # they count the classes of all rows
    if limit.allows([others, *(roles or {}).values()]):
        return
    yield "complete"  # it counts all rows
    data["rows"] = data["roles"] = None
    if weights := data.get("weights"):
        data["weights"] = {**weights, "rows_of_zero": None}
    if evaluation := data.get("evaluation"):  # mean training rows tell those of a role
        data["evaluation"] = {
            **evaluation,
            "examples": data["rows_evaluated"],
            "train": None,
            "overlap": None,
            "test": None,
            "test_rows": None,
            "test_examples": None,
            "independent_units": None,
        }


def _without_sizes(file: FileRecord) -> FileRecord:
    """A file without what counts its rows: a label has a length, a folder may be a slice."""
    return {**file, "bytes": None, "rows": None}


def _without_counts(model: ModelRecord) -> ModelRecord:
    """A model without what its decisions at the threshold reach, which tells their counts."""
    published: ModelRecord = {**model, "disagreements": None}
    if "certain_scores" in model:
        published["certain_scores"] = None
    if "effective_scores" in model:
        published["effective_scores"] = None
    if "threshold_choice" in model:
        published["threshold_choice"] = None
    if "thresholds" in model:
        published["thresholds"] = [{**one, "threshold_choice": None} for one in model["thresholds"]]
    return published


def own_rows(results: Results) -> Iterator[float]:
    """How many rows and positives each model has of its own, and how far these are apart."""
    if not results.data.get("unpaired"):
        return
    sizes: dict[str, list[float]] = {}
    of_all = pl.col("slice").is_null() & pl.col("class").is_null() & pl.col("average").is_null()
    table = results.metrics.filter(of_all, pl.col("value").is_not_null())
    values = {
        (metric, model): value
        for metric, model, value in table.select("metric", "model", "value").iter_rows()
    }
    for name in (model["name"] for model in results.data["models"]):
        rows, share = values.get(("n", name)), values.get(("prevalence", name))
        if rows is not None:
            positives = 0.0 if share is None else round(share * rows)
            sizes[name] = [rows, positives, rows - positives]
    for one in sizes.values():
        yield from one
    for one, other in combinations(sizes.values(), 2):
        yield from (abs(a - b) for a, b in zip(one, other, strict=True))
