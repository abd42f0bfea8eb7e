"""The text of a page, before a child process draws its charts and cuts its fonts."""

from __future__ import annotations

from reportgen.render import pages
from reportgen.render.page_style import DEFAULT
from reportgen.results import Results
from reportgen.translation import translator
from reportgen.translation.names import names_of


def page_text(results: Results) -> str:
    """All of the HTML that the results and the templates decide: a tenth of the time of a page."""
    notes = results.spec.get("notes") or {}
    job = pages.job(results, ["html"], attachments={}, notes=notes, page_style=DEFAULT)
    assert job.html is not None
    return job.html


def without_chinese(results: Results, lines: list[str]) -> dict:
    """Those of the texts that have no Chinese."""
    into = translator("zh", names_of(results.to_dict()))
    for line in lines:
        into.text(line)
    return into.missing
