"""What the leader's precision is where positives are as frequent as the spec states."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reportgen.comparisons.wording import bounded
from reportgen.concluding.headline_numbers import with_limits
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers

NEAR = 0.1
"""A stated prevalence that differs from that of the rows by less than this share is the same."""


def stated_prevalence(results: Results, leader: str, has_costs: bool) -> Iterator[Caveat]:
    """The precision to expect where the models will work, if the rows have other shares of classes.

    Precision, accuracy and average precision depend on the prevalence; recall, specificity and the
    AUC do not. Declared costs are summed over these rows.
    """
    values = results.curves.get("predictive_values")
    if values is None:
        return
    of_rows = results.metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()),
        metric="prevalence",
        model=leader,
    )
    row = values.filter(model=leader).row(0, named=True)
    here, there = of_rows["value"].item(), row["prevalence"]
    if here is None or row["positive"] is None or abs(here - there) < NEAR * there:
        return
    precision = with_limits(row["positive"], row["positive_low"], row["positive_high"])
    at_work = f"against {numbers.prevalence(there)} where the models will work"
    text = (
        f"{numbers.prevalence(here)} of these rows are positive, {at_work}: there the precision of "
        f"{bounded(leader)} is {precision}."
    )
    if has_costs:
        text += " Costs per row and the advice on the threshold are for the share of these rows."
    yield Caveat("stated_prevalence", "moderate", text)
