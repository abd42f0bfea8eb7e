"""Publishing: a reader never sees half a build, whenever the writer dies."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen.builds import publish as publishing
from reportgen.builds.publish import fault, publish, staged, switch, writing
from reportgen.errors import LockedError, OutputError

FILES = {"report.html": "page", "results.json": "numbers"}


def put(out: Path, name: str, files: dict[str, str] = FILES) -> Path:
    """Publish a small build."""
    with writing(out), staged(out, name) as stage:
        for file, text in files.items():
            (stage / file).write_text(f"{text} of {name}")
        publish(stage, out / name)
        switch(out / name)
    return out / name


def visible(out: Path) -> list[str]:
    return sorted(path.name for path in out.iterdir() if path.name != ".reportgen.lock")


def test_a_published_build_is_a_folder_and_latest_a_relative_link_to_it(tmp_path):
    put(tmp_path, "one")

    assert visible(tmp_path) == ["latest", "one"]
    assert (tmp_path / "latest").readlink() == Path("one")
    assert (tmp_path / "latest/report.html").read_text() == "page of one"


def test_latest_moves_on_and_earlier_builds_stay_as_they_were(tmp_path):
    put(tmp_path, "one")
    put(tmp_path, "two")

    assert visible(tmp_path) == ["latest", "one", "two"]
    assert (tmp_path / "latest").readlink() == Path("two")
    assert (tmp_path / "one/report.html").read_text() == "page of one"


def test_the_output_folder_can_be_moved(tmp_path):
    put(tmp_path / "here", "one")
    (tmp_path / "here").rename(tmp_path / "there")

    assert (tmp_path / "there/latest/report.html").read_text() == "page of one"


def fail_while_writing(out: Path) -> None:
    with writing(out), staged(out, "two") as stage:
        (stage / "report.html").write_text("half")
        raise ZeroDivisionError


def test_a_build_that_fails_leaves_nothing_and_the_lock_free(tmp_path):
    put(tmp_path, "one")

    with pytest.raises(ZeroDivisionError):
        fail_while_writing(tmp_path)

    assert visible(tmp_path) == ["latest", "one"]
    assert put(tmp_path, "three").is_dir()


def test_a_second_writer_is_refused_at_once(tmp_path):
    with writing(tmp_path), pytest.raises(LockedError, match="another build"), writing(tmp_path):
        pass


def test_the_leavings_of_a_dead_build_are_removed_by_the_next(tmp_path):
    (tmp_path / ".building-dead").mkdir()
    (tmp_path / ".building-dead/report.pdf").write_text("half")
    (tmp_path / ".latest-next").symlink_to("nowhere")

    put(tmp_path, "one")

    assert visible(tmp_path) == ["latest", "one"]


def test_a_file_where_the_folder_should_be_is_named(tmp_path):
    (tmp_path / "out").write_text("a file")

    with pytest.raises(OutputError) as caught:
        put(tmp_path / "out", "one")

    assert caught.value.problems[0].code == "not-a-folder"
    assert (tmp_path / "out").read_text() == "a file"


def test_a_file_on_the_way_to_the_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("a file")

    with pytest.raises(OutputError, match="not-a-folder"):
        put(tmp_path / "file/out", "one")


def test_a_latest_that_is_not_a_link_is_never_replaced(tmp_path):
    (tmp_path / "latest").mkdir()

    with pytest.raises(OutputError, match="latest-taken"):
        put(tmp_path, "one")

    assert visible(tmp_path) == ["latest"]


@pytest.mark.parametrize("name", [".latest-next", ".reportgen.lock"])
def test_a_folder_where_a_file_of_ours_should_be_is_refused(name, tmp_path):
    (tmp_path / name / "inner").mkdir(parents=True)

    with pytest.raises(OutputError):
        put(tmp_path, "one")

    assert not (tmp_path / "one").exists()
    assert (tmp_path / name / "inner").is_dir()


def test_a_latest_that_points_nowhere_is_replaced(tmp_path):
    (tmp_path / "latest").symlink_to("deleted")

    put(tmp_path, "one")

    assert (tmp_path / "latest").readlink() == Path("one")


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk-full"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "not-permitted"),
        (errno.EIO, "output"),
    ],
)
def test_faults_of_the_file_system_are_named(number, code):
    error = fault(OSError(number, os.strerror(number), "reports/x"), Path("reports"))

    assert error.exit_code == 8
    assert (error.problems[0].code, error.problems[0].place) == (code, "reports/x")


DYING = """
import os, runpy, signal, sys
from pathlib import Path

source, out, left = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
publishing = runpy.run_path(source)  # the module by itself: its package takes a second to import

def deadly(call):
    def counted(*args, **more):
        global left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return call(*args, **more)
    return counted

for name in ("fsync", "rename", "mkdir", "replace", "symlink", "unlink"):
    setattr(os, name, deadly(getattr(os, name)))

with publishing["writing"](out), publishing["staged"](out, "two") as stage:
    for file, text in {"report.html": "page", "results.json": "numbers"}.items():
        (stage / file).write_text(f"{text} of two")
    publishing["publish"](stage, out / "two")
    publishing["switch"](out / "two")
"""


def killed_at(call: int, out: Path) -> int:
    """Publish a second build in a process that is killed at its nth change to the disk."""
    words = [sys.executable, "-c", DYING, publishing.__file__, str(out), str(call)]
    return subprocess.run(words, check=False, capture_output=True).returncode


@pytest.mark.slow
def test_a_kill_at_any_call_that_publishing_makes_leaves_a_whole_latest(tmp_path):
    put(tmp_path, "one")
    outcomes = []
    for call in range(40):
        code = killed_at(call, tmp_path)
        latest = (tmp_path / "latest").readlink().name
        for build in (tmp_path / name for name in visible(tmp_path) if name in {"one", "two"}):
            contents = {path.name: path.read_text() for path in build.iterdir()}
            assert contents == {file: f"{text} of {build.name}" for file, text in FILES.items()}
        outcomes.append((code, latest))
        if code == 0:
            break
        if (tmp_path / "two").is_dir():
            switch(tmp_path / "one")
            shutil.rmtree(tmp_path / "two")

    assert outcomes[-1] == (0, "two")
    assert {latest for code, latest in outcomes if code} == {"one", "two"}
    assert len(outcomes) > 8


def test_the_lock_of_a_killed_build_is_free(tmp_path):
    assert killed_at(1, tmp_path) == -9

    assert put(tmp_path, "one").is_dir()
    assert visible(tmp_path) == ["latest", "one"]
