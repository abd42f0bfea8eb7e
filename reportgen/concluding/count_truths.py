"""What page one advises where the numbers to predict look like counts."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.concluding.model_values import on_all_rows
from reportgen.records.decision import Caveat
from reportgen.records.model import Results

DEVIANCE = "poisson_deviance"
OPEN = ("no conclusion", "at chance", "level")
"""Relations in which a loss that suits counts may say more."""


def of_counts(results: Results) -> Iterator[Caveat]:
    """That Poisson deviances suit counts, where squared errors leave open which model is better."""
    declared = results.declared.comparisons.primary is not None
    if declared or results.decision.relation not in OPEN or not results.data.get("counts"):
        return
    defined = on_all_rows(results.metrics, DEVIANCE)
    if len(defined) > 1 and len(defined) == len(results.data["models"]):
        text = (
            "The true values are whole numbers from 0 on. If they are counts, "
            f"comparisons.primary: {DEVIANCE} compares the models by a loss that suits them."
        )
        yield Caveat("counts", "moderate", text)
