"""Whether a CSV file is what RFC 4180 says: every record has the fields of its header.

A reader that takes only some columns does not see a surplus field, which moves values
into other columns; and a stray quotation mark swallows rows. So the bytes are looked at
before they are read: what can be read in one way is passed, all else is refused with
its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from reportgen.errors import Problem
from reportgen.predictions.csv_words import (
    Bytes,
    WordPlaces,
    Words,
    before,
    behind,
    bits_of,
    is_simple,
    places,
    regular,
    total,
    within,
)
from reportgen.predictions.source import SHOWN, counted, place

LF, CR, QUOTE, NUL = 10, 13, 34, 0

_TEXTS = {
    "surplus-field": (
        "row has more fields than the header",
        "rows have more fields than the header",
        "put fields that hold separators in double quotes; write decimals with a point, or "
        "say separator: and decimal: in the spec",
    ),
    "short-row": (
        "row has fewer fields than the header",
        "rows have fewer fields than the header",
        "write every field, an empty one where a value is missing",
    ),
    "empty-line": ("line is empty", "lines are empty", "remove it"),
    "swallowed-rows": (
        "field in quotation marks holds what look like rows of their own",
        "fields in quotation marks hold what look like rows of their own",
        "remove the stray quotation marks; if it is text, replace its line breaks",
    ),
    "stray-quote": (
        "row has a quotation mark beside or within a field",
        "rows have a quotation mark beside or within a field",
        'put the whole field in quotation marks and double those within: "5"" disc"',
    ),
    "line-end": (
        "line ends in a carriage return alone",
        "lines end in a carriage return alone",
        "save the file with line ends as on Unix (LF) or Windows (CRLF)",
    ),
    "control-character": (
        "row has a byte 0",
        "rows have a byte 0",
        "the file is damaged, or is UTF-16: then add encoding: utf-16 to the spec",
    ),
}
"""The message about rows with a fault, for one and for several, and the hint."""

_ENDS_READING = ("stray-quote", "line-end", "control-character")
"""Faults after which rows cannot be distinguished."""


@dataclass
class Structure:
    """Records of a file without its header; which of them span lines; what is wrong."""

    records: int = 0
    spanning: int = 0
    first_spanning: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass
class _Fault:
    """Rows with the same fault: how many, and the first of them."""

    line: int
    count: int = 0
    rows: list[int] = field(default_factory=list)


@dataclass
class _Open:
    """A record that is not complete: its lines so far, and whether each would be a record."""

    lines: int = 0
    separators: int = 0
    regular: bool = True


class Scanner:
    """Looks at a file block by block, each ending in a line end; then ``structure`` says all."""

    def __init__(self, name: str, separator: str) -> None:
        self.name = name
        self.separator = ord(separator)
        self.each: int | None = None
        self.lines = 0
        self.records = 0
        self.inside = False
        self.open = _Open()
        self.opened = (0, 0)
        self.structure = Structure()
        self.faults: dict[str, _Fault] = {}

    @property
    def stopped(self) -> bool:
        """Whether what follows cannot be understood."""
        return any(code in self.faults for code in _ENDS_READING)

    def see(self, block: Bytes) -> None:
        """Go on with a block of UTF-8 text that begins after a line end and ends in one."""
        if self.each is None:
            block = block[self._blank_lines(block) :]
            if not len(block):
                return
            self.each = _separators_of_header(block, self.separator)
        ends = bits_of(block, LF)
        self.see_lines(block, ends, is_simple=is_simple(block, total(ends)))

    def see_lines(self, block: Bytes, ends: Words, *, is_simple: bool) -> None:
        """The same behind the header, where the line ends and whether it is simple are known."""
        count = total(ends)
        # no tab, no other control character
        plain = is_simple or np.count_nonzero(block < 32) == count
        quoted = self.inside or not (is_simple or np.count_nonzero(block == QUOTE) == 0)
        if quoted or not plain:
            self._look_closely(block, ends, quoted=quoted)
        else:
            self._count(block, bits_of(block, self.separator), ends)
        self.lines += count

    def finish(self) -> Structure:
        """What the file has, and all that is wrong with it."""
        structure = self.structure
        structure.records = max(self.records - 1, 0)
        for code, fault in self.faults.items():
            one, many, hint = _TEXTS[code]
            rows = tuple(row for row in fault.rows if row > 0)
            message = f"{counted(fault.count, one, many)}; the first is on line {fault.line:,}"
            where = place(self.name, rows=rows)
            structure.problems.append(
                Problem(code, message, where, hint, rows=rows, count=fault.count)
            )
        if self.inside and not structure.problems:
            row, line = self.opened
            message = f"a quotation mark that opens on line {line:,} is never closed"
            where = place(self.name, rows=[row] if row else [])
            hint = "remove it, or close it; a quotation mark within a field is written twice"
            structure.problems.append(
                Problem("open-quote", message, where, hint, rows=(row,) if row else ())
            )
        return structure

    def _blank_lines(self, block: Bytes) -> int:
        """How many bytes of empty lines a file begins with."""
        filled = np.flatnonzero((block != LF) & (block != CR))
        if not len(filled):
            self.lines += int(np.count_nonzero(block == LF))
            return len(block)
        ends = np.flatnonzero(block[: filled[0]] == LF)
        self.lines += len(ends)
        return int(ends[-1]) + 1 if len(ends) else 0

    def _look_closely(self, block: Bytes, ends: Words, *, quoted: bool) -> None:
        """A block with quotation marks or control characters."""
        separators = bits_of(block, self.separator)
        quotes = bits_of(block, QUOTE)
        inside = within(quotes, inside=self.inside)
        outer, returns = ends & ~inside, bits_of(block, CR)
        self._note("control-character", places(bits_of(block, NUL)), ends, outer)
        self._note("line-end", places(returns & ~inside & ~before(ends)), ends, outer)
        if quoted:
            opening, closing = quotes & inside, quotes & ~inside
            misplaced = opening & ~behind(separators | ends | closing)
            misplaced |= closing & ~before(separators | ends | returns | opening)
            self._note("stray-quote", places(misplaced), ends, outer)
        if self.stopped:
            return
        if quoted:
            self._remember_opening(places(quotes & inside), ends, outer)
            if self.open.lines or bool((ends & inside).any()):
                self._spanning(separators, ends, outer)
        self._count(block, separators & ~inside, outer)
        self.inside = bool(total(quotes) + self.inside & 1)

    def _note(self, code: str, at: WordPlaces, ends: Words, outer: Words) -> None:
        """Remember the rows and lines of places in the block."""
        if not len(at):
            return
        rows = self.records + np.searchsorted(places(outer), at)
        line = self.lines + int(np.searchsorted(places(ends), at[0])) + 1
        self._add(code, np.unique(rows), line)

    def _add(self, code: str, rows: npt.NDArray[np.int64], line: int) -> None:
        fault = self.faults.setdefault(code, _Fault(line))
        fault.count += len(rows)
        fault.rows += [int(row) for row in rows[: SHOWN - len(fault.rows)]]

    def _remember_opening(self, at: WordPlaces, ends: Words, outer: Words) -> None:
        if len(at):
            row = self.records + int(np.searchsorted(places(outer), at[-1]))
            self.opened = row, self.lines + int(np.searchsorted(places(ends), at[-1])) + 1

    def _count(self, block: Bytes, separators: Words, ends: Words) -> None:
        """Check that the records of a block have their fields; both without what is quoted."""
        each, already = self.each or 0, self.open.separators
        if not regular(separators, ends, each, already):
            self._irregular(block, places(separators), places(ends))
        self.records += total(ends)
        self.open.separators = 0
        if self.open.lines:  # the block ends within a quoted field
            at, last = places(separators), places(ends)[-1:]
            within_open = len(at) - int(np.searchsorted(at, last[0])) if len(last) else None
            self.open.separators = already + len(at) if within_open is None else within_open

    def _irregular(self, block: Bytes, separators: WordPlaces, ends: WordPlaces) -> None:
        counts = np.diff(np.searchsorted(separators, ends), prepend=0)
        counts[0] += self.open.separators
        starts = np.concatenate(([0], ends[:-1] + 1))
        lengths = ends - starts - (block[ends - 1] == CR)
        empty = (counts == 0) & (lengths <= 0)
        each = self.each or 0
        for code, wrong in (
            ("surplus-field", counts > each),
            ("short-row", (counts < each) & ~empty),
            ("empty-line", (counts < each) & empty),
        ):
            (at,) = np.nonzero(wrong)
            if len(at):
                line = self.lines + int(np.count_nonzero(block[: starts[at[0]]] == LF)) + 1
                self._add(code, self.records + at, line)

    def _spanning(self, separators: Words, ends: Words, outer: Words) -> None:
        """Count the records that span lines, and find those whose lines look like records."""
        at = places(ends)
        counts = np.diff(np.searchsorted(places(separators), at), prepend=0)
        complete = np.isin(at, places(outer), assume_unique=True)
        starts = np.flatnonzero(np.concatenate(([True], complete[:-1])))
        lines = np.diff(np.append(starts, len(at)))
        alike = np.logical_and.reduceat(counts == self.each, starts)
        first_lines = starts.copy()
        first_lines[0] -= self.open.lines
        lines[0] += self.open.lines
        alike[0] &= self.open.regular
        self.open.lines, self.open.regular = 0, True
        if not complete[-1]:
            self.open.lines, self.open.regular = int(lines[-1]), bool(alike[-1])
            lines, alike = lines[:-1], alike[:-1]
        rows = self.records + np.arange(len(lines))
        spans = (lines > 1) & (rows > 0)
        structure = self.structure
        structure.spanning += int(np.count_nonzero(spans))
        free = SHOWN - len(structure.first_spanning)
        structure.first_spanning += [int(row) for row in rows[spans][:free]]
        (swallowing,) = np.nonzero(spans & alike)
        if len(swallowing):
            line = self.lines + int(first_lines[swallowing[0]]) + 1
            self._add("swallowed-rows", rows[swallowing], line)


def header_end(data: bytes | bytearray, size: int) -> int | None:
    """Where the line end of the header is; None where it is not in ``data[:size]``."""
    at, quotes = data.find(b"\n", 0, size), 0
    start = 0
    while at >= 0:
        quotes += data.count(b'"', start, at)
        if quotes % 2 == 0 and data[:at].strip(b"\r\n"):  # not an empty line before it
            return at
        start, at = at, data.find(b"\n", at + 1, size)
    return None


def _separators_of_header(block: Bytes, separator: int) -> int:
    data = block.tobytes()
    end = header_end(data, len(data))
    outside = data[:end].split(b'"')[::2]
    return sum(part.count(separator) for part in outside)
