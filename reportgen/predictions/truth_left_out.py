"""Rows whose truth is no class, as ``leave_out`` says: they are counted and left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from reportgen.errors import Problem
from reportgen.predictions.binary_labels import counts, counts_text, spelled_as
from reportgen.predictions.column_names import slice_names
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import Source
from reportgen.predictions.text_values import as_text, is_scalar
from reportgen.spec import Spec
from reportgen.spec.nearest import nearest

MOST_VALUES = 10_000
"""A slice column with more values is not counted by value."""


@dataclass(frozen=True, slots=True)
class Divided:
    """The rows that stay, their places in the file, and counts (see ``TruthLeftOut``)."""

    frame: pl.DataFrame
    source: Source
    tally: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TruthLeftOut:
    """How many of the rows that were read are left out: in all, by label, slice and model.

    ``slices`` has by column and value, ``models`` by model in long form, the rows that are left
    out and all of them. ``missing`` counts the missing values of the rows left out, by column.
    """

    rows: int
    of: int
    labels: Mapping[str, int]
    slices: Mapping[str, Mapping[str | None, tuple[int, int]]]
    models: Mapping[str, tuple[int, int]]
    missing: Mapping[str, int]


def divided(
    frame: pl.DataFrame, columns: Sequence[RequiredColumn], source: Source, spec: Spec
) -> Divided:
    """The rows of one file without those whose truth is no class, and the counts of these."""
    if "truth" not in frame.columns or not spec.leave_out:
        return Divided(frame, source)
    if not is_scalar(frame["truth"].dtype):  # which is refused when it is typed
        return Divided(frame, source)
    truth = as_text(frame["truth"])
    labels = {spelled_as(label, frame["truth"].dtype): label for label in spec.leave_out}
    left = truth.is_in(list(labels)).fill_null(value=False)
    out, places = frame.filter(left), (~left).arg_true()
    tally = Counter({_key("rows"): out.height, _key("of"): frame.height})
    for text, number in counts(truth.filter(left)).items():
        tally[_key("label", labels[text])] += number
    for name, column in {**slice_names(frame.columns), "model": "model"}.items():
        what = "model" if name == "model" else "slice"
        if name in frame.columns and is_scalar(frame[name].dtype):
            for kind, part in (("rows", out), ("of", frame)):
                values = as_text(part[name]).value_counts(name="n")
                if values.height <= MOST_VALUES:
                    tally.update(
                        {_key(what, column, value, kind): n for value, n in values.iter_rows()}
                    )
    tally.update({_key("missing", w.column): out[w.name].null_count() for w in columns})
    if not out.height:
        return Divided(frame, source, tally)
    numbers = source.places
    numbers = places + source.before if numbers is None else numbers.gather(places)
    return Divided(frame.filter(~left), Source(source.names, (len(places),), 0, numbers), tally)


def rows_left_out(tally: Mapping[str, int]) -> int:
    """How many rows are left out."""
    return tally.get(_key("rows"), 0)


def no_rows(title: str, read: bool) -> Problem:
    """No row is evaluated; rows were ``read``: all of them are left out."""
    message = "every row has a label that leave_out names" if read else "there are no rows"
    return Problem("no-rows", message, title)


def left_out_rows(spec: Spec, tally: Mapping[str, int]) -> TruthLeftOut | None:
    """The counts of all rows from those of their parts; nothing where none is to be left out."""
    if not spec.leave_out or not tally:
        return None
    slices: dict[str, dict[str | None, tuple[int, int]]] = {}
    models: dict[str, tuple[int, int]] = {}
    for key, number in tally.items():
        what, *rest = json.loads(key)
        if what in ("slice", "model") and rest[-1] == "of":
            column, value, _ = rest
            pair = (tally.get(_key(what, column, value, "rows"), 0), number)
            if what == "model":
                models[value] = pair
            else:
                slices.setdefault(column, {})[value] = pair
    in_order = {column: dict(sorted(slices[column].items(), key=_named)) for column in slices}
    return TruthLeftOut(
        rows_left_out(tally),
        tally[_key("of")],
        {label: tally.get(_key("label", label), 0) for label in spec.leave_out},
        in_order,
        dict(sorted(models.items())),
        {json.loads(k)[1]: n for k, n in tally.items() if json.loads(k)[0] == "missing"},
    )


def misspelt(spec: Spec, truth: pl.Series, tally: Mapping[str, int]) -> list[Problem]:
    """The labels to leave out that no row has, where the truth has one of nearly that name."""
    absent = [k for k, name in enumerate(spec.leave_out) if not tally.get(_key("label", name))]
    labels = counts(truth) if absent else {}
    problems = []
    for index in absent:
        label, meant = spec.leave_out[index], nearest(spec.leave_out[index], labels, 0.7)
        if meant is not None:
            message = f"leave_out: the truth has no {label!r}; it has {counts_text(labels)}"
            hint = f"did you mean {meant!r}?"
            problems.append(
                spec.problem(f"leave_out.{index}", "unknown-label", message, hint, label)
            )
    return problems


def _named(pair: tuple[str | None, tuple[int, int]]) -> tuple[bool, str]:
    return pair[0] is not None, pair[0] or ""


def _key(*parts: str | None) -> str:
    return json.dumps(parts, ensure_ascii=False)
