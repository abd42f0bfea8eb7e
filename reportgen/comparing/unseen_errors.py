"""What a recommended test says of errors so rare that its rows, or groups, may lack them."""

from __future__ import annotations

from reportgen.comparing.heavy_errors import SHOW_SIZES, UNSEEN
from reportgen.comparisons import Comparison
from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.metrics.by_name import heavy_mean_of
from reportgen.predictions.evaluation_scheme import Evaluation

SHOW_DEVIANCES = 1500
"""From so many rows on some of errors of one row in 500 are nearly always among them."""


def unseen_sizes(record: Comparison, evaluation: Evaluation) -> tuple[str, ...]:
    """What a test of two models' absolute errors in few rows, or groups, says of itself."""
    groups, pair = evaluation.groups, len(record.models) == 2 and not record.is_of_margin
    rows = evaluation.test_examples or evaluation.test_rows
    if record.unit != "rows" or record.metric != ABSOLUTE or not pair:
        return ()
    if groups is None and rows is not None and rows < SHOW_SIZES:
        return (
            f"{rows:,} rows may lack rare, far larger errors. In simulations with errors thirty "
            "times as large in one of 200 rows of one model, the test rejected up to 18 % of true "
            "null hypotheses with 300 rows, and up to 8 % with 1,000",
        )
    if groups is None or groups >= UNSEEN:
        return ()
    return (
        f"{groups:,} groups may lack the rare groups whose errors are far larger. In simulations "
        "with errors ten times as large in 1 % of the groups of one model, the test rejected up to "
        "8 % of true null hypotheses",
    )


def unseen_rows(record: Comparison, evaluation: Evaluation) -> tuple[str, ...]:
    """What a test of two models' deviances in too few rows for rarer errors says of itself."""
    units = evaluation.groups or evaluation.test_examples or evaluation.test_rows
    if heavy_mean_of(record.metric) is None or units is None or units >= SHOW_DEVIANCES:
        return ()
    noun = "groups" if evaluation.groups else "rows"
    return (
        f"{units:,} {noun} may lack rare, far larger errors. In simulations with such errors in "
        "one of 500 rows of one model, the test rejected up to 53 % of true null hypotheses with "
        "400 rows, and up to 18 % with 1,000",
    )
