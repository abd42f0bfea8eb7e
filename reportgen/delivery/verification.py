"""Is a build, or a PDF by itself, what was published?

Every file is compared with the manifest, what the PDF carries with what stands beside it, and
the pages with what the numbers give when they are rendered once more. The last is possible
only where libraries and fonts are those of the manifest; elsewhere the check says so.

A hash shows that files fit together, not who made them: somebody who can write to the folder
can write a manifest too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from reportgen.builds.make import FILES, write_files
from reportgen.builds.manifest import NAME, Manifest, OutputRecord, described
from reportgen.builds.stored import SIGNED, content_of, signed_pdf
from reportgen.delivery.signing import attachments, render_signed
from reportgen.errors import DataError, Problem, ReportgenError
from reportgen.records import sign_off
from reportgen.records.build_identity import versions
from reportgen.results import Results

CheckState = Literal["ok", "failed", "not checked"]

SPEC = "report.yaml"

_PAGES = tuple(file for name, file in FILES.items() if name != "json")


@dataclass(frozen=True)
class VerificationCheck:
    """What was checked, how it came out, and why."""

    name: str
    state: CheckState
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.state:<11} {self.name}" + (f": {self.detail}" if self.detail else "")


def verify(path: Path | str) -> list[VerificationCheck]:
    """Check a folder of a build, or a PDF.

    Args:
        path: The folder, or the PDF.

    Returns:
        Every check, in the order of the files; the build is what it was where none failed.

    Raises:
        DataError: it is neither, or has no manifest that can be read.

    >>> [str(check) for check in [VerificationCheck("report.pdf", "ok")]]
    ['ok          report.pdf']
    """
    path = Path(path)
    return list(_folder(path) if path.is_dir() else _pdf(path))


def _folder(folder: Path) -> Iterator[VerificationCheck]:
    manifest = _manifest(_read(folder / NAME), folder / NAME)
    for output in manifest["outputs"]:
        yield _file(folder / output["path"], output)
    listed = {output["path"] for output in manifest["outputs"]} | {NAME}
    for extra in sorted(entry.name for entry in folder.iterdir() if entry.name not in listed):
        yield VerificationCheck(extra, "not checked", "the manifest does not list it")
    pdf, results = folder / FILES["pdf"], folder / FILES["json"]
    if pdf.exists():
        attached = attachments(pdf)
        yield from _attached(attached, manifest)
        if results.exists():
            same = attached.get(FILES["json"]) == _read(results)
            name = f"{pdf.name}: {FILES['json']} as beside it"
            yield _compared(name, same, "it differs from the file")
    if results.exists():
        published = {
            output["path"]: output["sha256"]
            for output in manifest["outputs"]
            if output["path"] in _PAGES
        }
        yield from _rendered(_read(results), manifest, published)
    signed = signed_pdf(folder)
    if signed.exists():
        content = _read(results) if results.exists() else b""
        yield from _signed(signed, attachments(signed), manifest, content)


def _pdf(path: Path) -> Iterator[VerificationCheck]:
    attached = attachments(path)
    content = attached.get(NAME)
    if content is None:
        raise DataError(Problem("no-manifest", "this PDF carries no manifest", str(path)))
    manifest = _manifest(content, path)
    if sign_off.FILE in attached:
        yield from _signed(path, attached, manifest, attached.get(FILES["json"], b""))
        return
    yield from _attached(attached, manifest)
    if FILES["json"] in attached:
        digest = described(path)["sha256"]
        yield from _rendered(attached[FILES["json"]], manifest, {FILES["pdf"]: digest})


def _signed(
    path: Path, attached: Mapping[str, bytes], manifest: Manifest, results: bytes
) -> Iterator[VerificationCheck]:
    """Check a PDF with sign-offs: that they are of these results, and that it is their PDF."""
    name = f"{SIGNED}/{path.name}"
    sign_offs, made_with = sign_off.from_json(attached.get(sign_off.FILE, b""), name)
    digest = hashlib.sha256(results).hexdigest()
    for one in sign_offs:
        same = (one.build, one.results_sha256) == (manifest["build"], digest)
        yield _compared(f"sign-off by {one.by}, {one.role}", same, "it belongs to other results")
    yield from _attached(attached, manifest, name)
    differing = _differing(made_with)
    if differing:
        yield VerificationCheck(f"{name} from the numbers", "not checked", differing)
        return
    with TemporaryDirectory() as place:
        try:
            rendered = render_signed(results, tuple(sign_offs), Path(place), manifest["formats"])
        except (ReportgenError, UnicodeDecodeError) as error:
            reason = str(error).partition("\n")[0]
            yield VerificationCheck(
                f"{name} from the numbers", "failed", f"it cannot be rendered: {reason}"
            )
            return
        yield _same_pdf(name, _read(path), rendered.read_bytes())


def _same_pdf(name: str, published: bytes, rendered: bytes) -> VerificationCheck:
    """Compare a PDF with its rendering; a digital signature is written behind what was there."""
    name = f"{name} from the numbers"
    if published != rendered and published.startswith(rendered):
        reason = "something was appended, such as a digital signature: check it in a PDF reader"
        return VerificationCheck(name, "not checked", reason)
    return _compared(name, published == rendered, "rendering the numbers gives a different page")


def _read(path: Path) -> bytes:
    try:
        return content_of(path)
    except OSError as error:
        reason = f"cannot be read: {(error.strerror or '').lower()}"
        hint = "name a build, such as reports/NAME/latest" if path.name == NAME else ""
        raise DataError(Problem("unreadable", reason, str(path), hint)) from error


def _manifest(content: bytes, place: Path) -> Manifest:
    try:
        manifest: Manifest = json.loads(content)
        if not all(isinstance(output["path"], str) for output in manifest["outputs"]):
            raise TypeError
        names = {Path(output["path"]).name for output in manifest["outputs"]}
        if names != {output["path"] for output in manifest["outputs"]}:
            raise ValueError
        if not set(manifest["formats"]) <= set(FILES) or "versions" not in manifest:
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        message = "this is not the manifest of a build"
        raise DataError(Problem("no-manifest", message, str(place))) from None
    return manifest


def _file(path: Path, output: OutputRecord) -> VerificationCheck:
    if not path.is_file():
        return VerificationCheck(path.name, "failed", "the file is missing")
    same = described(path)["sha256"] == output.get("sha256")
    return _compared(path.name, same, "the content differs from the manifest")


def _attached(
    attached: Mapping[str, bytes], manifest: Manifest, pdf: str = FILES["pdf"]
) -> Iterator[VerificationCheck]:
    """Check what a PDF carries against a manifest: its own, or the one beside it."""
    carried = _manifest(attached.get(NAME, b""), Path(pdf))
    keys = ("name", "build", "inputs", "inputs_sha256", "spec_sha256", "versions")
    differing = [fact for fact in keys if carried.get(fact) != manifest.get(fact)]
    detail = f"{', '.join(differing)} differ from the manifest"
    yield _compared(f"{pdf}: {NAME}", not differing, detail)
    hashes: dict[str, str | None] = {o["path"]: o.get("sha256") for o in carried["outputs"]}
    hashes[SPEC] = manifest.get("spec_sha256")
    for name, digest in hashes.items():
        if digest is not None:
            same = hashlib.sha256(attached.get(name, b"")).hexdigest() == digest
            yield _compared(f"{pdf}: {name}", same, "the content differs from the manifest")


def _rendered(
    content: bytes, manifest: Manifest, published: Mapping[str, str]
) -> Iterator[VerificationCheck]:
    """Render the numbers once more and compare the pages, byte for byte."""
    reason = _differing(manifest["versions"])
    if reason:
        yield from (
            VerificationCheck(f"{name} from the numbers", "not checked", reason)
            for name in published
        )
        return
    with TemporaryDirectory() as place:
        try:
            results = Results.from_json(content.decode(), FILES["json"])
            fonts = write_files(results, Path(place), manifest["formats"])
        except (ReportgenError, UnicodeDecodeError) as error:
            reason = str(error).partition("\n")[0]
            yield VerificationCheck(
                "pages from the numbers", "failed", f"they cannot be rendered: {reason}"
            )
            return
        if [font["sha256"] for font in fonts] != [f["sha256"] for f in manifest.get("fonts", ())]:
            reason = "fonts differ from those of the manifest"
            yield VerificationCheck("pages from the numbers", "not checked", reason)
            return
        for name, digest in published.items():
            written = Path(place) / name
            same = written.exists() and described(written)["sha256"] == digest
            yield _compared(
                f"{name} from the numbers", same, "rendering the numbers gives a different page"
            )


def _differing(made_with: Mapping[str, str]) -> str:
    """Which libraries have another version here, in words; empty where none has."""
    here = versions().items()
    differing = sorted(name for name, version in here if made_with.get(name) != version)
    return (
        f"versions differ from those of the manifest: {', '.join(differing)}" if differing else ""
    )


def _compared(name: str, same: object, detail: str) -> VerificationCheck:
    return VerificationCheck(name, "ok") if same else VerificationCheck(name, "failed", detail)
