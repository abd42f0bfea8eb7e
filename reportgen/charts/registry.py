"""A figure, and the charts: every module of this folder that draws figures is discovered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import polars as pl

from reportgen.records import shown_models
from reportgen.records.model import Results

if TYPE_CHECKING:
    Figures: TypeAlias = Callable[..., list["Figure"]]


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
    Figures that are ``first`` stand beside each other, before the others of their section.
    ``named`` are the columns of the table that bear a name of the data, which is printed as it is.
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
    first: bool = False
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """What draws figures, the tasks that have them, and the curve that they need.

    ``further`` are the tasks whose figures stand in the section of further
    curves, and are drawn only where the report has that. Of a ``muted`` chart ``figures``
    takes the results of the other models too, None where all are featured. A chart of ``each``
    model by itself has, of many models, the few that tables by slice have.
    """

    position: int
    figures: Figures
    tasks: tuple[str, ...]
    curve: str | None
    further: tuple[str, ...]
    muted: bool
    each: bool

    def draw(self, shown: Results, others: Results | None) -> list[Figure]:
        """The figures of the featured models; a muted chart has the other ones in grey."""
        if self.each:
            shown = shown_models.in_slices(shown)
        return self.figures(shown, others) if self.muted else self.figures(shown)


_CHARTS: list[Chart] = []


def report_chart(
    position: int,
    *tasks: str,
    curve: str | None = None,
    further: tuple[str, ...] = (),
    muted: bool = False,
    each: bool = False,
) -> Callable[[Figures], Figures]:
    """Register the decorated function; ``position`` orders the figures of a report."""

    def record(figures: Figures) -> Figures:
        _CHARTS.append(Chart(position, figures, tasks, curve, further, muted, each))
        return figures

    return record


@cache
def charts() -> tuple[Chart, ...]:
    """Every chart, in the order of the report."""
    package = import_module("reportgen.charts")
    for module in iter_modules(package.__path__):
        import_module(f"reportgen.charts.{module.name}")
    return tuple(sorted(_CHARTS, key=lambda one: (one.position, one.figures.__module__)))


def charts_of(task: str, *, further: bool) -> Iterator[Chart]:
    """The charts of a task, the further ones too where they are shown."""
    return (c for c in charts() if task in c.tasks and (further or task not in c.further))
