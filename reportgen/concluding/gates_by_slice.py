"""Gates that are read slice by slice: how many fail by chance alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import bdtr, ndtr, ndtri

from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.metric_names import parted
from reportgen.metrics import METRICS
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.spec.gates import Gate, parse
from reportgen.tables.results import GateRow
from reportgen.text import numbers

LEAST = 0.1
"""Fewer gates that fail by chance are not counted."""


def read_one_by_one(results: Results) -> Iterator[Caveat]:
    """How many gates are read by slice, and how many would fail if all slices were alike."""
    rows = [row for row in rows_of(results.gates, GateRow) if row["slice"] is not None]
    if len(rows) < 2:
        return
    text = f"{numbers.count(len(rows))} gates by slice are read one by one"
    failing = [expected for row in rows if (expected := _by_chance(results, row)) is not None]
    if len(failing) < len(rows):
        text += ", by limits that do not hold for all of them at once."
    elif sum(failing) < LEAST:
        text += f": if all slices had the value of all rows, fewer than {LEAST} would fail."
    else:
        number = numbers.fixed(sum(failing), 1)
        text += f": if all slices had the value of all rows, about {number} would fail by chance."
    yield Caveat("gates_by_slice", "moderate", text)


def _by_chance(results: Results, row: GateRow) -> float | None:
    """How probably a slice with the value of all rows misses the limit; null where that misses it.

    The standard error of all rows, scaled to the rows of the slice. Of a share the observed one is
    binomial, of as many rows as its standard error means.
    """
    gate = parse(row["gate"])
    metric, average = parted(gate.left.metric)
    whole = on_all_rows(results.metrics, metric, average).get(gate.left.model)
    rows = results.slices.filter(slice=row["slice"])["rows"].to_list()
    if whole is None or whole.low is None or whole.high is None or not rows:
        return None
    if not gate.holds(whole.value) or gate.left.bound is not None or gate.right is not None:
        return None
    share = rows[0] / results.data["rows_evaluated"]
    return _missed(gate, metric, whole, share, results.confidence)


def _missed(gate: Gate, metric: str, whole: ModelValue, share: float, confidence: float) -> float:
    """The probability that a part of the rows, of this share, misses the limit of a gate."""
    half = ((whole.high or 0.0) - (whole.low or 0.0)) / 2
    error = half / float(ndtri((1 + confidence) / 2)) / share**0.5
    value, above = whole.value, gate.op in (">=", ">")
    if error == 0:
        return 0.0
    if metric not in METRICS or METRICS[metric].bounds != (0, 1) or not 0 < value < 1:
        side = gate.limit - value if above else value - gate.limit
        return float(ndtr(side / error))
    number = max(1, round(value * (1 - value) / error**2))
    counts = np.arange(number + 1)
    missed = [not gate.holds(round(k / number, 12)) for k in counts.tolist()]
    return float(np.diff(bdtr(counts, number, value), prepend=0.0)[missed].sum())
