"""Classes whose shares shifted within the rows: the cheapest threshold is that of no period."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers


def shifted_classes(results: Results) -> Iterator[Caveat]:
    """What page one says where the share of positives shifted in time; nothing of a reference.

    A threshold of least cost depends on that share. The comparison of the models on the evaluated
    rows stands, as it does against a reference.
    """
    shift = results.shift
    if shift is None or shift.basis != "time" or not results.task.two_classes:
        return
    for one in shift.quantities:
        if one.kind == "truth" and one.reject and one.category is not None:
            p = numbers.p_value(one.p_adjusted, shift.alpha)
            text = (
                f"The share of {bounded(one.category)} shifted in time: "
                f"{numbers.percent(one.before)} before, {numbers.percent(one.now)} now ({p}). The "
                "threshold of least cost is that of all rows, not of the latest."
            )
            yield Caveat("shifted_classes", "moderate", text)
