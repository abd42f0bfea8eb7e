"""Retention: which builds may go, and their removal; numbers stay in the history for good."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reportgen.builds import acceptance, history_file, index
from reportgen.builds.history_file import HistoryRow
from reportgen.builds.publish import LATEST, naming_faults, writing
from reportgen.builds.stored import build_ids, date_of, manifest_of, signed_pdf
from reportgen.records.rows import rows_of
from reportgen.spec.repeated import Keep

REMOVED = ".removing-"
"""Beginning of the name of a build that is being removed, so that none is seen half gone."""


@dataclass(frozen=True)
class Pruned:
    """Builds of a spec that retention removes, or would remove, and those that it keeps."""

    folder: Path
    removed: Sequence[str]
    kept: Sequence[str]
    bytes: int


def keep_of(folder: Path) -> Keep | None:
    """The retention that the latest build's spec asks for."""
    keep = (manifest_of(folder / LATEST).get("spec") or {}).get("keep")
    return Keep(**keep) if keep else None


def prune(folder: Path, keep: Keep | None = None, *, dry_run: bool = True) -> Pruned:
    """Remove the builds of a spec's folder that ``keep`` does not name; of the spec when left out.

    ``latest``, every level that was accepted by hand, the newest build that raised no alarm,
    builds with sign-offs, and whatever is no build stay in any case. ``dry_run`` removes nothing.
    """
    keep = keep or keep_of(folder)
    ids = build_ids(folder)
    if keep is None:
        return Pruned(folder, [], ids, 0)
    if dry_run:
        removed = _removable(folder, ids, keep)
        return Pruned(folder, removed, [i for i in ids if i not in removed], _size(folder, removed))
    with writing(folder):
        ids = build_ids(folder)
        removed = _removable(folder, ids, keep)
        size = _size(folder, removed)
        with naming_faults(folder.parent), history_file.held(folder.parent):
            history_file.archive(folder, removed)
        for name in removed:
            with naming_faults(folder):
                (folder / name).rename(folder / f"{REMOVED}{name}")
            shutil.rmtree(folder / f"{REMOVED}{name}", ignore_errors=True)
    with naming_faults(folder.parent):
        index.update(folder.parent, folder)
    return Pruned(folder, removed, [i for i in ids if i not in removed], size)


def _removable(folder: Path, ids: Sequence[str], keep: Keep) -> list[str]:
    """The builds that nothing holds, oldest first."""
    builds = history_file.history(folder)
    order = [i for i in builds["id"].to_list() if i in ids]
    levels = acceptance.accepted_by_hand(folder)
    held = {level.build for level in levels} | {(folder / LATEST).resolve().name}
    rows = rows_of(builds, HistoryRow)
    accepted = [row["id"] for row in rows if acceptance.is_accepted(row, levels)]
    held |= set(accepted[-1:]) | set(order[len(order) - keep.last :] if keep.last else ())
    held |= set(_last_of(order, keep.daily, "%Y-%m-%d")) | set(
        _last_of(order, keep.monthly, "%Y-%m")
    )
    held |= {name for name in order if signed_pdf(folder / name).exists()}
    present = (name for name in order if name not in held)
    return [name for name in present if _is_build(folder / name, name)]


def _last_of(order: Iterable[str], most: int, period: str) -> list[str]:
    """The last build of each of the newest so many days or months."""
    last = {(date_of(name) or dt.date.min).strftime(period): name for name in order}
    return list(last.values())[-most:] if most else []


def _is_build(path: Path, name: str) -> bool:
    """Whether a folder is a build, by what it says itself; a link is none."""
    return path.is_dir() and not path.is_symlink() and manifest_of(path).get("build") == name


def _size(folder: Path, names: Iterable[str]) -> int:
    files = (file for name in names for file in (folder / name).rglob("*") if file.is_file())
    return sum(file.stat().st_size for file in files)
