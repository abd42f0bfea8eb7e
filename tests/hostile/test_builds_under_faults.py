"""Builds on a bad machine: many at once, full disks, files that may not grow.

Whatever happens, a build that can be seen is whole, and nothing of another one is left behind.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hostile.builds_on_disk import (
    EPOCH,
    NAME,
    PUBLISHED,
    build,
    builds,
    command,
    contents,
    forked_build,
)
from tests.hostile.forked import started

NO_SPACE, BUSY = 8, 75
ROUNDS = int(os.environ.get("REPORTGEN_ROUNDS", "100"))


def many_at_once(folders: list[Path], *formats: str) -> list[int | None]:
    for folder in folders:
        folder.parent.mkdir(exist_ok=True)
    words = [command(folder, *formats)[3:] for folder in folders]
    running = [started(given, SOURCE_DATE_EPOCH=EPOCH) for given in words]
    for process in running:
        process.join()
    return [process.exitcode for process in running]


def formats_of(number: int) -> tuple[str, ...]:
    """Of ten rounds one draws pages, which take most of the time."""
    return ("html", "json") if number % 10 == 0 else ("json",)


@pytest.mark.slow
def test_many_builds_into_one_folder_are_whole_or_refused(tmp_path):
    for number in range(ROUNDS):
        codes = many_at_once([tmp_path / f"{number}" / "out"] * 16, *formats_of(number))

        assert PUBLISHED in codes
        assert set(codes) <= {PUBLISHED, BUSY}
        assert len(builds(tmp_path / f"{number}" / "out", NAME)) == 1
        shutil.rmtree(tmp_path / f"{number}")


@pytest.mark.slow
def test_many_builds_into_several_folders_all_have_the_same_bytes(tmp_path):
    for number in range(ROUNDS // 10):
        folders = [tmp_path / f"{number}-{k}" / "out" for k in range(16)]

        assert many_at_once(folders, *formats_of(number)) == [PUBLISHED] * 16
        assert len({json.dumps(contents(folder), sort_keys=True) for folder in folders}) == 1
        for folder in folders:
            shutil.rmtree(folder)


@contextmanager
def small_disk(folder: Path, option: str):
    """A file system of its own in the folder; the test is left out where none may be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", option, "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting a file system needs more rights")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


LIMITS = [
    *(f"size={size}k" for size in (4, 16, 64, 128, 256, 384, 512, 768)),
    *(f"nr_inodes={number}" for number in range(3, 12)),
]


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(limit, marks=() if limit == "size=64k" else pytest.mark.slow)
        for limit in LIMITS
    ],
)
def test_a_full_disk_publishes_all_or_nothing(tmp_path, limit):
    with small_disk(tmp_path / "disk", limit) as disk:
        out = disk / "out"
        code = forked_build(out)

        assert code in (PUBLISHED, NO_SPACE)
        published = builds(out, NAME) if (out / NAME).is_dir() else []
        assert len(published) == (code == PUBLISHED)
        left = [path.name for path in (out / NAME).iterdir()] if (out / NAME).is_dir() else []
        assert not [name for name in left if name.startswith(".building")]


@pytest.mark.slow
@pytest.mark.parametrize("limit", LIMITS)
def test_a_full_folder_of_temporary_files_publishes_all_or_nothing(tmp_path, limit):
    with small_disk(tmp_path / "disk", limit) as disk:
        out = tmp_path / "out"
        code = build(out, "html", "pdf", TMPDIR=str(disk))

        assert code in (PUBLISHED, NO_SPACE)
        assert len(builds(out, NAME) if (out / NAME).is_dir() else []) == (code == PUBLISHED)
        # ctypes looks for libraries by running the compiler, which leaves files of its own.
        assert not [path.name for path in disk.iterdir() if not path.name.startswith("cc")]


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 3, 5, 10, 40])
def test_files_that_may_not_grow_publish_nothing(tmp_path, number):
    out = tmp_path / "out"
    script = f'ulimit -f {number}; exec "$@"'
    words = ["sh", "-c", script, "sh", *command(out, "html", "pdf", "json")]

    code = subprocess.run(words, check=False, capture_output=True).returncode

    assert code in (PUBLISHED, NO_SPACE)
    assert len(builds(out, NAME) if (out / NAME).is_dir() else []) == (code == PUBLISHED)
