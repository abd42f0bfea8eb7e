"""A build that is killed at any moment: each build that can be seen is whole, and the next one is.

The process that watches, the one that evaluates or those that draw are killed, at a moment that is
drawn at random from all that a build takes.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import polars as pl
import psutil
import pytest

from tests.hostile.builds_on_disk import PUBLISHED, builds
from tests.hostile.forked import started

KILLS = int(os.environ.get("REPORTGEN_KILLS", "1000"))
"""In all; which share for which formats and which process, ``SHARES`` says."""

NAME = "kills"
CRASHED, OVER_LIMIT = 6, 7
DAY = 86_400
EPOCH = 1_700_000_000

FORMATS = {
    "json": ("json",),
    "pages": ("html", "markdown", "json"),
    "all": ("html", "pdf", "markdown", "json"),
}
PROCESSES = ("watching", "evaluating", "drawing")
SHARES = {
    ("json", "watching"): 0.2,
    ("json", "evaluating"): 0.15,
    **{("pages", process): 0.1 for process in PROCESSES},
    ("all", "watching"): 0.12,
    ("all", "evaluating"): 0.11,
    ("all", "drawing"): 0.12,
}


@pytest.fixture
def spec(tmp_path) -> Path:
    lines = [f"{i % 2},{(i * 7 % 31 / 31 + i % 2) / 2:.3f}" for i in range(40)]
    (tmp_path / "data.csv").write_text("\n".join(["y,p", *lines]))
    path = tmp_path / "report.yaml"
    text = "data: data.csv\ntruth: y\npositive: 1\nmodels: {a: {score: p}}\n"
    path.write_text(f"name: {NAME}\n{text}sections: [verdict, provenance]\n")
    return path


def begun(spec: Path, out: Path, formats: tuple[str, ...], day: int):
    words = ["build", str(spec), "--out", str(out)]
    words += [word for name in formats for word in ("--format", name)]
    return started(words, SOURCE_DATE_EPOCH=str(EPOCH + day * DAY))


def victims(watching: int, process: str) -> Iterator[psutil.Process]:
    """The processes of a build that are to be killed, as far as they have begun."""
    if process == "watching":
        yield psutil.Process(watching)
        return
    with suppress(psutil.NoSuchProcess):
        for worker in psutil.Process(watching).children():
            yield from [worker] if process == "evaluating" else worker.children()


def killed(spec: Path, out: Path, formats: tuple[str, ...], process: str, day: int, wait: float):
    """Begin a build and kill one of its processes; return the exit code of the one that watches."""
    watching = begun(spec, out, formats, day)
    watching.join(wait)
    if watching.is_alive():
        for victim in list(victims(watching.pid, process)):
            with suppress(psutil.NoSuchProcess):
                victim.kill()
    watching.join(120)
    assert watching.exitcode is not None, "it waits without end"
    return watching.exitcode


def check(out: Path, seen: set[str], code: int, process: str, day: int) -> None:
    """Every build is whole, and the folder reads as before or with the new one."""
    folder = out / NAME
    names = {build.name for build in builds(out, NAME)}
    assert names >= seen
    assert len(names) <= len(seen) + 1
    latest = (folder / "latest").readlink().name
    assert latest in names
    if process != "watching":
        assert code in (PUBLISHED, CRASHED, OVER_LIMIT), (code, day)
        assert (len(names) == len(seen) + 1) >= (code == PUBLISHED)
        assert not list(folder.glob(".building-*"))
    elif code == PUBLISHED:
        assert len(names) == len(seen) + 1
    history = folder / "history.parquet"
    if history.exists():
        pl.read_parquet(history)
    for file in (*out.glob("badge.json"), *folder.glob("badge.json")):
        json.loads(file.read_text())


def tidied(out: Path) -> set[str]:
    """Leave the latest build alone, as the folder would grow."""
    kept = (out / NAME / "latest").readlink().name
    for build in builds(out, NAME):
        if build.name != kept:
            shutil.rmtree(build)
    return {kept}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "process"), SHARES, ids=[f"{f}-{p}" for f, p in SHARES])
def test_a_build_that_is_killed_leaves_whole_builds(tmp_path, spec, kind, process):
    out, formats = tmp_path / "out", FORMATS[kind]
    begun(spec, out, ("json",), 0).join()
    kills = round(KILLS * SHARES[kind, process])
    chance = random.Random(f"{kind} {process} {KILLS}")
    longest, unfinished, day = 0.0, 0, 0
    for number in range(kills):
        day += 1
        if number % 20 == 0:  # how long a build takes now, whatever a dead one left
            seen, began = tidied(out), time.monotonic()
            whole = begun(spec, out, formats, day)
            whole.join()
            longest = time.monotonic() - began
            check(out, seen, whole.exitcode, "", day)
            assert whole.exitcode == PUBLISHED
            day += 1
        seen = tidied(out)
        code = killed(spec, out, formats, process, day, chance.uniform(0, longest))
        check(out, seen, code, process, day)
        unfinished += code != PUBLISHED
    print(f"{kind}, {process}: {unfinished} of {kills} were killed before their end")

    assert unfinished > kills // 10
