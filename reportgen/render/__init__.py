"""Render results: one HTML file, a PDF, a summary in Markdown.

The pages' text is written here; charts, fonts and the PDF are made in a child
process (``python -m reportgen.render``) that has a deadline and a memory limit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING

from reportgen.errors import Problem, RenderError
from reportgen.render.page_style import DEFAULT, PageStyle

if TYPE_CHECKING:
    from jinja2 import Environment

    from reportgen.results import Results

DEADLINE = 120.0
"""Seconds of CPU time for charts and pages: most reports take less than ten."""

MEMORY = 2 * 2**30
FILES = MappingProxyType({"html": "report.html", "pdf": "report.pdf", "markdown": "summary.md"})
"""The file of each format that is made here."""

NOTHING: Mapping[str, bytes] = MappingProxyType({})
NO_NOTES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Rendered:
    """The files that were written, and the reasons why a requested one was not."""

    paths: tuple[Path, ...]
    notes: tuple[Problem, ...] = ()
    fonts: tuple[Path, ...] = ()
    """Fonts of this machine that were drawn with."""


def report(
    results: Results,
    directory: Path,
    formats: Collection[str],
    *,
    deadline: float = DEADLINE,
    memory: int = MEMORY,
    attachments: Mapping[str, bytes] = NOTHING,
    notes: Mapping[str, str] = NO_NOTES,
    page_style: PageStyle = DEFAULT,
) -> Rendered:
    """Write the required formats ("html", "pdf", "markdown") into a folder.

    ``attachments`` travel inside the PDF, by file name. ``notes`` are the texts
    of the spec's Markdown sections, by path. Where the PDF alone cannot be made,
    because system libraries are missing, the other formats are written and a
    note says what to install.

    Raises:
        RenderError: a chart, a character or a page cannot be shown as it should.
        LimitError: it took more than ``deadline`` seconds of CPU time (or ten
            times as long on the clock) or more than ``memory`` bytes.
    """
    from reportgen.render import pages, process

    paths = []
    if "markdown" in formats:
        paths.append(directory / FILES["markdown"])
        paths[0].write_text(summary(results), encoding="utf-8")
    if not {"html", "pdf"} & set(formats):
        return Rendered(tuple(paths))
    job = pages.job(results, formats, attachments=attachments, notes=notes, page_style=page_style)
    missing = process.run(job, directory, deadline=deadline, memory=memory)
    page_files = (directory / FILES[name] for name in ("html", "pdf") if name in formats)
    paths = [*(path for path in page_files if path.exists()), *paths]
    return Rendered(tuple(paths), tuple(missing), tuple(map(Path, job.fonts)))


def html(results: Results, page_style: PageStyle = DEFAULT) -> str:
    """Return the report as one HTML page that requests nothing."""
    return _rendered(results, "html", page_style).decode()


def pdf(results: Results, page_style: PageStyle = DEFAULT) -> bytes:
    """Return the report as PDF.

    Raises RenderError with the code ``pdf-libraries`` where the system
    libraries are missing.
    """
    return _rendered(results, "pdf", page_style)


def summary(results: Results) -> str:
    """Return the report's gist as Markdown, to be pasted into a review."""
    from reportgen.render.pages import translation
    from reportgen.sections.summary import text
    from reportgen.translation import markdown_in

    return markdown_in(text(results), translation(results))


def environment() -> Environment:
    """Return the environment that every template is set in."""
    from reportgen.render.templating import environment

    return environment()


def _rendered(results: Results, name: str, page_style: PageStyle) -> bytes:
    notes: Mapping[str, str] = results.declared.notes or NO_NOTES
    with TemporaryDirectory(prefix="reportgen-") as folder:
        rendered = report(results, Path(folder), [name], notes=notes, page_style=page_style)
        if rendered.notes:
            raise RenderError(*rendered.notes)
        return rendered.paths[0].read_bytes()
