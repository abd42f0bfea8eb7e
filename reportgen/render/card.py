"""Results as a card for a notebook: verdict, main table, gates and charts; no script, no request.

Whatever is styled is styled inline, so that no rule reaches the notebook. Text has the
notebook's own colour, charts stand on white: both read well on light and on dark pages.
Charts are images, whose ids and fonts stay their own.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reportgen.errors import Problem, ReportgenError, SpecError
from reportgen.resources import TEMPLATES
from reportgen.spec.nearest import suggestion

if TYPE_CHECKING:
    from reportgen.charts import Figure
    from reportgen.results import Results
    from reportgen.sections.tables import Table

MOST_CHARTS = 3
"""Charts on a card."""

DEADLINE, MEMORY = 30.0, 2**30
"""Seconds of CPU time and bytes of memory that the charts of a card may take."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One chart of the results, which a notebook shows; ``svg`` is its drawing."""

    title: str
    alt: str
    svg: str

    @property
    def address(self) -> str:
        """The drawing as the address of an image."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode()).decode()

    @property
    def width(self) -> int:
        """The width of the drawing in px."""
        match = re.search(r'<svg[^>]*?\swidth="([\d.]+)', self.svg)
        return round(float(match[1])) if match else 318

    def _repr_html_(self) -> str:
        return _environment().get_template("picture.html.j2").render(picture=self)

    def __repr__(self) -> str:
        return f"Picture: {self.title}"


@dataclass(frozen=True, slots=True)
class Card:
    """All that ``templates/card.html.j2`` reads."""

    state: str
    gates_text: str
    headline: str
    sentence: str
    caveats: tuple[str, ...]
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...]
    foot: str


def html(results: Results) -> str:
    """Return the card as HTML; where charts cannot be drawn here it has none, and says why."""
    from reportgen.sections import lookup, models_by_rank
    from reportgen.sections.gates import gates_table

    decision = results.decision
    caveats = [lookup.clean(caveat.text) for caveat in decision.with_care]
    try:
        pictures = _pictures(results, _first(results))
    except ReportgenError as fault:
        pictures = []
        caveats.append(f"No charts: {fault.problems[0].message}")
    gates = gates_table(results)
    card = Card(
        decision.state_name,
        decision.gates_text,
        lookup.clean(decision.headline),
        lookup.clean(decision.sentence),
        tuple(caveats),
        (models_by_rank.models_table(results), *([gates] if gates else [])),
        tuple(pictures),
        f"{lookup.clean(results.title)} · reportgen {results.versions.get('reportgen', '')}",
    )
    return _environment().get_template("card.html.j2").render(card=card)


def text(results: Results) -> str:
    """What a terminal shows of results: the state, the headline and the models."""
    decision = results.decision
    lines = [f"{results.title}: {decision.state_text}", decision.headline]
    lines += [
        f"  {model.model}: {decision.measure} {model.value:.4g}"
        for model in decision.models
        if model.value is not None
    ]
    return "\n".join(lines)


def picture(results: Results, name: str) -> Picture:
    """Return one chart by its name, such as ``roc``.

    Raises SpecError where the results have no such chart, RenderError where it cannot
    be drawn.
    """
    from reportgen import charts

    figures = {figure.id: figure for figure in charts.figures(results)}
    if name not in figures:
        hint = suggestion(name, figures)
        raise SpecError(Problem("unknown-chart", f"there is no chart {name!r}", "", hint))
    return _pictures(results, [figures[name]])[0]


def _first(results: Results) -> list[Figure]:
    """The charts of a card: those of page one, then the first that fill half a page."""
    from reportgen import charts

    figures = charts.figures(results)
    first = [figure for figure in figures if figure.section == "verdict"][:1]
    half = [f for f in figures if f.width == "half" and f not in first and f.section != "verdict"]
    return [*first, *half][:MOST_CHARTS]


def _pictures(results: Results, figures: Sequence[Figure]) -> list[Picture]:
    """Draw figures, all in one process of their own."""
    from reportgen.render import pages, process

    if not figures:
        return []
    job = pages.drawings_job(results, figures)
    with TemporaryDirectory(prefix="reportgen-") as folder:
        process.run(job, Path(folder), deadline=DEADLINE, memory=MEMORY)
        return [
            Picture(f.title, f.alt, (Path(folder) / f"{f.id}.svg").read_text(encoding="utf-8"))
            for f in figures
        ]


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
