"""Sign a build off: a new PDF whose page one says who accepts these results, role of the signer.

    OUT/SPEC/20261122-5f0c4a1b/              the build, which stays as it is
    OUT/SPEC/signed/20261122-5f0c4a1b.pdf    its report with every sign-off

Page one has a signature field for each. A sign-off holds for the results whose hash it names,
so that no later build takes it over. The PDF carries the record: there is one file, which is
replaced as a whole.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock, Timeout

from reportgen import render
from reportgen.builds.make import FILES, page_style, pdf_attachments
from reportgen.builds.publish import naming_faults
from reportgen.builds.stored import manifest_of, signed_pdf
from reportgen.clock import moment
from reportgen.errors import DataError, LockedError, Problem, RenderError, SpecError
from reportgen.records.build_identity import versions
from reportgen.records.sign_off import FILE, SignOff, checked, from_json, to_json
from reportgen.results import Results

PATIENCE = 120.0
"""Seconds that a sign-off waits for another one of the same spec."""


@dataclass(frozen=True)
class Signed:
    """The PDF with sign-offs, and all of them; ``is_new`` is false where this one was there."""

    pdf: Path
    sign_offs: tuple[SignOff, ...]
    is_new: bool


def sign(build: Path | str, by: str, role: str) -> Signed:
    """Sign a build off, and write its PDF with this sign-off and the earlier ones on page one.

    The same person in the same role signs a build once: a second time changes nothing.

    Args:
        build: The folder of the build.
        by: Name of the signer.
        role: In which role, such as ``model owner``.

    Raises:
        SpecError: name or role is empty, or longer than 80 characters.
        DataError: the folder is no build, or its results are not those of the manifest.
        LockedError: another process has been signing a build of this spec for two minutes.
        RenderError, LimitError: the PDF cannot be made on this machine.
        OutputError: it cannot be written.
    """
    by, role = checked("--by", by), checked("--role", role)
    folder = Path(build).resolve()
    content = _results(folder)
    digest = hashlib.sha256(content).hexdigest()
    target = signed_pdf(folder)
    with naming_faults(target.parent):
        target.parent.mkdir(exist_ok=True)
        try:
            with FileLock(target.parent / ".lock", timeout=PATIENCE):
                before = sign_offs_of(target) if target.exists() else ()
                if any((one.by, one.role) == (by, role) for one in before):
                    return Signed(target, before, is_new=False)
                at = f"{moment():%Y-%m-%dT%H:%M:%SZ}"
                every = (*before, SignOff(folder.name, digest, by, role, at))
                _write(content, folder, every, target)
        except Timeout:
            message = "another process is signing here"
            problem = Problem("locked", message, str(target.parent), "try again when it has ended")
            raise LockedError(problem) from None
    return Signed(target, every, is_new=True)


def sign_offs_of(pdf: Path) -> tuple[SignOff, ...]:
    """The sign-offs that a PDF carries; none where it was not signed off.

    Raises ``DataError`` where it cannot be read.
    """
    content = attachments(pdf).get(FILE)
    return () if content is None else tuple(from_json(content, str(pdf))[0])


def _results(folder: Path) -> bytes:
    manifest = manifest_of(folder)
    if manifest.get("build") != folder.name:
        hint = "name OUT/SPEC/latest, an id or a folder"
        raise DataError(Problem("no-build", "this is not a build", str(folder), hint))
    path = folder / FILES["json"]
    try:
        content = path.read_bytes()
    except OSError:
        message, hint = "a build without results.json cannot be signed off", "build with json too"
        raise DataError(Problem("no-results", message, str(path), hint)) from None
    hashes = {output["path"]: output["sha256"] for output in manifest.get("outputs") or ()}
    if hashes.get(path.name) != hashlib.sha256(content).hexdigest():
        message = "the results differ from those of the manifest"
        hint = f"`reportgen verify {folder.name}` says what has changed"
        raise DataError(Problem("changed", message, str(path), hint))
    _refuse_other_formats(content, path)
    return content


def _refuse_other_formats(content: bytes, path: Path) -> None:
    """Refuse unedited results that cannot be read: another version's format has other fields."""
    try:
        Results.from_json(content.decode(), path.name)
    except (DataError, SpecError):
        message = "this version of reportgen cannot read results of the version that wrote them"
        hint = (
            "build the report again and sign that build, or sign with the version of its manifest"
        )
        raise DataError(Problem("results-schema", message, str(path), hint)) from None


def _write(content: bytes, folder: Path, every: tuple[SignOff, ...], target: Path) -> None:
    """Make the PDF in a folder of its own, then put it in its place."""
    fresh = target.with_name(f".{target.name}-{os.getpid()}")
    try:
        with TemporaryDirectory(prefix="reportgen-") as place:
            rendered = render_signed(
                content, every, Path(place), manifest_of(folder).get("formats")
            )
            fresh.write_bytes(rendered.read_bytes())
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def render_signed(
    content: bytes, sign_offs: tuple[SignOff, ...], place: Path, formats: Sequence[str] | None
) -> Path:
    """Make the PDF of results with sign-offs; return its file.

    Raises ``DataError`` where the results cannot be read, ``RenderError`` where this machine
    makes no PDF.
    """
    results = Results.from_json(content.decode(), FILES["json"])
    (place / FILES["json"]).write_bytes(content)
    carried = pdf_attachments(results, [place / FILES["json"]], formats or list(FILES))
    carried[FILE] = to_json(sign_offs, versions()).encode()
    signed_style = replace(page_style(results), sign_offs=sign_offs)
    notes = results.declared.notes
    report = render.report(
        results, place, ["pdf"], attachments=carried, notes=notes, page_style=signed_style
    )
    if report.notes:
        raise RenderError(*report.notes)
    return report.paths[0]


_BROKEN = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What pypdf raises where an object in a file is of another kind than it takes it for."""


def attachments(path: Path) -> dict[str, bytes]:
    """Return what a PDF carries, by file name.

    Raises:
        DataError: it cannot be read as a PDF.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # our message says what it says, once
    try:
        with PdfReader(path) as reader:
            return {name: contents[0] for name, contents in reader.attachments.items()}
    except (PyPdfError, OSError, *_BROKEN) as error:
        reason = f"cannot be read as a PDF ({type(error).__name__})"
        if isinstance(error, FileNotFoundError):
            reason = "there is no such file"
        hint = "name the folder of a build, or its report.pdf"
        raise DataError(Problem("unreadable", reason, str(path), hint)) from error
