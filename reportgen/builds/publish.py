"""Publish a folder of files so that a reader never sees half of one.

    with writing(out), staged(out, name) as stage:
        ...                                  # write files into stage
        publish(stage, out / name)
        switch(out / name)

Everything is written and synced in a hidden folder next to its final place,
published with one rename, and then ``latest`` is switched with one replace.
Whatever moment a build dies at, each published folder is whole and ``latest``
names one. What a dead build leaves behind is removed by the next one.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reportgen import interrupts
from reportgen.errors import LockedError, OutputError, Problem, SpecError
from reportgen.exhaustion import exhausted

LATEST = "latest"
LOCK = ".reportgen.lock"
_STAGE = ".building-"
_LINK = ".latest-next"
_SOURCE = ".reportgen.spec"

_REASONS = {
    errno.ENOSPC: ("disk-full", "the disk is full", "free some space and build again"),
    errno.EDQUOT: ("disk-full", "the disk quota is used up", "free some space and build again"),
    errno.EFBIG: ("disk-full", "the file would exceed the size limit", "raise the file size limit"),
    errno.EROFS: ("read-only", "the file system is read-only", "choose another --out"),
    errno.EACCES: ("not-permitted", "writing is not permitted", "choose another --out"),
    errno.EPERM: ("not-permitted", "writing is not permitted", "choose another --out"),
    errno.ENOTDIR: ("not-a-folder", "a file is in the place of a folder", "choose another --out"),
    errno.EEXIST: ("not-a-folder", "a file is in the place of a folder", "choose another --out"),
}


def fault(error: OSError, out: Path) -> OutputError:
    """Name what went wrong while writing below ``out``."""
    reason = (error.strerror or str(error)).lower()
    code, message, hint = _REASONS.get(error.errno or 0, ("output", f"cannot write: {reason}", ""))
    place = str(error.filename or out)
    return OutputError(Problem(code, message, place, hint))


@contextmanager
def naming_faults(out: Path) -> Iterator[None]:
    """Turn what the system says against writing below ``out`` into an ``OutputError``."""
    try:
        yield
    except OSError as error:
        raise (exhausted(error) or fault(error, out)) from error


@contextmanager
def writing(out: Path, source: Path | None = None) -> Iterator[None]:
    """Hold the folder of a spec for one build; make it where it is missing.

    Raises ``LockedError`` at once when another build holds it, ``OutputError``
    where it cannot be written, ``SpecError`` where it holds the builds of another
    spec than the one in ``source``. What dead builds left is removed first.
    """
    from filelock import FileLock, Timeout

    lock, is_new = FileLock(out / LOCK, timeout=0), not out.exists()
    with naming_faults(out):
        out.mkdir(parents=True, exist_ok=True)
        _check_latest(out)
        try:
            lock.acquire()
        except Timeout:
            hint = "wait for it to end, or choose another --out"
            problem = Problem("locked", "another build is writing here", str(out), hint)
            raise LockedError(problem) from None
    try:
        with naming_faults(out):
            _tidy(out)
            _check_source(out, source)
        yield
    finally:
        if is_new:
            _leave_nothing_empty(out)
        lock.release()


def _leave_nothing_empty(out: Path) -> None:
    """Remove the folder of a first build that failed: it holds the lock alone."""
    if [path.name for path in out.iterdir()] == [LOCK]:
        (out / LOCK).unlink()
        out.rmdir()


@contextmanager
def staged(out: Path, name: str) -> Iterator[Path]:
    """Make the hidden folder that a build is written in; gone at the end, published or not."""
    stage = out / f"{_STAGE}{name}-{os.getpid()}"
    try:
        with naming_faults(out):
            stage.mkdir()
        yield stage
    finally:
        with interrupts.held():
            shutil.rmtree(stage, ignore_errors=True)


def publish(stage: Path, target: Path) -> None:
    """Sync every file, then give the staged folder its name: one rename."""
    with naming_faults(target.parent):
        for path in sorted(stage.rglob("*")):
            _sync(path)
        _sync(stage)
        stage.rename(target)
        _sync(target.parent)


def switch(target: Path) -> None:
    """Point ``latest`` at a published folder: one replace."""
    link = target.parent / _LINK
    with naming_faults(target.parent):
        link.unlink(missing_ok=True)
        link.symlink_to(target.name, target_is_directory=True)
        link.replace(target.parent / LATEST)
        _sync(target.parent)


def published(
    stage: Path, target: Path, *, is_latest: bool = True, source: Path | None = None
) -> None:
    """Publish a stage, unless the target is there; not to be cut in two.

    ``latest`` is switched to it unless an earlier build is of a later date. The folder
    notes the spec file that its builds are of.
    """
    interrupts.check()
    with interrupts.held():
        if source is not None:
            _note_source(target.parent, source)
        if not target.exists():
            publish(stage, target)
        if is_latest:
            switch(target)


def _check_latest(out: Path) -> None:
    """Refuse what stands in the place of a link and is not ours to replace, before any work."""
    for name in (LATEST, _LINK):
        link = out / name
        if link.exists() and not link.is_symlink():
            hint = "move it away, or choose another --out"
            problem = Problem(
                f"{name.strip('.')}-taken", f"{name!r} is not a link", str(link), hint
            )
            raise OutputError(problem)


def _check_source(out: Path, source: Path | None) -> None:
    """Refuse a second spec of the same name: the first one is still there, under this name."""
    first = source_of(out)
    if source is None or first is None or (source.exists() and first.samefile(source)):
        return
    from reportgen.spec import naming

    try:
        name, _ = naming.declared(first)
    except (SpecError, OSError):
        return
    if name.casefold() == out.name.casefold():
        raise SpecError(naming.shared_name(source, out.name, first))


def source_of(out: Path) -> Path | None:
    """The spec file whose builds a folder holds; nothing where that is not known or gone."""
    try:
        path = out / (out / _SOURCE).read_text(encoding="utf-8")
        return path.resolve() if path.is_file() else None
    except (OSError, ValueError):
        return None


def _note_source(out: Path, source: Path) -> None:
    relative = os.path.relpath(source.resolve(), out.resolve())
    note, fresh = out / _SOURCE, out / f"{_SOURCE}-next"
    with naming_faults(out):
        if not note.exists() or note.read_bytes() != relative.encode():
            fresh.write_text(relative, encoding="utf-8")
            fresh.replace(note)


def _tidy(out: Path) -> None:
    """Remove what dead builds left; called by the one that holds the lock."""
    for stale in (*out.glob(f"{_STAGE}*"), *out.glob(".removing-*")):
        shutil.rmtree(stale, ignore_errors=True)
    for half in (*out.glob(".history-*"), *out.glob(".accepted.json-*"), out / _LINK):
        half.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
