"""The evaluation that a table of predictions is from: its scheme, parts and overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict, cast

from reportgen.scheme_names import SchemeName

RecognisedScheme = Literal[SchemeName, "same_rows", "data_sets", "unclear"]

Overlap = Literal["unknown", "zero", "known"]
"""Whether training parts have rows in common: not known, none, or a known share of them."""

IndependentUnit = Literal["rows", "examples", "groups", "data sets"]

FIT = ("dataset", "repeat", "fold")
"""The columns that tell one fit of the models from another."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How the models were tested: the scheme, and what the tests of significance rest on.

    ``same_rows`` are repeats that are all tested on the same rows.
    ``examples`` are distinct ids, or rows of one repeat where there are none.
    ``train`` and ``test`` are mean rows per fit; ``overlap`` is the mean share of
    a training part that another fit was trained on too. ``both_sides`` are
    examples that a fit was trained and tested on, ``groups_on_both_sides``
    likewise. What cannot be known is null. ``implied`` says that the training
    parts are not in the data: each is then taken to be the other folds or, where the folds
    are blocks of time, the rows before it, with as many before the first as a fold has.
    ``apparent`` is the repeat of a fit on all rows that nothing is tested with,
    ``datasets`` the number of data sets, where a column tells them.

    ``test_rows`` are all test rows of all fits, ``test_examples`` the distinct
    ids among them (within a data set), ``trained_test_rows`` those that the fit
    which is tested on them was trained on, ``groups`` the groups that they are from.
    ``time_blocks`` says that each fold is a block of consecutive time points.
    """

    scheme: RecognisedScheme
    fits: int
    repeats: int
    folds: int
    examples: int
    test: float | None
    train: float | None = None
    disjoint: bool | None = None
    overlap: float | None = None
    both_sides: int | None = None
    groups_on_both_sides: int | None = None
    implied: bool = False
    apparent: str | None = None
    datasets: int | None = None
    test_rows: int | None = None
    test_examples: int | None = None
    trained_test_rows: int | None = None
    groups: int | None = None
    time_blocks: bool = False

    @property
    def pooled_fits(self) -> bool:
        """Whether there is more than one test part, whose scores are of more than one fit."""
        return self.fits > 1

    @property
    def rows_return(self) -> bool | None:
        """Whether an example is tested more than once; null where rows have no ids."""
        if self.test_examples is None or self.test_rows is None:
            return None
        return self.test_examples < self.test_rows

    @property
    def unidentified_repeats(self) -> bool:
        """Whether repeats may share rows or fits, as neither ids nor folds nor roles tell."""
        return self.repeats == self.fits > 1 and self.train is None and self.test_examples is None

    @property
    def grouped(self) -> bool:
        """Whether a group has several test rows, which depend on each other."""
        return self.groups is not None and self.groups < (self.test_rows or 0)

    @property
    def trained_test_share(self) -> float | None:
        """Share of the test rows that the fit which is tested on them was trained on."""
        return _share(self.trained_test_rows, self.test_rows)

    @property
    def groups_on_both_sides_share(self) -> float | None:
        """Share of the groups that have rows in both the training and the test part of a fit."""
        return _share(self.groups_on_both_sides, self.groups)

    @property
    def training_overlap(self) -> Overlap:
        """Whether training parts share rows: zero also where there is one fit only."""
        if self.fits < 2 or self.overlap == 0:
            return "zero"
        return "unknown" if self.overlap is None else "known"

    @property
    def independent_unit(self) -> IndependentUnit:
        """What may be taken as independent, as far as the columns declare it."""
        if self.scheme == "data_sets":
            return "data sets"
        if self.grouped:
            return "groups"
        return "examples" if self.rows_return else "rows"

    @property
    def independent_units(self) -> int | None:
        """How many of these units the test rows are from; null for a table of values."""
        counts = {"data sets": self.datasets, "groups": self.groups, "examples": self.test_examples}
        return counts.get(self.independent_unit) or self.test_rows


def _share(part: int | None, whole: int | None) -> float | None:
    return None if part is None or not whole else part / whole


ONE_TEST = Evaluation("hold_out", 1, 1, 1, 0, None)
"""Rows that say nothing about how they were tested."""


OVER_FOLDS = (
    "k_fold",
    "repeated_k_fold",
    "repeated_hold_out",
    "bootstrap",
    "five_by_two",
    "time_ordered",
)
"""Schemes whose models are compared fold by fold, though training sets overlap."""


OF_REPEATS = ("repeated_k_fold", "repeated_hold_out", "bootstrap", "five_by_two")
"""Those of them that test rows several times."""


def over_folds(evaluation: Evaluation) -> bool:
    """Whether models are compared fold by fold rather than row by row."""
    return evaluation.scheme in OVER_FOLDS


DERIVED = tuple(name for name, value in vars(Evaluation).items() if isinstance(value, property))
"""What follows from the fields of an evaluation and stands beside them in the results."""


class EvaluationRecord(TypedDict, total=False):
    """The fields of an ``Evaluation``, and those that follow from them, as plain values."""

    scheme: RecognisedScheme
    fits: int
    repeats: int
    folds: int
    examples: int
    test: float | None
    train: float | None
    disjoint: bool | None
    overlap: float | None
    both_sides: int | None
    groups_on_both_sides: int | None
    implied: bool
    apparent: str | None
    datasets: int | None
    test_rows: int | None
    test_examples: int | None
    trained_test_rows: int | None
    groups: int | None
    time_blocks: bool
    pooled_fits: bool
    rows_return: bool | None
    unidentified_repeats: bool
    grouped: bool
    trained_test_share: float | None
    groups_on_both_sides_share: float | None
    training_overlap: Overlap
    independent_unit: IndependentUnit
    independent_units: int | None


def facts(evaluation: Evaluation) -> EvaluationRecord:
    """The evaluation as plain values, for the results."""
    names = (*Evaluation.__slots__, *DERIVED)
    return cast("EvaluationRecord", {name: getattr(evaluation, name) for name in names})
