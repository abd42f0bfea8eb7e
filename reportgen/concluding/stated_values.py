"""Tables of values: what page one says of a measure that the values, or the spec, contradict."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from statistics import median

from reportgen.comparisons.wording import measure
from reportgen.metric_names import canonical, parted, snake_case
from reportgen.metrics import find
from reportgen.records.decision import Caveat
from reportgen.records.rows import DataRecord
from reportgen.spec.scores import STATED_DIRECTION
from reportgen.tasks import TASKS
from reportgen.text import numbers


def of_stated_values(data: DataRecord) -> Iterator[Caveat]:
    """A direction against that of a known measure, and values that this cannot have."""
    if not TASKS[data["task"]].of_values:
        return
    for check in data["checks"]:
        if check["name"] == STATED_DIRECTION:
            yield Caveat("stated_direction", "moderate", f"{check['detail']}.")
    yield from _out_of_range(data)


def _out_of_range(data: DataRecord) -> Iterator[Caveat]:
    """Values outside the range of a measure, most of which are inside: others are percentages."""
    name = canonical(snake_case(data["measure"]))
    metric = find(parted(name)[0])
    if metric is None or not all(map(isfinite, metric.bounds)):
        return
    models = [model["name"] for model in data["models"]]
    values = [float(row[model]) for row in data["values"] for model in models]
    low, high = metric.bounds
    outside = [value for value in values if not low <= value <= high]
    if not outside or not low <= median(values) <= high:
        return
    lies = "lies" if len(outside) == 1 else "lie"
    worst = max(outside, key=lambda value: max(value - high, low - value))
    end = "largest" if worst > high else "smallest"
    yield Caveat(
        "out_of_range",
        "moderate",
        f"{numbers.count(len(outside))} of {numbers.plural(len(values), 'value')} {lies} outside "
        f"{low:g} to {high:g}, the range of {measure(name)}: the {end} is "
        f"{numbers.threshold(worst)}.",
    )
