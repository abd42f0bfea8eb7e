"""Any spec below 1 MiB is read or refused in a few times what parsing one takes, and 200 MB.

Two seconds of CPU on the machine that it was measured on (0.01 to 1.6), where the peer takes 0.6.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from reportgen.errors import SpecError
from reportgen.spec import read
from tests.hostile.large_specs import LARGE

TIMES, MEBIBYTES = 3, 200
ROUNDS = 3
QUICK = ("gates on unknown models", "gates of digits")


CHECK = """
import sys
from importlib.machinery import PathFinder
from pathlib import Path
class OfUsers:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in ("pandas", "pyarrow"):
            return PathFinder.find_spec(name, path, target)
sys.meta_path = [OfUsers if f is PathFinder else f for f in sys.meta_path]
from reportgen.cli import main
try:
    main(["check", sys.argv[1]])
finally:
    Path(sys.argv[2]).write_text(Path("/proc/self/status").read_text())
"""
"""Checks a spec and writes down the memory of its process; what others have used does not count.

Pandas and PyArrow, which pandera imports where they are, are installed for tests alone."""


def cpu(work: Callable[[], object]) -> float:
    before = time.process_time()
    with suppress(SpecError):
        work()
    return time.process_time() - before


def is_quick(name: str, folder: Path) -> bool:
    """Whether reading a spec takes less CPU than parsing a large one ``TIMES`` times."""
    path = folder / "report.yaml"
    path.write_text(LARGE[name])
    assert path.stat().st_size < 2**20
    parse = YAML(typ="safe", pure=True).compose
    return any(
        cpu(lambda: read(path)) < TIMES * cpu(lambda: parse(LARGE["models"])) for _ in range(ROUNDS)
    )


@pytest.mark.parametrize("name", QUICK)
def test_a_large_spec_is_read_or_refused_in_a_few_times_its_parsing(name, tmp_path):
    assert is_quick(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_every_large_spec_is_read_or_refused_in_a_few_times_its_parsing(name, tmp_path):
    assert is_quick(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_every_large_spec_is_read_or_refused_in_little_memory(name, tmp_path):
    (tmp_path / "report.yaml").write_text(LARGE[name])
    words = [sys.executable, "-c", CHECK, str(tmp_path / "report.yaml"), str(tmp_path / "status")]
    code = subprocess.run(words, check=False, capture_output=True).returncode
    status = dict(line.split(":") for line in (tmp_path / "status").read_text().splitlines())

    assert code in (2, 3)  # what is read has no data beside it
    assert int(status["VmHWM"].split()[0]) < MEBIBYTES * 1024


def test_of_many_problems_the_first_are_listed_in_order_and_the_others_counted(tmp_path):
    path = tmp_path / "report.yaml"
    path.write_text(LARGE["unknown keys"])

    with pytest.raises(SpecError) as caught:
        read(path)

    *listed, last = caught.value.problems
    assert [p.line for p in listed] == list(range(4, 104))
    assert (last.code, last.count) == ("more-problems", 8_900)
