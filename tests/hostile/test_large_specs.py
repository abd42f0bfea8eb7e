"""Any spec below 1 MiB is read or refused in two seconds of CPU time and 200 MB."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from reportgen.errors import SpecError
from reportgen.spec import read
from tests.hostile.large_specs import LARGE

SECONDS, MEBIBYTES = 2.0, 200
QUICK = (
    "other classes",
    "gates on unknown models",
    "models of every task",
    "measures of digits",
    "repeated slices",
    "unknown keys",
)


def seconds(name: str, folder) -> float:
    path = folder / "report.yaml"
    path.write_text(LARGE[name])
    assert path.stat().st_size < 2**20
    before = time.process_time()
    with suppress(SpecError):
        read(path)
    return time.process_time() - before


@pytest.mark.parametrize("name", QUICK)
def test_a_large_spec_is_read_or_refused_in_two_seconds(name, tmp_path):
    assert seconds(name, tmp_path) < SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_every_large_spec_is_read_or_refused_in_two_seconds(name, tmp_path):
    assert seconds(name, tmp_path) < SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_every_large_spec_is_read_or_refused_in_little_memory(name, tmp_path):
    (tmp_path / "report.yaml").write_text(LARGE[name])
    program = "import sys; from reportgen.cli import main; main(['check', sys.argv[1]])"
    words = [sys.executable, "-c", program, str(tmp_path / "report.yaml")]
    code = subprocess.run(words, check=False, capture_output=True).returncode
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

    assert code in (2, 3)  # what is read has no data beside it
    assert largest < MEBIBYTES * 1024


def test_of_many_problems_the_first_are_listed_in_order_and_the_others_counted(tmp_path):
    path = tmp_path / "report.yaml"
    path.write_text(LARGE["unknown keys"])

    with pytest.raises(SpecError) as caught:
        read(path)

    *listed, last = caught.value.problems
    assert [p.line for p in listed] == list(range(4, 104))
    assert (last.code, last.count) == ("more-problems", 8_900)
