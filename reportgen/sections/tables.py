"""Tables ready to be set: every cell is text, so that a template has nothing to compute."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase

from reportgen.tables.comparisons import MEDIAN, PSEUDOMEDIAN, ComparisonRow
from reportgen.text import decimals, numbers

OF_MEASURE = ("difference", MEDIAN, PSEUDOMEDIAN)
"""Effects in the unit of the measure."""


@dataclass(frozen=True)
class CellQuantity:
    """The number of a cell: a column of one unit prints one number of decimals.

    ``digits`` are the decimals that sentences give it, which then are those of the column.
    ``unit`` names that of a number unlike others of its column, such as a difference of ranks.
    The size of a difference, such as the smallest detectable one, is not signed.
    """

    value: float
    low: float | None = None
    high: float | None = None
    is_difference: bool = False
    default: int = 3
    digits: int | None = None
    unit: str | None = None
    is_signed: bool = True

    @property
    def limits(self) -> decimals.WithLimits:
        """The value with its limits."""
        return self.value, self.low, self.high


@dataclass(frozen=True)
class Cell:
    """One cell: text, and what may stand beside it.

    ``low`` and ``high`` are set smaller after the text. ``note`` is a footnote
    mark, ``state`` makes a chip of it ("pass", "fail", "inconclusive"),
    ``kind`` is "muted", "best" or "code". A cell with a ``quantity`` is written anew with the
    decimals of its column.
    """

    text: str
    low: str | None = None
    high: str | None = None
    note: str | None = None
    state: str | None = None
    kind: str | None = None
    quantity: CellQuantity | None = field(default=None, repr=False, compare=False)


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
    print has the number and the caption alone. The quantities of a column have one number of
    decimals; where rows are grouped by measure (``by_measure``), those of a group have.
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
    by_measure: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", _of_one_unit(self.rows, by_measure=self.by_measure))


def _of_one_unit(rows: Sequence[Row], *, by_measure: bool) -> tuple[Row, ...]:
    """The rows, with one number of decimals for the quantities of each unit.

    >>> values = [valued(4.777, 4.75, 4.8), valued(5.3, 3.1, 7.5)]
    >>> [r.cells["x"].text for r in _of_one_unit([Row({"x": v}) for v in values], by_measure=False)]
    ['4.777', '5.300']
    """
    units: dict[Hashable, list[CellQuantity]] = {}
    for row, key, cell in _quantities(rows):
        units.setdefault(_unit(row, key, cell, by_measure=by_measure), []).append(cell)
    digits = {unit: shared_digits(cells) for unit, cells in units.items()}
    return tuple(
        replace(
            row,
            cells={
                key: written(cell, digits[_unit(row, key, cell.quantity, by_measure=by_measure)])
                if isinstance(cell, Cell) and cell.quantity
                else cell
                for key, cell in row.cells.items()
            },
        )
        for row in rows
    )


def _unit(row: Row, key: str, quantity: CellQuantity, *, by_measure: bool) -> Hashable:
    """What the quantities of one unit have in common."""
    return (row.group if by_measure else key), quantity.is_difference, quantity.unit


def _quantities(rows: Iterable[Row]) -> Iterator[tuple[Row, str, CellQuantity]]:
    for row in rows:
        for key, cell in row.cells.items():
            if isinstance(cell, Cell) and cell.quantity:
                yield row, key, cell.quantity


def shared_digits(quantities: Sequence[CellQuantity]) -> int:
    """The decimals of the quantities of one unit."""
    declared = [q.digits for q in quantities if q.digits is not None]
    if declared:
        return max(declared)
    rows = [q.limits for q in quantities]
    if any(q.is_difference for q in quantities):
        return decimals.shared_by_effects(rows)
    return decimals.shared(rows, max((q.default for q in quantities), default=3))


def written(cell: Cell, digits: int) -> Cell:
    """The cell with so many decimals; a limit that is open at 0 stays so."""
    quantity = cell.quantity
    if quantity is None:
        return cell
    value, low, high = quantity.limits
    if quantity.is_difference:
        digits = decimals.among_effects(value, low, high, digits)
    else:
        digits = decimals.among(value, low, high, digits)
    write = numbers.signed_limit if quantity.is_difference else numbers.unsigned_limit
    text = (
        numbers.signed(value, digits)
        if quantity.is_difference and quantity.is_signed
        else numbers.estimated(value, low, digits)
    )
    lower, upper = (
        end if end in OPEN or limit is None else write(limit, digits)
        for end, limit in ((cell.low, low), (cell.high, high))
    )
    return replace(cell, text=text, low=lower, high=upper)


OPEN = ("> 0", "< 0")


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

    def marks(self, texts: Iterable[str]) -> str:
        """Give the marks that lead to these texts, in the order of the notes."""
        return ", ".join(
            sorted({self.mark(text) for text in texts}, key=lambda mark: (len(mark), mark))
        )

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


def effect(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    digits: int | None = None,
) -> Cell:
    """A cell with a difference, its interval and their signs, "n/a" where there is none.

    >>> effect(0.0004, -0.013, 0.0139)
    Cell(text='0.000', low='−0.013', high='+0.014', note=None, state=None, kind=None)
    """
    return _cell(value, low, high, is_difference=True, digits=digits)


def effect_of_test(row: ComparisonRow) -> Cell:
    """The effect of a test with the limits that agree with its adjusted p.

    Those of one of several pairs are simultaneous, or there are none.

    >>> limits = {"simultaneous_low": -0.1, "simultaneous_high": 0.3, "low": 0.0, "high": 0.2}
    >>> effect_of_test(ComparisonRow(estimate=0.1, reject=False, **limits)).low
    '−0.100'
    """
    low, high = row.simultaneous_low, row.simultaneous_high
    if low is None and not _one_of_several(row):
        low, high = row.low, row.high
    cell = in_own_unit(effect(row.estimate, low, high), row)
    return opened(cell, low, high, rejected=bool(row.reject))


def in_own_unit(cell: Cell, row: ComparisonRow) -> Cell:
    """The cell of an effect, apart from those in the unit of the measure if it is in another."""
    if cell.quantity is None or row.effect in OF_MEASURE:
        return cell
    return replace(cell, quantity=replace(cell.quantity, unit=row.effect))


def _one_of_several(row: ComparisonRow) -> bool:
    """Whether the p of a pair is corrected for those of others."""
    pair = row.reject is not None and len(row.models) == 2
    return pair and (row.family_size or 1) > 1


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
    digits: int | None = None,
    note: str | None = None,
) -> Cell:
    """A cell with as many digits as the intervals of its column support, "n/a" without a value.

    ``digits`` are those that sentences give the column, ``default`` those without an interval.
    """
    cell = _cell(value, low, high, default=default, digits=digits)
    return replace(cell, note=note)


def _cell(
    value: float | None,
    low: float | None,
    high: float | None,
    *,
    is_difference: bool = False,
    default: int = 3,
    digits: int | None = None,
) -> Cell:
    """A cell of its own, as it is written where it has no neighbours."""
    if value is None:
        return Cell(numbers.UNDEFINED, kind="muted")
    if low is None or high is None:
        low = high = None
    quantity = CellQuantity(value, low, high, is_difference, default, digits)
    return written(Cell("", quantity=quantity), shared_digits([quantity]))
