"""The text of a page, before a child process draws its charts and cuts its fonts."""

from __future__ import annotations

from reportgen.render import pages
from reportgen.render.page_style import DEFAULT
from reportgen.results import Results


def page_text(results: Results) -> str:
    """All of the HTML that the results and the templates decide: a tenth of the time of a page."""
    notes = results.spec.get("notes") or {}
    job = pages.job(results, ["html"], attachments={}, notes=notes, page_style=DEFAULT)
    assert job.html is not None
    return job.html
