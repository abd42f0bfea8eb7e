"""What shows results in a notebook: named from above, since results stand below what draws them."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CARDS = ""
"""The module that draws them, which ``reportgen`` itself names."""


def cards() -> Any:
    """What draws results as text, as HTML and as single charts."""
    return import_module(CARDS)
