"""Labels of several classes: which there are, in which order, and the columns as indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from reportgen.errors import Problem
from reportgen.predictions.binary_labels import counts, counts_text, spelled_as
from reportgen.predictions.source import Source, counted, place
from reportgen.predictions.text_values import as_text
from reportgen.spec import Spec, class_names
from reportgen.spec.nearest import listing, nearest
from reportgen.spec.tasks import order_needed, ordered_by_value, reason

MOST = 1000
"""Classes that one report may have; more labels mean the wrong column."""


def resolve_classes(
    spec: Spec, truth: pl.Series, source: Source
) -> tuple[str, ...] | list[Problem]:
    """Return the classes in their order, or why they cannot be determined.

    The spec names them where it has ``scores`` or ``classes``; every label of
    the truth must then be among them, and each must occur unless it stands
    under ``classes``. Else they are the truth's labels.
    """
    return resolve_classes_of_counts(spec, counts(truth), truth.dtype, source.title)


def resolve_classes_of_counts(
    spec: Spec, label_counts: Mapping[str, int], dtype: pl.DataType, title: str
) -> tuple[str, ...] | list[Problem]:
    """The same from how often each label occurs in the truth; ``title`` names the data."""
    named = class_names(spec)
    if len(label_counts) > MOST:
        return [_too_many(spec, label_counts, title)]
    if not named:
        names = in_order(label_counts)
        unordered = order_needed(spec, names)
        if unordered is None:
            return names
        return [spec.problem("ordered", unordered.code, unordered.message, unordered.hint)]
    spelled = {spelled_as(name, dtype): name for name in named}
    unnamed = {label: n for label, n in label_counts.items() if label not in spelled}
    absent = [name for text, name in spelled.items() if text not in label_counts]
    problems = [_unnamed(spec, unnamed, absent)] if unnamed else []
    if absent and not spec.classes:
        problems.append(_absent(spec, absent, label_counts))
    return problems or named


def in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Return labels sorted, by value where all are numbers.

    >>> in_order(["10", "9"]), in_order(["b", "a"])
    (('9', '10'), ('a', 'b'))
    """
    listed = sorted(labels)
    return ordered_by_value(listed) or tuple(listed)


def _too_many(spec: Spec, counts: Mapping[str, int], title: str) -> Problem:
    return Problem(
        "many-labels",
        f"{len(counts):,} labels in the truth, at most {MOST:,} are expected: "
        f"{counts_text(counts)}",
        place(title, str(spec.truth)),
        "numbers are declared as estimate:; is this the right column?",
        count=len(counts),
    )


def _unnamed(spec: Spec, unnamed: Mapping[str, int], absent: Sequence[str]) -> Problem:
    where = _named_at(spec)
    what = counted(len(unnamed), "class", "classes")
    which = "classes does not name" if where == ("classes",) else "no score column names"
    close = {label: nearest(label, absent, 0.5) for label in unnamed}
    meant = [f"{name!r} for {label!r}" for label, name in close.items() if name]
    hint = f"did you mean {listing(meant)}?" if meant else "add each with its column"
    written = {label: nearest(label, class_names(spec), 0.8) for label in unnamed}
    if not meant and (
        near := [f"{label!r} for {name!r}" for label, name in written.items() if name]
    ):
        hint += f"; or is it written {listing(near)}?"
    message = f"the truth has {what} that {which}: {counts_text(unnamed)}"
    return spec.problem(where, "unknown-class", message, hint, next(iter(unnamed)))


def _absent(spec: Spec, absent: Sequence[str], label_counts: Mapping[str, int]) -> Problem:
    message = (
        f"the truth has no row of {listing(map(repr, absent))}; it has {counts_text(label_counts)}"
    )
    hint = "remove it, or list every class under classes: if some may have no rows"
    return spec.problem((*_named_at(spec), absent[0]), "absent-class", message, hint, absent[0])


def _named_at(spec: Spec) -> tuple[str | int, ...]:
    if spec.classes:
        return ("classes",)
    declared = reason(spec)
    return declared[1] if declared else ()


def as_indices(values: pl.Series, classes: Sequence[str]) -> pl.Series:
    """Return each label's place among the classes; null where it is missing."""
    if values.dtype in (pl.Categorical, pl.Enum, pl.Boolean) or values.dtype.is_nested():
        values = as_text(values)
    places = {spelled_as(name, values.dtype): index for index, name in enumerate(classes)}
    distinct = values.drop_nulls().unique()
    indices = [places[text] for text in as_text(distinct).to_list()]
    new = pl.Series(indices, dtype=pl.UInt16)
    return values.replace_strict(distinct, new, default=None, return_dtype=pl.UInt16)
