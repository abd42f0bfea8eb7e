"""Where models are level in the measure that decides, and far apart in another key measure."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reportgen.comparisons.wording import bounded
from reportgen.concluding.headline_numbers import with_limits
from reportgen.concluding.leading import Contest, ModelValue
from reportgen.records.decision import Caveat
from reportgen.records.model import Results


def disagreeing(results: Results, contest: Contest, baseline: str | None) -> Iterator[Caveat]:
    """That the intervals of macro F1 of two models do not overlap which are level otherwise.

    It has no test. Intervals that do not overlap are stricter than a test of the difference at the
    same level, the more so as the rows are the same.
    """
    of_several = results.task.several_classes or results.task.several_labels
    if not of_several or results.decision.relation not in ("level", "equivalent"):
        return
    level = [contest.leader, *contest.rivals(contest.leader, baseline)]
    rows = results.metrics.filter(
        pl.all_horizontal(pl.col("slice", "class").is_null()),
        pl.all_horizontal(pl.col("value", "low", "high").is_not_null()),
        pl.col("model").is_in(level),
        metric="f1",
        average="macro",
    ).sort("value", descending=True)
    values = {name: ModelValue(*value) for name, *value in rows.select(*OF_VALUE).iter_rows()}
    if len(values) < 2:
        return
    best, *_, worst = values
    high, low = values[best], values[worst]
    if (high.low or 0.0) <= (low.high or 0.0):
        return
    of_both = " against ".join(with_limits(one.value, one.low, one.high) for one in (high, low))
    text = (
        f"{bounded(best)} has a higher macro F1 than {bounded(worst)}, {of_both}: their intervals "
        "do not overlap, and no test of the difference was made."
    )
    yield Caveat("other_measure", "moderate", text)


OF_VALUE = ("model", "value", "low", "high")
