"""The manifest: what a build was made of and what it made, by SHA-256.

The PDF carries a manifest too, as an attachment. It cannot name the hash of
the file that it is in, so it ends before ``outputs`` (but for results.json,
which is written first); everything else in the two is the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from reportgen.clock import moment
from reportgen.records.rows import FileRecord
from reportgen.results import Results

SCHEMA = "reportgen/manifest/1"
NAME = "manifest.json"


class OutputRecord(TypedDict):
    """A file of a build or a font: its name, its hash, its size."""

    path: str
    sha256: str
    bytes: int


class Times(TypedDict):
    """When a build was begun, and when it was finished."""

    created: str
    finished: NotRequired[str]


class Manifest(TypedDict, total=False):
    """What a build was made of and what it made; one of an earlier version lacks some keys."""

    schema: str
    name: str
    build: str
    date: str
    inputs_sha256: str
    earlier: str | None
    test_set: str | None
    models: Sequence[str]
    formats: Sequence[str]
    title: str
    times: Times
    inputs: Sequence[FileRecord]
    spec_sha256: str | None
    spec: Mapping[str, Any]
    outputs: Sequence[OutputRecord]
    fonts: Sequence[OutputRecord]
    versions: Mapping[str, str]


def manifest(
    results: Results,
    outputs: Iterable[Path],
    fonts: Iterable[Path] = (),
    *,
    formats: Iterable[str] = (),
    finished: bool = True,
) -> str:
    """Return the manifest as JSON text.

    ``outputs`` are files that are already written, ``fonts`` those of the machine
    that the pages were drawn with beside the bundled ones, ``formats`` what was asked for.
    """
    times: Times = {"created": results.build["created"]}
    if finished:
        times["finished"] = moment().isoformat(timespec="seconds").replace("+00:00", "Z")
    text = results.declared.text
    document: Manifest = {
        "schema": SCHEMA,
        "name": results.build["name"],
        "build": results.build["id"],
        "date": results.build["date"],
        "inputs_sha256": results.build["inputs_sha256"],
        "earlier": results.build.get("earlier"),
        "test_set": results.build.get("test_set"),
        "models": [model["name"] for model in results.data.get("models") or ()],
        "formats": list(formats),
        "title": results.title,
        "times": times,
        "inputs": [*results.data["files"], *results.data.get("reference", ())],
        "spec_sha256": hashlib.sha256(text.encode()).hexdigest() if text else None,
        "spec": results.spec,
        "outputs": [described(path) for path in outputs],
        "fonts": [described(path) for path in fonts],
        "versions": results.versions,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def described(path: Path) -> OutputRecord:
    """Return name, hash and size of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"path": path.name, "sha256": digest, "bytes": path.stat().st_size}
