"""Better than always predicting the mean, where the test of two models is not recommended."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparing.approximation import HEAVY, UNSEEN
from reportgen.comparisons.paired_losses import SQUARED
from reportgen.comparisons.wording import bounded
from reportgen.concluding.headline_numbers import of_value
from reportgen.concluding.leading import Contest
from reportgen.concluding.model_values import on_all_rows
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers


def of_heavy_tails(results: Results, contest: Contest) -> Iterator[str]:
    """That the best model is better than the mean, where heavy tails alone are against the t-test.

    Of independent rows without weights: there limits of R², which allow for skewness, are above 0
    in 0.02 of the samples or fewer where the model is no better than the mean
    (``docs/coverage.md``).
    """
    leader = contest.leader
    explained = on_all_rows(results.metrics, "r2").get(leader)
    if explained is None or explained.low is None or explained.low <= 0:
        return
    no_better = any(row.model == leader for row in results.decision.at_chance)
    if not no_better and _are_heavy(results, contest):
        shown = of_value(explained, f"{numbers.level(results.confidence)} CI ")
        yield (
            f"{bounded(leader)} is significantly better than always predicting the mean: R² {shown}"
            ", whose limits allow for heavy tails, as the t-test does not."
        )


def _are_heavy(results: Results, contest: Contest) -> bool:
    """Whether a few rows outweigh all others in the tests of the best model against each other."""
    if contest.measure != SQUARED or contest.basis != "pooled rows":
        return False
    if results.data["rows_evaluated"] < UNSEEN:
        return False
    tests = [
        row
        for row in rows_of(results.comparisons, ComparisonRow)
        if row["metric"] == SQUARED and row["slice"] is None and contest.leader in row["models"]
    ]
    heavy = (row["comparison"] == "paired_t" and (row["kurtosis"] or 0) > HEAVY for row in tests)
    return bool(tests) and all(heavy)
