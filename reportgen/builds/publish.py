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
from reportgen.errors import LockedError, OutputError, Problem
from reportgen.exhaustion import exhausted

LATEST = "latest"
_LOCK = ".reportgen.lock"
_STAGE = ".building-"
_LINK = ".latest-next"

_REASONS = {
    errno.ENOSPC: ("disk-full", "the disk is full", "free some space and build again"),
    errno.EDQUOT: ("disk-full", "the disk quota is used up", "free some space and build again"),
    errno.EFBIG: ("disk-full", "a file may not become that large", "raise the file size limit"),
    errno.EROFS: ("read-only", "the file system is read-only", "choose another --out"),
    errno.EACCES: ("not-permitted", "writing is not permitted", "choose another --out"),
    errno.EPERM: ("not-permitted", "writing is not permitted", "choose another --out"),
    errno.ENOTDIR: ("not-a-folder", "a file is where a folder should be", "choose another --out"),
    errno.EEXIST: ("not-a-folder", "a file is where a folder should be", "choose another --out"),
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
def writing(out: Path) -> Iterator[None]:
    """Hold the output folder for one build; make it where it is missing.

    Raises ``LockedError`` at once when another build holds it, ``OutputError``
    where it cannot be written. What dead builds left is removed first.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(out / _LOCK, timeout=0)
    with naming_faults(out):
        out.mkdir(parents=True, exist_ok=True)
        _check_latest(out)
        try:
            lock.acquire()
        except Timeout:
            hint = "wait for it to end, or give this one another --out"
            problem = Problem("locked", "another build is writing here", str(out), hint)
            raise LockedError(problem) from None
    try:
        with naming_faults(out):
            _tidy(out)
        yield
    finally:
        lock.release()


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


def published(stage: Path, target: Path) -> None:
    """Publish a stage, unless the target is there, and switch to it; not to be cut in two."""
    interrupts.check()
    with interrupts.held():
        if not target.exists():
            publish(stage, target)
        switch(target)


def _check_latest(out: Path) -> None:
    """Refuse what stands in the place of a link and is not ours to replace, before any work."""
    for name in (LATEST, _LINK):
        link = out / name
        if link.exists() and not link.is_symlink():
            hint = "move it away, or choose another --out"
            problem = Problem(f"{name.strip('.')}-taken", f"{name!r} is no link", str(link), hint)
            raise OutputError(problem)


def _tidy(out: Path) -> None:
    """Remove what dead builds left; called by the one that holds the lock."""
    for stale in out.glob(f"{_STAGE}*"):
        shutil.rmtree(stale, ignore_errors=True)
    (out / _LINK).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
