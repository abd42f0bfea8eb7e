"""How a person names a build: a folder, ``OUT/SPEC/latest~1``, ``OUT/SPEC/accepted``, or an id."""

from __future__ import annotations

import re
from pathlib import Path

from reportgen.builds import acceptance, history_file
from reportgen.builds.history_file import HistoryRow
from reportgen.builds.manifest import NAME
from reportgen.builds.stored import build_ids
from reportgen.errors import DataError, Problem
from reportgen.records.rows import rows_of

_RELATIVE = re.compile(r"(latest|accepted)(?:~(\d{1,5}))?")


def find_build(text: Path | str, out: Path | str = "reports") -> Path:
    """The folder of the build that a text names.

    ``latest`` is the last build of the newest date, ``latest~1`` that of the date before,
    ``accepted`` the newest that raised no alarm or was accepted by hand. A spec's name
    alone means its latest build, and these words alone those of the only spec in ``out``. What is
    no path is looked for in ``out``.

    Raises ``DataError`` where there is none, or several specs have a build of this id.
    """
    for path in (Path(text), Path(out) / text):
        if (path / NAME).is_file():
            return path.resolve()
        match = _RELATIVE.fullmatch(path.name)
        if match and path.parent.is_dir() and build_ids(path.parent):
            return _relative(path.parent, match[1], int(match[2] or 0))
        if path.is_dir() and build_ids(path):
            return _relative(path, "latest", 0)
    specs = spec_folders(Path(out))
    if (match := _RELATIVE.fullmatch(str(text))) and len(specs) == 1:
        return _relative(specs[0], match[1], int(match[2] or 0))
    matches = [path.parent for path in Path(out).glob(f"*/{Path(text).name}/{NAME}")]
    if len(matches) == 1 and Path(text).name == str(text):
        return matches[0].resolve()
    if len(matches) > 1:
        hint = f"for example {matches[0]}"
        raise DataError(Problem("several-builds", f"{text} is in several specs", str(out), hint))
    hint = "name OUT/SPEC/latest, OUT/SPEC/latest~1, OUT/SPEC/accepted, an id or a folder"
    if match and specs:
        hint = f"say of which spec: {specs[0].name}/{text}"
    raise DataError(Problem("no-build", "there is no such build", str(text), hint))


def _relative(folder: Path, which: str, back: int) -> Path:
    builds = rows_of(history_file.by_date(history_file.history(folder)), HistoryRow)
    if which == "accepted":
        levels = acceptance.accepted_by_hand(folder)
        builds = [build for build in builds if acceptance.is_accepted(build, levels)]
    if back >= len(builds):
        have = "date has" if len(builds) == 1 else "dates have"
        message = (
            f"there is no build {back} before the newest: only {len(builds)} {have} such a build"
        )
        newest = str(builds[-1]["id"]) if builds else None
        raise DataError(Problem("no-build", message, str(folder), _by_id(folder, newest)))
    build = builds[-1 - back]
    if build["archived"]:
        message = f"build {build['id']} was removed by retention; its numbers are in the history"
        raise DataError(Problem("removed-build", message, str(folder)))
    path = folder / str(build["id"])
    return path.resolve()


def spec_folders(out: Path) -> list[Path]:
    """The folders of specs in an output folder: those that hold a build."""
    if not out.is_dir():
        return []
    folders = (path for path in out.iterdir() if path.is_dir() and not path.name.startswith("."))
    return sorted(path for path in folders if build_ids(path))


def _by_id(folder: Path, newest: str | None) -> str:
    """How to name the builds of one date, by another than the newest; nothing of one build."""
    ids = build_ids(folder)
    if len(ids) < 2:
        return ""
    other = next(one for one in reversed(ids) if one != newest)
    return f"the last build of a date stands for it; others have an id, such as {other}"
