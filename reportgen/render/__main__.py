"""The child process: ``python -m reportgen.render JOB DIRECTORY``.

Makes the pages of a job, and leaves ``outcome.json`` beside it: the problems,
and the name of the error that ended the work, or null. Where a file cannot be
written its exit code tells the system's error: a full disk takes no last word.
"""

from __future__ import annotations

import errno
import gc
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from reportgen import interrupts
from reportgen.errors import Problem, RenderError, ReportgenError
from reportgen.render import fonts, page_gaps, paper, svg, typefaces, web
from reportgen.render.job import Job
from reportgen.render.process import UNWRITTEN

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def make(job: Job, directory: Path, scratch: Path) -> list[Problem]:
    """Write the pages of a job; return what this machine cannot make though the rest is there.

    ``scratch`` is a folder for what is needed on the way.
    """
    drawings = svg.drawings(job.charts, _fonts_of(job, scratch))
    pages = [page for page in (job.html, job.pdf) if page is not None]
    shown = set().union(*map(fonts.visible, [*pages, *drawings.values()]))
    more = fonts.with_pictures(shown, fonts.others(job.fonts))
    fonts.check(shown, more)
    embedded = tuple(typefaces.faces(job.typeface, scratch))
    cut = fonts.subsets(shown, (*embedded, *fonts.FACES, *more))
    missing = [] if job.pdf is None else _pdf(job, job.pdf, directory, drawings, cut)
    if job.html is not None:
        linked = web.without_link(job.html, "report.pdf") if missing else job.html
        page = web.document(linked, drawings, job.titles, cut)
        (directory / "report.html").write_text(page, encoding="utf-8")
    if "png" in job.drawings:
        for name, drawing in drawings.items():
            (directory / f"{name}.png").write_bytes(svg.pixels(drawing))
    if "svg" in job.drawings:
        faces = {face: font for face, font in cut.items() if face.family == fonts.SANS}
        for name, drawing in drawings.items():
            alone = web.alone(drawing, faces)
            (directory / f"{name}.svg").write_text(alone, encoding="utf-8")
    return missing


def _pdf(
    job: Job,
    page: str,
    directory: Path,
    drawings: Mapping[str, str],
    cut: Mapping[fonts.Face, bytes],
) -> list[Problem]:
    """Write the PDF, or return why this machine cannot."""

    def lowered(name: str, by: float) -> str | None:
        chart = page_gaps.lowered(job.charts[name], by)
        return None if chart is None else svg.drawing(name, chart)

    try:
        written = paper.document(page, drawings, cut, job.attachments, job.created, lowered)
    except RenderError as error:
        if error.problems[0].code != paper.NO_LIBRARIES:
            raise
        return list(error.problems)
    (directory / "report.pdf").write_bytes(written)
    return []


def _fonts_of(job: Job, scratch: Path) -> Path:
    """Lay fonts with the characters that the charts may show into a folder of their own."""
    folder = scratch / "fonts"
    folder.mkdir()
    possible = set(json.dumps(list(job.charts.values()), ensure_ascii=False))
    faces = (*fonts.FACES, *fonts.with_pictures(possible, fonts.others(job.fonts)))
    for face, font in fonts.subsets(possible, faces).items():
        (folder / face.file).write_bytes(font)
    return folder


def main(order: Path, directory: Path) -> int:
    """Do a job and leave word of how it went."""
    try:
        error, problems = attempted(order, directory)
        outcome = {"error": error, "problems": [problem.to_dict() for problem in problems]}
        order.with_name("outcome.json").write_text(json.dumps(outcome), encoding="utf-8")
    except OSError as raised:
        if raised.errno not in _FULL:
            raise
        return UNWRITTEN + raised.errno
    return 0 if error is None else RenderError.exit_code


def attempted(order: Path, directory: Path) -> tuple[str | None, list[Problem]]:
    """Do a job; return the name of the error that ended it, if any, and the problems."""
    try:
        job = Job.from_json(order.read_text(encoding="utf-8"))
        return None, make(job, directory, order.parent)
    except ReportgenError as raised:
        return type(raised).__name__, list(raised.problems)


if __name__ == "__main__":
    gc.disable()  # the process ends before there is much to collect
    interrupts.end_with_parent()
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
