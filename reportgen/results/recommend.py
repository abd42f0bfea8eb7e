"""Which test to believe: each is recommended, valid, or one to avoid here, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen.comparisons import Comparison
from reportgen.comparisons.folds import OVERLAP
from reportgen.comparisons.records import Standing
from reportgen.errors import SpecError
from reportgen.predictions.evaluation import Evaluation, over_folds
from reportgen.spec import Spec

Key = tuple[tuple[str, ...], str, str | None]


@dataclass(frozen=True, slots=True)
class Advice:
    """A standing and why."""

    standing: Standing
    why: str | None = None


VALID = Advice("valid")

OF_FOLDS = {
    "repeated_hold_out": "the splits are repeated, and it allows for training sets that overlap",
    "repeated_k_fold": "the folds are repeated, and it allows for training sets that overlap",
    "k_fold": "it speaks of models trained anew, and allows for training sets that overlap",
    "five_by_two": "it allows for the training sets that repeats share, and kept its level in "
    "simulations in which those of 5 × 2 folds rejected too often",
    "bootstrap": "it allows for training sets that overlap; the correction was made for draws "
    "without replacement and is approximate here",
}
"""Schemes whose recommended test is the corrected resampled t-test, and why.

Of 5 × 2 folds too: with weak signals and folds of 20 to 150 test rows Dietterich's t rejects 7 to
14 % of true nulls at α = 0.05 and Alpaydin's F 8 to 19 %, since all ten differences share what is
particular to the one data set; the corrected test stays at 3 to 5 %, and from 300 rows on finds at
least as many true differences as t does (``tests/test_comparisons_calibration.py``).
"""

OF_DATA_SETS = {
    "wilcoxon": Advice(
        "recommended", "data sets are independent, and their differences need not be of one size"
    ),
    "iman_davenport": Advice(
        "recommended", "it asks whether any models differ before pairs are looked at"
    ),
}

NAIVE = ("paired_t_folds", "wilcoxon_folds", "sign_folds")
"""Tests that take folds as independent."""


def advised(
    rows: Sequence[Comparison], folds: Sequence[Comparison], evaluation: Evaluation
) -> list[Comparison]:
    """The records of tests over rows and over folds, with their standing and the reason."""
    over_folds = [_with(record, _of_folds(record, evaluation)) for record in folds]
    told = {_key(r) for r in over_folds if r.standing == "recommended" and r.p_value is not None}
    over_rows = [_with(r, _of_rows(r, evaluation, preferred=_key(r) in told)) for r in rows]
    return [*over_rows, *over_folds]


def chosen(records: Sequence[Comparison], spec: Spec) -> list[Comparison]:
    """The records with the test that the spec chooses in place of the recommended one.

    It takes the place wherever it was made; a test to avoid keeps the reason
    against it.

    Raises:
        SpecError: the test was not made on this data.
    """
    name = spec.comparisons.test
    if name is None or not records:
        return list(records)
    of_test = {_key(record) for record in records if record.comparison == name}
    if not of_test:
        made = list(dict.fromkeys(record.comparison for record in records))
        message = f"the test {name!r} cannot be made on this data"
        cure = f"made are: {', '.join(made)}"
        raise SpecError(spec.problem(("comparisons", "test"), "unknown-test", message, cure, name))
    return [_replaced(record, name) if _key(record) in of_test else record for record in records]


def _replaced(record: Comparison, name: str) -> Comparison:
    if record.comparison != name:
        if record.standing != "recommended":
            return record
        why = "recommended here, but the spec chose another test"
        return replace(record, standing="valid", why=why)
    against = (
        f"; advised against: {record.why}" if record.standing == "avoid" and record.why else ""
    )
    return replace(record, standing="recommended", why=f"chosen in the spec{against}")


def _key(record: Comparison) -> Key:
    return record.models, record.metric, record.slice


def _with(record: Comparison, advice: Advice) -> Comparison:
    if record.undefined:
        return record
    # The reason, or that there is none, takes the place of what the test says of any folds.
    caveats = tuple(text for text in record.caveats if text != OVERLAP)
    return replace(record, standing=advice.standing, why=advice.why, caveats=caveats)


def _of_rows(record: Comparison, evaluation: Evaluation, *, preferred: bool) -> Advice:
    """A test over rows; ``preferred`` says that a test over folds is recommended."""
    if evaluation.scheme == "data_sets":
        return Advice(
            "avoid", "it answers for these rows together, not for data sets that are to come"
        )
    if evaluation.repeats > 1:
        return Advice("avoid", "rows return in every repeat, and it takes them as independent")
    if len(record.models) > 2 and over_folds(evaluation):
        return Advice("valid", "it takes the fits of all folds as one model")
    if record.standing == "recommended" and preferred:
        return Advice("valid", "it takes the fits of all folds as one model")
    return Advice(record.standing, record.why)


def _of_folds(record: Comparison, evaluation: Evaluation) -> Advice:
    name, scheme = record.comparison, evaluation.scheme
    if scheme == "data_sets":
        return OF_DATA_SETS.get(name, VALID)
    if scheme == "same_rows":
        return Advice("avoid", "the repeats share their test rows: they show training alone")
    if name in NAIVE:
        return _naive(evaluation)
    if scheme in OF_FOLDS and name == "corrected_resampled_t":
        return Advice("recommended", OF_FOLDS[scheme])
    return VALID


def _naive(evaluation: Evaluation) -> Advice:
    if evaluation.overlap == 0:
        return VALID
    share = "" if evaluation.overlap is None else f" ({100 * evaluation.overlap:.0f} % on average)"
    return Advice(
        "avoid",
        f"the training sets overlap{share}, so it rejects too often: folds are not independent",
    )
