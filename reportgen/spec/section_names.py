"""The sections of a report by name, as they were published.

They are declared where they are filled, above this package: ``reportgen.sections`` publishes
their names as ``schemas/sections.json``; a test says when it is out of date, and ``make schemas``
writes it again.
"""

from __future__ import annotations

import json

from reportgen.resources import SCHEMAS

PUBLISHED = SCHEMAS / "sections.json"

_PUBLISHED: dict[str, list[str]] = json.loads(PUBLISHED.read_text(encoding="utf-8"))

SECTIONS = tuple(_PUBLISHED["sections"])
"""The sections of a report, in their order."""

FURTHER = tuple(_PUBLISHED["further"])
"""Those that are left out unless the spec names them, or asks for all measures."""
