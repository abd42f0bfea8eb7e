"""What WeasyPrint writes into a PDF, changed: texts, lines, fields of signatures, compression."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

_BEGIN, _END = b"stream\n", b"\nendstream"

_WORD = re.compile(r"\w+")


def compress_once(pdf: Any) -> None:
    """Compress every stream of a PDF that is still to be compressed.

    The PDF writer compresses each stream twice, for the file and for its identifier, and at
    zlib's highest level: seven times the work of once at the usual level, for a file that is
    2 % smaller.

    >>> import pydyf
    >>> pdf = pydyf.PDF()
    >>> stream = pydyf.Stream([b"0 0 m", b"9 9 l", b"S"], compress=True)
    >>> pdf.add_object(stream)
    >>> compress_once(pdf)
    >>> [zlib.decompress(part).split() for part in stream.stream], stream.compress
    ([[b'0', b'0', b'm', b'9', b'9', b'l', b'S']], False)
    """
    import pydyf

    for stream in pdf.objects:
        if isinstance(stream, pydyf.Stream) and stream.compress:
            stream.compress, extra, stream.extra = False, stream.extra, {}
            content = stream.data.partition(_BEGIN)[2].removesuffix(_END)
            stream.stream = [zlib.compress(content)]
            stream.extra = {**extra, "Filter": "/FlateDecode"}


SIGNATURE_FLAGS = 1
"""SigFlags of a file that has signature fields, none of them signed (PDF 32000-1, table 219)."""

_OF_TEXT = ("DA", "V", "MaxLen", "Ff")
_OF_FORMS = ("DR", "NeedAppearances")


def to_signature_fields(_document: Any, pdf: Any) -> None:
    """Make every text field of a PDF a signature field that is not signed yet.

    PDF 32000-1, section 12.7.4.5. PDF/A (ISO 19005-3, 6.4.1) wants an appearance for each,
    here an empty one, and no order to make appearances anew.
    """
    import pydyf

    forms = pdf.catalog.get("AcroForm")
    if forms is None:
        return
    for name in _OF_FORMS:
        forms.pop(name, None)
    forms["SigFlags"] = SIGNATURE_FLAGS
    for field in [thing for thing in pdf.objects if _is_text_field(thing)]:
        for name in _OF_TEXT:
            field.pop(name, None)
        left, top, right, bottom = field["Rect"]
        size = (0, 0, abs(right - left), abs(top - bottom))
        form = {"Type": "/XObject", "Subtype": "/Form", "BBox": pydyf.Array(size)}
        empty = pydyf.Stream(extra=form)
        pdf.add_object(empty)
        field["FT"] = "/Sig"
        field["AP"] = pydyf.Dictionary({"N": empty.reference})


def _is_text_field(thing: Any) -> bool:
    return isinstance(thing, dict) and thing.get("FT") == "/Tx"


class _Whole(str):
    """A text that is not taken apart."""

    __slots__ = ()

    def __iter__(self) -> Iterator[str]:
        yield str(self)


@cache
def keep_whole() -> None:
    """Have the PDF writer of this process set the texts of drawings as a whole.

    It sets them letter by letter: without kerning, in an eighth of the time that a PDF takes, and
    so that scripts whose letters join, or that run from right to left, are torn apart. Here it is
    handed each text as one letter.
    """
    from weasyprint import svg

    by_letters = svg.text

    def text(drawing: Any, node: Any, font_size: float) -> None:
        element = node._etree_node
        if element.text:
            element.text = _Whole(element.text)
        by_letters(drawing, node, font_size)

    for tag in [tag for tag, draw in svg.TAGS.items() if draw is by_letters]:
        svg.TAGS[tag] = text
    svg.text = text


@cache
def fill_lines() -> None:
    """Have the PDF writer of this process fill a line that only the space at its end overfills.

    It ends such a line after its first word, where an inline element follows the text.
    """
    from weasyprint.layout import inline

    split = inline.split_text_box

    def filled(context: Any, box: Any, room: Any, skip: int, **options: Any) -> Any:
        result = split(context, box, room, skip, **options)
        first, rest, _ = result
        if rest is None or first is None or " " in first.text:
            return result
        text = box.text.encode()[skip:].decode()
        bare = text.rstrip(" ")
        if bare in (text, first.text) or box.style["white_space"] != "normal":
            return result
        whole = split(context, box.copy_with_text(bare), room, 0, **options)
        if whole[1] is not None:
            return result
        box.trailing_collapsible_space = True
        return whole

    inline.split_text_box = filled


@cache
def declare_named() -> None:
    """Have CFFI of this process read the name of a C type beside the types that it names alone.

    It declares all types of the libraries anew for each of some fifteen names.
    """
    parser = import_module("cffi.cparser").Parser
    of_every = parser._parse

    def parsed(self: Any, source: str) -> Any:
        every = self._declarations
        if source.startswith("void __dummy("):
            words = set(_WORD.findall(source))
            self._declarations = {n: of for n, of in every.items() if n.split()[-1] in words}
        try:
            return of_every(self, source)
        finally:
            self._declarations = every

    parser._parse = parsed
