"""How a notebook shows results: set from above, as results lie below the layer that draws them."""

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
