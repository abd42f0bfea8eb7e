"""What a reader of JSON lines decides without a word: keys given twice, digits of numbers.

Of a key that a row gives twice Polars takes the first value and Python the last (RFC 8259,
section 4, leaves it open). A number is read as a Float64, so that names of many digits become
one. Both are looked for in the text where they can be; that no key is given twice is mostly
seen by counting it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import polars as pl

from reportgen.errors import Problem
from reportgen.predictions.exact import EXACT
from reportgen.predictions.files import DataFile, decoded
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import Source, counted, row_problems
from reportgen.predictions.text_values import as_text

JsonMembers = list[tuple[str, Any]]


def exact(
    file: DataFile, frame: pl.DataFrame, columns: Sequence[RequiredColumn]
) -> tuple[pl.DataFrame, list[Problem]]:
    """Return the columns of a file with names of many digits as text, and keys given twice.

    ``frame`` has the columns by their canonical names as Polars reads them.
    """
    names = [w for w in columns if w.kind != "number" and frame[w.name].dtype.is_float()]
    text = file.path.read_bytes() if file.plain else decoded(file)
    if not names and _each_once(text, frame, columns):
        return frame, []
    repeated: dict[str, list[bool]] = {w.column: [] for w in columns}
    digits: dict[str, list[str | None]] = {w.column: [] for w in names}
    for row in _rows(text):
        keys = [key for key, _ in row]
        for column, rows in repeated.items():
            rows.append(keys.count(column) > 1)
        values = dict(row)
        for column, texts in digits.items():
            texts.append(_lost(values.get(column)))
    problems = [p for w in columns for p in _problems(repeated[w.column], w, file, frame)]
    spelled = [
        as_text(frame[w.name]).zip_with(exact_texts.is_null(), exact_texts).alias(w.name)
        for w in names
        if (exact_texts := pl.Series(digits[w.column], dtype=pl.String)).count()
    ]
    return frame.with_columns(spelled), problems


def _each_once(text: bytes, frame: pl.DataFrame, columns: Sequence[RequiredColumn]) -> bool:
    """Whether each key stands in the text as often as it has values; not known of escaped ones."""
    if b"\\" in text:
        return False
    for required in columns:
        key = json.dumps(required.column, ensure_ascii=False).encode() + b":"
        missing = text.count(key + b"null") + text.count(key + b" null")
        if text.count(key) != frame[required.name].count() + missing:
            return False
    return True


def _rows(text: bytes) -> Iterator[JsonMembers]:
    """The rows of a text that Polars could read; fractions and exponents as they are written."""
    for line in text.split(b"\n"):
        if line.strip():
            yield json.loads(line, object_pairs_hook=list, parse_float=_Written)


class _Written(str):
    """A number with a fraction or an exponent, as it is written."""

    __slots__ = ()


def _lost(value: object) -> str | None:
    """All digits of a number that a Float64 does not hold; None where it holds them."""
    if not isinstance(value, (_Written, int)) or isinstance(value, bool):
        return None
    given = Decimal(value)
    if abs(given) < EXACT and given == Decimal(repr(float(value))):
        return None
    return format(given.normalize(), "f") if isinstance(value, _Written) else str(value)


def _problems(
    repeated: list[bool], required: RequiredColumn, file: DataFile, frame: pl.DataFrame
) -> list[Problem]:
    return row_problems(
        "repeated-key",
        lambda n: counted(n, "row gives the key twice", "rows give the key twice"),
        "keep one of them",
        column=required.column,
        wrong=pl.Series(repeated, dtype=pl.Boolean),
        source=Source((file.name,), (frame.height,)),
    )
