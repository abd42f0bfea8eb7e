"""Load the columns that a spec asks for, and nothing else, from every file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.errors import DataError, Problem
from reportgen.predictions import json_lines
from reportgen.predictions.exact_numbers import DIGITS, EXACT, EXACT_OF, ROUNDED, as_floats, rounded
from reportgen.predictions.files import DataFile, repeated_columns, scan
from reportgen.predictions.input_tables import SPELT_ROLES
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import Source, counted, place, row_problems
from reportgen.predictions.text_values import (
    THOUSANDS,
    as_text,
    has_decimal_commas,
    has_thousands,
    is_scalar,
    with_point,
    without_date,
)
from reportgen.predictions.truth_left_out import divided
from reportgen.predictions.unreadable import UNREADABLE, unreadable
from reportgen.spec import Spec
from reportgen.spec.nearest import suggestion

_HINTS = {
    "truth": "estimates are compared with numbers; is this the right column?",
    **dict.fromkeys(
        ("cost_false_negative", "cost_false_positive"), "costs are numbers with a decimal point"
    ),
}


@dataclass(frozen=True, slots=True)
class Loaded:
    """One file's columns under their canonical names; what is wrong with it is in ``problems``.

    ``rows`` are all of the file, ``places`` those that are not left out (None: all),
    ``tally`` the counts of ``truth_left_out``.
    """

    frame: pl.DataFrame
    problems: list[Problem]
    rows: int = 0
    places: pl.Series | None = None
    tally: Mapping[str, int] | None = None


def load_file(file: DataFile, columns: Sequence[RequiredColumn], spec: Spec) -> Loaded:
    """Read the required columns of a file; those at fault are left out and reported."""
    try:
        lazy = scan(file)
        names = lazy.collect_schema().names()
        present = [w for w in columns if w.column in names]
        frame = lazy.select(pl.nth(names.index(w.column)).alias(w.name) for w in present).collect()
        if file.format == "ndjson":
            frame, repeated = json_lines.exact(file, frame, present)
            if repeated:
                return Loaded(pl.DataFrame(), repeated)
        if not present:
            frame = pl.DataFrame(height=int(lazy.select(pl.len()).collect().item()))
    except pl.exceptions.NoDataError:
        return Loaded(pl.DataFrame(), [Problem("no-rows", "the file is empty", file.name)])
    except UNREADABLE as fault:
        return Loaded(pl.DataFrame(), [unreadable(file, fault)])
    if (lost := miscounted(file, frame.height)) is not None:
        return Loaded(pl.DataFrame(), [lost])
    missing = missing_columns(file.name, names, columns, spec, repeated_columns(file, names))
    return _typed(frame, present, missing, file.name, spec, parse=not file.typed, mark=file.decimal)


def load_frame(frame: pl.DataFrame, columns: Sequence[RequiredColumn], spec: Spec) -> Loaded:
    """Take the required columns of a frame that is there already."""
    name = "data frame"
    present = [w for w in columns if w.column in frame.columns]
    missing = missing_columns(name, frame.columns, columns, spec)
    chosen = frame.select(frame[w.column].alias(w.name) for w in present)
    return _typed(chosen, present, missing, name, spec, parse=False)


def _typed(
    frame: pl.DataFrame,
    columns: Sequence[RequiredColumn],
    missing: list[Problem],
    name: str,
    spec: Spec,
    *,
    parse: bool,
    mark: str = ".",
) -> Loaded:
    """The rows that are not left out, under their types."""
    part = divided(frame, columns, Source((name,), (frame.height,)), spec)
    loaded = typed(part.frame, columns, part.source, parse=parse, decimal=mark)
    problems = missing + loaded.problems
    return Loaded(loaded.frame, problems, frame.height, part.source.places, part.tally)


def has_rows(file: DataFile) -> bool:
    """Whether a file has a row of data."""
    if file.examined is not None and file.examined.records is not None:
        return file.examined.records > 0
    if file.format == "counts":
        return True
    try:
        return bool(scan(file).select(pl.len()).collect().item())
    except UNREADABLE:
        return False  # which is reported when it is read


def rows_of(file: DataFile) -> int | None:
    """Return the number of rows where the file says it without being read."""
    if file.format not in ("parquet", "ipc"):
        return None
    try:
        return int(scan(file).select(pl.len()).collect().item())
    except UNREADABLE as fault:
        raise DataError(unreadable(file, fault)) from None


def miscounted(file: DataFile, rows: int) -> Problem | None:
    """Return a problem where a table of text gave other rows than it has records."""
    expected = None if file.examined is None else file.examined.records
    if expected is None or expected == rows:
        return None
    message = f"{counted(expected, 'record', 'records')} in the file, but {rows:,} were read"
    hint = "check its quotation marks and line ends"
    return Problem("unreadable", message, file.name, hint)


def missing_columns(
    file: str,
    names: Sequence[str],
    columns: Sequence[RequiredColumn],
    spec: Spec,
    repeated: Collection[str] = (),
) -> list[Problem]:
    """Return the columns that a file lacks, or has twice: these are ``repeated``."""
    problems = []
    for column, steps in {w.column: w.steps for w in reversed(columns)}.items():
        if column in names and column not in repeated:
            continue
        written = f"(named at {spec.locate(steps)})"
        if column in names:
            message = f"there are two columns {column!r} {written}"
            problems.append(Problem("repeated-column", message, file, "rename one of them"))
            continue
        given = [name for name in names if name.partition("_duplicated_")[0] not in repeated]
        hint = suggestion(column, [*given, *repeated])
        if len(names) == 1 and any(mark in names[0] for mark in ";\t|"):
            hint = "fields of a .csv file are separated by commas; separator: says otherwise"
        message = f"there is no column {column!r} {written}"
        problems.append(Problem("missing-column", message, file, hint, value=column))
    return problems[::-1]


def typed(
    frame: pl.DataFrame,
    columns: Sequence[RequiredColumn],
    source: Source,
    *,
    parse: bool,
    decimal: str = ".",
) -> Loaded:
    """Return numbers as Float64; labels and text keep their type if it has a spelling.

    ``parse``: text is read as a number, as CSV has nothing else, with ``decimal`` as its mark.
    """
    series: list[pl.Series] = []
    problems: list[Problem] = []
    for field in columns:
        values = frame[field.name]
        if field.kind == "number":
            number, faults = _numbers(values, field, source, parse=parse, decimal=decimal)
            problems += faults
            series += [] if number is None else [number]
        elif is_scalar(values.dtype):
            problems += _merged(values, field, source)
            if beyond := _beyond_the_calendar(values, field, source):
                problems += beyond
                continue
            if field.name == "role":
                values = _roles(values)
            nan = field.kind == "label" and values.dtype.is_float()
            series.append(values.fill_nan(None) if nan else values)
        else:
            problems.append(_wrong_dtype(values, field, source, "text, a number or a boolean"))
    return Loaded(pl.DataFrame(series or None, height=frame.height), problems)


def _roles(values: pl.Series) -> pl.Series:
    """The roles by their usual names; an unknown word stays, to be reported as it is."""
    texts = as_text(values)
    lowercase = texts.str.strip_chars().str.to_lowercase()
    return lowercase.replace_strict(SPELT_ROLES, default=texts, return_dtype=pl.String)


def _wrong_dtype(
    values: pl.Series, field: RequiredColumn, source: Source, expected: str
) -> Problem:
    hint = "name another column, or convert this one"
    if field.role == "score" and values.dtype == pl.Boolean:
        hint = "decisions are declared as label: instead of score:"
    elif field.name == "truth" and field.kind == "number":
        hint = _HINTS["truth"]
    return Problem(
        "wrong-type",
        f"the column is {values.dtype}; {expected} is expected",
        place(source.title, field.column),
        hint,
    )


def _numbers(
    values: pl.Series,
    field: RequiredColumn,
    source: Source,
    *,
    parse: bool,
    decimal: str = ".",
) -> tuple[pl.Series | None, list[Problem]]:
    dtype = values.dtype
    if dtype.is_numeric() or dtype.is_decimal() or dtype == pl.Null:
        number = as_floats(values, field.threshold)
        problems = _rounded(values, number, field, source)
        return (None, problems) if problems else (number, [])
    if dtype != pl.String:
        return None, [_wrong_dtype(values, field, source, "a number")]
    written = values if decimal == "." else with_point(values)
    number = written.cast(pl.Float64, strict=False)
    if number.null_count() > values.null_count():
        number = written.str.strip_chars().cast(pl.Float64, strict=False)
    problems = row_problems(
        "wrong-type",
        lambda n: counted(n, "value is not a number", "values are not numbers"),
        _number_hint(values, values.filter(number.is_null()), field, decimal),
        column=field.column,
        wrong=number.is_null() & values.is_not_null(),
        source=source,
        values=values,
    )
    if not problems and not parse:
        problems = [_wrong_dtype(values, field, source, "a number")]
    problems = problems or _rounded(values, number, field, source)
    return (None, problems) if problems else (number, [])


def _number_hint(values: pl.Series, wrong: pl.Series, field: RequiredColumn, decimal: str) -> str:
    """What to do about text that is no number: another mark may be in use."""
    if has_thousands(wrong):
        ambiguous = decimal == "." and has_decimal_commas(values)
        return THOUSANDS + "; or add decimal: ',' if that is a decimal comma" * ambiguous
    if wrong.str.contains("%", literal=True).any():
        return "percent signs stand behind numbers: write proportions, such as 0.25 for 25 %"
    if decimal == "," and values.str.contains(".", literal=True).any():
        return "a point stands in numbers with a decimal comma: write them without it"
    if decimal == "." and has_decimal_commas(values):
        return "add decimal: ',' to the spec: its numbers have a decimal comma"
    return _HINTS.get(field.name, "numbers are expected, with a decimal point")


def _rounded(
    values: pl.Series, number: pl.Series, field: RequiredColumn, source: Source
) -> list[Problem]:
    """Whole numbers beyond 2⁵³ that would become others, and equal to their neighbours."""
    return row_problems(
        *ROUNDED,
        column=field.column,
        wrong=rounded(values, number),
        source=source,
        values=values,
    )


def _merged(values: pl.Series, required: RequiredColumn, source: Source) -> list[Problem]:
    """Names written as floats beyond 2⁵³, where different whole numbers are the same float."""
    if not values.dtype.is_float():
        return []
    dtype = values.dtype
    limit = EXACT_OF.get(values.dtype.base_type(), EXACT)
    return row_problems(
        "not-exact",
        lambda n: counted(n, "number is", "numbers are") + f" too large to be exact as {dtype}",
        f"write the column as whole numbers or as text: beyond {limit:.0f} neighbours become one",
        column=required.column,
        wrong=(values.is_finite() & (values.abs() >= limit)).fill_null(value=False),
        source=source,
        values=values,
    )


def _beyond_the_calendar(
    values: pl.Series, required: RequiredColumn, source: Source
) -> list[Problem]:
    """Times that no calendar has, as in a damaged file: they cannot be spelled."""
    return row_problems(
        "out-of-range",
        lambda n: counted(n, "time is", "times are") + " beyond the calendar",
        "the file may be damaged: write it again",
        column=required.column,
        wrong=without_date(values),
        source=source,
    )


def narrow(schema: Mapping[str, pl.DataType], columns: Sequence[RequiredColumn]) -> list[str]:
    """The columns of scores in fewer digits than a Float64 has, with their types."""
    scores = [w.column for w in columns if w.role == "score" and w.column in schema]
    dtypes = {name: schema[name] for name in scores}
    return [f"{n!r} ({dtype})" for n, dtype in dtypes.items() if dtype.base_type() in DIGITS]


def together(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Join the files' rows in order; only columns that every file gave.

    Columns whose types differ between files become text, which is one spelling
    for all types; so ``1`` in a parquet file is ``1`` in a CSV file.
    """
    in_all = set.intersection(*({*f.columns} for f in frames))
    common = [name for name in frames[0].columns if name in in_all]
    parts = []
    for frame in frames:
        columns = [frame[name] for name in common]
        for index, name in enumerate(common):
            if len({f[name].dtype for f in frames}) > 1:
                columns[index] = as_text(frame[name])
        parts.append(pl.DataFrame(columns or None, height=frame.height))
    return pl.concat(parts, rechunk=False) if len(parts) > 1 else parts[0]
