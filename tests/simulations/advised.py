"""The corrected t-test of AUCs over folds, counted only in reports that recommend it.

The share of runs with a p is that of such reports; the level over that share is the level among
them. The recommendation reads the AUCs, so that it could select the data in which the learners
happen to differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reportgen.comparisons import Comparison, corrected_resampled_t
from reportgen.predictions.evaluation import Evaluation, Scheme
from reportgen.results.recommendation import Situation, with_recommendation
from tests.simulations.fold_measures import auc, measured_by_fold
from tests.simulations.folds import SCHEMES, centroids, tested
from tests.simulations.situations import Generator, asked, situation

EVALUATED: dict[str, Scheme] = {
    "10 folds": "k_fold",
    "5 × 2 folds": "five_by_two",
    "10 × 10 folds": "repeated_k_fold",
    "15 splits": "repeated_hold_out",
}


def _advised(scheme: str, rows: int, signal: float, share: float) -> None:
    evaluation = Evaluation(EVALUATED[scheme], 10, 1, 10, rows, rows / 10)

    @situation(
        f"{scheme}, {rows} rows, signal {signal:g}, where AUC is recommended",
        power=0.5 if signal >= 0.5 else None,
        share=share,
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        splits = SCHEMES[scheme](random, rows)
        learned = tested(random, rows, splits, signal, effect, centroids)
        record = corrected_resampled_t(measured_by_fold(learned, auc), asked("auc"))
        record = replace(record, unit="folds")
        [advised] = with_recommendation([record], Situation(evaluation))
        recommended = advised.standing == "recommended"
        yield advised if recommended else replace(advised, p_value=None)


for _scheme in EVALUATED:
    for _rows in (60, 100, 400):
        for _signal in (0.0, 0.15, 0.3, 0.5):
            _advised(_scheme, _rows, _signal, 0.25 if "10 × 10" in _scheme else 1.0)
