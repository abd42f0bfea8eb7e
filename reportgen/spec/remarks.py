"""Texts without their comments, where the spec says that these stay here."""

from __future__ import annotations

import re

from reportgen.spec.document import parse
from reportgen.spec.yaml_text import block

_OF_MARKDOWN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def without_comments(text: str) -> str:
    r"""Return the values of a spec, rewritten, so that no comment is left.

    >>> print(without_comments("a: 1 # one\n# two\nb: '# kept'"))
    a: 1
    b: "# kept"
    <BLANKLINE>
    """
    return block(parse(text, "spec").value) if text else text


def without_remarks(markdown: str) -> str:
    """Return a Markdown text without its HTML comments.

    >>> without_remarks("a <!-- b --> c")
    'a  c'
    """
    return _OF_MARKDOWN.sub("", markdown)
