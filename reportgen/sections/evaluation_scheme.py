"""How the models were tested, in words: the scheme, and what it means for the tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp

from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.text import numbers

SCHEMES = {
    "hold_out": "one test set",
    "repeated_hold_out": "repeated hold-out",
    "k_fold": "k-fold cross-validation",
    "repeated_k_fold": "repeated k-fold cross-validation",
    "leave_one_out": "leave-one-out",
    "bootstrap": "bootstrap, tested out of bag",
    "five_by_two": "5 × 2 cross-validation",
    "time_ordered": "tests in time order, each after its training rows",
    "same_rows": "several repeats, all tested on the same rows",
    "data_sets": "several data sets",
    "unclear": "not recognised from the columns",
}
"""The printed name of each scheme."""


def name(evaluation: Evaluation) -> str:
    """The scheme with its numbers.

    >>> name(Evaluation("k_fold", fits=10, repeats=1, folds=10, examples=100, test=10))
    '10-fold cross-validation'
    """
    kind, folds, repeats = evaluation.scheme, evaluation.folds, evaluation.repeats
    blocks = " in blocks of time" if evaluation.time_blocks else ""
    if kind == "k_fold":
        return f"{folds}-fold cross-validation{blocks}"
    if kind == "repeated_k_fold":
        return f"{repeats} × {folds}-fold cross-validation{blocks}"
    if kind == "time_ordered" and evaluation.implied:
        return "tests in time order, each taken to follow its training rows"
    counted = {"repeated_hold_out": "splits", "bootstrap": "repeats", "same_rows": "repeats"}
    if kind in counted:
        return f"{SCHEMES[kind]}, {numbers.count(evaluation.fits)} {counted[kind]}"
    if kind == "data_sets":
        return f"{numbers.count(evaluation.datasets or evaluation.fits)} data sets"
    return SCHEMES[kind]


def remarks(evaluation: Evaluation) -> Iterator[str]:
    """What is known of the parts: their sizes, rows on both sides, overlap of training parts."""
    train, test = evaluation.train, evaluation.test
    if train is not None and test is not None:
        taken = "rows before each" if evaluation.scheme == "time_ordered" else "other folds"
        implied = f" (taken to be the {taken})" if evaluation.implied else ""
        tested = f"{_mean(test)} test {'row' if test == 1 else 'rows'} per fit"
        yield f"{_mean(train)} training rows{implied}, {tested}"
    if evaluation.scheme == "bootstrap" and evaluation.examples and test is not None:
        share = numbers.percent(test / evaluation.examples)
        expected = numbers.percent(exp(-1))
        yield f"{share} of the rows were never sampled, on average ({expected} are expected)"
    if evaluation.disjoint and evaluation.fits > 1:
        each = " of a repeat" if evaluation.repeats > 1 else ""
        if evaluation.folds > 1:
            yield f"no row is in two test folds{each}"
    if evaluation.overlap is not None:
        yield (
            f"two training sets have {numbers.percent(evaluation.overlap)} of their rows in "
            "common, on average"
        )
    if evaluation.both_sides == 0:
        yield "no row is in both parts of a fit"
    if evaluation.groups_on_both_sides == 0:
        yield "no group is in both parts of a fit"


@dataclass(frozen=True)
class Caution:
    """Something that weakens the conclusion, with the title that it stands under."""

    title: str
    text: str


def leaks(evaluation: Evaluation) -> Iterator[Caution]:
    """Test rows, or groups of test rows, that the model which is tested on them was trained on."""
    if rows := evaluation.trained_test_rows:
        share = _of_all(rows, evaluation.test_rows, evaluation.trained_test_share)
        text = f"{share} test rows {_was(rows)} also in the training part of the same fit"
        yield Caution("Models were tested on their own training rows", text)
    if groups := evaluation.groups_on_both_sides:
        share = _of_all(groups, evaluation.groups, evaluation.groups_on_both_sides_share)
        which = f"{share} groups {_has(groups)}" if evaluation.groups != 1 else "the only group has"
        text = f"{which} rows in both the training and the test part of a fit"
        yield Caution("Groups are split between training and test parts", text)


def _of_all(part: int, whole: int | None, share: float | None) -> str:
    """A count out of all, with its share.

    >>> _of_all(1200, 4800, 0.25).replace(chr(160), " ")
    '1,200 of 4,800 (25.0 %)'
    """
    if part == whole:
        return f"all {numbers.count(whole)}" if whole > 1 else "1 of 1"
    return f"{numbers.count(part)} of {numbers.count(whole)} ({numbers.percent(share)})"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def _mean(value: float) -> str:
    return numbers.count(round(value))
