"""Builds on a bad machine: many at once, full disks, odd environments, clocks that go back.

Whatever happens, a build that can be seen is whole, and nothing of another one is left behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import reportgen
from reportgen.resources import EXAMPLES
from tests.hostile.builds_on_disk import PUBLISHED, builds
from tests.hostile.forked import started

SPEC = EXAMPLES / "watermelon" / "report.yaml"
NAME = "watermelon"
EPOCH = "1700000000"
NO_SPACE, BUSY = 8, 75
ROUNDS = int(os.environ.get("REPORTGEN_ROUNDS", "100"))


def command(out: Path, *formats: str) -> list[str]:
    needed = [word for name in formats or ("html", "json") for word in ("--format", name)]
    return [sys.executable, "-m", "reportgen.cli", "build", str(SPEC), "--out", str(out), *needed]


def build(out: Path, *formats: str, **environment: str | None) -> int:
    """Build into a folder with these variables set, or unset where they are None."""
    changed = {"SOURCE_DATE_EPOCH": EPOCH} | environment
    remaining = {name: value for name, value in os.environ.items() if name not in changed}
    given = {name: value for name, value in changed.items() if value is not None}
    return subprocess.run(
        command(out, *formats),
        env=remaining | given,
        check=False,
        capture_output=True,
        cwd=out.parent,
    ).returncode


def contents(out: Path) -> dict[str, str]:
    """The files of the latest build by their hash.

    Not the manifest, which has the times, nor the rows, whose ids are hashed by the folder's key.
    """
    own = {"manifest.json", "rows.parquet"}
    files = [path for path in (out / NAME / "latest").iterdir() if path.name not in own]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> dict[str, str]:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert build(out, "html", "pdf", "json") == PUBLISHED
    return contents(out)


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
        code = build(out)

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


ENVIRONMENTS = {
    "no docstrings": {"PYTHONOPTIMIZE": "2"},
    "C locale": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "far east": {"TZ": "Pacific/Kiritimati"},
    "unknown zone": {"TZ": "Nowhere/Land"},
    "no home": {"HOME": None, "XDG_CACHE_HOME": None},
    "home is a file": {"HOME": "/dev/null", "XDG_CACHE_HOME": None},
    "one thread": {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"},
    "another hash": {"PYTHONHASHSEED": "12345"},
    "bytecode off": {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONOPTIMIZE": "1"},
    "no terminal": {"TERM": "dumb", "COLUMNS": "20", "NO_COLOR": "1"},
    "no path": {"PATH": ""},
    "warnings": {"PYTHONWARNINGS": "error"},
    "libraries": {
        "PANDERA_VALIDATION_DEPTH": "NONE",
        "POLARS_ENGINE_AFFINITY": "gpu",
        "POLARS_PANIC_ON_ERR": "1",
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_bytes_do_not_depend_on_the_environment(tmp_path, undisturbed, name):
    out = tmp_path / "a folder with a space, & and ü" / "out"
    out.parent.mkdir()

    assert build(out, "html", "pdf", "json", **ENVIRONMENTS[name]) == PUBLISHED

    assert contents(out) == undisturbed


def test_a_clock_that_goes_back_overwrites_no_build(tmp_path, monkeypatch):
    first = ""
    out = tmp_path / "out"
    for moment in (int(EPOCH), int(EPOCH) - 86_400):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(moment))
        built = reportgen.build(SPEC, out=out, formats=["json"])
        first = first or built.path.name

    names = sorted(folder.name for folder in builds(out, NAME))
    assert len(names) == 2
    assert (out / NAME / "latest").readlink().name == first


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 3, 5, 10, 40])
def test_files_that_may_not_grow_publish_nothing(tmp_path, number):
    out = tmp_path / "out"
    script = f'ulimit -f {number}; exec "$@"'
    words = ["sh", "-c", script, "sh", *command(out, "html", "pdf", "json")]

    code = subprocess.run(words, check=False, capture_output=True).returncode

    assert code in (PUBLISHED, NO_SPACE)
    assert len(builds(out, NAME) if (out / NAME).is_dir() else []) == (code == PUBLISHED)
