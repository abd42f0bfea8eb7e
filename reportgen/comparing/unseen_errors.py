"""What a recommended test says of errors so rare that its rows, or groups, may lack them.

A model that is sure, and rarely wrong, may have no such error in any fold: its losses vary so
little then that a test over the folds is sure of them, which the rows are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from reportgen.comparing.heavy_errors import SHOW_SIZES, UNSEEN
from reportgen.comparisons import TESTS, Comparison
from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.comparisons.probability_losses import NAME as OF_LOSSES
from reportgen.comparisons.simultaneous import PairLimits, limits_of
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


OF_FOLDS = ("folds", "repeats")
NO_SURER = (
    "the test over folds does not allow for sure and wrong predictions that these rows may lack, "
    "so p and limits are no surer than those of the test of probability losses"
)


def no_surer_than_rows(
    folds: Sequence[Comparison], rows: Sequence[Comparison]
) -> Iterator[Comparison]:
    """The tests over folds; of probability losses none that allows for overlap is surer than rows.

    Of ten folds of ten rows of models of one expected Brier score, of which one is nearly sure and
    wrong in 1 % of the rows, the corrected t-test rejected 0.43 (120 samples); the larger p of both
    tests rejected none.
    """
    of_rows = {
        (record.models, record.metric): record
        for record in rows
        if record.comparison == OF_LOSSES and record.slice is None
    }
    for record in folds:
        other = of_rows.get((record.models, record.metric))
        overlaps = "overlap" in TESTS[record.comparison].allows
        compares = record.unit in OF_FOLDS and record.shows == "difference" and overlaps
        yield record if other is None or not compares else _no_surer(record, other)


def _no_surer(record: Comparison, of_rows: Comparison) -> Comparison:
    p_value, other = record.p_value, of_rows.p_value
    own, limits = limits_of(record, record.confidence), limits_of(of_rows, record.confidence)
    if p_value is None or other is None or own is None or limits is None:
        return record
    if other <= p_value and own[0] <= limits[0] and limits[1] <= own[1]:
        return record
    low, high = _farther(record, of_rows, record.confidence) or own
    surer = record.with_fields(
        low=low,
        high=high,
        limits_at=partial(_farther, record, of_rows),
        caveats=(*record.caveats, NO_SURER),
    )
    if other <= p_value:
        return surer
    return surer.with_fields(p_value=other, statistic=None, p_note=of_rows.p_note)


def _farther(record: Comparison, of_rows: Comparison, confidence: float) -> PairLimits | None:
    both = [limits_of(one, confidence) for one in (record, of_rows)]
    ends = [one for one in both if one is not None]
    return (min(e[0] for e in ends), max(e[1] for e in ends)) if len(ends) == len(both) else None
