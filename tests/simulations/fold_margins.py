"""Margins over folds, at their edge.

``python -m tests.simulations.fold_margins RUNS`` prints a line per design. The first learner is
worse than the second by just the margin, the mean difference of all data sets: the share of data
sets in which the test of non-inferiority shows that it is not inferior where a report has no
reason against the test (nominal 0.05), and the share of data sets without such a reason.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import polars as pl

from reportgen.comparing.fold_tests import pair_tests
from reportgen.comparing.near_guessing import Classes
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparisons import Comparison
from reportgen.predictions.evaluation_scheme import Evaluation
from tests.simulations.advised_folds import MEASURES
from tests.simulations.fold_measures import measured_by_fold
from tests.simulations.folds import (
    Learner,
    centroids,
    evaluation_of,
    k_fold,
    neighbours,
    ridge,
    tested,
    tree,
)
from tests.simulations.situations import ALPHA, asked

LEARNERS: dict[str, Learner] = {
    "centroids": centroids,
    "ridge": ridge(1.0),
    "neighbours": neighbours,
    "trees": tree,
}
SIGNAL, EFFECT = 0.8, -0.5
"""What the features of the first learner say, and by how much less those of the second do."""


@dataclass(frozen=True)
class Design:
    """Learners on features of their own, over folds of so many rows."""

    learner: str
    rows: int
    prevalence: float
    folds: int
    repeats: int = 1

    def pairs(self, run: int) -> dict[str, pl.DataFrame]:
        """Both measures of both learners by fold, for one data set."""
        random = np.random.default_rng([run, self.rows, self.folds])
        splits = k_fold(random, self.rows, self.folds, self.repeats)
        learner = LEARNERS[self.learner]
        result = tested(random, self.rows, splits, SIGNAL, EFFECT, learner, self.prevalence)
        return {name: measured_by_fold(result, measure) for name, measure in MEASURES.items()}

    def evaluation(self) -> Evaluation:
        """What a report knows of the folds."""
        return evaluation_of(self.rows, self.folds, self.repeats)


def shown(design: Design, runs: int) -> dict[str, tuple[float, float]]:
    """Of each measure: share of data sets that show it with no reason against, and with none."""
    sets = [design.pairs(run) for run in range(runs)]
    classes = Classes(design.prevalence, 1 - design.prevalence)
    situation = Situation(design.evaluation(), classes=classes)
    result = {}
    for metric in MEASURES:
        of_metric = [pairs[metric].drop_nulls() for pairs in sets]
        margin = -float(np.mean([(p["first"] - p["second"]).mean() for p in of_metric]))
        counts = np.zeros(2)
        for pairs in of_metric:
            *_, test = pair_tests(design.evaluation().scheme, rope=None, margin=margin, ratio=None)
            records = test(pairs, asked(metric))
            [record] = [r for r in records if r.comparison == "non_inferiority"]
            [advised] = with_recommendation([replace(record, unit="folds")], situation)
            counts += _outcome(advised)
        result[metric] = (counts[0] / runs, counts[1] / runs)
    return result


def _outcome(advised: Comparison) -> tuple[bool, bool]:
    without_reason = advised.undefined is None and advised.why is None
    p = advised.p_value
    return without_reason and p is not None and p < ALPHA, without_reason


DESIGNS = (
    *(Design(*of) for of in product(LEARNERS, (100, 400), (0.2, 0.5), (5, 10))),
    *(Design(learner, 100, 0.5, 5, 5) for learner in ("centroids", "neighbours")),
)


def main(runs: str = "1000") -> None:
    """Print both shares by design."""
    for design in DESIGNS:
        folds = f"{design.repeats} × " * (design.repeats > 1) + f"{design.folds} folds"
        by_metric = shown(design, int(runs))
        texts = (f"{m} {share:.3f} of {all_:.2f}" for m, (share, all_) in by_metric.items())
        name = f"{design.learner}, {design.rows} rows, {design.prevalence:.0%} positive, {folds}"
        print(f"{name}: {', '.join(texts)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
