"""The HTML file: one page that holds its charts, fonts and scripts, and requests nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from reportgen.render import fonts
from reportgen.resources import TEMPLATES

NOTHING = "'none'"
OURS = ("report.js", "threshold.js", "tables.js")
"""Charts, the threshold that the reader moves, tables that sort and filter."""

_CHART_PLACE = re.compile(r"<!--chart:([a-z0-9_]+)-->")
_UNSAFE = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


def place(name: str, alt: str, *, wide: bool = False) -> Markup:
    """Return the markup that a chart's drawing will be put into.

    A ``wide`` one may be scrolled on a phone, so the keyboard reaches it.
    """
    return Markup(
        '<div class="graphic" role="img" aria-label="{alt}" data-chart="{name}"{reached}>'
        "<!--chart:{name}--></div>"
    ).format(name=name, alt=alt, reached=Markup(' tabindex="0"') if wide else "")


def scripts() -> tuple[str, ...]:
    """Return the scripts of an interactive page: the library, then ours as one."""
    library, *ours = (
        (TEMPLATES / name).read_text(encoding="utf-8") for name in ("vendor/vega.js", *OURS)
    )
    return library, "\n".join(ours)


def policy(sources: Sequence[str]) -> str:
    """Write a content security policy under which only these very scripts run."""
    digests = (hashlib.sha256(text.encode()).digest() for text in sources)
    hashes = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
    return (
        f"default-src 'none'; script-src {' '.join(hashes) or NOTHING}; "
        "style-src 'unsafe-inline'; img-src data:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def harmless(value: Any) -> str:
    r"""Write JSON that may stand in a script element whatever its texts hold.

    >>> print(harmless({"a": "</script>"}))
    {"a":"\u003c/script\u003e"}
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE)


def data_blocks(charts: Mapping[str, Mapping[str, Any]], form: str = "chart") -> Markup:
    """Write the specifications as blocks of data, which no browser runs."""
    block = '<script type="application/json" id="{}-{}">{}</script>'
    blocks = (block.format(form, name, harmless(chart)) for name, chart in charts.items())
    return Markup("\n".join(blocks))  # noqa: S704 - harmless() escapes what is not ours


def alone(drawing: str, cut: Mapping[fonts.Face, bytes]) -> str:
    """Return a drawing that is an image of its own, with the fonts of its text inside."""
    head, bracket, body = drawing.partition(">")
    return f"{head}{bracket}<style>{fonts.embedded(cut)}</style>{body}"


def without_link(page: str, file: str) -> str:
    """Return a page without the link in its head to a file that could not be made.

    >>> without_link('<span><a href="a.pdf">a.pdf</a></span><span>b</span>', "a.pdf")
    '<span>b</span>'
    """
    return page.replace(f'<span><a href="{file}">{file}</a></span>', "")


def document(
    page: str,
    drawings: Mapping[str, str],
    titles: Mapping[str, str],
    cut: Mapping[fonts.Face, bytes],
) -> str:
    """Finish the page: put its drawings and its fonts inside."""

    def titled(match: re.Match[str]) -> str:
        head, bracket, body = drawings[match[1]].partition(">")
        return f"{head}{bracket}<title>{escape(titles[match[1]])}</title>{body}"

    return fonts.placed(_CHART_PLACE.sub(titled, page), fonts.embedded(cut))
