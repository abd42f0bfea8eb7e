"""A table of values by fold: the tests of pairs that allow for overlapping training sets."""

from __future__ import annotations

from dataclasses import replace

from reportgen.comparing.claims import claimed_of_values
from reportgen.comparing.fold_tests import listed, pair_tests
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparing.significance import chosen
from reportgen.comparisons import Comparison, Question, paired_folds
from reportgen.comparisons.rank_pairs import pairs_of
from reportgen.predictions import Scores
from reportgen.predictions.evaluation_scheme import Evaluation, ratio_of_overlap
from reportgen.records.rows import Record
from reportgen.spec import ScoresSpec

IMPLIED = (
    "the table does not give the sizes of training and test sets: each fold is assumed to be "
    "tested after training on the others of its repeat"
)


def compared(
    scores: Scores, question: Question, spec: ScoresSpec, rope: float | None
) -> list[Comparison]:
    """Every test of pairs over folds with its recommendation.

    There is none of all models at once: the folds of one data set are no
    independent blocks, which Friedman's test and its kin take them for.

    Raises:
        SpecError: the spec chooses a test that was not made.
    """
    folds, evaluation = scores.folds, scores.evaluation
    if folds is None or evaluation is None:
        raise ValueError("the values are not those of folds")
    ratio = 1 / (evaluation.folds - 1) if evaluation.implied else None
    caveats = (IMPLIED,) if evaluation.implied else ()
    margin = spec.comparisons.margin
    records: list[Comparison] = []
    for pair in pairs_of(question.models, spec.baseline):
        of_folds = replace(
            question,
            models=pair,
            less_is_better=question.lower_is_better,
            unit="folds",
            caveats=(*caveats, *question.caveats),
        )
        both = paired_folds(folds, *pair)
        for test in pair_tests(evaluation.scheme, rope=rope, margin=margin, ratio=ratio):
            records += listed(test(both, of_folds))
    of_folds = replace(question, unit="folds", caveats=(*caveats, *question.caveats))
    records += claimed_of_values(spec.comparisons.claims, folds, of_folds, _share(evaluation))
    return chosen(with_recommendation(records, Situation(evaluation)), spec)


def _share(evaluation: Evaluation) -> float:
    """Test rows by training rows, as far as known; 0 where training parts do not overlap."""
    return 1 / (evaluation.folds - 1) if evaluation.implied else ratio_of_overlap(evaluation)


def values(scores: Scores, measure: str) -> list[Record]:
    """The values as rows of ``FoldMetrics``."""
    if scores.folds is None:
        return []
    return [
        {
            "metric": measure,
            "model": row["model"],
            "dataset": None,
            "repeat": row["repeat"],
            "fold": row["fold"],
            "role": "test",
            "rows": row["test_rows"],
            "value": row["value"],
        }
        for row in scores.folds.to_dicts()
    ]
