"""Which sections of a report a spec shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from reportgen.resources import SCHEMAS

PUBLISHED = SCHEMAS / "sections.json"

_PUBLISHED: dict[str, list[str]] = json.loads(PUBLISHED.read_text(encoding="utf-8"))

SECTIONS = tuple(_PUBLISHED["sections"])
"""The sections of a report, in their order."""

FURTHER = tuple(_PUBLISHED["further"])
"""Those that are left out unless the spec names them, or asks for all measures."""


LAST = ("methods", "provenance")
"""The sections that those of your own stand before."""


def prints_all_measures(spec: Mapping[str, Any]) -> bool:
    """Whether the report prints every measure of every model, with its formula."""
    return spec.get("measures") == "all"


def shown_sections(spec: Mapping[str, Any]) -> list[Any]:
    """Names of sections, and mappings of own texts, in the order of the report.

    ``spec`` holds plain values, as the results do. The further sections are
    shown where they are named, and where all measures are asked for.

    >>> shown_sections({"sections": {"add": [{"markdown": "notes.md"}]}})[-3:]
    [{'markdown': 'notes.md'}, 'methods', 'provenance']
    >>> shown_sections({"sections": {"omit": ["data", "shift"], "add": ["curves"]}})[:3]
    ['verdict', 'key_numbers', 'discrimination']
    """
    choice = spec.get("sections", "default")
    if isinstance(choice, list | tuple):
        return list(choice)
    changes = choice if isinstance(choice, Mapping) else {}
    named = changes.get("add", ())
    texts = [entry for entry in named if not isinstance(entry, str)]
    added = FURTHER if prints_all_measures(spec) else named
    usual: list[Any] = [name for name in SECTIONS if name not in FURTHER or name in added]
    shown = [name for name in usual if name not in changes.get("omit", ())]
    place = next((i for i, name in enumerate(shown) if name in LAST), len(shown))
    return [*shown[:place], *texts, *shown[place:]]
