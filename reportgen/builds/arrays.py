"""From truth and predictions in memory to a spec and its frame."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from reportgen.builds import label_arrays
from reportgen.errors import DataError, Problem, SpecError
from reportgen.frames import ColumnLike, FrameLike, check_indexes, polars_column, polars_frame
from reportgen.predictions.binary_labels import natural_positive
from reportgen.predictions.text_values import as_text
from reportgen.spec.document import SpecKeys
from reportgen.spec.nearest import listing, suggestion
from reportgen.tasks import TASKS

TRUTH = "truth"
FEW = 20
"""Most distinct whole numbers of a truth that are taken as classes."""


@dataclass(frozen=True)
class TruthArray:
    """The truth: its task, its classes as text in their order, and the positive one of two."""

    truth: pl.Series
    task: str
    classes: tuple[str, ...]
    positive: str | None


def declared(
    truth: ColumnLike | FrameLike,
    models: Mapping[str, Any],
    features: Any = None,
    *,
    columns: Mapping[str, ColumnLike | str],
    slices: Mapping[str, ColumnLike] | Sequence[str],
    options: Mapping[str, Any],
) -> tuple[SpecKeys, pl.DataFrame]:
    """Return the content of a spec and the frame that it reads.

    Raises ``DataError`` or ``SpecError`` where what is given cannot be read in one way.
    """
    if not isinstance(models, Mapping) or not models:
        message = f"models is {_kind(models)}; a dict of names and predictions is expected"
        hint = 'write {"forest": predictions}'
        raise SpecError(Problem("wrong-type", message, "report", hint))
    given = {TRUTH: truth, **models, **columns, **(slices if isinstance(slices, Mapping) else {})}
    check_indexes(given, "report")
    truths = label_arrays.several_truths(truth)
    predicted = {str(name): _predicted(name, model, features) for name, model in models.items()}
    if truths is None:
        column = _flat(label_arrays.only_column(truth), TRUTH)
        keys, frame = _of_one_truth(column, predicted, options)
    else:
        keys, frame = _of_labels(truths, predicted)
    beside = {use: _beside(use, column, features) for use, column in columns.items()}
    shown = slices if isinstance(slices, Mapping) else dict.fromkeys(slices)
    sliced = {
        name: _beside(name, name if column is None else column, features)
        for name, column in shown.items()
    }
    for name, column in (beside | sliced).items():
        if name in frame:
            message = f"the name {name!r} is already that of the truth or of a model's column"
            raise SpecError(Problem("repeated-column", message, "report", "rename it"))
        frame[name] = column
    if beside:
        keys["columns"] = {use: use for use in beside}
    if sliced:
        keys["slices"] = list(sliced)
    return {**keys, **options}, polars_frame(frame, "report")


def _of_one_truth(
    truth: pl.Series, predicted: Mapping[str, tuple[Any, Any]], options: Mapping[str, Any]
) -> tuple[SpecKeys, dict[str, pl.Series]]:
    """The keys and columns of a truth in one column."""
    outputs = {
        name: (output, None if classes is None else _class_names(classes))
        for name, (output, classes) in predicted.items()
    }
    subject = _subject(truth, outputs, options)
    keys: SpecKeys = {"truth": TRUTH, "task": subject.task, "models": {}}
    if subject.positive is not None:
        keys["positive"] = subject.positive
    frame: dict[str, pl.Series] = {TRUTH: truth}
    for name, (output, names) in outputs.items():
        keys["models"][name], of_model = _columns(name, output, names, subject)
        frame |= of_model
    return keys, frame


def _of_labels(
    truths: Mapping[str, pl.Series], predicted: Mapping[str, tuple[Any, Any]]
) -> tuple[SpecKeys, dict[str, pl.Series]]:
    """The keys and columns of a truth in a column per label."""
    frame = {f"{TRUTH}.{label}": column for label, column in truths.items()}
    keys: SpecKeys = {
        "truth": {label: f"{TRUTH}.{label}" for label in truths},
        "task": "multilabel",
        "models": {},
    }
    for name, (output, classes) in predicted.items():
        keys["models"][name], of_model = label_arrays.columns_by_label(
            name, output, classes, list(truths)
        )
        if repeated := sorted(frame.keys() & of_model.keys()):
            message = f"model {name!r} and another one, or the truth, both have {repeated[0]!r}"
            raise SpecError(Problem("repeated-column", message, "report", "rename the model"))
        frame |= of_model
    return keys, frame


def _flat(values: Any, name: str) -> pl.Series:
    """A column of single values.

    Raises:
        DataError: each of its values is a list of several, or of a type that has no text.
    """
    column = polars_column(values, name)
    if column.dtype == pl.Object or isinstance(column.dtype, pl.BaseExtension):
        message = f"the values of {name!r} are neither numbers, texts nor times"
        raise DataError(Problem("wrong-type", message, "report", "convert them to text"))
    if column.dtype.is_nested():
        message = f"the values of {name!r} are lists; one value for each row is expected"
        hint = "give an array, or a column for each class or label by its name"
        raise DataError(Problem("wrong-type", message, "report", hint))
    return column


def _predicted(name: str, model: Any, features: Any) -> tuple[Any, Any]:
    """What a model predicts, and the classes of its columns where it has them."""
    if not hasattr(model, "predict"):
        return model, None
    if features is None:
        message = f"{name!r} is an estimator, but there are no features to predict from"
        hint = "give the features after the models: report(truth, models, features)"
        raise SpecError(Problem("missing-key", message, "report", hint))
    classes = getattr(model, "classes_", None)
    method = next(
        (m for m in ("predict_proba", "decision_function") if hasattr(model, m)), "predict"
    )
    try:
        values = getattr(model, method)(features)
    except (ValueError, TypeError, AttributeError) as fault:
        message = f"{name!r} cannot predict: {fault}"
        hint = "is it fitted, and on these features? Other columns go under columns or slices"
        raise DataError(Problem("predict", message, "report", hint)) from fault
    return values, None if method == "predict" else classes


def _class_names(classes: Any) -> tuple[str, ...]:
    return tuple(as_text(polars_column(classes, "classes")).to_list())


def _subject(
    truth: pl.Series, outputs: Mapping[str, tuple[Any, Any]], options: Mapping[str, Any]
) -> TruthArray:
    labels = truth.drop_nulls().unique().sort()
    task = options.get("task") or _task(truth, labels, [output for output, _ in outputs.values()])
    if TASKS[task].of_numbers:
        return TruthArray(truth, task, (), None)
    classes = options.get("classes") or as_text(labels).to_list()
    given = options.get("positive")
    positive = None if given is None else as_text(pl.Series([given]))[0]
    return TruthArray(truth, task, tuple(map(str, classes)), positive)


def _task(truth: pl.Series, labels: pl.Series, outputs: Sequence[Any]) -> str:
    """The task that truth and predictions can only be of."""
    if _is_fraction(truth.dtype) and not bool((labels == labels.round()).all()):
        return "regression"
    if len(labels) <= 2:
        return "binary"
    if not (truth.dtype.is_numeric() or truth.dtype.is_decimal()):
        return "multiclass"
    several = any(isinstance(output, Mapping) or _width(output) > 1 for output in outputs)
    if several and not any(_is_interval(output) for output in outputs):
        return "multiclass"
    labels_present = set(labels.cast(pl.Float64).to_list())
    are_labels = all(
        set(_flat(output, "predictions").cast(pl.Float64, strict=False).unique()) <= labels_present
        for output in outputs
        if not isinstance(output, Mapping)
    )
    return "multiclass" if are_labels and len(labels) <= FEW else "regression"


def _is_interval(output: Any) -> bool:
    return isinstance(output, Mapping) and "estimate" in output


def _width(output: Any) -> int:
    if isinstance(output, Mapping):
        return len(output)
    shape: tuple[int, ...] = tuple(getattr(output, "shape", ()))
    return shape[1] if len(shape) == 2 else 1


def _columns(
    name: str, output: Any, names: tuple[str, ...] | None, subject: TruthArray
) -> tuple[SpecKeys, dict[str, pl.Series]]:
    if TASKS[subject.task].of_numbers:
        return _estimate(name, output)
    if isinstance(output, Mapping) or _width(output) > 1:
        return _by_class(name, output, names, subject)
    column = _flat(output, f"{name}.score")
    if TASKS[subject.task].two_classes and _is_score(column):
        if names is not None and subject.positive == names[0]:
            column = -column  # a decision function speaks for the second class
        return {"score": column.name}, {column.name: column}
    column = column.alias(f"{name}.label")
    return {"label": column.name}, {column.name: column}


def _is_score(column: pl.Series) -> bool:
    """Whether numbers are scores: not the labels 0 and 1 or others alone."""
    if _is_fraction(column.dtype):
        return True
    return column.dtype.is_integer() and column.n_unique() > 2


def _is_fraction(dtype: pl.DataType) -> bool:
    return dtype.is_float() or dtype.is_decimal()


def _estimate(name: str, output: Any) -> tuple[SpecKeys, dict[str, pl.Series]]:
    given = output if isinstance(output, Mapping) else {"estimate": output}
    settings = {key: given[key] for key in ("level", "quantile") if key in given}
    series = {
        key: polars_column(values, f"{name}.{key}")
        for key, values in given.items()
        if key not in settings
    }
    keys = {key: column.name for key, column in series.items()}
    return {**keys, **settings}, {column.name: column for column in series.values()}


def _by_class(
    name: str, output: Any, names: tuple[str, ...] | None, subject: TruthArray
) -> tuple[SpecKeys, dict[str, pl.Series]]:
    """Scores of every class; of two classes those of the positive one."""
    by_class = _named(name, output, names or subject.classes, named=names is not None)
    strange = [label for label in by_class if label not in subject.classes]
    if strange and TASKS[subject.task].two_classes:
        message = f"model {name!r} has scores for {strange[0]!r}, which is not in the truth"
        hint = suggestion(strange[0], subject.classes)
        raise DataError(Problem("unknown-class", message, "report", hint))
    if TASKS[subject.task].two_classes:
        positive = subject.positive or natural_positive(subject.classes)
        if positive is None or positive not in by_class:
            message = f"which of {listing(subject.classes)} is positive?"
            hint = f"give positive={subject.classes[-1]!r}"
            raise SpecError(Problem("missing-key", message, "report", hint))
        column = by_class[positive].alias(f"{name}.score")
        return {"score": column.name}, {column.name: column}
    series = {label: column.alias(f"{name}.{label}") for label, column in by_class.items()}
    keys = {label: column.name for label, column in series.items()}
    return {"scores": keys}, {column.name: column for column in series.values()}


def _named(
    name: str, output: Any, classes: Sequence[str], *, named: bool
) -> Mapping[str, pl.Series]:
    """The columns of an output by class: those of an array are in the sorted order of classes."""
    if isinstance(output, Mapping):
        return {str(label): polars_column(values, str(label)) for label, values in output.items()}
    if not isinstance(output, np.ndarray):
        frame = polars_frame(output, f"model {name!r}")
        if set(frame.columns) == set(classes):
            return {label: frame[label] for label in classes}
        if not all(re.fullmatch(r"(column_)?\d+", column) for column in frame.columns):
            message = f"model {name!r} has columns {listing(frame.columns)}, which are not classes"
            raise DataError(
                Problem("unknown-class", message, "report", f"name them {listing(classes)}")
            )
        output = frame.to_numpy()
    if output.shape[1] != len(classes):
        where = "classes_" if named else "the truth"
        message = (
            f"model {name!r} has {output.shape[1]} columns; {where} has {len(classes)} classes"
        )
        hint = 'name them: {"forest": {"cat": column, "dog": column}}'
        raise DataError(Problem("unequal-length", message, "report", hint))
    return {label: polars_column(output[:, k], label) for k, label in enumerate(classes)}


def _beside(use: str, column: ColumnLike | str, features: FrameLike) -> pl.Series:
    """A column that says more about the rows: itself, or the name of one of the features."""
    if not isinstance(column, str):
        return polars_column(column, use)
    if features is None or isinstance(features, np.ndarray):
        message = f"{use}: {column!r} names a column, but no table is given"
        raise SpecError(Problem("missing-column", message, "report", "give the column itself"))
    frame = polars_frame(features, "features")
    if column not in frame.columns:
        message = f"{use}: there is no column {column!r}"
        hint = suggestion(column, frame.columns)
        raise DataError(Problem("missing-column", message, "features", hint))
    return frame[column].alias(use)


def _kind(value: Any) -> str:
    return f"a {type(value).__name__}"
