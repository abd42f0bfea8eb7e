"""The evaluation that a table of predictions is from: its scheme, parts and overlap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeAlias

from reportgen.scheme_names import SchemeName

RecognisedScheme = Literal[SchemeName, "same_rows", "data_sets", "unclear"]

Overlap = Literal["unknown", "zero", "known"]
"""Whether training parts have rows in common: not known, none, or a known share of them."""

IndependentUnit = Literal["rows", "examples", "groups", "data sets"]

EvaluationFact: TypeAlias = str | float | bool | None
"""What a field of an evaluation holds."""

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

    Of what follows from these, ``pooled_fits`` says that there is more than one test part, whose
    scores are of more than one fit; ``rows_return`` that an example is tested more than once, null
    where rows have no ids; ``unidentified_repeats`` that repeats may share rows or fits, as neither
    ids nor folds nor roles tell; ``grouped`` that a group has several test rows, which depend on
    each other. ``trained_test_share`` are the ``trained_test_rows`` among the test rows, and
    ``groups_on_both_sides_share`` those groups among all. ``training_overlap`` is zero also where
    there is one fit only. ``independent_unit`` is what may be taken as independent, as far as the
    columns declare it, and ``independent_units`` how many of these the test rows are from; null
    for a table of values.
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

    pooled_fits: bool = field(init=False)
    rows_return: bool | None = field(init=False)
    unidentified_repeats: bool = field(init=False)
    grouped: bool = field(init=False)
    trained_test_share: float | None = field(init=False)
    groups_on_both_sides_share: float | None = field(init=False)
    training_overlap: Overlap = field(init=False)
    independent_unit: IndependentUnit = field(init=False)
    independent_units: int | None = field(init=False)

    def __post_init__(self) -> None:
        """What follows from the other fields and stands beside them in the results."""
        ids = self.test_examples is not None and self.test_rows is not None
        known = self.train is not None or self.test_examples is not None
        overlap: Overlap = "unknown" if self.overlap is None else "known"
        self._set("pooled_fits", self.fits > 1)
        self._set("rows_return", (self.test_examples or 0) < (self.test_rows or 0) if ids else None)
        self._set("unidentified_repeats", self.repeats == self.fits > 1 and not known)
        self._set("grouped", self.groups is not None and self.groups < (self.test_rows or 0))
        self._set("trained_test_share", _share(self.trained_test_rows, self.test_rows))
        self._set("groups_on_both_sides_share", _share(self.groups_on_both_sides, self.groups))
        self._set("training_overlap", "zero" if self.fits < 2 or self.overlap == 0 else overlap)
        self._set("independent_unit", self._independent_unit())
        counts = {"data sets": self.datasets, "groups": self.groups, "examples": self.test_examples}
        self._set("independent_units", counts.get(self.independent_unit) or self.test_rows)

    def _independent_unit(self) -> IndependentUnit:
        if self.scheme == "data_sets":
            return "data sets"
        if self.grouped:
            return "groups"
        return "examples" if self.rows_return else "rows"

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Evaluation:
        """The evaluation as results hold it; what they do not say is null.

        >>> Evaluation.read(facts(ONE_TEST)) == ONE_TEST
        True
        >>> Evaluation.read({"fits": 5}).scheme
        """
        evaluation = object.__new__(cls)
        for one in fields(cls):
            evaluation._set(one.name, record.get(one.name))
        return evaluation


def ratio_of_overlap(evaluation: Evaluation) -> float:
    """Test rows by training rows, where training parts may overlap; 0 where they do not.

    0 too where their sizes are not known.
    """
    if not (evaluation.train and evaluation.test) or evaluation.overlap == 0:
        return 0.0
    return evaluation.test / evaluation.train


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


def facts(evaluation: Evaluation) -> dict[str, EvaluationFact]:
    """The evaluation as plain values, for the results."""
    return asdict(evaluation)
