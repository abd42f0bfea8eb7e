"""What a reader of JSON lines decides without a word: keys given twice, digits of numbers.

Of a key that a row gives twice Polars takes the first value and Python the last (RFC 8259,
section 4, leaves it open). A number is read as a Float64, so that names of many digits become
one, and whole numbers others. Half of a surrogate pair is read as U+0000, and an object or a list
among texts as its text. All are looked for in
the text where they can be; that no key is given twice is mostly seen by counting it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import isinf
from typing import Any

import polars as pl

from reportgen.errors import Problem
from reportgen.predictions.exact_numbers import EXACT, ROUNDED, rounded
from reportgen.predictions.files import DataFile, decoded
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import Source, counted, row_problems
from reportgen.predictions.text_values import as_text
from reportgen.spec.validation import SURROGATE

JsonMembers = list[tuple[str, Any]]

MOST_DIGITS = 400
"""A number of more digits before or behind its point keeps the exponent that it has."""


def exact(
    file: DataFile, frame: pl.DataFrame, columns: Sequence[RequiredColumn]
) -> tuple[pl.DataFrame, list[Problem]]:
    """Return the columns of a file with names of many digits as text, and what was lost.

    ``frame`` has the columns by their canonical names as Polars reads them.
    """
    text = file.path.read_bytes() if file.plain else decoded(file)
    names = [w for w in columns if w.kind != "number" and _has_numbers(text, frame, w)]
    large = [w for w in columns if w.kind == "number" and _is_large(frame[w.name])]
    whole = not any(_may_be_nested(frame[w.name]) for w in columns)
    if not names and not large and whole and _each_once(text, frame, columns):
        return frame, []
    repeated: dict[str, list[bool]] = {w.column: [] for w in columns}
    halves: dict[str, list[bool]] = {w.column: [] for w in columns}
    nested: dict[str, list[bool]] = {w.column: [] for w in columns}
    digits: dict[str, list[str | None]] = {w.column: [] for w in names}
    written: dict[str, list[str | None]] = {w.column: [] for w in large}
    for row in _rows(text):
        keys = [key for key, _ in row]
        values = dict(row)
        for column, rows in repeated.items():
            rows.append(keys.count(column) > 1)
            halves[column].append(_is_half(values.get(column)))
            nested[column].append(isinstance(values.get(column), list))
        for column, texts in digits.items():
            texts.append(_lost(values.get(column)))
        for column, texts in written.items():
            texts.append(_number(values.get(column)))
    other = [rounded(pl.Series(written[w.column], dtype=pl.String), frame[w.name]) for w in large]
    faults = [
        *((w, _REPEATED, pl.Series(repeated[w.column], dtype=pl.Boolean)) for w in columns),
        *((w, _HALF, pl.Series(halves[w.column], dtype=pl.Boolean)) for w in columns),
        *((w, _NESTED, pl.Series(nested[w.column], dtype=pl.Boolean)) for w in columns),
        *((w, ROUNDED, rows) for w, rows in zip(large, other, strict=True)),
    ]
    source = Source((file.name,), (frame.height,))
    problems = [
        problem
        for w, fault, rows in faults
        for problem in row_problems(*fault, column=w.column, wrong=rows, source=source)
    ]
    spelled = [
        as_text(frame[w.name]).zip_with(exact_texts.is_null(), exact_texts).alias(w.name)
        for w in names
        if (exact_texts := pl.Series(digits[w.column], dtype=pl.String)).count()
    ]
    return frame.with_columns(spelled), problems


_REPEATED = (
    "repeated-key",
    lambda n: counted(n, "row gives the key twice", "rows give the key twice"),
    "keep one of them",
)
_HALF = (
    "surrogate",
    lambda n: counted(n, "text has", "texts have") + " half of a surrogate pair",
    "write the character itself, or both halves",
)
_NESTED = (
    "nested",
    lambda n: counted(n, "row has", "rows have") + " values within a value",
    "write one number or text",
)


def _may_be_nested(values: pl.Series) -> bool:
    """Whether a text may be an object or a list, which Polars spells among texts."""
    return values.dtype == pl.String and bool(values.str.contains(r"^[\[{]").any())


def _has_numbers(text: bytes, frame: pl.DataFrame, required: RequiredColumn) -> bool:
    """Whether a column has numbers that may have lost digits, alone or among texts."""
    values = frame[required.name]
    if values.dtype != pl.String:
        return values.dtype.is_float()
    key = json.dumps(required.column, ensure_ascii=False).encode() + b":"
    return text.count(key + b'"') + text.count(key + b' "') < values.count()


def _is_large(numbers: pl.Series) -> bool:
    """Whether a number is so large that a whole one may have become its neighbour."""
    return numbers.dtype.is_float() and bool((numbers.abs() >= EXACT).any())


def _is_half(value: object) -> bool:
    """Whether a text has a surrogate: together two are one character."""
    return isinstance(value, str) and not value.isascii() and bool(SURROGATE.search(value))


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


def _number(value: object) -> str | None:
    """A number as it is written; None where the value is another one."""
    return str(value) if isinstance(value, (_Written, int)) else None


def _lost(value: object) -> str | None:
    """All digits of a number that a Float64 does not hold; None where it holds them."""
    if not isinstance(value, (_Written, int)) or isinstance(value, bool):
        return None
    try:
        given = Decimal(value)
    except InvalidOperation:  # its exponent has twenty digits
        return str(value)
    if abs(given) < EXACT and given == Decimal(repr(float(value))):
        return None
    if not isinstance(value, _Written) or abs(given.adjusted()) > MOST_DIGITS:
        return str(value)
    digits = format(given, "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """The first line of a text that no reader of JSON lines takes, and why."""

    line: int
    reason: str
    hint: str


def broken_line(text: bytes) -> BrokenLine | None:
    """Return where a text breaks the rules; None where each line keeps them."""
    first: dict[str, tuple[str, int]] = {}
    mixed: dict[str, BrokenLine] = {}
    texts: set[str] = set()
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        row = _parsed(line)
        if isinstance(row, str):
            return BrokenLine(number, row, ONE_OBJECT)
        for key, value in row.items():
            if _is_half(key) or _is_half(value):
                return BrokenLine(number, "a text has half of a surrogate pair", _HALF[2])
            if isinstance(value, str):
                texts.add(key)
            if (kind := _KINDS.get(type(value))) is None:
                continue
            earlier, at = first.setdefault(key, (kind, number))
            if earlier != kind and key not in mixed:
                reason = f"key {key!r} is {kind}, and {earlier} on line {at}"
                mixed[key] = BrokenLine(number, reason, ONE_TYPE)
    # among texts, values of any type are read
    return min((mixed[key] for key in mixed.keys() - texts), key=lambda one: one.line, default=None)


def _parsed(line: bytes) -> dict[str, Any] | str:
    """The row on a line, or why it is none."""
    try:
        row = json.loads(
            line.decode(), parse_constant=_constant, parse_float=_finite, parse_int=_finite
        )
    except json.JSONDecodeError as error:
        what = error.msg.lower().removesuffix(" at")
        return f"it is not JSON: {what} (character {error.pos + 1})"
    except ValueError as error:
        return f"it is not JSON: {error}"
    except RecursionError:
        return "it holds values within values, too many deep"
    return row if isinstance(row, dict) else 'it is no object, such as {"y": 1}'


ONE_OBJECT = "write each row as one object, on one line"
ONE_TYPE = "write all of its values as numbers, all as booleans, or all as text"
_KINDS: Mapping[type, str] = {
    bool: "a boolean",
    float: "a number",
    list: "a list",
    dict: "an object",
}


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _finite(number: str) -> float:
    if isinf(value := float(number)):
        raise ValueError("a number is beyond a Float64")
    return value
