"""Builds in odd environments, and with clocks that go back, forth and to far years.

The bytes of a build depend on neither, and no clock loses a build.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest

from reportgen.cli import main
from reportgen.clock import LATEST
from reportgen.small_queries import selected
from tests.four_rows import ROWS, SPEC
from tests.hostile.builds_on_disk import EPOCH, PUBLISHED, build, builds, contents, forked_build

ENVIRONMENTS = {
    "no docstrings": {"PYTHONOPTIMIZE": "2"},
    "C locale": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"},
    "POSIX locale": {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "no such locale": {"LC_ALL": "xx_YY.Latin-9", "LANGUAGE": "xx"},
    "far east": {"TZ": "Pacific/Kiritimati"},
    "far west": {"TZ": "<-12>12"},
    "unknown zone": {"TZ": "Nowhere/Land"},
    "no home": {"HOME": None, "XDG_CACHE_HOME": None},
    "home is a file": {"HOME": "/dev/null", "XDG_CACHE_HOME": None},
    "cache is a file": {"XDG_CACHE_HOME": "/dev/null", "MPLCONFIGDIR": "/dev/null"},
    "one thread": {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"},
    "another hash": {"PYTHONHASHSEED": "12345"},
    "bytecode off": {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONOPTIMIZE": "1"},
    "no terminal": {"TERM": "dumb", "COLUMNS": "20", "NO_COLOR": "1"},
    "no path": {"PATH": ""},
    "warnings": {"PYTHONWARNINGS": "error"},
    "development": {"PYTHONDEVMODE": "1", "PYTHONASYNCIODEBUG": "1"},
    "another allocator": {"PYTHONMALLOC": "debug", "MALLOC_PERTURB_": "85"},
    "libraries": {
        "PANDERA_VALIDATION_DEPTH": "NONE",
        "POLARS_ENGINE_AFFINITY": "gpu",
        "POLARS_PANIC_ON_ERR": "1",
    },
    "tables": {"POLARS_FMT_MAX_ROWS": "1", "POLARS_VERBOSE": "1", "POLARS_STRING_CACHE": "1"},
}
SLOW = ("development", "another allocator", "tables")
"""Those that take long, or write what they do to the terminal."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> dict[str, str]:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert build(out, "html", "pdf", "json") == PUBLISHED
    return contents(out)


def test_numbers_do_not_depend_on_all_of_them_at_once(tmp_path):
    quick = (one for name, one in ENVIRONMENTS.items() if name not in SLOW)
    together = {name: value for one in quick for name, value in one.items()}

    assert forked_build(tmp_path / "plain", "json") == PUBLISHED
    assert build(tmp_path / "odd", "json", **together) == PUBLISHED

    assert contents(tmp_path / "plain") == contents(tmp_path / "odd")


def test_sums_do_not_depend_on_the_pieces_that_threads_leave_a_table_in():
    draw = random.Random(1)
    rows = pl.DataFrame({"x": [draw.gauss(0, 1) / 3 for _ in range(900)]})
    pieces = pl.concat([rows[:300], rows[300:310], rows[310:]], rechunk=False)
    columns = {"mean": pl.col("x").mean(), "sum": pl.col("x").abs().sum()}

    assert pieces.n_chunks() == 3
    assert not pieces.lazy().select(**columns).collect().equals(rows.select(**columns))
    assert selected(pieces, columns).equals(selected(rows, columns))


THREADS = ("1", "8")
IN_TIME = (
    "data: d.csv\ntask: regression\ntruth: y\nmodels: {m: {estimate: e}}\ncolumns: {time: t}\n"
)


@pytest.mark.slow
def test_bytes_do_not_depend_on_the_number_of_threads_that_sort_the_rows(tmp_path):
    draw = random.Random(2)
    lines = [f"{draw.gauss(9, 2):.3f},{draw.gauss(9, 2):.3f},{n}" for n in range(5000)]
    (tmp_path / "d.csv").write_text("\n".join(["y,e,t", *lines, ""]))
    (tmp_path / "s.yaml").write_text(IN_TIME)
    command = [sys.executable, "-m", "reportgen.cli", "build", "s.yaml", "--format", "json"]

    for threads in THREADS:  # Polars counts them once, so that these are processes of their own
        environment = os.environ | {"SOURCE_DATE_EPOCH": EPOCH, "POLARS_MAX_THREADS": threads}
        words = [*command, "--out", str(tmp_path / threads)]
        subprocess.run(words, env=environment, check=True, capture_output=True, cwd=tmp_path)

    one, eight = (tmp_path / t / "s" / "latest" / "results.json" for t in THREADS)
    assert one.read_bytes() == eight.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_bytes_do_not_depend_on_the_environment(tmp_path, undisturbed, name):
    out = tmp_path / "a folder with a space, & and ü" / "out"
    out.parent.mkdir()

    assert build(out, "html", "pdf", "json", **ENVIRONMENTS[name]) == PUBLISHED

    assert contents(out) == undisturbed


DAY = 86_400
CLOCKS = (int(EPOCH), int(EPOCH) - DAY, 0, LATEST, int(EPOCH) + 9 * DAY, 1, int(EPOCH) + 1)
"""Seconds since 1970: the day before, the first and the last day, the same days again."""

GATES = "gates: [m.auc >= previous - 0.1, m.recall within history]\n"


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return int(left.value.code or 0)


def moments(count: int) -> Iterator[int]:
    """Moments of all kinds of clocks; of ten one stands still."""
    draw = random.Random(count)
    last = 0
    for _ in range(count):
        steps = (last, last + 1, draw.randrange(LATEST), draw.randrange(10**9), last + DAY)
        last = min(LATEST, draw.choice((*steps, *CLOCKS)))
        yield last


def check_clocks(folder: Path, clocks: Sequence[int], monkeypatch, capsys) -> None:
    """Build at each moment; each date has its build, and ``latest`` is of the latest."""
    spec, out = folder / "report.yaml", folder / "out"
    days: set[str] = set()
    for moment in clocks:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(moment))
        assert run("build", spec, "--out", out, "--format", "json", "--quiet") == PUBLISHED
        there = {path.name for path in builds(out, "report")}
        latest = (out / "report" / "latest").readlink().name
        days = {name[:8] for name in there}
        assert latest[:8] == max(days)
        assert latest in there
    assert len(days) == len({moment // DAY for moment in clocks})
    capsys.readouterr()
    assert run("history", "report", "--out", out, "--json") == 0
    history = json.loads(capsys.readouterr().out)
    assert {row["date"].replace("-", "") for row in history["builds"]} == days
    assert run("index", "--out", out) == 0
    assert run("compare", out / "report/latest~1", out / "report/latest") == 0
    assert run("prune", "report", "--last", "2", "--delete", "--out", out) == 0
    assert latest in {path.name for path in builds(out, "report")}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)
    return tmp_path


def test_a_clock_that_goes_back_and_forth_loses_no_build(folder, monkeypatch, capsys):
    (folder / "report.yaml").write_text(SPEC + GATES)
    check_clocks(folder, CLOCKS, monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("gates", ["", GATES])
def test_sixty_moments_of_any_clock_lose_no_build(folder, monkeypatch, capsys, gates):
    (folder / "report.yaml").write_text(SPEC + gates)
    check_clocks(folder, [*moments(60)], monkeypatch, capsys)
