"""Models whose decisions cost less than those of the leader, which leads in another measure."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded, joined
from reportgen.metric_names import COST
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.tables.comparisons import ComparisonRow

MOST_NAMES = 4
"""More models than this are counted."""


def cheaper_models(results: Results, leader: str) -> Iterator[Caveat]:
    """What page one says of models that cost significantly less than the leader, as they decide.

    By the recommended tests of the cost-sensitive error rate, after correction.
    """
    cheaper = [
        row["better"]
        for row in rows_of(results.comparisons, ComparisonRow)
        if row["metric"] == COST
        and row["slice"] is None
        and row["recommendation"] == "recommended"
        and leader in row["models"]
        and row["better"] not in (None, leader)
    ]
    if cheaper:
        who = joined(cheaper) if len(cheaper) <= MOST_NAMES else f"{len(cheaper)} models"
        verb = "costs" if len(cheaper) == 1 else "cost"
        text = f"At the thresholds in use {who} {verb} significantly less than {bounded(leader)}."
        yield Caveat("cheaper_model", "moderate", text)
