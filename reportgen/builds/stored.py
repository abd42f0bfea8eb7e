"""Published builds as their folders have them: which there are, and in which order.

OUT/<spec name>/<date>-<hash>/    a build
OUT/<spec name>/latest            the newest one of the latest date
"""

from __future__ import annotations

import datetime as dt
import errno
import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, cast

from reportgen.builds.manifest import NAME, Manifest
from reportgen.builds.publish import LATEST
from reportgen.errors import DataError, Problem, SpecError
from reportgen.predictions import all_hashes
from reportgen.records.build_identity import dated, inputs_digest
from reportgen.records.contract import BUILD_ID
from reportgen.spec import Spec

_ID = re.compile(BUILD_ID)

SIGNED = "signed"
"""Folder beside the builds of a spec, of the PDFs with sign-offs: ``signed/ID.pdf``."""


def results_text(folder: Path) -> str:
    """The results of a build; ``DataError`` where it was built without them."""
    source = folder / "results.json"
    try:
        return content_of(source).decode()
    except OSError:
        hint = "build it with the format json"
        problem = Problem("no-results", "the build has no results.json", str(folder), hint)
        raise DataError(problem) from None
    except UnicodeDecodeError:
        raise DataError(Problem("results-json", "these are no results", str(source))) from None


def refuse_own_builds(source: Path, out: Path) -> None:
    """Refuse to publish a build again among those of its spec: ``latest`` and history would change.

    ``source`` are its results, in ``OUT/SPEC/BUILD``. Raises ``SpecError``.
    """
    if source.resolve().parents[2:3] == (out.resolve(),):
        message = f"the builds of {source.resolve().parents[1].name!r} are in this folder"
        hint = "--out names another one, such as --out again"
        raise SpecError(Problem("own-builds", message, str(out), hint))


def content_of(path: Path) -> bytes:
    """What a file holds; ``OSError`` too where it is a pipe or a device, which may have no end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file")
    return path.read_bytes()


def object_in(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty where it cannot be read as one."""
    try:
        content = json.loads(content_of(path).decode())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def manifest_of(path: Path) -> Manifest:
    """The manifest of a build; empty where it cannot be read."""
    return cast("Manifest", object_in(path / NAME))


def build_ids(folder: Path) -> list[str]:
    """The names of the builds in a spec's folder, in order of their date."""
    try:
        names = [entry.name for entry in folder.iterdir() if _ID.fullmatch(entry.name)]
    except OSError:
        return []
    return sorted(names)


def date_of(build_id: str) -> dt.date | None:
    """The logical date in the id of a build; null where it is no id.

    >>> date_of("20261122-5f0c4a1b"), date_of("latest")
    (datetime.date(2026, 11, 22), None)
    """
    try:
        return dt.datetime.strptime(build_id[:8], "%Y%m%d").date() if _ID.match(build_id) else None
    except ValueError:
        return None


def signed_pdf(build: Path) -> Path:
    """The PDF with the sign-offs of a build, where there are any."""
    build = build.resolve()
    return build.parent / SIGNED / f"{build.name}.pdf"


def is_latest(target: Path) -> bool:
    """Whether a build is of no earlier date than the one that ``latest`` names."""
    link = target.parent / LATEST
    if not link.exists():
        return True
    there, date = date_of(link.resolve().name), date_of(target.name)
    return there is None or date is None or date >= there


def unchanged(
    folder: Path,
    spec: Spec,
    date: dt.date,
    formats: Collection[str],
    notes: Mapping[str, str],
    earlier: str | None = None,
) -> Path | None:
    """The build of this date that was made of the same inputs and is whole; nothing where none is.

    ``earlier`` is the digest of the builds that its gates compare it with.
    The data are only read where there is a build of this date.
    """
    of_date = [name for name in build_ids(folder) if date_of(name) == date]
    if not of_date:
        return None
    first = dated(date, inputs_digest(spec, all_hashes(spec)))
    for name in of_date:
        if not name.startswith(first["id"]):
            continue
        manifest = manifest_of(folder / name)
        same = manifest.get("inputs_sha256") == first["inputs_sha256"]
        same &= set(manifest.get("formats") or ()) == set(formats)
        same &= (manifest.get("spec") or {}).get("notes") == dict(notes)
        same &= manifest.get("earlier") == earlier
        if same and is_whole(folder / name, manifest):
            return folder / name
    return None


def is_whole(path: Path, manifest: Manifest) -> bool:
    """Whether every output of a build is there in its size."""
    outputs = manifest.get("outputs") or ()
    try:
        return all((path / o["path"]).stat().st_size == o["bytes"] for o in outputs)
    except OSError:
        return False
