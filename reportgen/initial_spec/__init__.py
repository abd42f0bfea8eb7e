"""Write a commented spec for a data file: every guess with its reason, ready to build."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

import polars as pl

from reportgen.errors import DataError, Problem
from reportgen.initial_spec import (
    binary,
    column_roles,
    dates,
    evident_truth,
    feature_columns,
    graded,
    multiclass,
    multilabel,
    no_roles,
    regression,
    score_table,
    stated,
    truth_choice,
    unit_remarks,
    unused_columns,
)
from reportgen.initial_spec.candidates import ColumnRoles
from reportgen.initial_spec.column_roles import named_prediction
from reportgen.initial_spec.dates import horizons
from reportgen.initial_spec.lone_truth import lone_truth
from reportgen.initial_spec.profile import (
    ColumnProfile,
    decimal_of,
    encoding_of,
    profile,
    separator_of,
)
from reportgen.initial_spec.repeats import identified
from reportgen.initial_spec.stated import of_stated_truth
from reportgen.initial_spec.writing import data_lines, guessed_threshold, written
from reportgen.predictions.files import DataFile, repeated_columns
from reportgen.predictions.inputs import read_whole
from reportgen.spec.nearest import listing, nearest
from reportgen.spec.yaml_text import quoted
from reportgen.tasks import TASKS

__all__ = ["init_spec"]

RecognisedRoles = tuple[Sequence[ColumnProfile], pl.DataFrame, ColumnRoles | score_table.WideTable]
"""The columns, the rows that they are of, and what the columns are taken for."""


def init_spec(
    path: Path,
    *,
    pin: bool = False,
    encoding: str | None = None,
    truth: str | None = None,
    positive: str | None = None,
    on_guess: Callable[[str], None] = lambda _: None,
) -> str:
    """Return a commented spec for a data file, to be kept in the file's folder.

    ``pin``: the spec holds for these bytes of the file only. ``encoding`` is that of
    a text file; without one the first bytes of the file decide. ``truth`` is the column of
    what was observed; without one names and contents decide. ``positive`` is the positive one of
    its two labels. ``on_guess`` gets each guess that neither decides, and the columns that are
    left out.

    Raises ``DataError`` when the file cannot be read, when it has no column of the stated
    name, or when no truth or no model's output is recognised; ``EmptyError`` when it has no
    rows.
    """
    written_in = encoding or encoding_of(path)
    file, frame = read_whole(path, written_in, separator_of(path, written_in))
    stated.check_header(file.name, frame)
    file = replace(file, decimal="." if file.typed else decimal_of(frame))
    data = data_lines(file, pin=pin, guessed=encoding is None)
    columns: Sequence[ColumnProfile] = profile(frame, parse=not file.typed, decimal=file.decimal)
    other_targets: list[str] = []
    if truth is not None:
        columns, other_targets = of_stated_truth(stated.stated_truth(columns, truth, file.name))
    guessed = truth is None and positive is None
    table = score_table.table_of(columns, file.name) if guessed else None
    if table is not None:
        return score_table.written(data, table, frame.shape, path.stem, on_guess)
    shape = frame.shape
    columns, frame, roles = _of_classes(columns, file, frame, positive, truth)
    stated.check_positive(roles, positive, file.name)
    if not isinstance(roles, ColumnRoles):
        return score_table.written(data, roles, shape, path.stem, on_guess)
    _check_relevance(file.name, roles, columns)
    for guess in [*_guesses(roles), *guessed_threshold(roles), *_repeated(file, frame)]:
        on_guess(guess)
    dated = dates.date_columns(columns)
    others = [
        c
        for c in columns
        if c is not roles.truth and all(c is not o for o in [*roles.assigned, *dated])
    ]
    parts = [roles.used[use] for use in ("model", "repeat", "role") if use in roles.used]
    parts += [c for c in [roles.used.get("fold")] if c and bool(c.texts.str.contains(".Rep").any())]
    identity, roles, others = identified(roles, others, parts)
    slices = [
        c.name
        for c in others
        if c is not identity
        and 2 <= len(c.labels) <= column_roles.MOST_SUBGROUPS
        and not c.fractional
        and not unused_columns.is_prediction(c, roles)
    ]
    uses = {} if identity is None else {"id": identity.name}
    uses |= {use: c.name for use, c in roles.used.items() if use != "model"}
    notes = [f"{note}." for note in dates.unusable(dated)]
    time = dates.time_column(dated)
    if time is not None and (uses or dates.returns(time)):
        why = "rows near in time depend on each other: losses are compared in this order"
        notes.append(f"time: {quoted(time.name)}  # {why}")
    elif time is not None:
        uses["time"] = time.name
    if TASKS[roles.task].of_numbers and "weight" not in uses:
        why = "if truth and estimates are rates per unit of it"
        notes += [f"weight: {quoted(c.name)}  # {why}" for c in feature_columns.exposures(others)]
    if "group" not in uses:
        notes += map(
            _group_note,
            column_roles.possible_groups(
                [
                    c
                    for c in others
                    if c is not identity and not unused_columns.is_prediction(c, roles)
                ]
            ),
        )
    ranges = [c for c in others if c is not identity and column_roles.needs_ranges(c)]
    rest = [c for c in others if c is not identity]
    unused = unused_columns.unused_columns(roles, rest, slices)
    unused += [f"{name!r} ({no_roles.SEVERAL})" for name in no_roles.nested(frame)]
    remarks = [
        *other_targets,
        *unused_columns.unnamed(frame.columns),
        *_too_good(roles),
        *unit_remarks.remarks(roles, rest, uses, identity),
        *(f"left out: {c}" for c in unused),
        *dates.with_gaps(rest),
    ]
    shown, by_range = horizons(frame, uses.get("time"), slices), [c.name for c in ranges]
    left = [c for c in [*rest, *dates.besides(dated, time)] if c.name not in shown]
    further = unused_columns.further(left, slices, [*remarks, *notes])
    for remark in [*remarks, *dates.unusable(dated), *further]:
        on_guess(remark)
    subgroups = {name: name in shown for name in slices}
    return written(data, roles, uses, subgroups, shape, notes, by_range, remarks)


def _check_relevance(file: str, roles: ColumnRoles, columns: Sequence[ColumnProfile]) -> None:
    """Raise ``DataError`` where results of a search in grades would be taken for numbers."""
    graded_results = next(filter(no_roles.is_graded_relevance, columns), None)
    if graded_results is None or not TASKS[roles.task].of_numbers:
        return
    predictions = [c for c in roles.assigned if c is not roles.truth]
    if roles.truth is not graded_results or not all(map(named_prediction, predictions)):
        raise DataError(no_roles.graded_relevance(file, graded_results))


def _repeated(file: DataFile, frame: pl.DataFrame) -> list[str]:
    """The names that two columns have, and how the second is named here."""
    return [
        f"the header has {name!r} twice: the second column is {f'{name}_duplicated_0'!r} here"
        for name in sorted(repeated_columns(file, frame.columns))
    ]


def _too_good(roles: ColumnRoles) -> list[str]:
    return [
        f"{name!r} has an AUC of {area:.3f}: if the truth was made from it, remove it from models:"
        for name, area in binary.nearly_perfect(roles).items()
    ]


def _of_classes(
    columns: Sequence[ColumnProfile],
    file: DataFile,
    frame: pl.DataFrame,
    positive: str | None,
    truth: str | None,
) -> RecognisedRoles:
    """The columns, rows and roles, of the rows whose truth is a class.

    Labels that are no class are looked for in columns that are named for the truth, and in all
    where no truth is recognised or numbers are a guess; not among those that models give.
    """
    plain: DataError | RecognisedRoles = DataError()
    options = list(truth_choice.without_labels(columns, frame))
    for option in (*filter(lambda one: one.likely, options), None, *options):
        rows = frame if option is None else option.frame
        looked = columns
        if option is not None:
            looked = profile(rows, parse=not file.typed, decimal=file.decimal)
            looked = looked if truth is None else stated.stated_truth(looked, truth, file.name)
        try:
            looked, roles = _roles_by_evidence(looked, file.name, rows, positive)
        except DataError as error:
            plain = error if option is None else plain
            continue
        if option is None:
            plain = looked, rows, roles
            if not _doubtful(roles, {one.name for one in options}):
                break
        elif (
            isinstance(roles, ColumnRoles)
            and roles.truth.name == option.name
            and not option.labels.keys() & _given(roles, columns)
        ):
            return looked, rows, replace(roles, left_out=option.labels)
    if isinstance(plain, DataError):
        raise plain
    return plain


def _doubtful(roles: ColumnRoles | score_table.WideTable, with_no_class: Set[str]) -> bool:
    """Whether the truth has labels that are no class, or numbers are a guess that no name backs."""
    if not isinstance(roles, ColumnRoles):
        return False
    guess = roles.task == "regression" and bool(roles.rivals)
    return guess or roles.truth.name in with_no_class


def _given(roles: ColumnRoles, columns: Sequence[ColumnProfile]) -> set[str]:
    """The labels that models give in any row, or have scores for."""
    by_class = [model.keys.get("scores", {}) for model in roles.models]
    named = {label for scores in by_class if isinstance(scores, Mapping) for label in scores}
    label_columns = {model.keys.get("label") for model in roles.models}
    texts = [c.texts.unique().to_list() for c in columns if c.name in label_columns]
    return named.union(*texts)


def _group_note(column: ColumnProfile) -> str:
    count = f"{column.distinct:,} values, {len(column.texts):,} rows"
    return f"group: {quoted(column.name)}  # if rows of one value resemble each other ({count})"


def _guesses(roles: ColumnRoles) -> list[str]:
    """What to tell of guesses that neither names nor contents decide."""
    guesses = []
    if roles.rivals and roles.graded:
        one = len(roles.rivals) == 1
        taken = (
            f"{listing(map(repr, roles.rivals))} {'is' if one else 'are'} taken for graded answers"
        )
        which = "it" if one else "one of them"
        guesses.append(f"{taken}; if {which} is the truth, name it by --truth COLUMN")
    elif roles.rivals:
        others = " or ".join(map(repr, roles.rivals))
        guesses.append(
            f"the truth is a guess: {roles.truth.name!r}; it may be {others}: state "
            "it by --truth COLUMN"
        )
    for name, gaps in roles.with_gaps.items():
        guesses.append(
            f"the truth may be {name!r}, which the scores separate better, but {gaps:,} rows have "
            f"no value: leave out those rows, and name it by --truth"
        )
    if roles.left_out:
        guesses.append(
            f"rows whose truth is {listing(map(repr, roles.left_out))} are left out "
            f"({sum(roles.left_out.values()):,} rows); remove from leave_out: what is a class"
        )
    if roles.ratings:
        names = listing(map(repr, roles.ratings))
        one = len(roles.ratings) == 1
        what = "prediction" if roles.task == "multiclass" else "score"
        guesses.append(
            f"{names} {'is' if one else 'are'} taken for {f'a {what}' if one else f'{what}s'} by "
            f"{'its' if one else 'their'} values alone; if wrong, correct models: in the spec"
        )
    if roles.positive is not None and roles.positive.unsure:
        other = next((label for label in roles.truth.labels if label != roles.positive.column), "")
        guesses.append(
            f"the positive label is a guess: {roles.positive.column!r}; it may be {other!r}: state "
            "it under positive: in the spec"
        )
    if roles.positive is not None and roles.positive.against:
        guesses.append(
            f"the positive label is {roles.positive.column!r}, but {roles.positive.against}; "
            f"correct positive: in the spec{unit_remarks.turned(roles)}"
        )
    return guesses


def _roles_by_evidence(
    columns: Sequence[ColumnProfile], file: str, frame: pl.DataFrame, positive: str | None
) -> tuple[Sequence[ColumnProfile], ColumnRoles | score_table.WideTable]:
    """What the columns are taken for, where predictions show the truth without their features."""
    shown = evident_truth.evidence(columns, file)
    try:
        roles = _roles(shown.usable, file, frame, positive)
    except DataError:
        return columns, _roles(columns, file, frame, positive)
    if shown.chosen and isinstance(roles, ColumnRoles):
        roles = replace(roles, rivals=shown.rivals)
    return shown.columns, roles


def _roles(
    columns: Sequence[ColumnProfile], file: str, frame: pl.DataFrame, positive: str | None
) -> ColumnRoles | score_table.WideTable:
    """Return what the columns are taken for.

    Clear signs of several classes and of numbers come first, faint ones only
    where there are no two classes; a table of values by its shape comes last.
    """
    roles = multilabel.multilabel_roles(columns)
    if roles is None and (problem := multilabel.spelt_out(columns, file)):
        raise DataError(problem)
    roles = roles or multiclass.by_scores(columns)
    if roles is None and not column_roles.two_labels_named(columns):
        roles = multiclass.by_labels(columns, named=True) or _numbers_or_scores(columns, positive)
    if roles is not None:
        return roles
    answers = graded.graded_roles(columns)
    if answers is not None:
        return answers
    two = binary.binary_roles(columns, positive)
    if isinstance(two, ColumnRoles):
        return two
    roles = multiclass.by_labels(columns, named=False) or regression.regression_roles(
        columns, named=False
    )
    stated = any(c.stated_truth for c in columns)
    table = roles or (None if stated else score_table.unnamed_table(columns, file))
    table = table or _by_values(columns, positive) or lone_truth(columns)
    if table is None:
        raise DataError(no_roles.nothing(file, two, columns, frame))
    return table


def _numbers_or_scores(
    columns: Sequence[ColumnProfile], positive: str | None
) -> ColumnRoles | None:
    """The roles of numbers by their names.

    Numbers from 0 to 1 that no name makes the truth are a score where, with others, they separate
    two labels.
    """
    numbers = regression.regression_roles(columns, named=True)
    if numbers is None or column_roles.named_truth(numbers.truth) or not numbers.truth.within(0, 1):
        return numbers
    two = binary.binary_roles(columns, positive)
    if not isinstance(two, ColumnRoles) or all(c is not numbers.truth for c in two.assigned):
        return numbers
    if not truth_choice.separated(two.truth, two.assigned):
        return numbers
    return replace(two, rivals=[*two.rivals, numbers.truth.name])


def _by_values(columns: Sequence[ColumnProfile], positive: str | None) -> ColumnRoles | None:
    """The roles where no name says more: of numbers beside a truth of two labels, or of numbers.

    Numbers that follow another may be estimates of it, or scores of one truth.
    """
    numbers = regression.counted_regression(columns) or regression.unnamed_regression(columns)
    names = {model.keys["estimate"] for model in numbers.models} if numbers else set()
    backed = [column_roles.named_model(c) for c in columns if c.name in names if c.fractional]
    if numbers and all(backed):
        return numbers
    two = binary.binary_roles(columns, positive, by_values=True)
    if not isinstance(two, ColumnRoles):
        return None if no_roles.two_labels_spelt_apart(columns) else numbers
    return two if numbers is None else replace(two, rivals=[*two.rivals, numbers.truth.name])
