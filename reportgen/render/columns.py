"""Widths of a table's columns, worked out before the page is laid out.

The PDF writer would find them by setting every cell twice more, a fifth of the
time of a report. The widths of the characters do as well: columns with figures
keep to one line, columns with words share the rest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reportgen.render.lettering import advance

PAGE, WIDE_PAGE = 60.0, 83.9
"""Widths of a portrait and a landscape page in em of a table's text, on A4
or Letter, whichever is narrower."""

PADDING = 0.7
"""To each side of a column, in em, but for the edges of the table."""

INTERVAL_SIZE, NOTE_SIZE = 0.92, 0.75
"""Size of an interval's text, and of a footnote's mark, in that of its value."""

GAP = 0.3
"""Between a value and its interval, in em."""

SEMIBOLD = 1.07
"""How much wider the letters of a column's head, and of the name of an emphasised row, are."""

CODE_ADVANCE = 0.54
"""Width of every character of code, in em of a table's text."""

ROUNDING = 0.01
"""Percentages of a page are rounded by no more than this, in em."""

LONGEST_WORD = 9.0
"""Words and hashes longer than this are broken, rather than taking room from other columns."""

LONG_NAME = 12
"""Longer names, in characters, may be broken where their parts end."""

LONGEST_NAME = 15.6
"""What names the rows, in the first column, stays on one line up to this length."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a column needs, in em: at the least, and to keep every cell on one line."""

    least: float
    most: float


def attribute(item: Any, name: str) -> Any:
    """Read a field of a dataclass or a key of a mapping; None where it is missing."""
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


@lru_cache(maxsize=2**14)
def length(text: str) -> float:
    """Estimate the width of a text in em, rather too wide than too narrow: without kerning.

    >>> length("0.934") < length("accuracy") < length("好瓜好瓜好瓜")
    True
    """
    return round(sum(map(advance, text)), 2)


def name_parts(text: str) -> list[str]:
    """Part a long name behind an underscore or a minus, where a line may be broken.

    >>> name_parts("gradient_boosting"), name_parts("tree_1 − forest"), name_parts("tree_1")
    (['gradient_', 'boosting'], ['tree_1 − ', 'forest'], ['tree_1'])
    """
    names = re.split("(?<=− )", text)
    return [
        part
        for name in names
        for part in (re.split(r"(?<=_)(?=\w{4})", name) if len(name) > LONG_NAME else [name])
    ]


def shares(needs: Sequence[Need], page: float) -> list[float]:
    """Divide a page among columns; returns percentages.

    >>> shares([Need(5, 10), Need(5, 30)], 60)
    [25.0, 75.0]
    """
    least, most = (sum(getattr(need, name) for need in needs) for name in ("least", "most"))
    if most <= page:
        widths = [need.most for need in needs]
    elif least < page:
        stretch = (page - least) / (most - least)
        widths = [need.least + (need.most - need.least) * stretch for need in needs]
    else:
        widths = [need.least for need in needs]
    return [round(100 * width / sum(widths), 2) for width in widths]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is set: its columns' percentages, and what it takes to fit them.

    ``stacked`` puts intervals below their values, ``wide`` asks for a landscape page,
    ``lines`` estimates the height of each row in lines of text.
    """

    widths: tuple[float, ...]
    stacked: bool
    wide: bool
    lines: tuple[int, ...]


def layout(rows: Iterable[Any], columns: Sequence[Any], wide: bool = False) -> Layout:
    """Find how a table that ``line_up`` has prepared fits a page.

    Intervals stand beside their values or below them, and the names of rows on one line or
    several, whichever takes fewer lines; a table that is too wide even so is turned.
    """
    lined = list(rows)
    cells = [row["cells"] for row in lined]
    weight = SEMIBOLD if any(row.get("emphasis") for row in lined) else 1.0
    forms = [(stacked, name) for stacked in (False, True) for name in (LONGEST_NAME, 0.0)]
    needs = {form: _needs(cells, columns, *form, weight) for form in forms}
    page, fitting = WIDE_PAGE, [(True, LONGEST_NAME)]
    for page in (WIDE_PAGE,) if wide else (PAGE, WIDE_PAGE):
        fits = [form for form in forms if sum(need.least for need in needs[form]) <= page]
        if fits:
            fitting = fits
            break
    layouts = [_set(cells, columns, needs[form], page, stacked=form[0]) for form in fitting]
    return min(layouts, key=lambda layout: sum(layout.lines))


def _set(
    cells: Sequence[Any],
    columns: Sequence[Any],
    needs: Sequence[Need],
    page: float,
    *,
    stacked: bool,
) -> Layout:
    widths = tuple(shares(needs, page))
    rooms = {
        attribute(column, "key"): share * page / 100 - padding
        for column, need, share, padding in zip(
            columns, needs, widths, _paddings(len(columns)), strict=True
        )
        if need.most > share * page / 100 + ROUNDING
    }
    lines = tuple(_lines(row, rooms, stacked) for row in cells)
    return Layout(widths, stacked, page == WIDE_PAGE, lines)


def _lines(row: Mapping[str, Any], rooms: Mapping[str, float], stacked: bool) -> int:
    """Estimate how many lines a row takes; ``rooms`` has the columns where texts may be broken."""
    most = 1 + (stacked and any(attribute(cell, "low") is not None for cell in row.values()))
    for key, room in rooms.items():
        if row.get(key) is not None:
            most = max(most, math.ceil(_cell(row[key], stacked).most / room))
    return most


def _needs(
    cells: Sequence[Any],
    columns: Sequence[Any],
    stacked: bool,
    longest_name: float,
    weight: float,
) -> list[Need]:
    """What each column needs; the letters of the first one are wider by ``weight``."""
    result = []
    for place, (column, padding) in enumerate(zip(columns, _paddings(len(columns)), strict=True)):
        align = attribute(column, "align") or ("left" if place == 0 else "right")
        filled = (row.get(attribute(column, "key")) for row in cells)
        held = [_cell(cell, stacked) for cell in filled if cell is not None]
        need = _need(str(attribute(column, "label")), align, held)
        if place == 0:
            need = Need(need.least, need.most * weight)
        named = min(need.most, longest_name) if place == 0 else 0.0
        result.append(Need(max(need.least, named) + padding, need.most + padding))
    return result


def _paddings(count: int) -> list[float]:
    """What the columns leave free to their sides, in em.

    >>> _paddings(1), _paddings(3)
    ([0.0], [0.7, 1.4, 0.7])
    """
    return [PADDING * ((place > 0) + (place < count - 1)) for place in range(count)]


def _need(label: str, align: str, cells: Sequence[Need]) -> Need:
    most = max((need.most for need in cells), default=0.0)
    least = most if align == "right" else max((need.least for need in cells), default=0.0)
    word = min(SEMIBOLD * max(map(_word, name_parts(label))), LONGEST_WORD)
    return Need(max(least, word), max(most, SEMIBOLD * length(label)))


def _cell(cell: Any, stacked: bool) -> Need:
    if isinstance(cell, (str, int, float)):
        return Need(min(_word(str(cell)), LONGEST_WORD), length(str(cell)))
    text = str(attribute(cell, "text") or attribute(cell, "state") or "")
    is_code = attribute(cell, "kind") == "code"
    text_width = CODE_ADVANCE * len(text) if is_code else length(text)
    text_width += NOTE_SIZE * length(attribute(cell, "note") or "")
    text_width += 2.5 if attribute(cell, "state") else 0
    slot = INTERVAL_SIZE * (attribute(cell, "slot") or 0)
    most = max(text_width, slot) if stacked or not slot else text_width + GAP + slot
    return Need(min(_word(text), LONGEST_WORD, most), most)


@lru_cache(maxsize=2**14)
def _word(text: str) -> float:
    """Width of the longest part that is not broken across lines; a no-break space joins."""
    parts = re.split(r"[ \n]|(?<=[-/])", text)
    return max(map(length, parts))
