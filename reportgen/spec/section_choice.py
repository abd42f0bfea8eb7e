"""Which sections of a report a spec shows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.resources import SCHEMAS

PUBLISHED = SCHEMAS / "sections.json"

_PUBLISHED: dict[str, list[str]] = json.loads(PUBLISHED.read_text(encoding="utf-8"))

SECTIONS = tuple(_PUBLISHED["sections"])
"""The sections of a report, in their order."""

FURTHER = tuple(_PUBLISHED["further"])
"""Those that are left out unless the spec names them, or asks for all measures."""


SectionChoice = str | Sequence[Any] | Mapping[str, Any]
"""The usual sections, a list of them, or what is added and omitted."""

LAST = ("methods", "provenance")
"""The sections that those of your own stand before."""


def shown_sections(choice: SectionChoice, *, all_measures: bool = False) -> list[Any]:
    """Names of sections, and mappings of own texts, in the order of the report.

    ``choice`` is that of the spec. The further sections are shown where they are named, and
    where all measures are asked for.

    >>> shown_sections({"add": [{"markdown": "notes.md"}]})[-3:]
    [{'markdown': 'notes.md'}, 'methods', 'provenance']
    >>> shown_sections({"omit": ["data", "shift"], "add": ["curves"]})[:3]
    ['verdict', 'key_numbers', 'discrimination']
    """
    if isinstance(choice, list | tuple):
        return list(choice)
    changes = choice if isinstance(choice, Mapping) else {}
    named = changes.get("add", ())
    texts = [entry for entry in named if not isinstance(entry, str)]
    added = FURTHER if all_measures else named
    usual: list[Any] = [name for name in SECTIONS if name not in FURTHER or name in added]
    shown = [name for name in usual if name not in changes.get("omit", ())]
    place = next((i for i, name in enumerate(shown) if name in LAST), len(shown))
    return [*shown[:place], *texts, *shown[place:]]
