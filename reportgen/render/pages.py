"""Results to pages: everything that is text is written here, with a place for each chart."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from markupsafe import Markup

from reportgen.render import fonts, paper, web
from reportgen.render.extension import page_environment, set_page
from reportgen.render.interaction import interactive
from reportgen.render.job import Attachment, DrawingKind, Job
from reportgen.render.page_style import PageStyle
from reportgen.render.templating import Page, with_kept_cuts
from reportgen.render.typefaces import stored_typeface
from reportgen.resources import TEMPLATES
from reportgen.spec.theme import lightened
from reportgen.text.scripts import legible, unbundled
from reportgen.text.system_fonts import covering
from reportgen.text.words import in_sentence
from reportgen.translation import ENGLISH, Translator, page_in, scripts_in, translator
from reportgen.translation.charts import translated
from reportgen.translation.names import names_of
from reportgen.translation.unit_words import with_truth_unit, with_unit

if TYPE_CHECKING:
    import polars as pl

    from reportgen.charts import Figure
    from reportgen.charts.registry import VegaLite
    from reportgen.results import Results
    from reportgen.sections import Section

ROWS_ON_SCREEN, ROWS_IN_PRINT, ROWS_OF_FIGURE = 2_000, 500, 100
"""Longest tables; what is left out is counted below them."""


_OURS = re.compile(r"(<style\b.*?</style>|<script>.*?</script>)", re.DOTALL)
"""Styles and scripts, which stay as they are."""

SIZES = {
    "A4": Markup("@page { size: A4 } @page wide { size: A4 landscape }"),
    "letter": Markup("@page { size: letter } @page wide { size: letter landscape }"),
}
"""The style that sets each size of paper."""


NO_COLORS = Markup()


@dataclass(frozen=True, slots=True)
class Heading:
    """What the page says of itself."""

    title: str
    language: str
    build: str
    created: str
    created_iso: str
    results_hash: str
    version: str
    logo: str | None = None
    colors: Markup = NO_COLORS


@dataclass(frozen=True, slots=True)
class ChartData:
    """The numbers of a figure as texts; ``left_out`` counts the rows that are missing."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure as a template sets it."""

    id: str
    title: str
    subtitle: str
    width: str
    graphic: Markup
    data: ChartData | None


def job(
    results: Results,
    formats: Collection[str],
    *,
    attachments: Mapping[str, bytes],
    notes: Mapping[str, str],
    page_style: PageStyle,
) -> Job:
    """Settle the text of every requested format."""
    from reportgen import charts, sections

    figures = charts.figures(results)
    parts = sections.sections(results, figures, notes)
    extension = extension_of(results)
    if extension is None:  # which may set any figure
        figures = placed(figures, parts)
    heading = head(results)
    into = translation(results)
    figures = [_translated(figure, into) for figure in figures]
    env = page_environment(extension)
    screen = _screen(env, heading, figures, parts, page_style, into) if "html" in formats else None
    printed = _printed(env, heading, figures, parts, page_style) if "pdf" in formats else None
    screen, printed = (page and with_kept_cuts(page_in(page, into)) for page in (screen, printed))
    specs = {figure.id: figure.chart for figure in figures}
    chart_text = legible(json.dumps(specs, ensure_ascii=False))
    shown = chart_text + "".join(map(fonts.shown, filter(None, (screen, printed))))
    return Job(
        html=screen,
        pdf=printed,
        charts=json.loads(chart_text),
        titles={figure.id: legible(_title(figure, into)) for figure in figures},
        created=heading.created_iso,
        attachments=tuple(Attachment.of(name, data) for name, data in attachments.items()),
        fonts=tuple(map(str, covering(unbundled(shown)))),
        typeface=stored_typeface(results.declared),
    )


def placed(figures: Iterable[Figure], parts: Iterable[Section]) -> list[Figure]:
    """The figures of the sections that the page has: no other one need be drawn."""
    shown = {part.id for part in parts}
    return [figure for figure in figures if figure.section in shown]


def drawings_job(
    results: Results, figures: Sequence[Figure], drawings: tuple[DrawingKind, ...] = ("svg",)
) -> Job:
    """Settle the texts of charts that are drawn without a page."""
    into = translation(results)
    figures = [_translated(figure, into) for figure in figures]
    specs = {figure.id: figure.chart for figure in figures}
    chart_text = legible(json.dumps(specs, ensure_ascii=False))
    return Job(
        html=None,
        pdf=None,
        charts=json.loads(chart_text),
        titles={figure.id: legible(_title(figure, into)) for figure in figures},
        created=head(results).created_iso,
        fonts=tuple(map(str, covering(unbundled(chart_text)))),
        drawings=drawings,
    )


def numbered_tables(results: Results) -> tuple[dict[str, int], list[Section]]:
    """Return the number of each table that the page prints, by its id, and the sections."""
    from reportgen import charts, sections

    figures = charts.figures(results)
    parts = sections.sections(results, figures, results.declared.notes)
    env, style = page_environment(extension_of(results)), PageStyle(interactive=False)
    _screen(env, head(results), figures, parts, style, None)
    page = env.globals["page"]
    assert isinstance(page, Page)  # noqa: S101 - environment() put it there
    return {name: at for (kind, name), at in page.numbers.items() if kind == "table"}, parts


def translation(results: Results) -> Translator | None:
    """Return what translates the texts of a report; None where they stay as they are."""
    from reportgen.sections.markdown import escape

    language, unit = results.declared.language, results.declared.unit
    of_groups = not unit and "averaged" in results.data
    if language == ENGLISH and not (unit or of_groups):
        return None
    names = names_of(results.to_dict())
    names |= set(map(escape, names))
    into = None if language == ENGLISH else translator(language, names)
    if of_groups:
        unit = ("group" if into is None else into.label("group"),)
    if unit and results.data["task"] == "regression":
        labels = {m.label: m.unit_power for m in results.definitions.metrics}
        labels["Pinball loss"] = 1  # of models of several quantiles
        labels |= {in_sentence(label): power for label, power in labels.items()}
        return with_truth_unit(into, unit[0], frozenset(names), labels)
    return with_unit(into, unit, names) if unit else into


def _translated(figure: Figure, into: Translator | None) -> Figure:
    if into is None:
        return figure
    narrow = None if figure.narrow is None else translated(figure.narrow, into.label)
    return replace(figure, chart=translated(figure.chart, into.label), narrow=narrow)


def _title(figure: Figure, into: Translator | None) -> str:
    return figure.title if into is None else into.label(figure.title)


def head(results: Results) -> Heading:
    """Return what the page says of itself."""
    from reportgen.charts.labels import clean

    created = datetime.fromisoformat(results.build["created"]).astimezone(UTC)
    theme = results.declared.theme
    return Heading(
        title=clean(results.title, 200),
        language=results.declared.language,
        build=results.build["id"],
        created=f"{created.day} {created:%B %Y, %H:%M} UTC",
        created_iso=created.isoformat(),
        results_hash=hashlib.sha256(results.to_json().encode()).hexdigest(),
        version=results.versions.get("reportgen", ""),
        logo=_logo(results, theme.logo),
        colors=_colors(theme.accent),
    )


def extension_of(results: Results) -> str | None:
    """Return the template that the theme extends the page by; None without one."""
    name = results.declared.theme.template
    return results.declared.notes.get(name) if name else None


def _logo(results: Results, name: str | None) -> str | None:
    """The logo as a data URL, as it travels with the results; anything else is none."""
    text = results.declared.notes.get(name) if name else None
    return text if text and text.startswith(("data:image/png;", "data:image/svg+xml;")) else None


ACCENT = Markup("\n:root {{ --accent: {0}; --link: {0} }}")
ACCENT_ON_DARK = Markup(
    "\n@media screen and (prefers-color-scheme: dark) {{ :root {{ --accent: {0}; --link: {0} }} }}"
)
"""The colour of a theme on a light screen and on paper, and on a dark screen."""


def _colors(accent: str | None) -> Markup:
    """The style of a theme, on a light page and on a dark one."""
    from reportgen.charts import dark

    if accent is None:
        return NO_COLORS
    return ACCENT.format(accent) + ACCENT_ON_DARK.format(lightened(accent, dark.PAGE))


def _screen(
    env: Environment,
    heading: Heading,
    figures: Sequence[Figure],
    parts: Sequence[Section],
    page_style: PageStyle,
    into: Translator | None,
) -> str:
    from reportgen.charts import dark

    sources = scripts_in(web.scripts(), into) if page_style.interactive and figures else ()
    charts = {figure.id: interactive(figure.chart) for figure in figures}
    colors = dark.rules(json.dumps([(figure.chart, figure.narrow) for figure in figures]))
    return _set(
        env,
        "html",
        ROWS_ON_SCREEN,
        report=heading,
        sections=parts,
        figures={
            figure.id: _drawn(
                figure,
                web.place(figure.id, figure.alt, wide=figure.width == "full"),
                data(figure.table, figure.named),
            )
            for figure in figures
        },
        css=_style("report.css") + heading.colors + Markup("\n") + Markup(colors),  # noqa: S704 - hex colours of our charts
        policy=web.policy(sources),
        blocks=web.data_blocks(charts) + web.data_blocks(_narrow(figures), "narrow")
        if sources
        else Markup(),
        siblings=page_style.siblings,
        scripts=[Markup(source) for source in sources],  # noqa: S704 - our own files
    )


def _narrow(figures: Sequence[Figure]) -> dict[str, VegaLite]:
    """The forms that wide charts take on a narrow screen."""
    from reportgen.charts.narrow_layout import narrowed

    wide = (figure for figure in figures if figure.width == "full")
    forms = {
        figure.id: interactive(figure.narrow)
        if figure.narrow
        else narrowed(interactive(figure.chart))
        for figure in wide
    }
    return {name: form for name, form in forms.items() if form is not None}


def _printed(
    env: Environment,
    heading: Heading,
    figures: Sequence[Figure],
    parts: Sequence[Section],
    page_style: PageStyle,
) -> str:
    return _set(
        env,
        "pdf",
        ROWS_IN_PRINT,
        report=heading,
        sections=parts,
        figures={
            figure.id: _drawn(figure, paper.place(figure.id, figure.alt), None)
            for figure in figures
        },
        css=_style("report.css", "print.css") + SIZES[page_style.paper] + heading.colors,
        sign_offs=page_style.sign_offs,
    )


def _drawn(figure: Figure, graphic: Markup, numbers: ChartData | None) -> Drawn:
    return Drawn(figure.id, figure.title, figure.subtitle, figure.width, graphic, numbers)


def _set(env: Environment, mode: str, row_limit: int, **context: Any) -> str:
    """Set a page, and number what its texts refer to."""
    page = env.globals["page"]
    assert isinstance(page, Page)  # noqa: S101 - environment() put it there
    page.begin(mode, row_limit, interactive=bool(context.get("scripts")))
    text = page.linked(set_page(env, {"mode": mode, **context}))
    parts = _OURS.split(text)
    parts[::2] = map(legible, parts[::2])
    return "".join(parts)


def _style(*files: str) -> Markup:
    texts = ((TEMPLATES / file).read_text(encoding="utf-8") for file in files)
    return Markup("\n".join((fonts.PLACE, *texts)))  # noqa: S704 - our own files


def data(table: pl.DataFrame, named: Collection[str] = ()) -> ChartData | None:
    """Return a figure's table as texts, cut to what is read rather than computed with.

    ``named`` columns have a name of the data as their head.
    """
    if table.is_empty():
        return None
    shown = table.head(ROWS_OF_FIGURE)
    return ChartData(
        tuple(name if name in named else name.replace("_", " ") for name in shown.columns),
        tuple(tuple(map(_text, row)) for row in shown.iter_rows()),
        table.height - shown.height,
    )


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.5g}".replace("-", "−")
    return str(value)
