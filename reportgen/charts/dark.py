"""Charts on a dark screen: each colour of a drawing has a counterpart there."""

from __future__ import annotations

import re

from reportgen.charts import confusion, multiclass_confusion, style, trends
from reportgen.spec.theme import lightened

PAGE = "#12161b"
"""A page on a dark screen: ``--page`` of the style sheet."""

PALETTE = (
    "#4a86ea",
    "#ffa057",
    "#ecdfff",
    "#2fb97f",
    "#f07fc8",
    "#b58a55",
    "#7cc8f2",
    "#cfc46a",
    "#9a86f0",
    "#ff6a73",
)
"""Colours of the models, in the order of those on white: at least 4.5 : 1 on the page, and the
first three differ as clearly in grey and to colour-blind eyes."""

COUNTERPARTS = {
    style.INK: "#e4e9ee",
    style.QUIET: "#a3adb7",
    style.FAINT: "#76818c",
    style.GRID: "#262d35",
    style.ISO: "#3d4650",
    trends.OUT_OF_LIMIT: "#4a1f22",
    trends.COLOURS["fail"]: "#ff8a80",
    trends.COLOURS["inconclusive"]: "#e9b862",
    **dict(zip(style.PALETTE, PALETTE, strict=True)),
    **dict(
        zip(confusion.STEPS, ("#1c2733", "#1f3f66", "#2a5d94", "#6aa6e6", "#b4d5f7"), strict=True)
    ),
    **dict(
        zip(
            multiclass_confusion.CORRECT,
            ("#1b2938", "#1f3f66", "#2a5d94", "#6aa6e6", "#b4d5f7"),
            strict=True,
        )
    ),
    **dict(
        zip(
            multiclass_confusion.ERRORS,
            ("#1d232a", "#3d2a17", "#6b4215", "#96520f", "#ffb36b"),
            strict=True,
        )
    ),
}
"""The dark counterpart of each colour; white is the page itself."""

_COLOR = re.compile('"(#[0-9a-f]{6})"')


def rules(charts: str) -> str:
    """Return the style that repaints the charts of these specifications on a dark screen.

    >>> print(rules('{"color": "#1f2328"}'))
    @media screen and (prefers-color-scheme: dark) {
    .graphic [fill="white"] { fill: var(--card) } .graphic [stroke="white"] { stroke: var(--card) }
    .graphic [fill="#1f2328"] { fill: #e4e9ee } .graphic [stroke="#1f2328"] { stroke: #e4e9ee }
    }
    """
    pairs = {"white": "var(--card)"} | {
        color: COUNTERPARTS.get(color) or lightened(color, PAGE)
        for color in sorted(set(_COLOR.findall(charts)))
    }
    lines = (
        f'.graphic [fill="{color}"] {{ fill: {dark} }} '
        f'.graphic [stroke="{color}"] {{ stroke: {dark} }}'
        for color, dark in pairs.items()
    )
    return "\n".join(("@media screen and (prefers-color-scheme: dark) {", *lines, "}"))
