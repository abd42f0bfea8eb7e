"""Printed tables as LaTeX: ``booktabs`` and ``longtable``, to be included in a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from reportgen.exporting.exported_file import ExportedFile
from reportgen.exporting.printed import (
    PrintedTable,
    alignment,
    is_strong,
    mark_of,
    printed_tables,
    runs,
    text_of,
)
from reportgen.records.model import Results
from reportgen.sections.tables import Cell, Note, Row, Table

FOLDER = "tables"

_HEADER = """\
% \\usepackage{array, booktabs, longtable}
% With other scripts than Latin and Greek: XeLaTeX or LuaLaTeX, with a font that has them.
"""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
}

_MATHS = {
    "−": "-",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "×": r"\times",
    "·": r"\cdot",
    "±": r"\pm",
    "√": r"\sqrt{}",
    "∞": r"\infty",
    "∈": r"\in",
    "∩": r"\cap",
    "Σ": r"\Sigma",
    "Π": r"\Pi",
    "Φ": r"\Phi",
    "Δ": r"\Delta",
    "Γ": r"\Gamma",
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "δ": r"\delta",
    "ε": r"\varepsilon",
    "θ": r"\theta",
    "κ": r"\kappa",
    "λ": r"\lambda",
    "μ": r"\mu",
    "π": r"\pi",
    "ρ": r"\rho",
    "σ": r"\sigma",
    "τ": r"\tau",
    "φ": r"\varphi",
    "χ": r"\chi",
    "ω": r"\omega",
    "½": r"\frac12",
    "⅜": r"\frac38",
    "⅝": r"\frac58",
    "→": r"\to",
    "↑": r"\uparrow",
    "↓": r"\downarrow",
    "✓": r"\surd",
    "✗": r"\times",
    "∓": r"\mp",
    "Ḡ": r"\bar{G}",
    "∑": r"\sum",
    **{sign: f"^{{{digit}}}" for sign, digit in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True)},
    **{sign: f"_{{{digit}}}" for sign, digit in zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)},
    "ₐ": "_{a}",
    "ₖ": "_{k}",
    "ₙ": "_{n}",
    "ᵢ": "_{i}",
    "ⱼ": "_{j}",
    "ᵏ": "^{k}",
    "ⁿ": "^{n}",
}
"""Signs that plain LaTeX has in formulas alone."""

_SPACES = {"\xa0": "~", "\u202f": r"\,", "\u2009": r"\,", "\u200b": "", "\u2060": ""}
_LINE, _SENTENCE = 85, 25
"""Signs of a line, and of a cell that is no longer a name or a number."""

_BRACED = re.compile(r"\{([^{}]*)\}")
_SCRIPTS = re.compile(r"\$(\^|_)\{([^{}]*)\}\$(?:\$\1\{([^{}]*)\}\$)+")


def write(results: Results, folder: Path) -> list[ExportedFile]:
    """Write each printed table as a file of its own."""
    (folder / FOLDER).mkdir(exist_ok=True)
    files: list[ExportedFile] = []
    for printed in printed_tables(results):
        place = f"{FOLDER}/{printed.name}.tex"
        (folder / place).write_text(latex(printed), encoding="utf-8")
        holds, number = printed.table.caption, printed.number
        files.append({"file": place, "kind": "latex", "holds": holds, "number": number})
    return files


def latex(printed: PrintedTable) -> str:
    """Return a table as LaTeX: it may go on over pages, its head is repeated, notes stand below."""
    table = printed.table
    head = [*_spanners(table), _line([escaped(column.label) for column in table.columns])]
    body = [
        line for group, rows in groupby(table.rows, _group) for line in _part(table, group, rows)
    ]
    lines = [
        rf"\begin{{longtable}}{{{_columns(table)}}}",
        rf"\caption{{{escaped(table.caption)}}}\label{{tab:{printed.table.id}}}\\",
        r"\toprule",
        *head,
        r"\midrule",
        r"\endfirsthead",
        r"\toprule",
        *head,
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endlastfoot",
        *body,
        r"\end{longtable}",
        *_notes(table.notes),
    ]
    return _HEADER + "\n".join(lines) + "\n"


def _columns(table: Table) -> str:
    """How columns are aligned; where they are wider than a page, those of sentences are broken."""
    widths = [
        max(len(column.label), *(len(text_of(row.cells.get(column.key))) for row in table.rows), 1)
        for column in table.columns
    ]
    letters = [alignment(table.columns, at)[0] for at in range(len(widths))]
    sentences = [at for at, width in enumerate(widths) if width > _SENTENCE]
    if sum(widths) <= _LINE or not sentences:
        return "".join(letters)
    others = sum(width for at, width in enumerate(widths) if at not in sentences)
    share = max(1 - others / _LINE, 0.4) * 0.95
    whole = sum(min(widths[at], _LINE) for at in sentences)
    for at in sentences:
        width = share * min(widths[at], _LINE) / whole
        letters[at] = rf">{{\raggedright\arraybackslash}}p{{{width:.2f}\linewidth}}"
    return "".join(letters)


def escaped(text: str) -> str:
    r"""Return a text with every sign that LaTeX reads in another way written out.

    >>> print(escaped("5 % of R², a_b −0.1"))
    5 \% of R$^{2}$, a\_b $-$0.1
    """
    signs = (_SPECIAL.get(c) or _SPACES.get(c, _in_maths(c)) for c in text)
    return _SCRIPTS.sub(_joined, "".join(signs))


def _in_maths(sign: str) -> str:
    return f"${_MATHS[sign]}$" if sign in _MATHS else sign


def _joined(match: re.Match[str]) -> str:
    """Exponents of several digits as one."""
    return f"${match[1]}{{{''.join(_BRACED.findall(match[0]))}}}$"


def _group(row: Row) -> str | None:
    return row.group


def _spanners(table: Table) -> list[str]:
    spans = runs(table.columns)
    if not any(text for text, _ in spans):
        return []
    cells: list[str] = []
    rules: list[str] = []
    at = 1
    for text, width in spans:
        if text:
            rules.append(rf"\cmidrule(lr){{{at}-{at + width - 1}}}")
        cells += [rf"\multicolumn{{{width}}}{{c}}{{{escaped(text)}}}"] if text else [""] * width
        at += width
    return [_line(cells), "".join(rules)]


def _part(table: Table, group: str | None, rows: Iterable[Row]) -> list[str]:
    lines = [_line([_cell(row.cells.get(c.key), row) for c in table.columns]) for row in rows]
    if not group:
        return lines
    width = len(table.columns)
    title = rf"\multicolumn{{{width}}}{{l}}{{\textit{{{escaped(group)}}}}} \\*"
    return [r"\addlinespace", title, *lines]


def _cell(cell: Cell | str | None, row: Row) -> str:
    text, mark = escaped(text_of(cell)), mark_of(cell)
    if text and is_strong(cell, row):
        text = rf"\textbf{{{text}}}"
    return text + (rf"\textsuperscript{{{mark}}}" if mark else "")


def _line(cells: Sequence[str]) -> str:
    line = " & ".join(cells)
    return ("{}" + line if line.startswith("[") else line) + r" \\"  # a bracket is a length there


def _notes(notes: Sequence[Note | str]) -> list[str]:
    if not notes:
        return []
    lines = [
        escaped(note)
        if isinstance(note, str)
        else (rf"\textsuperscript{{{note.mark}}}~" if note.mark else "") + escaped(note.text)
        for note in notes
    ]
    return [r"{\footnotesize\noindent", *(rf"{line}\par" for line in lines), "}"]
