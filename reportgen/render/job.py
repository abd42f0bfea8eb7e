"""What the child process is given to do: only text, nothing to evaluate."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that travels inside the PDF; ``relationship`` is its role there."""

    name: str
    content: str
    description: str = ""
    relationship: str = "Supplement"

    @classmethod
    def of(cls, name: str, content: bytes) -> Attachment:
        """Wrap a file's bytes; its role follows from its name."""
        description, relationship = _ROLES.get(name.rpartition(".")[2], ("", "Supplement"))
        return cls(name, base64.b64encode(content).decode(), description, relationship)

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return base64.b64decode(self.content)


_ROLES = {
    "json": ("Every number of the report, readable by machines", "Data"),
    "yaml": ("The spec that the report was built from", "Source"),
}


DrawingKind = Literal["svg", "png"]
DRAWING_KINDS: tuple[DrawingKind, ...] = ("svg", "png")
"""What a chart may be drawn as, in a file of its own."""


@dataclass(frozen=True, slots=True)
class Job:
    """One report to make: its pages with places for charts, and the charts.

    ``html`` and ``pdf`` are the text of the page for either format, or null
    where that format is not requested. ``charts`` are Vega-Lite specifications by
    figure id, ``titles`` what each shows. ``created`` is the build's time in ISO 8601, ``fonts``
    the files of this machine that are drawn with beside the bundled fonts. ``drawings``
    are the kinds of files that each chart is written to by itself, ``typeface`` the fonts of
    the theme in base64, by their keys in the spec.
    """

    html: str | None
    pdf: str | None
    charts: Mapping[str, Mapping[str, Any]]
    titles: Mapping[str, str]
    created: str
    attachments: tuple[Attachment, ...] = field(default=())
    fonts: tuple[str, ...] = field(default=())
    drawings: tuple[DrawingKind, ...] = field(default=())
    typeface: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """Write the job down for the child process."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return json.dumps(plain, ensure_ascii=False, default=asdict)

    @classmethod
    def from_json(cls, text: str) -> Job:
        """Read a job as it was written."""
        plain = json.loads(text)
        attachments = tuple(Attachment(**item) for item in plain.pop("attachments"))
        plain |= {key: tuple(plain[key]) for key in ("fonts", "drawings")}
        return cls(**{**plain, "attachments": attachments})
