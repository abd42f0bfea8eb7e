"""What the truth stands for: the task, its classes, and the columns in their canonical types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.column_statistics import as_float
from reportgen.errors import Problem
from reportgen.predictions import binary_labels, class_labels
from reportgen.predictions.column_names import columns_of, upper_limit
from reportgen.predictions.input_tables import SMALLEST
from reportgen.predictions.odd_labels import with_rows
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import Source, counted, place, row_problems
from reportgen.predictions.text_values import as_text
from reportgen.spec import Spec, class_names, task_of
from reportgen.spec.nearest import listing, suggestion
from reportgen.tasks import TASKS, TaskInfo, TaskName


@dataclass(frozen=True, slots=True)
class LabelEncoding:
    """The task, the classes that indices stand for, and of two classes which is positive."""

    task: TaskName
    classes: tuple[str, ...] = ()
    positive: str = ""
    negative: str = ""

    @property
    def info(self) -> TaskInfo:
        """What is known of the task."""
        return TASKS[self.task]


EncodingResult = tuple[LabelEncoding | None, list[Problem]]


def task_in(spec: Spec, frame: pl.DataFrame) -> TaskName:
    """Return the task; where the spec leaves it open, more than two labels are several classes."""
    task = task_of(spec)
    if task is None:
        several = "truth" in frame.columns and len(binary_labels.counts(frame["truth"])) > 2
        task = "multiclass" if several else "binary"
    return task


def resolve_encoding(
    spec: Spec,
    task: TaskName,
    frame: pl.DataFrame,
    columns: Sequence[RequiredColumn],
    source: Source,
) -> EncodingResult:
    """Return what the truth stands for, and what contradicts it; None when that is open."""
    truths = [w for w in columns if w.role == "truth"]
    if any(
        w.name not in frame.columns or frame[w.name].null_count() == frame.height for w in truths
    ):
        return None, []
    label_columns = [w for w in columns if w.role == "label" and w.name in frame.columns]
    if TASKS[task].of_numbers:
        return LabelEncoding(task), [*crossed(frame, columns, source), *_tiny(frame, spec, source)]
    if TASKS[task].several_labels:
        return LabelEncoding(task, class_names(spec)), flags(
            frame, [*truths, *label_columns], source
        )
    encode = _two if TASKS[task].two_classes else _several
    return encode(spec, frame, label_columns, source)


def _two(
    spec: Spec, frame: pl.DataFrame, label_columns: Sequence[RequiredColumn], source: Source
) -> EncodingResult:
    label_pair = binary_labels.resolve_labels(
        spec, frame["truth"], [frame[w.name] for w in label_columns], source
    )
    if isinstance(label_pair, Problem):
        return None, [label_pair]
    both = (label_pair.positive, label_pair.negative)
    hint = f"the truth has {label_pair.positive!r} and {label_pair.negative!r}"
    unknown = [
        p
        for w in label_columns
        for p in binary_labels.unknown(frame[w.name], w, both, hint, source)
    ]
    return LabelEncoding("binary", both, *both), unknown


def _several(
    spec: Spec, frame: pl.DataFrame, label_columns: Sequence[RequiredColumn], source: Source
) -> EncodingResult:
    names = class_labels.resolve_classes(spec, frame["truth"], source)
    if isinstance(names, list):
        return None, names
    unknown: list[Problem] = []
    for field in label_columns:
        values = frame[field.name]
        expected_labels = [binary_labels.spelled_as(name, values.dtype) for name in names]
        strange = [text for text in binary_labels.counts(values) if text not in expected_labels]
        hint = (
            suggestion(strange[0], expected_labels)
            if len(strange) == 1
            else f"there is: {listing(expected_labels)}"
        )
        if not class_names(spec):
            hint += "; a class that the truth lacks is listed under classes:"
        unknown += binary_labels.unknown(values, field, expected_labels, hint, source)
    return LabelEncoding("multiclass", names), unknown


def flags(frame: pl.DataFrame, columns: Sequence[RequiredColumn], source: Source) -> list[Problem]:
    """Return the columns that do not say 0 or 1, or false or true."""
    problems = []
    for field in columns:
        label_counts = binary_labels.counts(frame[field.name])
        if not any(set(label_counts) <= set(pair) for pair in binary_labels.NATURAL):
            shown = binary_labels.counts_text(label_counts)
            message = f"0 and 1, or false and true, are expected: {shown}"
            where = place(source.title, field.column)
            hint = "each label has its own column that says whether it applies"
            odd = Problem("not-a-flag", message, where, hint, count=len(label_counts))
            if len(label_counts) > 2:
                texts = as_text(frame[field.name])
                odd = with_rows(odd, texts, label_counts, field.column, source)
            problems.append(odd)
    return problems


def _tiny(frame: pl.DataFrame, spec: Spec, source: Source) -> list[Problem]:
    return too_small(as_float(frame["truth"].abs().max(), 0.0), spec, source.title)


def too_small(largest: float, spec: Spec, title: str) -> list[Problem]:
    """Whether the truth, as its ``largest`` size, is so small that its squares are no floats."""
    if not 0 < largest < SMALLEST:
        return []
    message = f"no true value is larger than {SMALLEST:g}: squares of squared errors would be lost"
    where = place(title, str(spec.truth))
    return [Problem("out-of-range", message, where, "give truth and estimates in another unit")]


def crossed(
    frame: pl.DataFrame, columns: Sequence[RequiredColumn], source: Source
) -> list[Problem]:
    """Return the rows whose prediction interval ends before it begins."""
    named = {w.name: w.column for w in columns}
    problems: list[Problem] = []
    for low in columns_of(frame.columns, "low"):
        high = upper_limit(low)
        if high in frame.columns:
            problems += row_problems(
                "crossed-interval",
                lambda n: counted(n, "interval has", "intervals have") + " low above high",
                f"low: is {named[low]!r} and high: is {named[high]!r}; exchange or correct them",
                column=named[low],
                wrong=(frame[low] > frame[high]).fill_null(value=False),
                source=source,
                values=frame[low],
            )
    return problems


def canonical(frame: pl.DataFrame, encoding: LabelEncoding, zeros: Sequence[str]) -> pl.DataFrame:
    """Return the frame with labels as booleans or indices, and one spelling of zero."""
    decided = columns_of(frame.columns, "truth", "label")
    if encoding.info.of_numbers:
        decided = []
    return frame.with_columns(
        *(_decided(frame[name], encoding) for name in decided),
        *(pl.when(pl.col(n) == 0).then(0.0).otherwise(pl.col(n)).alias(n) for n in zeros),
    )


def _decided(values: pl.Series, encoding: LabelEncoding) -> pl.Series:
    if encoding.info.several_classes:
        return class_labels.as_indices(values, encoding.classes)
    if encoding.info.two_classes:
        return binary_labels.as_booleans(
            values, binary_labels.Labels(encoding.positive, encoding.negative)
        )
    return as_flags(values)


def as_flags(values: pl.Series) -> pl.Series:
    """Labels that say 0 or 1, or false or true, as booleans."""
    present_labels = set(binary_labels.counts(values))
    negative, positive = next(pair for pair in binary_labels.NATURAL if present_labels <= set(pair))
    return binary_labels.as_booleans(values, binary_labels.Labels(positive, negative))
