"""Tables ready to be set: every cell is text, so that a template has nothing to compute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase

from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers


@dataclass(frozen=True)
class Cell:
    """One cell: text, and what may stand beside it.

    ``low`` and ``high`` are set smaller after the text. ``note`` is a footnote
    mark, ``state`` makes a chip of it ("pass", "fail", "inconclusive"),
    ``kind`` is "muted", "best" or "code".
    """

    text: str
    low: str | None = None
    high: str | None = None
    note: str | None = None
    state: str | None = None
    kind: str | None = None


@dataclass(frozen=True)
class Fact:
    """A name and what stands beside it."""

    name: str
    value: Cell | str


@dataclass(frozen=True)
class Column:
    """One column: ``key`` finds its cells; neighbours with the same ``spanner`` share it."""

    key: str
    label: str
    align: str | None = None
    spanner: str | None = None


@dataclass(frozen=True)
class Row:
    """One row: cells by column key, under a heading where ``group`` changes."""

    cells: dict[str, Cell | str]
    group: str | None = None
    emphasis: bool = False


@dataclass(frozen=True)
class Note:
    """A footnote; without a mark it belongs to the whole table."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class Table:
    """A whole table, with what its caption says and the notes below it.

    In print ``wide`` turns its page, ``whole`` keeps it on one; of a table for the ``screen``
    print has the number and the caption alone.
    """

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[Note | str, ...] = ()
    subtitle: str = ""
    wide: bool = False
    whole: bool = False
    screen: bool = False


def notes_once(tables: Iterable[Table]) -> tuple[Table, ...]:
    """Tables that stand together: a note that an earlier one has is not printed again.

    >>> first, second = (Table(i, "", (), (), ("Row: its number.", i)) for i in "ab")
    >>> [table.notes for table in notes_once([first, second])]
    [('Row: its number.', 'a'), ('b',)]
    """
    printed: set[Note | str] = set()
    result = []
    for table in tables:
        unmarked = {note for note in table.notes if isinstance(note, str)}
        result.append(replace(table, notes=tuple(n for n in table.notes if n not in printed)))
        printed |= unmarked
    return tuple(result)


@dataclass
class Footnotes:
    """Hands out one mark per distinct text, in order of first use: a to z, then aa.

    >>> notes = Footnotes()
    >>> notes.mark("no positives"), notes.mark("one class"), notes.mark("no positives")
    ('a', 'b', 'a')
    >>> [note.mark for note in notes.all()]
    ['a', 'b']
    """

    texts: list[str] = field(default_factory=list)

    def mark(self, text: str) -> str:
        """Give the mark that leads to ``text``."""
        if text not in self.texts:
            self.texts.append(text)
        return _letters(self.texts.index(text))

    def all(self) -> tuple[Note, ...]:
        """Every note with its mark."""
        return tuple(Note(text, _letters(i)) for i, text in enumerate(self.texts))


def _letters(index: int) -> str:
    first, last = divmod(index, 26)
    return (ascii_lowercase[first - 1] if first else "") + ascii_lowercase[last]


def code(text: str) -> Cell:
    """A cell of text that is meant letter by letter: a column name, a hash."""
    return Cell(text, kind="code")


def columns(*spec: str | tuple[str, str]) -> tuple[Column, ...]:
    """Columns from labels; the key is the label, a pair is (label, align).

    >>> columns("Model", ("Rule", "left"))[1]
    Column(key='Rule', label='Rule', align='left', spanner=None)
    """
    return tuple(
        Column(item, item) if isinstance(item, str) else Column(item[0], item[0], item[1])
        for item in spec
    )


def rows(heads: Sequence[Column], lines: Iterable[Sequence[Cell | str]]) -> tuple[Row, ...]:
    """Rows from cells in the order of the columns."""
    keys = [column.key for column in heads]
    return tuple(Row(dict(zip(keys, line, strict=True))) for line in lines)


def effect(value: float | None, low: float | None = None, high: float | None = None) -> Cell:
    """A cell with a difference, its interval and their signs, "n/a" where there is none.

    >>> effect(0.0004, -0.013, 0.0139)
    Cell(text='0.000', low='−0.013', high='+0.014', note=None, state=None, kind=None)
    """
    digits = numbers.effect_decimals(value, low, high)
    if value is None or low is None or high is None:
        return Cell(numbers.difference(value), kind="muted" if value is None else None)
    ends = (numbers.signed_limit(end, digits) for end in (low, high))
    return Cell(numbers.signed(value, digits), *ends)


def effect_of_test(row: ComparisonRow) -> Cell:
    """The effect of a test with the limits that agree with its adjusted p.

    >>> limits = {"simultaneous_low": -0.1, "simultaneous_high": 0.3, "low": 0.0, "high": 0.2}
    >>> effect_of_test({"estimate": 0.1, "reject": False, **limits}).low
    '−0.100'
    """
    low, high = row["simultaneous_low"], row["simultaneous_high"]
    if low is None or high is None:
        low, high = row["low"], row["high"]
    return opened(effect(row["estimate"], low, high), low, high, rejected=bool(row["reject"]))


def opened(cell: Cell, low: float | None, high: float | None, *, rejected: bool) -> Cell:
    """A difference whose limit at 0 does not belong to the interval, as the test rejects."""
    if rejected and low == 0:
        return replace(cell, low="> 0")
    return replace(cell, high="< 0") if rejected and high == 0 else cell


def valued(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    default: int = 3,
    least: int = 0,
    note: str | None = None,
    best: bool = False,
) -> Cell:
    """A cell with as many digits as its interval supports, "n/a" where there is no value.

    With ``least`` at least as many as its neighbours.
    """
    digits = numbers.decimals(value, low, high, default, least)
    with_limits = value is not None and low is not None and high is not None
    return Cell(
        numbers.estimate(value, low, high, default, least),
        numbers.fixed(low, digits) if with_limits else None,
        numbers.fixed(high, digits) if with_limits else None,
        note,
        kind="best" if best else "muted" if value is None else None,
    )
