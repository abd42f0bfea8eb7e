"""A figure: its chart, title, caption and alternative text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import polars as pl

Width = Literal["full", "half", "third"]

VegaLite: TypeAlias = dict[str, Any]
"""A specification of Vega-Lite, or a part of one: JSON that its own schema describes."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its words and its numbers.

    ``title`` states the finding, ``subtitle`` the question it answers and how
    to read the marks; the page prints both. ``alt`` says the key numbers to
    those who don't see the chart. ``chart`` is a Vega-Lite specification of
    the final width, ``table`` the numbers behind it, thinned for reading. ``narrow`` is the
    chart for a narrow screen, where it is not ``chart`` with its panels rearranged.
    Tables of ``confusion`` stand beside each other. ``named`` are the columns of the table that
    bear a name of the data, which is printed as it is.
    """

    id: str
    title: str
    subtitle: str
    alt: str
    chart: VegaLite
    table: pl.DataFrame
    width: Width
    section: str
    narrow: VegaLite | None = None
    confusion: bool = False
    named: tuple[str, ...] = ()
