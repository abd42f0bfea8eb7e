"""Export a report in parts: its numbers, its printed tables and its charts, each as a file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from reportgen.errors import OutputError, Problem, SpecError
from reportgen.exporting.exported_file import ExportedFile
from reportgen.records.model import Results
from reportgen.spec.nearest import listing, suggestion

INDEX = "index.json"
"""Lists the files of an export, each with what it holds; a folder that has it is one."""

_MARK = "reportgen export"

KINDS = ("csv", "parquet", "svg", "png", "vega-lite", "latex", "word")
"""What can be written: numbers in full precision, charts, and tables as they are printed."""

DEFAULT_KINDS = KINDS[:-1]
"""What is written unless kinds are named: Word needs a library that has to be installed."""


def export(
    results: Results, folder: Path | str, kinds: Collection[str] = DEFAULT_KINDS
) -> tuple[Path, ...]:
    """Write a report in parts; return the files.

    ``kinds`` are among ``KINDS``: ``csv`` and ``parquet`` hold the tables of the results and
    the points of the curves with all their digits; ``svg``, ``png`` and ``vega-lite`` the
    charts; ``latex`` and ``word`` the tables as the report prints them. ``index.json`` lists the
    files. The folder is new, or an earlier export, which is replaced as a whole. The same results
    give the same bytes.

    Raises:
        SpecError: a kind is unknown, or its library is not installed.
        OutputError: the folder holds something else, or cannot be written.
        RenderError: a chart cannot be drawn.
    """
    refuse_unknown(kinds)
    target = Path(folder)
    try:
        _refuse_other(target)
        return _published(results, target, [kind for kind in KINDS if kind in kinds])
    except OSError as error:
        message = f"cannot write: {error.strerror}"
        raise OutputError(Problem("output", message, str(target))) from None


def refuse_unknown(kinds: Collection[str]) -> None:
    """Refuse kinds of export that there are not."""
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        message = f"{unknown[0]!r} is not a kind of export"
        hint = suggestion(unknown[0], KINDS) or f"known: {listing(KINDS)}"
        raise SpecError(Problem("unknown-format", message, hint=hint))


def _refuse_other(target: Path) -> None:
    """Refuse a folder that no export made, so that nothing else is lost."""
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    try:
        index = json.loads((target / INDEX).read_text(encoding="utf-8"))
        if index.get("kind") == _MARK:
            return
    except (OSError, ValueError, AttributeError, RecursionError):
        pass
    hint = "name a folder that does not exist yet"
    message = "this is not an earlier export, which could be replaced"
    raise OutputError(Problem("not-an-export", message, str(target), hint))


def _published(results: Results, target: Path, kinds: Collection[str]) -> tuple[Path, ...]:
    """Write aside, then put all files in their place at once."""
    target.absolute().parent.mkdir(parents=True, exist_ok=True)
    stage = Path(mkdtemp(prefix=".exporting-", dir=target.absolute().parent))
    try:
        files = _written(results, stage, kinds)
        index = {"kind": _MARK, "title": results.title, "build": results.build["id"]}
        text = json.dumps({**index, "files": files}, indent=1, ensure_ascii=False)
        (stage / INDEX).write_text(text + "\n", encoding="utf-8")
        stage.chmod(0o755)
        _replace(stage, target)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return tuple(target / file["file"] for file in files)


def _written(results: Results, folder: Path, kinds: Collection[str]) -> list[ExportedFile]:
    """Write every kind; the libraries of each are imported where it is asked for."""
    from reportgen.exporting import drawings, full_precision, latex, word

    files = full_precision.write(results, folder, kinds) + drawings.write(results, folder, kinds)
    if "latex" in kinds:
        files += latex.write(results, folder)
    if "word" in kinds:
        files += word.write(results, folder)
    return files


def _replace(stage: Path, target: Path) -> None:
    """Put a folder in the place of another, which is back where that fails."""
    if not target.exists():
        stage.rename(target)
        return
    aside = stage.with_name(stage.name.replace("exporting", "replaced"))
    target.rename(aside)
    try:
        stage.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


__all__ = ["DEFAULT_KINDS", "INDEX", "KINDS", "ExportedFile", "export", "refuse_unknown"]
