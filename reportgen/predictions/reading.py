"""Read predictions: load what the spec asks for, check it all, name it canonically."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from reportgen.clusters import Groups
from reportgen.errors import DataError, EmptyError, Problem, SpecError
from reportgen.predictions import checks, ids, long
from reportgen.predictions.binary_labels import graded
from reportgen.predictions.column_names import (
    classes_of,
    columns_of,
    model_of,
    output_column,
    shown_names,
)
from reportgen.predictions.files import DataFile
from reportgen.predictions.identical import identical_in_groups, identical_rows, trained_on
from reportgen.predictions.input_tables import TABLES
from reportgen.predictions.inputs import (
    file_checks,
    inputs,
    listed,
    precision,
    reference_inputs,
)
from reportgen.predictions.label_encoding import LabelEncoding, canonical, resolve_encoding, task_in
from reportgen.predictions.load import Loaded, load_file, load_frame, narrow, together
from reportgen.predictions.passed_checks import passed_checks, returning
from reportgen.predictions.recognition import recognised
from reportgen.predictions.repeated_readings import readings
from reportgen.predictions.required_columns import RequiredColumn, required_columns
from reportgen.predictions.source import Source, place
from reportgen.predictions.text_values import as_text
from reportgen.predictions.times import in_one_offset, points, unordered
from reportgen.predictions.truth_left_out import left_out_rows, misspelt, no_rows
from reportgen.predictions.validated import Check, InputFile, ModelColumns, Predictions
from reportgen.spec import Spec
from reportgen.spec.base import Issue
from reportgen.spec.checks import model_issues
from reportgen.spec.nearest import bounded
from reportgen.spec.outputs import AnyModel
from reportgen.spec.task_checks import issues_of_data
from reportgen.tasks import TASKS


def read(
    spec: Spec, files: Sequence[DataFile] | None = None, hashes: Sequence[str] = ()
) -> Predictions:
    """Read and validate the predictions that a spec names; ``files`` where they are known.

    Raises ``DataError`` with every problem of the data, ``EmptyError`` when
    there are no rows.
    """
    if files is None:
        files, hashes = inputs(spec)
    columns = required_columns(spec)
    with bounded():
        loaded = [load_file(file, columns, spec) for file in files]
    rows = [part.rows for part in loaded]
    named = [file.name for file in files]
    predictions = _checked(spec, columns, named, loaded, listed(files, hashes, rows))
    return replace(predictions, checks=(*predictions.checks, *file_checks(files, columns)))


def read_reference(
    spec: Spec, predictions: Predictions, files: Sequence[DataFile] = ()
) -> Predictions | None:
    """Read the earlier predictions that a spec names, of the same task, classes and models.

    ``files`` are those of ``predictions``. Nothing where the spec names none. Raises as ``read``
    does, and ``DataError`` where the classes or the models are other ones.
    """
    if spec.reference is None:
        return None
    earlier_files, hashes = reference_inputs(spec, files)
    fixed: dict[str, object] = {"task": predictions.task}
    if TASKS[predictions.task].several_classes:
        fixed["classes"] = predictions.classes
    if TASKS[predictions.task].two_classes:
        fixed["positive"] = predictions.positive
    earlier = read(spec.of_reference().model_copy(update=fixed), earlier_files, hashes)
    title = Source(tuple(file.name for file in earlier_files), ()).title
    labels = earlier.classes
    if TASKS[predictions.task].two_classes and earlier.frame["truth"].all():
        labels = predictions.classes  # the other label is not among its rows
    for what, here, there in (
        ("labels", predictions.classes, labels),
        ("models", _names(predictions), _names(earlier)),
    ):
        if here != there:
            message = f"the {what} are {', '.join(there)}; those of the data are {', '.join(here)}"
            hint = "reference: predictions of the same models with the same labels"
            raise DataError(Problem("reference", message, title, hint))
    if problems := list(_other_units(predictions, earlier, title)):
        raise DataError(*problems)
    return earlier


def _other_units(here: Predictions, earlier: Predictions, title: str) -> Iterator[Problem]:
    """Scores from 0 to 1 in one period, most of them outside in the other: percent, log-odds."""
    for column in columns_of(here.frame.columns, "score"):
        now, before = (pl.Series(one.frame[column], dtype=pl.Float64) for one in (here, earlier))
        inside = sorted(one.is_between(0, 1).sum() / one.len() for one in (now, before))
        if inside[1] == 1 and inside[0] < 0.5:
            name = here.models[model_of(column)].name
            message = f"the scores of {name} lie {_range(before)}; those of the data {_range(now)}"
            yield Problem("reference", message, title, "give both periods in the same unit")


def _range(scores: pl.Series) -> str:
    low, high = scores.to_numpy().min(), scores.to_numpy().max()
    return f"between {low:.4g} and {high:.4g}"


def _names(predictions: Predictions) -> tuple[str, ...]:
    return tuple(model.name for model in predictions.models)


def identifiers(spec: Spec) -> list[str]:
    """The ids in the data of a spec, as text and in order; empty where it names no such column.

    Raises ``DataError`` where the data cannot be read.
    """
    files, _ = inputs(spec)
    columns = [column for column in required_columns(spec) if column.name == "id"]
    loaded = [load_file(file, columns, spec) for file in files]
    problems = [problem for part in loaded for problem in part.problems]
    if problems:
        raise DataError(*problems)
    frame = _texts(together([part.frame for part in loaded]), columns)
    return frame["id"].cast(pl.String).to_list() if columns else []


def from_frame(frame: pl.DataFrame, spec: Spec) -> Predictions:
    """Validate predictions that are in memory; ``spec.data`` is not looked at."""
    columns = required_columns(spec)
    predictions = _checked(spec, columns, ["data frame"], [load_frame(frame, columns, spec)], ())
    return replace(
        predictions, checks=(*predictions.checks, *precision(narrow(frame.schema, columns)))
    )


def _checked(
    spec: Spec,
    columns: Sequence[RequiredColumn],
    names: Sequence[str],
    loaded: Sequence[Loaded],
    inputs: tuple[InputFile, ...],
) -> Predictions:
    problems = [problem for part in loaded for problem in part.problems]
    source, places = _source(names, loaded)
    tally = sum((Counter(part.tally or {}) for part in loaded), Counter[str]())
    if not sum(source.rows):
        serious = [p for p in problems if p.code != "no-rows"]
        if serious:
            raise DataError(*problems)
        raise EmptyError(*(problems or [no_rows(source.title, places is not None)]))
    read_rows = _texts(together([part.frame for part in loaded]), columns)
    read_rows = graded(spec, read_rows, columns)
    missing = _missing(read_rows, columns, graded=spec.graded)
    frame, named = with_repeats(read_rows)
    task = task_in(spec, frame)
    broken, zeros = checks.problems(frame, columns, source, TABLES[TASKS[task].truth])
    problems += broken + _further(frame, columns, source)
    encoding, contradicting = resolve_encoding(spec, task, frame, columns, source)
    problems += contradicting
    if "truth" in frame.columns:
        problems += misspelt(spec, frame["truth"], tally)
    if problems or encoding is None:
        raise DataError(*problems)
    refuse(spec, issues_of_data(spec, encoding.task, encoding.classes))
    frame, read_again = readings(frame, graded=spec.graded)
    frame = canonical(frame, encoding, zeros)
    predictions = _predictions(spec, frame, encoding, source, inputs)
    if places is not None:
        numbers = predictions.row_numbers
        numbers = places if numbers is None else places.gather(numbers)
        predictions = replace(predictions, row_numbers=numbers)
    passed = predictions.checks
    if spec.graded:
        passed = tuple(check for check in passed if check.name not in ("labels", "one class"))
    out = left_out_rows(spec, tally)
    passed = (*passed, *named, *read_again)
    return replace(predictions, checks=passed, missing=missing, left_out=out)


def _source(names: Sequence[str], loaded: Sequence[Loaded]) -> tuple[Source, pl.Series | None]:
    """Where the rows are from; their places in all files, from 0, where some are left out."""
    heights = tuple(part.frame.height for part in loaded)
    if all(part.places is None for part in loaded):
        return Source(tuple(names), heights), None
    of_files, in_all, before = [], [], 0
    for part in loaded:
        places = pl.int_range(part.rows, eager=True) if part.places is None else part.places
        of_files.append(places.cast(pl.Int64))
        in_all.append(of_files[-1] + before)
        before += part.rows
    return Source(tuple(names), heights, places=pl.concat(of_files)), pl.concat(in_all)


def _missing(
    frame: pl.DataFrame, columns: Sequence[RequiredColumn], *, graded: bool
) -> tuple[tuple[str, str, int], ...]:
    """Each column of the data, what it is, and in how many rows it has no value."""
    there = {*frame.columns}
    return tuple(
        (field.column, field.role, frame[field.name].null_count())
        for field in columns
        if field.name in there and not (graded and field.role == "truth")
    )


def _texts(frame: pl.DataFrame, columns: Sequence[RequiredColumn]) -> pl.DataFrame:
    """Return the frame with text columns as text; integer ids are only compared and stay."""
    named = [w.name for w in columns if w.kind == "text" and w.name in frame.columns]
    named = [n for n in named if n != "id" or not frame[n].dtype.is_integer()]
    frame = frame.with_columns(as_text(frame[name]) for name in named)
    return frame.with_columns(in_one_offset(frame["time"])) if "time" in named else frame


def _further(
    frame: pl.DataFrame, columns: Sequence[RequiredColumn], source: Source
) -> list[Problem]:
    """Return problems of whole columns: repeated ids, weights that add up to nothing, names."""
    named = {field.name: field.column for field in columns}
    problems: list[Problem] = []
    if "id" in frame.columns:
        problems += ids.duplicates(frame, named["id"], source)
    if "weight" in frame.columns and (frame["weight"] == 0).all():
        where = place(source.title, named["weight"])
        problems.append(
            Problem("no-weight", "all weights are 0", where, "give some rows a positive weight")
        )
    if "time" in frame.columns:
        problems += unordered(frame["time"], named["time"], source)
    if "model" in frame.columns:
        problems += long.nameless(frame["model"], named["model"], source)
        problems += long.too_many(frame["model"], named["model"], source)
    return problems


@dataclass(frozen=True, slots=True)
class _Examples:
    """One row per example with the columns of every declared model; ``unpaired`` as predictions."""

    frame: pl.DataFrame
    models: Mapping[str, AnyModel]
    unpaired: long.Unpaired | None = None
    row_numbers: pl.Series | None = None


def _examples(spec: Spec, frame: pl.DataFrame, source: Source) -> _Examples:
    """The rows by example: those of models in long form become columns."""
    if isinstance(spec.models, Mapping):
        return _Examples(frame, spec.models)
    names = long.model_names(frame["model"])
    refuse(spec, model_issues(spec, names))
    wide = long.widen(frame, names)
    if wide.contradictions:
        named = {w.name: w.column for w in required_columns(spec)}
        raise DataError(*long.contradictions(wide.contradictions, named, source.title))
    numbers = long.row_numbers(frame["model"], names, paired=wide.unpaired is None)
    return _Examples(wide.frame, dict.fromkeys(names, spec.models), wide.unpaired, numbers)


def _predictions(
    spec: Spec,
    frame: pl.DataFrame,
    encoding: LabelEncoding,
    source: Source,
    inputs: tuple[InputFile, ...],
) -> Predictions:
    examples = _examples(spec, frame, source)
    unpaired = examples.unpaired
    models = tuple(
        _columns_of(examples.frame, name, index, model)
        for index, (name, model) in enumerate(examples.models.items())
    )
    identities = examples.frame.select(n for n in ("id", "group") if n in examples.frame.columns)
    keeps_ids = spec.keep_rows or spec.privacy.ids != "hidden" or spec.reference is not None
    shown = shown_names(examples.frame.columns)
    predictions = Predictions(
        _numbered(examples.frame.drop(shown)),
        models,
        encoding.positive,
        encoding.negative,
        inputs,
        passed_checks(examples.frame, encoding, models, frame.height, inputs),
        unpaired=unpaired.why if unpaired else None,
        rows_in_common=unpaired.rows_in_common if unpaired else None,
        task=encoding.task,
        classes=encoding.classes,
        identities=identities if identities.width and keeps_ids else None,
        shown=examples.frame.select(pl.col(n).alias(text) for n, text in shown.items())
        if shown
        else None,
        row_numbers=examples.row_numbers,
    )
    return _with_evaluation(predictions)


def _with_evaluation(predictions: Predictions) -> Predictions:
    """The predictions with how they were made, and without the ids that only tell this."""
    frame = predictions.frame
    evaluation = recognised(frame)
    if predictions.unpaired is not None:  # the rows of each model, one after the other
        return replace(predictions, evaluation=replace(evaluation, test_examples=None))
    if copies := trained_on(frame):
        evaluation = replace(evaluation, trained_test_rows=copies)
    identical = identical_rows(frame)
    checked = (*predictions.checks, *returning(identical, identified="id" in frame.columns))
    in_groups, crossed = identical_in_groups(frame), ids.crossed(frame)
    if not {"repeat", "role"} & set(frame.columns):
        frame = frame.drop("id", strict=False)
    return replace(
        predictions,
        frame=frame,
        identical_in_groups=in_groups,
        crossed=crossed,
        evaluation=evaluation,
        identical_rows=identical,
        checks=checked,
    )


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with numbers for groups and time points: what follows compares no names."""
    if "time" in frame.columns:
        frame = frame.with_columns(points(frame["time"]))
    if "group" not in frame.columns:
        return frame
    code = pl.Series(Groups.of(frame["group"]).code)
    return frame.with_columns(group=pl.when(pl.col("group").is_not_null()).then(code))


def _columns_of(frame: pl.DataFrame, name: str, index: int, model: AnyModel) -> ModelColumns:
    """Return a model's columns: one for a kind of output, or one per class."""
    single = {
        kind: column if (column := output_column(kind, index)) in frame.columns else None
        for kind in ("score", "label", "estimate", "low", "high")
    }
    by_class = {kind: classes_of(frame.columns, kind, index) for kind in ("score", "label")}
    return ModelColumns(
        name,
        **single,
        scores=by_class["score"],
        labels=by_class["label"],
        quantile=getattr(model, "quantile", None),
        level=getattr(model, "level", None),
    )


def refuse(spec: Spec, issues: Iterable[Issue]) -> None:
    """Raise what only the data could tell about the spec."""
    problems = [spec.problem(f.steps, f.code, f.message, f.hint, f.value) for f in issues]
    if problems:
        raise SpecError(*problems)


_BOTH = r"^(Fold\d+)\.(Rep\d+)$"


def with_repeats(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Check]]:
    """Return the frame with fold and repeat apart, and the note on it.

    Only where no repeat is declared and every fold is named so.

    >>> with_repeats(pl.DataFrame({"fold": ["Fold1.Rep1", "Fold2.Rep1"]}))[0].row(1)
    ('Fold2', 'Rep1')
    """
    if "fold" not in frame.columns or "repeat" in frame.columns or frame["fold"].null_count():
        return frame, []
    if not frame["fold"].str.contains(_BOTH).all():
        return frame, []
    parts = {"fold": 1, "repeat": 2}
    split = frame.with_columns(
        **{name: pl.col("fold").str.extract(_BOTH, group) for name, group in parts.items()}
    )
    detail = "names such as Fold01.Rep2, as caret writes them, are read as fold and repeat"
    return split, [Check("folds and repeats", detail)]
