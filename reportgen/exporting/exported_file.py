"""One file of an export, as its index lists it."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class ExportedFile(TypedDict):
    """A file, its kind and what it holds; a table of numbers has rows, a printed one its number."""

    file: str
    kind: str
    holds: str
    rows: NotRequired[int]
    number: NotRequired[int]
