"""Sections: each is a dataclass with a template, filled from the results.

To add one, write a module here with a dataclass under ``@section`` and its
template ``templates/sections/NAME.html.j2``; both are discovered, and
``make schemas`` tells specs of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.records.shown_models import featured
from reportgen.sections.registry import PREDICTIONS, SCORES
from reportgen.sections.registry import Section as Section
from reportgen.sections.registry import declared as declared

OF_ALL_MODELS = ("verdict", "key_numbers", "data", "rows", "provenance")
"""Sections that see every model; of many models the others show those that are featured."""

NO_NOTES: Mapping[str, str] = MappingProxyType({})


def sections(
    results: Results, figures: Sequence[Figure] = (), notes: Mapping[str, str] = NO_NOTES
) -> list[Section]:
    """Sections of a report in their order: those that the spec chooses and that apply.

    ``notes`` holds the texts of the spec's Markdown files by path. A name of
    another version is passed over.
    """
    from reportgen.sections.text import from_markdown

    result: list[Section] = []
    shown = featured(results)
    section_types = declared(SCORES if results.task.of_values else PREDICTIONS)
    chosen = [
        s for s in results.declared.shown_sections if not isinstance(s, str) or s in section_types
    ]
    for number, entry in enumerate(chosen, 1):
        if isinstance(entry, str):
            part: Section | None = section_types[entry].from_results(
                results if entry in OF_ALL_MODELS else shown, figures
            )
        else:
            path = entry["markdown"]
            part = from_markdown(number, path, entry.get("title"), notes.get(path))
        if part is not None:
            result.append(part)
    return result
