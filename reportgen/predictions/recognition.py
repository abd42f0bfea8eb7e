"""Recognise the evaluation that a table of predictions is from, by its columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from reportgen.clusters import Groups
from reportgen.predictions.evaluation_scheme import FIT, ONE_TEST, Evaluation, RecognisedScheme


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

    ``frame`` has any of ``id``, ``dataset``, ``repeat``, ``fold``, ``role``, ``group``
    and ``time``, with its ``point``. Rows without a role are test rows.
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
    evaluation = replace(evaluation, time_blocks=evaluation.folds > 1 and _in_time_blocks(rows))
    if trained.height:
        evaluation = _with_training(evaluation, rows, tests)
    elif evaluation.folds > 1 and "dataset" not in fit:
        grow = _grow(evaluation, tests)
        evaluation = _growing(evaluation) if grow else _implied(evaluation, tests)
    evaluation = _recognised(evaluation, rows, tests)
    return replace(evaluation, groups_on_both_sides=_groups(evaluation, rows))


def _in_time_blocks(rows: _Rows) -> bool:
    """Whether no test part of a repeat begins before another one of it has ended."""
    if "time" not in rows.tested.columns:
        return False
    parts = (
        rows.tested.group_by(rows.fit)
        .agg(first=pl.col("point").min(), last=pl.col("point").max())
        .sort("first")
    )
    before = pl.col("last").shift(1)
    if outer := rows.outer():
        before = before.over(outer)
    return not parts.select((pl.col("first") <= before).any()).item()


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


def _grow(evaluation: Evaluation, tests: pl.DataFrame) -> bool:
    """Whether folds of several rows are blocks of time, so that training parts likely grow."""
    return evaluation.time_blocks and evaluation.repeats == 1 and tests["rows"].max() != 1


def _growing(evaluation: Evaluation) -> Evaluation:
    """Folds in time whose training parts are not in the data: each is all rows before it.

    Before the first fold are as many as a fold has, as in scikit-learn's ``TimeSeriesSplit``.
    """
    fits = evaluation.fits
    train = (fits + 1) / 2
    overlap = _overlap(pl.Series(range(1, fits + 1)), fits, train)
    return replace(evaluation, train=train * (evaluation.test or 0), overlap=overlap, implied=True)


def _overlap(counts: pl.Series, fits: int, mean: float) -> float | None:
    """Mean share of a training part in another one, from how often each row is trained on.

    Over all ordered pairs of fits the rows in common add up to Σ c(c − 1).
    """
    if fits < 2 or not mean:
        return None
    common = (counts.cast(pl.Float64) * (counts.cast(pl.Float64) - 1)).sum()
    return float(common) / (fits * (fits - 1)) / mean


def _scheme(evaluation: Evaluation, rows: _Rows, tests: pl.DataFrame) -> RecognisedScheme:
    if "dataset" in rows.fit:
        return "data_sets" if tests["dataset"].n_unique() > 1 else "unclear"
    if evaluation.fits == 1:
        return "hold_out"
    if evaluation.folds == 1:
        return _of_repeats(evaluation, rows, tests)
    return _of_folds(evaluation, rows, tests)


def _of_folds(evaluation: Evaluation, rows: _Rows, tests: pl.DataFrame) -> RecognisedScheme:
    """Folds: in time where training parts grow, single rows, or parts of a repeat."""
    once = evaluation.repeats == 1
    if not evaluation.folds or evaluation.disjoint is False:
        return "unclear"
    if _nested(rows) if rows.trained.height else _grow(evaluation, tests):
        return "time_ordered"
    if tests["rows"].max() == 1 and evaluation.fits > 2:
        return "leave_one_out" if once else "unclear"
    if (evaluation.repeats, evaluation.folds) == (5, 2):
        return "five_by_two"
    return "k_fold" if once else "repeated_k_fold"


def _of_repeats(evaluation: Evaluation, rows: _Rows, tests: pl.DataFrame) -> RecognisedScheme:
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


def with_groups(evaluation: Evaluation, number: int, parts: pl.DataFrame | None) -> Evaluation:
    """The evaluation of rows in so many groups.

    ``parts`` has the ``group`` of some of the rows of each part, by any of ``dataset``,
    ``fold`` and ``role``; null where the rows are of one part.
    """
    evaluation = replace(evaluation, groups=number)
    if parts is None:
        return evaluation
    fit = [name for name in FIT if name in parts.columns]
    if not fit:
        parts, fit = parts.with_columns(fold=pl.lit("1")), ["fold"]
    roles = "role" in parts.columns
    tested = parts.filter(role="test") if roles else parts
    trained = parts.filter(role="train") if roles else parts.clear()
    on_both_sides = _groups(evaluation, _Rows(tested, trained, fit))
    return replace(evaluation, groups_on_both_sides=on_both_sides)


def _number_of_groups(tested: pl.DataFrame) -> int | None:
    """Distinct groups; each row without one is a group of its own."""
    if "group" not in tested.columns:
        return None
    return Groups.of(tested["group"]).number
