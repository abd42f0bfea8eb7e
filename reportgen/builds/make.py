"""Build a report: evaluate a spec, write every format, publish the folder."""

from __future__ import annotations

import datetime as dt
import filecmp
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from reportgen.builds import index, manifest, row_files, stored
from reportgen.builds.channel import limit, limit_drawing, published, staged, writing
from reportgen.builds.earlier import EarlierBuilds, is_against_builds
from reportgen.builds.given_files import given_files
from reportgen.builds.manifest import Manifest, OutputRecord
from reportgen.builds.publish import naming_faults
from reportgen.clock import moment
from reportgen.errors import DataError, Problem, RenderError, SpecError
from reportgen.frames import FrameLike
from reportgen.progress import OnStep, silent, steps
from reportgen.records.build_identity import dated
from reportgen.records.rows import rows_of
from reportgen.results import Results
from reportgen.spec import Spec, from_dict, read
from reportgen.spec.naming import is_name
from reportgen.tables import NotableRows
from reportgen.tables.results import GateRow

if TYPE_CHECKING:
    from reportgen.render.page_style import PageStyle

FILES = {
    "html": "report.html",
    "pdf": "report.pdf",
    "json": "results.json",
    "markdown": "summary.md",
}
"""The file that each format is written to."""


@dataclass(frozen=True, repr=False)
class Build:
    """A published build: its folder, its results, and the file of each format.

    ``notices`` say which format could not be made on this machine, and why.
    ``unchanged``: it was there already, from the same inputs at the same date.
    """

    path: Path
    results: Results
    files: Mapping[str, Path]
    notices: tuple[Problem, ...] = ()
    unchanged: bool = False

    @property
    def name(self) -> str:
        """The name of the spec."""
        return str(self.results.build["name"])

    @property
    def date(self) -> dt.date:
        """The logical date of the build."""
        return dt.date.fromisoformat(self.results.build["date"])

    def __repr__(self) -> str:
        return f"{self.results!r}\n{self.path}"

    def _repr_html_(self) -> str:
        return self.results._repr_html_()

    def export(self, folder: Path | str, kinds: Collection[str] | None = None) -> tuple[Path, ...]:
        """Write the report in parts: ``reportgen.exporting.export``."""
        from reportgen.exporting import DEFAULT_KINDS, export

        return export(self.results, folder, DEFAULT_KINDS if kinds is None else kinds)

    def gates(self, state: str) -> list[GateRow]:
        """Return the gates in a state: pass, fail or inconclusive."""
        return rows_of(self.results.gates.filter(pl.col("state") == state), GateRow)

    @property
    def failed_gates(self) -> list[str]:
        """The gates that do not hold, as they were written."""
        return [gate["gate"] for gate in self.gates("fail")]


def build(
    spec: Spec | Mapping[str, Any] | Path | str,
    frame: FrameLike | None = None,
    *,
    out: Path | str | None = None,
    formats: Collection[str] | None = None,
    date: dt.date | str | None = None,
    on_step: OnStep | None = None,
    allowed_roots: Iterable[Path | str] | None = (),
) -> Build:
    """Evaluate a spec and publish its report; return where it is and what it holds.

    A gate that fails does not keep the report from being written: see ``failed_gates``.

    Args:
        spec: a file, its content as a mapping (paths relative to the working folder), or a
            ``Spec``.
        frame: the predictions in place of the files under ``data``: a Polars frame (eager or
            lazy), a pandas or PyArrow table, or a mapping of columns.
        out: the folder, in place of the spec's own ``output``: the build goes to ``out/NAME/ID``,
            where NAME is the spec's.
        formats: the formats, in place of the spec's own.
        date: the logical date, also as a text such as 2026-11-29; today in UTC when left out.
            Where a build of this date was made of the same inputs, nothing is done.
        on_step: receives each step as it begins; without one a terminal shows it, and nothing
            else does.
        allowed_roots: folders whose files a spec may read beside its own; None: anywhere.

    Returns:
        The build: its folder, its results and its files. What is undefined is null, with its
        reason.

    Raises:
        ReportgenError: there is no report. Nothing is published then, and what was published
            before is as it was.

    >>> from tempfile import TemporaryDirectory
    >>> spec = {"name": "x", "data": [], "truth": "truth", "models": {"a": {"score": "score"}}}
    >>> frame = {"truth": [0, 1, 0, 1], "score": [0.1, 0.9, 0.4, 0.3]}
    >>> spec["bootstrap"] = {"replicates": 0}
    >>> with TemporaryDirectory() as out:
    ...     sorted(build(spec, frame, out=out, formats=["json"], on_step=silent).files)
    ['json']
    """
    with steps() if on_step is None else nullcontext(on_step) as step:
        if isinstance(spec, Mapping):
            spec = from_dict(spec)
        spec = spec if isinstance(spec, Spec) else read(Path(spec), allowed_roots=allowed_roots)
        limit(spec.limits.seconds, spec.limits.megabytes)
        # refuses an unusable SOURCE_DATE_EPOCH before all else
        date = _day(date) or moment().date()
        spec = spec.on(date)
        root = spec.base / spec.output.directory if out is None else Path(out)
        folder = root / spec.name
        with writing(folder, spec.path):
            done = _built(spec, frame, folder, formats or spec.output.formats, date, step)
        return done if done.unchanged else _indexed(done)


def _day(date: dt.date | str | None) -> dt.date | None:
    if not isinstance(date, str):
        return date
    try:
        return dt.date.fromisoformat(date)
    except ValueError:
        message, hint = f"{date!r} is not a date", "write it as 2026-11-29"
        raise SpecError(Problem("wrong-type", message, "date", hint)) from None


def _built(
    spec: Spec,
    frame: FrameLike | None,
    folder: Path,
    formats: Collection[str],
    date: dt.date,
    on_step: OnStep,
) -> Build:
    """The build of these inputs at this date: the one in the folder already, or a new one."""
    notes = given_files(spec)
    before = EarlierBuilds.of(folder, date)
    depends = before.digest if is_against_builds(spec) else None
    there = None
    if frame is None:
        there = stored.unchanged(folder, spec, date, formats, notes, depends)
    published_results = None if there is None else _published_results(there)
    if there is not None and published_results is not None:
        return Build(there, published_results, _files(there), unchanged=True)
    on_step("reading and evaluating the predictions")
    # Their imports take a quarter of a command that finds nothing to do.
    from reportgen.builds.earlier_gates import with_earlier_builds
    from reportgen.builds.trend_points import with_trends
    from reportgen.results import evaluate

    results = evaluate(spec, frame, on_step=on_step)
    if there is not None and not (there / FILES["json"]).exists():
        return Build(there, results, _files(there), unchanged=True)
    dates = dated(date, results.build["inputs_sha256"])
    results = results.with_build(**dates).with_build(earlier=depends)
    results = _with_hashes(results, folder.parent)
    results = with_trends(with_earlier_builds(results, spec, before), spec, before)
    # these texts travel with the results, so that they alone can be rendered again
    results = replace(results, spec={**results.spec, "notes": notes})
    return _published(results, folder, formats, on_step, spec.path)


def _with_hashes(results: Results, root: Path) -> Results:
    """The results with ids and groups of their rows hashed, and the digest of the test set."""
    if results.row_ids and results.declared.privacy.ids == "hashed":
        with naming_faults(root):
            names = list(row_files.hashed_ids(results.row_ids, root))
        table = results.notable_rows.with_columns(id=pl.Series(names, dtype=pl.String))
        results = replace(results, notable_rows=NotableRows.validate(table), row_ids=())
    if results.rows is None:
        return results
    with naming_faults(root):
        rows = row_files.hashed(results.rows, root)
    digest = row_files.digest_of_test_set(results.rows)
    return replace(results, rows=rows).with_build(test_set=digest)


def _published_results(folder: Path) -> Results | None:
    """The results of a build; None where it has none, or they can no longer be read."""
    try:
        return Results.from_json((folder / FILES["json"]).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, DataError):
        return None


def render_again(
    results: Results,
    *,
    out: Path | str,
    formats: Collection[str],
    on_step: OnStep = silent,
) -> Build:
    """Publish a report from results alone, such as ``Results.from_json`` reads them."""
    name = results.build["name"]
    if not is_name(name):
        raise DataError(Problem("results-json", f"build.name: {name!r} cannot name a folder"))
    folder = Path(out) / name
    with writing(folder):
        done = _published(_with_hashes(results, Path(out)), folder, formats, on_step)
    return _indexed(done)


def _indexed(done: Build) -> Build:
    """The build, after the index of its folder; where that cannot be written the build stands."""
    folder = done.path.parent
    notice = index.notice(folder.parent, folder)
    return done if notice is None else replace(done, notices=(*done.notices, notice))


def _published(
    results: Results,
    out: Path,
    formats: Collection[str],
    on_step: OnStep,
    source: Path | None = None,
) -> Build:
    """Write and publish under the first build id that is free.

    An id is taken where the same inputs gave other files. Where they
    say the same, byte for byte, that build stands for this one too.
    """
    first = results.build["id"]
    for attempt in count(1):
        name = first if attempt == 1 else f"{first}-{attempt}"
        results = results.with_build(id=name)
        target = out / name
        with staged(out, name) as stage:
            notices = _write(results, stage, formats, on_step)
            if target.exists() and not _same(stage, target):
                continue
            on_step("publishing")
            published(stage, target, is_latest=stored.is_latest(target), source=source)
        break
    return Build(target, results, _files(target), notices)


def _files(folder: Path) -> dict[str, Path]:
    return {name: folder / file for name, file in FILES.items() if (folder / file).exists()}


def write_files(results: Results, folder: Path, formats: Collection[str]) -> Sequence[OutputRecord]:
    """Write the files of a build into a folder, and publish nothing.

    Returns what the manifest says of the fonts of this machine that the pages were set in.
    """
    _write(results, folder, formats, silent)
    written: Manifest = json.loads((folder / manifest.NAME).read_text(encoding="utf-8"))
    return written["fonts"]


def _write(
    results: Results, stage: Path, formats: Collection[str], on_step: OnStep
) -> tuple[Problem, ...]:
    """Write every format and the manifest into the staged folder; return what had to be left out.

    Raises ``RenderError`` where that is everything.
    """
    from reportgen import render

    written: list[Path] = []
    notices: tuple[Problem, ...] = ()
    fonts: tuple[Path, ...] = ()
    chosen = [name for name in FILES if name in formats]
    with naming_faults(stage.parent):
        if "json" in formats:
            written.append(stage / FILES["json"])
            written[0].write_text(results.to_json(), encoding="utf-8")
        attached = pdf_attachments(results, written, chosen)
        if results.rows is not None:
            written.append(stage / row_files.FILE)
            row_files.write_rows(results.rows, written[-1])
    pages = [name for name in FILES if name in formats and name != "json"]
    if pages:
        limit_drawing()
        on_step("drawing " + " and ".join(FILES[name] for name in pages))
        notes = results.declared.notes
        with naming_faults(stage.parent):
            report = render.report(
                results,
                stage,
                pages,
                attachments=attached,
                notes=notes,
                page_style=replace(page_style(results), siblings=siblings(chosen)),
            )
        written += report.paths
        notices, fonts = report.notes, report.fonts
    if not any(path.name in FILES.values() for path in written):
        raise RenderError(*notices)
    with naming_faults(stage.parent):
        text = manifest.manifest(results, written, fonts, formats=chosen)
        (stage / manifest.NAME).write_text(text, encoding="utf-8")
    return notices


def pdf_attachments(
    results: Results, written: Iterable[Path], formats: Collection[str]
) -> dict[str, bytes]:
    """What the PDF carries by file name: results, the manifest as far as it is known, the spec.

    ``written`` are the outputs that the manifest can name already.
    """
    partial = manifest.manifest(results, written, formats=formats, finished=False)
    attachments = {FILES["json"]: results.to_json(), manifest.NAME: partial}
    if results.declared.text:
        attachments["report.yaml"] = results.declared.text
    return {name: content.encode() for name, content in attachments.items()}


def siblings(formats: Collection[str]) -> tuple[str, ...]:
    """The files beside the HTML page."""
    return (
        *(file for name, file in FILES.items() if name in formats and name != "html"),
        manifest.NAME,
    )


def page_style(results: Results) -> PageStyle:
    """How the spec of the results wants them set."""
    from reportgen.render.page_style import PageStyle

    output = results.declared.output
    return PageStyle(output.paper, output.interactive)


def _same(stage: Path, target: Path) -> bool:
    """Whether two builds hold the same outputs; their manifests differ in the time of day."""
    names = sorted(path.name for path in stage.iterdir())
    if names != sorted(path.name for path in target.iterdir()):
        return False
    outputs = [name for name in names if name != manifest.NAME]
    return not any(filecmp.cmpfiles(stage, target, outputs, shallow=False)[1:])
