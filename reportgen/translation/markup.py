"""Segments of a page: the texts of its blocks, with inline elements as single characters.

Those of a Markdown text are its lines and the cells of its tables.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence

from reportgen.translation.spacing import ATOM, HAN, WIDE, spaced

Translate = Callable[[str, str], str]
"""From a text and the element that it stands in ("title" for attributes) to a text."""

FIRST = 0xF0000
"""The first of the private characters that stand for inline elements inside a segment."""

_WHOLE = "style|script|svg|pre|code|textarea"
_TOKEN = re.compile(rf"<!--.*?-->|<({_WHOLE})\b.*?</\1>|<[^>]*>", re.DOTALL)
_UNTOUCHED = (*tuple(f"<{name}" for name in _WHOLE.split("|")), "<!--")
_INLINE = frozenset(["a", "abbr", "b", "em", "i", "small", "span", "strong", "sub", "sup", "time"])
_ATTRIBUTE = re.compile(
    r'(\s(?:title|alt|aria-label|data-label|data-head|placeholder)=")([^"]*)(")'
    r'|(<meta name="description" content=")([^"]*)(")'
)
_NAME = re.compile(r"</?([a-zA-Z][\w-]*)")
_MARK = re.compile(rf'([{HAN}{WIDE}])(<sup class="mark">[^<]*</sup>)')
"""A footnote's mark, which a line would else be broken in front of."""

_CHINESE = re.compile(f"[{HAN}{WIDE}]")

_LINE = re.compile(r"((?:#+|-) )?(.*?)(\s*)", re.DOTALL)
_CELLS = re.compile(r"(?<!\\)(\|)")
_ESCAPED = re.compile(r"\\([\\`*_\[\]|~$])")
_EMPHASIS = re.compile(r"(\s*)(\*{0,2})(.*?)(\2)(\s*)", re.DOTALL)


def translated(page: str, translate: Translate) -> str:
    """Return a page with every segment of text and every attribute that is read translated.

    A segment is the text of a block. An inline element inside it is one private character,
    and its own text is a segment, too. Styles, scripts, drawings and code stay as they are.

    >>> translated('<p title="Recall">No <b>gate</b> failed.</p>', lambda text, _: text.upper())
    '<p title="RECALL">NO <b>GATE</b> FAILED.</p>'
    """
    parts: list[str] = []
    run: list[str] = []
    block = ""
    for token in _tokens(page):
        if not _is_block(token):
            run.append(token)
            continue
        parts += [_run(run, translate, block)[0], _attributes(token, translate)]
        run = []
        name = _NAME.match(token)
        block = name[1] if name else block
        if token.startswith('<th scope="row"'):
            block = "row"
    parts.append(_run(run, translate, block)[0])
    return _MARK.sub(r'<span class="kept">\1\2</span>', "".join(parts))


def _tokens(page: str) -> list[str]:
    parts = []
    end = 0
    for match in _TOKEN.finditer(page):
        if match.start() > end:
            parts.append(page[end : match.start()])
        parts.append(match[0])
        end = match.end()
    return [*parts, page[end:]] if end < len(page) else parts


def _is_block(token: str) -> bool:
    if not token.startswith("<") or token.startswith(("<code", "<svg", "<wbr")):
        return False
    name = _NAME.match(token)
    return name is None or name[1] not in _INLINE


def _run(tokens: Sequence[str], translate: Translate, block: str) -> tuple[str, str]:
    """Translate neighbouring texts and inline elements as one segment; markup and its text."""
    text = ""
    atoms: list[tuple[str, str]] = []
    at = 0
    while at < len(tokens):
        end = _end(tokens, at)
        if not tokens[at].startswith("<"):
            text += html.unescape(tokens[at])
        elif not tokens[at].startswith("<wbr"):
            text += chr(FIRST + len(atoms))
            atoms.append(_element(tokens[at:end], translate, block))
        at = end
    inner = text.strip()
    changed = translate(inner, block) if inner else ""
    if changed == inner and not atoms:
        return "".join(tokens), text
    start = len(text) - len(text.lstrip())
    edges = [plain for _, plain in atoms]
    if changed != inner and _CHINESE.search(changed + "".join(edges)):
        changed = spaced(changed, ["" if _is_mark(one) else plain for one, plain in atoms])
    whole = text[:start] + changed + text[start + len(inner) :]
    plain = ATOM.sub(lambda atom: edges[ord(atom[0]) - FIRST], whole)
    safe = html.escape(whole, quote=False)
    return ATOM.sub(lambda atom: atoms[ord(atom[0]) - FIRST][0], safe), plain


def _is_mark(element: str) -> bool:
    """Whether an element is set close to what it belongs to."""
    return element.startswith(("<sup", "<sub"))


def _end(tokens: Sequence[str], at: int) -> int:
    depth = 0
    for place in range(at, len(tokens)):
        name = _NAME.match(tokens[place])
        if name is not None and name[1] in _INLINE and not tokens[place].endswith("/>"):
            depth += -1 if tokens[place].startswith("</") else 1
        if depth == 0:
            return place + 1
    return at + 1


def _element(tokens: Sequence[str], translate: Translate, block: str) -> tuple[str, str]:
    first = _attributes(tokens[0], translate)
    if len(tokens) < 2:
        plain = re.sub("<[^>]*>", "", first) if first.startswith("<code") else ""
        return first, html.unescape(plain)
    inner, plain = _run(tokens[1:-1], translate, block)
    return f"{first}{inner}{tokens[-1]}", plain


def _attributes(tag: str, translate: Translate) -> str:
    def replaced(match: re.Match[str]) -> str:
        before, text, after = (group for group in match.groups() if group is not None)
        changed = translate(html.unescape(text), "title")
        return match[0] if changed == html.unescape(text) else before + html.escape(changed) + after

    return tag if tag.startswith(_UNTOUCHED) else _ATTRIBUTE.sub(replaced, tag)


def translated_markdown(text: str, translate: Translate) -> str:
    r"""Return a Markdown text with its lines and the cells of its tables translated.

    >>> table = "## recall\n\n| **a** | b<sup>c</sup> |"
    >>> print(translated_markdown(table, lambda text, _: text.upper()))
    ## RECALL
    <BLANKLINE>
    | **A** | B<sup>C</sup> |
    """
    return "\n".join(_line(line, translate) for line in text.split("\n"))


def _line(line: str, translate: Translate) -> str:
    if line.startswith("|"):
        cells = _CELLS.split(line)
        return "".join(cell if cell == "|" else _emphasised(cell, translate) for cell in cells)
    parts = _LINE.fullmatch(line)
    if parts is None:
        return line
    return f"{parts[1] or ''}{_emphasised(parts[2], translate)}{parts[3]}"


def _emphasised(text: str, translate: Translate) -> str:
    parts = _EMPHASIS.fullmatch(text)
    if parts is None or not parts[3]:
        return text
    inner = translated(parts[3], lambda segment, _: _unescaped(segment, translate))
    return f"{parts[1]}{parts[2]}{inner}{parts[4]}{parts[5]}"


def _unescaped(segment: str, translate: Translate) -> str:
    r"""Translate a segment of Markdown as it is read: without the signs that escape others.

    Where a sign is escaped at one place and marks something at another one, both stay.

    >>> print(_unescaped(r"show \[a\_b\]", lambda text, _: text.upper()))
    SHOW \[A\_B\]
    >>> print(_unescaped(r"\[a\] of [c](d)", lambda text, _: text.upper()))
    \[A\] OF [C](D)
    """
    escaped = set(_ESCAPED.findall(segment))
    plain = _ESCAPED.sub(r"\1", segment)
    if not escaped or any(plain.count(sign) > segment.count(f"\\{sign}") for sign in escaped):
        return translate(segment, "p")
    text = translate(plain, "p")
    return re.sub("|".join(map(re.escape, sorted(escaped))), r"\\\g<0>", text)
