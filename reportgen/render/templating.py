"""The template environment, and what templates may ask of the page they are set on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from types import FunctionType
from typing import Any, TypedDict
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from reportgen.compiled_templates import CompiledTemplates
from reportgen.render.columns import attribute, layout, length, name_parts
from reportgen.resources import TEMPLATES

FIGURE_SPACE = "\u2007"
PUNCTUATION_SPACE = "\u2008"
"""As wide as a tabular figure, and as a decimal point."""

_REFERENCE = re.compile(r"<!--(figure|table):([\w-]+)-->")
_BOUND = re.compile(
    r" (?:(?<=\w )(?=− \w)|(?<=\w.− )(?=\w{1,8}\b)"
    r"|(?<=\bp )(?=[=&])|(?<=\bp.= )(?=\d)|(?<=\bp.&[lg]t; )(?=\d)"
    r"|(?<=α )(?==)|(?<=α.= )(?=\d)|(?<=\d )(?=%)|(?<=% )(?=CI\b)"
    r"|(?<=from )(?=it\b))"  # a blank first: it is searched for quickly
)
"""Blanks of a difference (but before a long name), of p, of a level, of a share, and at an end."""

_DOI = re.compile(r"doi:(10\.\d{4,9}/[^\s,]*[^\s,;.)])")
_LIMIT = re.compile(r'(<code class="value">[^<]* )((?:&[lg]t;)?=? [^< ]+)(?=</code>)')
_CELL = re.compile("<t[hd][ >].*?</t[hd]>", re.DOTALL)
_CUT = re.compile(r"(…(?:&#?\w+;|[^\s&]))")
_NUMBER = re.compile(r"[−+-]?[\d,\u202f]+(?:\.(\d+))?%?")


@dataclass(slots=True)
class Page:
    """What a page knows beyond the data: the numbers of its figures and tables, and its limits.

    A text may refer to a figure that follows it: it gets a mark, which ``linked``
    replaces when all numbers are known.
    """

    mode: str = "html"
    row_limit: int = 2_000
    interactive: bool = False
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)

    def begin(self, mode: str, row_limit: int, *, interactive: bool = False) -> None:
        """Turn into an empty page; the object stays, because macros hold on to it."""
        self.mode, self.row_limit, self.interactive = mode, row_limit, interactive
        self.numbers.clear()
        self.seen.clear()

    def number(self, kind: str, identifier: str) -> int:
        """Give the next number of its kind to a figure or a table."""
        self.seen[kind] = self.seen.get(kind, 0) + 1
        self.numbers[kind, identifier] = self.seen[kind]
        return self.seen[kind]

    @staticmethod
    def reference(kind: str, identifier: str) -> Markup:
        """Mark the place of a reference to a figure or a table."""
        return Markup("<!--{}:{}-->").format(kind, identifier)

    def linked(self, text: str) -> str:
        """Turn the marks of references into links; those to what the page does not hold say so."""

        def link(mark: re.Match[str]) -> str:
            number = self.numbers.get((mark[1], mark[2]))
            if number is None:
                return f"the {mark[1]} (not in this report)"
            place, label = f"#{mark[1]}-{mark[2]}", f"{mark[1].capitalize()} {number}"
            return f'<a class="reference" href="{place}">{label}</a>'

        return _REFERENCE.sub(link, text)

    def rows(self, rows: Sequence[Any]) -> Sequence[Any]:
        """Cut a table to what one page can reasonably hold."""
        return rows[: self.row_limit]

    @staticmethod
    def anchor(text: str) -> str:
        """Make an identifier of a caption."""
        return re.sub(r"\W+", "-", text.lower()).strip("-") or "untitled"


_COMPILED = CompiledTemplates("pages")


def environment() -> Environment:
    """Return the environment of all templates: escaping on, undefined names are errors.

    ``page`` stands in its globals; macros number their figures through it.
    """
    env = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_COMPILED,
    )
    env.filters |= {"runs": runs, "line_up": line_up, "layout": layout, "unbroken": unbroken}
    env.filters |= {
        "breakable": breakable,
        "shortened": shortened,
        "sort_value": sort_value,
        "with_dois": with_dois,
    }
    env.filters |= {**number_filters()}
    env.globals["page"] = Page()
    return env


def number_filters() -> dict[str, Callable[..., str]]:
    """Return every public function of the number formats, as filters by its name."""
    from reportgen.text import numbers

    return {
        name: function
        for name, function in vars(numbers).items()
        if isinstance(function, FunctionType)
        and not name.startswith("_")
        and function.__module__ == numbers.__name__
    }


class Run(TypedDict):
    """Neighbours that share the ``value`` of a field."""

    value: Any
    items: list[Any]
    length: int


CellFields = dict[str, Any]
"""Cells by key of column, or what one cell shows, by the names that templates read."""


class LinedRow(TypedDict):
    """A row of a table as it is set: its cells by key of column, and how it stands out."""

    cells: CellFields
    group: str | None
    emphasis: bool


def runs(items: Iterable[Any], name: str) -> list[Run]:
    """Group neighbours that share the value of a field.

    >>> runs([{"group": "a"}, {"group": "a"}, {"group": None}], "group")[0]["length"]
    2
    """
    grouped = ((key, list(run)) for key, run in groupby(items, lambda item: attribute(item, name)))
    return [{"value": key, "items": run, "length": len(run)} for key, run in grouped]


def unbroken(markup: str) -> Markup:
    r"""Keep differences, p-values and shares on one line.

    >>> unbroken(Markup("a − b: p &lt; 0.001"))
    Markup('a\xa0−\xa0b: p\xa0&lt;\xa00.001')
    """
    return Markup(_BOUND.sub("\N{NO-BREAK SPACE}", markup))  # noqa: S704 - only blanks change


def shortened(text: str, room: float) -> str:
    """Cut a text that is wider than so many em; characters of wide scripts take two.

    >>> shortened("short", 9.0), shortened("a long title", 4.0), shortened("很长的标题", 4.0)
    ('short', 'a long…', '很长的…')
    """
    if length(text) <= room:
        return text
    cuts = (f"{text[:size].rstrip()}…" for size in range(len(text) - 1, 0, -1))
    return next((cut for cut in cuts if length(cut) <= room), "…")


def sort_value(cell: Any) -> str:
    """Write the number by which a table is sorted where this cell counts; empty without one.

    >>> from reportgen.text import numbers
    >>> sort_value({"text": numbers.number(0.00001)}), sort_value("a"), sort_value(3)
    ('1e-05', '', '3')
    """
    content = cell if isinstance(cell, (str, int, float)) else attribute(cell, "text")
    value = attribute(cell, "sort")
    if value is None:
        value = content if isinstance(content, (int, float)) else getattr(content, "value", None)
    return "" if value is None else repr(value)


def with_dois(text: str) -> Markup:
    """Let each DOI of a source lead to its paper.

    >>> with_dois("Good (1952), doi:10.1111/x")
    Markup('Good (1952), <a href="https://doi.org/10.1111/x">doi:10.1111/x</a>')
    """
    parts = _DOI.split(text)
    link = Markup('<a href="https://doi.org/{}">doi:{}</a>')
    parts[1::2] = [link.format(quote(doi, safe="/():;"), doi) for doi in parts[1::2]]
    return Markup("").join(parts)


def breakable(text: str) -> Markup:
    """Let a long name be broken behind an underscore or a minus rather than anywhere.

    >>> breakable("gradient_boosting<"), breakable("tree_1 − forest"), breakable("tree_1")
    (Markup('gradient_<wbr/>boosting&lt;'), Markup('tree_1 − <wbr/>forest'), Markup('tree_1'))
    """
    return Markup("<wbr/>").join(map(escape, name_parts(text)))


def with_kept_cuts(page: str) -> str:
    """Keep the dots of a name that is cut on one line with what follows, in a page's tables.

    >>> with_kept_cuts('<td title="a…b">…depth_6</td>')
    '<td title="a…b"><span class="kept">…d</span>epth_6</td>'

    The limit of a gate stays with its sign.

    >>> with_kept_cuts('<td><code class="value">m.auc &gt;= 0.9</code></td>')
    '<td><code class="value">m.auc <span class="kept">&gt;= 0.9</span></code></td>'
    """
    return _CELL.sub(_with_kept_cut, _LIMIT.sub(r'\1<span class="kept">\2</span>', page))


def _with_kept_cut(cell: re.Match[str]) -> str:
    if "…" not in cell[0]:
        return cell[0]
    parts = re.split("(<[^>]*>)", cell[0])
    parts[::2] = [_CUT.sub(r'<span class="kept">\1</span>', part) for part in parts[::2]]
    return "".join(parts)


def decimals(text: str) -> int | None:
    """Count the decimals of a formatted number; None when the text is not one.

    >>> decimals("0.934"), decimals("1,024"), decimals("n/a")
    (3, 0, None)
    """
    match = _NUMBER.fullmatch(text)
    return None if match is None else len(match[1] or "")


def padded(text: str, most: int) -> str:
    """Fill a formatted number with blanks as wide as the decimals that it lacks.

    >>> padded("12", 2) == "12\u2008\u2007\u2007", padded("n/a", 2)
    (True, 'n/a')
    """
    count = decimals(text)
    if count is None or count == most:
        return text
    return text + ("" if count else PUNCTUATION_SPACE) + FIGURE_SPACE * (most - count)


def line_up(rows: Sequence[Any], columns: Sequence[Any]) -> list[LinedRow]:
    """Prepare rows for setting, so that the decimal points of right-aligned columns line up.

    Numbers are padded to the decimals of the longest one in their column, and
    where some cells have an interval, the others leave as much room for one, but for
    muted ones: every cell becomes a mapping, with ``slot``, the room in em, where needed.
    """
    lined: list[LinedRow] = [
        {
            "cells": dict(attribute(row, "cells")),
            "group": attribute(row, "group"),
            "emphasis": bool(attribute(row, "emphasis")),
        }
        for row in rows
    ]
    for place, column in enumerate(columns):
        align = attribute(column, "align") or ("left" if place == 0 else "right")
        if align == "right":
            _line_up_column([row["cells"] for row in lined], attribute(column, "key"))
    return lined


def _line_up_column(cells: Sequence[CellFields], key: str) -> None:
    """Pad one column's cells in place."""
    rows = [row for row in cells if row.get(key) is not None]
    texts = [_text(row[key]) for row in rows]
    most = max((count for count in map(decimals, texts) if count is not None), default=0)
    slot = max((length(_interval(row[key])) for row in rows), default=0.0)
    for row, text in zip(rows, texts, strict=True):
        cell = _as_mapping(row[key])
        own_slot = 0.0 if cell.get("kind") == "muted" else slot  # a dash stands at the edge
        value = getattr(text, "value", None)
        row[key] = cell | {"text": padded(text, most), "slot": own_slot, "sort": value}


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, (int, float)):
        return str(cell)
    text: str = attribute(cell, "text") or ""
    return text


def _interval(cell: Any) -> str:
    low, high = attribute(cell, "low"), attribute(cell, "high")
    if low is None or high is None:
        return ""
    return f"{low}{' to ' if str(low)[:1] in ('−', '+') else '–'}{high}"


def _as_mapping(cell: Any) -> CellFields:
    if isinstance(cell, (str, int, float)):
        return {}
    names = ("low", "high", "note", "state", "kind", "reference")
    return {name: attribute(cell, name) for name in names}
