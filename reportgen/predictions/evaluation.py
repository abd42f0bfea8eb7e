"""Which evaluation a table of predictions is from, as its columns show it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import polars as pl

from reportgen.clusters import Groups

Scheme = Literal[
    "hold_out",
    "repeated_hold_out",
    "k_fold",
    "repeated_k_fold",
    "leave_one_out",
    "bootstrap",
    "five_by_two",
    "time_ordered",
    "same_rows",
    "data_sets",
    "unclear",
]

Overlap = Literal["unknown", "zero", "known"]
"""Whether training parts have rows in common: not known, none, or a known share of them."""

Unit = Literal["rows", "examples", "groups", "data sets"]

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
    parts are not in the data: each is then taken to be the other folds.
    ``apparent`` is the repeat of a fit on all rows that nothing is tested with,
    ``datasets`` the number of data sets, where a column tells them.

    ``test_rows`` are all test rows of all fits, ``test_examples`` the distinct
    ids among them (within a data set), ``trained_test_rows`` those that the fit
    which is tested on them was trained on, ``groups`` the groups that they are from.
    """

    scheme: Scheme
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

    @property
    def resampled(self) -> bool:
        """Whether there is more than one test part."""
        return self.fits > 1

    @property
    def pooled_fits(self) -> bool:
        """Whether one pool of test rows holds the scores of more than one fit."""
        return self.fits > 1

    @property
    def rows_return(self) -> bool | None:
        """Whether an example is tested more than once; null where rows have no ids."""
        if self.test_examples is None or self.test_rows is None:
            return None
        return self.test_examples < self.test_rows

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
    def independent_unit(self) -> Unit:
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


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows by their side, the columns that distinguish fits, and the size of each test."""

    tested: pl.DataFrame
    trained: pl.DataFrame
    fit: list[str]

    @property
    def tests(self) -> pl.DataFrame:
        """Rows of each test part."""
        return self.tested.group_by(self.fit).len("rows")

    @property
    def identified(self) -> bool:
        """Whether rows have ids."""
        return "id" in self.tested.columns

    def outer(self) -> list[str]:
        """The columns within which a row is tested once."""
        return [name for name in self.fit if name != "fold"]


def recognised(frame: pl.DataFrame) -> Evaluation:
    """The evaluation that rows with these columns are from.

    ``frame`` has any of ``id``, ``dataset``, ``repeat``, ``fold``, ``role`` and
    ``group``. Rows without a role are test rows.
    """
    fit = [name for name in FIT if name in frame.columns]
    has_roles = "role" in frame.columns
    tested = frame.filter(role="test") if has_roles else frame
    if tested.is_empty() or not (fit or has_roles):
        return _one_test(frame, tested)
    trained = frame.filter(role="train") if has_roles else frame.clear()
    if not fit:
        tested, trained = (f.with_columns(fold=pl.lit("1")) for f in (tested, trained))
        fit = ["fold"]
    rows = _Rows(tested, trained, fit)
    tests = rows.tests
    evaluation = _tested(rows, tests)
    if trained.height:
        evaluation = _with_training(evaluation, rows, tests)
    elif evaluation.folds > 1 and "dataset" not in fit:
        evaluation = _implied(evaluation, tests)
    evaluation = _recognised(evaluation, rows, tests)
    return replace(evaluation, groups_on_both_sides=_groups(evaluation, rows))


def _one_test(frame: pl.DataFrame, tested: pl.DataFrame) -> Evaluation:
    """One test set: the ids of its rows were checked to be distinct when they were read."""
    return replace(
        ONE_TEST,
        examples=frame.height,
        test=float(tested.height),
        test_rows=tested.height,
        test_examples=tested.height if "id" in tested.columns else None,
        groups=_number_of_groups(tested),
    )


def of_sizes(parts: pl.DataFrame, *, distinct: bool) -> Evaluation:
    """The evaluation as the sizes of its parts show it: what ``recognised`` says of rows.

    ``parts`` has ``rows`` and any of ``dataset``, ``fold`` and ``role``. Whether
    an example returns is not known, unless all are ``distinct``; of groups it
    never is.
    """
    tested = parts.filter(role="test") if "role" in parts.columns else parts
    fit = [name for name in FIT if name in parts.columns]
    whole = int(tested["rows"].sum())
    if not fit:
        tested, parts = (f.with_columns(fold=pl.lit("1")) for f in (tested, parts))
        fit = ["fold"]
    trained = parts.filter(role="train") if "role" in parts.columns else parts.clear()
    rows = _Rows(tested, trained, fit)
    tests = tested.select(*fit, "rows")
    outer = rows.outer()
    folds = tests.group_by(outer).len("folds")["folds"] if outer else pl.Series([tests.height])
    evaluation = Evaluation(
        "unclear",
        tests.height,
        1,
        int(folds[0]) if folds.n_unique() == 1 else 0,
        whole,
        whole / tests.height,
        disjoint=True if distinct else None,
        test_rows=whole,
        test_examples=whole if distinct else None,
    )
    trained = trained.join(tests, on=fit, how="semi", nulls_equal=True)
    if trained.height:
        train_rows = int(trained["rows"].sum())
        evaluation = replace(evaluation, train=train_rows / trained.select(fit).n_unique())
        if distinct:
            alone = None if trained.height < 2 else 0.0
            evaluation = replace(
                evaluation, examples=whole + train_rows, both_sides=0, overlap=alone
            )
            evaluation = replace(evaluation, trained_test_rows=0)
    elif rows.trained.is_empty() and evaluation.folds > 1 and "dataset" not in fit:
        evaluation = _implied(evaluation, tests)
    return _recognised(evaluation, rows, tests)


def _recognised(evaluation: Evaluation, rows: _Rows, tests: pl.DataFrame) -> Evaluation:
    """The same with its scheme, and how many data sets it has."""
    datasets = tests["dataset"].n_unique() if "dataset" in rows.fit else None
    return replace(evaluation, scheme=_scheme(evaluation, rows, tests), datasets=datasets)


def _tested(rows: _Rows, tests: pl.DataFrame) -> Evaluation:
    """What the test parts show."""
    outer = rows.outer()
    folds = tests.group_by(outer).len("folds")["folds"] if outer else pl.Series([tests.height])
    repeats = tests["repeat"].n_unique() if "repeat" in rows.fit else 1
    disjoint, examples, test_examples = None, rows.tested.height // repeats, None
    if rows.identified:
        examples = test_examples = rows.tested["id"].n_unique()
        if "dataset" in rows.fit:
            test_examples = rows.tested.select("dataset", "id").n_unique()
        disjoint = not rows.tested.select(*outer, "id").is_duplicated().any()
    return Evaluation(
        "unclear",
        tests.height,
        repeats,
        int(folds[0]) if folds.n_unique() == 1 else 0,
        examples,
        rows.tested.height / tests.height,
        disjoint=disjoint,
        test_rows=rows.tested.height,
        test_examples=test_examples,
        groups=_number_of_groups(rows.tested),
    )


def _with_training(evaluation: Evaluation, rows: _Rows, tests: pl.DataFrame) -> Evaluation:
    """What the training rows show; a fit that nothing is tested with is set apart."""
    fit, tested = rows.fit, rows.tested
    of_tests = rows.trained.join(tests, on=fit, how="semi", nulls_equal=True)
    alone = rows.trained.join(tests, on=fit, how="anti", nulls_equal=True)
    if alone.height and "repeat" in fit:
        evaluation = replace(evaluation, apparent=alone["repeat"][0])
    if of_tests.is_empty():
        return evaluation
    fits = of_tests.select(fit).n_unique()
    evaluation = replace(evaluation, train=of_tests.height / fits)
    if not rows.identified:
        return evaluation
    again = tested.join(of_tests, on=[*fit, "id"], how="semi", nulls_equal=True)["id"]
    examples = pl.concat([tested.select("id"), of_tests.select("id")])["id"].n_unique()
    one = ["id", *(name for name in fit if name == "dataset")]
    overlap = _overlap(of_tests.group_by(one).len("fits")["fits"], fits, of_tests.height / fits)
    both, rows_again = again.n_unique(), len(again)
    return replace(
        evaluation,
        examples=examples,
        both_sides=both,
        trained_test_rows=rows_again,
        overlap=overlap,
    )


def _implied(evaluation: Evaluation, tests: pl.DataFrame) -> Evaluation:
    """Folds whose training parts are not in the data: each is the rest of its repeat."""
    whole = int(tests["rows"].sum()) / evaluation.repeats
    train = float(whole - (evaluation.test or 0))
    counts = pl.Series([evaluation.fits - evaluation.repeats])
    overlap = _overlap(counts, evaluation.fits, train / whole)
    return replace(evaluation, train=train, overlap=overlap, implied=True)


def _overlap(counts: pl.Series, fits: int, mean: float) -> float | None:
    """Mean share of a training part in another one, from how often each row is trained on.

    Over all ordered pairs of fits the rows in common add up to Σ c(c − 1).
    """
    if fits < 2 or not mean:
        return None
    common = (counts.cast(pl.Float64) * (counts.cast(pl.Float64) - 1)).sum()
    return float(common) / (fits * (fits - 1)) / mean


def _scheme(evaluation: Evaluation, rows: _Rows, tests: pl.DataFrame) -> Scheme:
    if "dataset" in rows.fit:
        return "data_sets" if tests["dataset"].n_unique() > 1 else "unclear"
    if evaluation.fits == 1:
        return "hold_out"
    if evaluation.folds == 1:
        return _of_repeats(evaluation, rows, tests)
    return _of_folds(evaluation, rows, tests)


def _of_folds(evaluation: Evaluation, rows: _Rows, tests: pl.DataFrame) -> Scheme:
    """Folds: in time where training parts grow, single rows, or parts of a repeat."""
    once = evaluation.repeats == 1
    if not evaluation.folds or evaluation.disjoint is False:
        return "unclear"
    if rows.trained.height and _nested(rows):
        return "time_ordered"
    if tests["rows"].max() == 1 and evaluation.fits > 2:
        return "leave_one_out" if once else "unclear"
    if (evaluation.repeats, evaluation.folds) == (5, 2):
        return "five_by_two"
    return "k_fold" if once else "repeated_k_fold"


def _of_repeats(evaluation: Evaluation, rows: _Rows, tests: pl.DataFrame) -> Scheme:
    """Repeats with one test part each: the same rows, draws with replacement, or fresh splits."""
    if not rows.identified:
        return "unclear"
    if tests["rows"].min() == rows.tested["id"].n_unique():
        return "same_rows"
    if evaluation.apparent is not None:
        return "bootstrap"
    # What a bootstrap never draws differs in size from one repeat to the next, around 1/e.
    n = evaluation.examples
    share, spread = (1 - 1 / n) ** n, 0.31 / n**0.5
    off = abs((evaluation.test or 0) / n - share) / (spread / evaluation.repeats**0.5)
    varies = tests["rows"].n_unique() > 1
    return "bootstrap" if varies and off < 4 else "repeated_hold_out"


def _nested(rows: _Rows) -> bool:
    """Whether each training part holds the smaller ones."""
    if not rows.identified:
        return False
    sizes = rows.trained.group_by(rows.fit).len("rows").sort("rows").with_row_index("place")
    if sizes["rows"].n_unique() < sizes.height:
        return False
    placed = rows.trained.join(sizes, on=rows.fit, nulls_equal=True)
    first = placed.group_by("id").agg(first=pl.col("place").min(), fits=pl.len())
    return bool((first["first"] + first["fits"] == sizes.height).all())


def _groups(evaluation: Evaluation, rows: _Rows) -> int | None:
    """Groups with rows in the test part of a fit and in its training part."""
    if "group" not in rows.tested.columns:
        return None
    tested = rows.tested.drop_nulls("group")
    if rows.trained.height:
        keys = [*rows.fit, "group"]
        return tested.join(rows.trained, on=keys, how="semi", nulls_equal=True)["group"].n_unique()
    if not evaluation.implied:
        return None
    split = tested.group_by([*rows.outer(), "group"]).agg(pl.col("fold").n_unique())
    return split.filter(pl.col("fold") > 1)["group"].n_unique()


def _number_of_groups(tested: pl.DataFrame) -> int | None:
    """Distinct groups; each row without one is a group of its own."""
    if "group" not in tested.columns:
        return None
    return Groups.of(tested["group"]).number


OVER_FOLDS = ("k_fold", "repeated_k_fold", "repeated_hold_out", "bootstrap", "five_by_two")
"""Schemes whose models are compared fold by fold, though training sets overlap."""


def over_folds(evaluation: Evaluation) -> bool:
    """Whether models are compared fold by fold rather than row by row."""
    return evaluation.scheme in OVER_FOLDS


DERIVED = (
    "pooled_fits",
    "rows_return",
    "grouped",
    "trained_test_share",
    "groups_on_both_sides_share",
    "training_overlap",
    "independent_unit",
    "independent_units",
)
"""What follows from the fields of an evaluation and stands beside them in the results."""


def facts(evaluation: Evaluation) -> dict[str, Any]:
    """The evaluation as plain values, for the results."""
    return {name: getattr(evaluation, name) for name in (*Evaluation.__slots__, *DERIVED)}
