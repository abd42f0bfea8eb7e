"""What a data file's columns look like, as far as ``init`` needs to know."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import polars as pl

from reportgen.errors import DataError
from reportgen.predictions.files import TEXT, UTF8, form_of
from reportgen.predictions.packed import PackedError, unpack
from reportgen.predictions.text_values import as_text, has_decimal_commas, is_scalar, with_point
from reportgen.text.words import name_words

FEW = 20
"""Most distinct values of a column that is listed as labels."""

SAMPLED = 50_000
"""Rows that scores and labels are compared on."""


@dataclass(frozen=True)
class ColumnProfile:
    """A column: its words, its labels where they are few, its numbers where it has them."""

    name: str
    words: frozenset[str]
    texts: pl.Series
    numbers: pl.Series | None
    distinct: int
    missing: int
    labels: Mapping[str, int] = field(default_factory=dict)
    stated_truth: bool | None = None
    """Whether the user states, or predictions show, that it is the truth; None: neither."""
    evidence: str = ""
    """Why predictions show that it is the truth, where the user does not state it."""

    @cached_property
    def complete(self) -> bool:
        """Whether every value is there, and finite where it is a number."""
        return not self.missing and (self.numbers is None or bool(self.numbers.is_finite().all()))

    @cached_property
    def fractional(self) -> bool:
        """Whether it holds numbers that are not whole."""
        numbers = self.numbers
        return numbers is not None and bool((numbers != numbers.round()).any())

    def within(self, low: float, high: float) -> bool:
        """Whether all its numbers lie between two limits."""
        return self.numbers is not None and bool(self.numbers.is_between(low, high).all())


def without(
    columns: Sequence[ColumnProfile], others: Sequence[ColumnProfile]
) -> list[ColumnProfile]:
    """The columns that are none of the others."""
    return [c for c in columns if all(c is not other for other in others)]


def profile(frame: pl.DataFrame, *, parse: bool, decimal: str = ".") -> list[ColumnProfile]:
    """Return the columns that a spec could name.

    ``parse``: numbers are written as text, with ``decimal`` as their mark.
    """
    return [
        _column(name, frame[name].alias("value"), parse=parse, decimal=decimal)
        for name in frame.columns
        if name.strip() and is_scalar(frame[name].dtype)
    ]


def _column(name: str, values: pl.Series, *, parse: bool, decimal: str) -> ColumnProfile:
    texts = as_text(values)
    numbers: pl.Series | None = None
    if parse or values.dtype.is_numeric() or values.dtype.is_decimal():
        written = with_point(values) if parse and decimal == "," else values
        numbers = written.cast(pl.Float64, strict=False)
        if numbers.null_count() > values.null_count() or numbers.null_count() == len(numbers):
            numbers = None
    distinct = texts.drop_nulls().n_unique()
    labels: dict[str, int] = {}
    if distinct <= FEW:
        table = texts.drop_nulls().value_counts(name="n")
        pairs = zip(table.to_series(0).to_list(), table["n"].to_list(), strict=True)
        labels = dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))
    missing = texts.null_count()
    return ColumnProfile(name, name_words(name), texts, numbers, distinct, missing, labels)


def separation(positive: pl.Series, scores: pl.Series) -> float:
    """Return the AUC of scores, on a sample; 0.5 where there is one class only."""
    step = len(scores) // SAMPLED + 1
    positive, scores = positive.gather_every(step), scores.gather_every(step)
    positives = int(positive.sum())
    others = len(positive) - positives
    if not positives or not others:
        return 0.5
    ranks = float(scores.rank("average").filter(positive).sum())
    return (ranks - positives * (positives + 1) / 2) / (positives * others)


SEPARATORS = (",", ";", "\t", "|")
READ = 2**16
"""Bytes that are looked at."""


def separator_of(path: Path, encoding: str) -> str:
    """What separates the fields of a csv file: a comma unless another mark stands in each line.

    That is in the header, and as often in the lines after it.
    """
    if form_of(path.name)[0] != "csv" or not path.is_file():
        return ""
    start = _start(path)
    text = start.decode(encoding, errors="replace")
    lines = [line for line in _outside_quotes(text).splitlines()[:20] if line.strip()]
    lines = lines[:-1] if len(start) == READ and len(lines) < 20 else lines
    counts = {mark: [line.count(mark) for line in lines] for mark in SEPARATORS}
    steady = [mark for mark, n in counts.items() if n and n[0] and set(n) == {n[0]}]
    return max(steady, key=lambda mark: counts[mark][0], default=",")


def encoding_of(path: Path) -> str:
    """The encoding of a text file: UTF-8, by its mark UTF-16, else a guess from its first bytes.

    Text of byte pairs as in GB 2312 is taken for Chinese, other text for that of Windows in
    western Europe.
    """
    if form_of(path.name)[0] not in TEXT or not path.is_file():
        return UTF8
    start = _start(path)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return next((name for name in (UTF8, "gb2312", "cp1252") if _decodes(start, name)), UTF8)


def _decodes(start: bytes, encoding: str) -> bool:
    """Whether bytes are text in an encoding; their last character may be cut off."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def _start(path: Path) -> bytes:
    """The first bytes of a text file, unpacked.

    Raises ``DataError`` where it cannot be unpacked.
    """
    packed = form_of(path.name)[1]
    if packed:
        try:
            return unpack(path, packed, path.name)[:READ]
        except PackedError as fault:
            raise DataError(fault.problem) from None
    with path.open("rb") as file:
        return file.read(READ)


def _outside_quotes(text: str) -> str:
    """Text without what stands between quotation marks, which may be several lines."""
    return "".join(text.split('"')[::2])


def decimal_of(frame: pl.DataFrame) -> str:
    """The decimal mark of the numbers in a table of text: a comma where a column needs it."""
    for column in frame:
        if column.dtype == pl.String and has_decimal_commas(column):
            numbers = with_point(column).cast(pl.Float64, strict=False)
            if numbers.null_count() == column.null_count():
                return ","
    return "."


_SIGNS = r"^\s*[-+−]?\d+(?:[.,]\d+)?\s*(?:%|\(.*\)|±.*)$"
"""A number with a percent sign, or with a rank or an error behind it."""


def has_signs(column: ColumnProfile) -> bool:
    """Whether a column of text holds numbers with a sign or a rank behind each."""
    texts = column.texts.drop_nulls()
    return column.numbers is None and bool(texts.len()) and bool(texts.str.contains(_SIGNS).all())
