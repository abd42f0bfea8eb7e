"""What ``privacy`` may ask for where single rows are shown."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.spec.base import Issue
from reportgen.spec.models import Spec
from reportgen.spec.section_choice import shown_sections

ROWS = "rows"
"""The section of single rows."""


def shows_rows(spec: Spec) -> bool:
    """Whether the report has a section of single rows."""
    sections = spec.sections if isinstance(spec.sections, tuple) else None
    if sections is not None:
        return ROWS in sections
    choice = spec.model_dump(include={"sections"})["sections"]
    return ROWS in shown_sections(choice, all_measures=spec.measures == "all")


def single_row_issues(spec: Spec) -> Iterator[Issue]:
    """Return what ids and further columns of single rows lack, or contradict."""
    privacy = spec.privacy
    reason = _without_rows(spec)
    if privacy.ids != "hidden":
        if spec.columns.id is None:
            message = f"privacy.ids: {privacy.ids} has no effect without columns.id"
            hint = "name the column of the ids: columns: {id: ...}"
            yield Issue(("privacy", "ids"), "no-effect", message, hint, privacy.ids)
        elif privacy.small_cells is not None:
            message = f"privacy.ids: {privacy.ids} has no effect: {reason}"
            yield Issue(("privacy", "ids"), "conflict", message, "leave out one of them")
    if privacy.show and reason is not None:
        message = f"privacy.show has no effect: {reason}"
        yield Issue(("privacy", "show"), "conflict", message, "leave it out")
    for index, column in enumerate(privacy.show):
        if column == spec.columns.id:
            message = f"privacy.show names the column of the ids, {column!r}"
            hint = "ids are shown by privacy: {ids: shown}"
            yield Issue(("privacy", "show", index), "conflict", message, hint, column)


def _without_rows(spec: Spec) -> str | None:
    """Why the report shows no single rows; null where it does."""
    if spec.privacy.small_cells is not None:
        return "with privacy.small_cells no single row is shown"
    if not shows_rows(spec):
        return f"the section {ROWS} is not in the report"
    if spec.engine not in ("auto", "exact"):
        return "only engine: exact shows single rows"
    return None
