"""What the measures and curves cost, against reading and sorting the same rows in the same run.

CPU of all threads, never seconds: what else the machine does slows both, and
the least of several ratios counts.
"""

import time

import pytest

from tests.benchmarks import parts
from tests.benchmarks.contenders import CONTENDERS
from tests.benchmarks.run import data

ROUNDS = 4


def cpu(contender, path):
    start = time.process_time()
    CONTENDERS[contender](str(path))
    return time.process_time() - start


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("speed")
    return data(1000, folder), data(2_000_000, folder)


@pytest.mark.slow
def test_measures_and_curves_cost_a_few_times_reading_and_one_sort(files):
    """Two and a half to three times, alone on a machine; 24 when each measure read the sweep."""
    small, large = files
    for name in ("limit", "reportgen"):
        cpu(name, small)

    ratios = [cpu("reportgen", large) / cpu("limit", large) for _ in range(ROUNDS)]

    assert min(ratios) < 3


@pytest.mark.slow
def test_ten_times_the_rows_cost_little_more_than_ten_times_as_much(files, tmp_path):
    _, large = files
    tenth = data(200_000, tmp_path)
    cpu("reportgen", tenth)

    ratios = [cpu("reportgen", large) / cpu("reportgen", tenth) for _ in range(ROUNDS)]

    assert min(ratios) < 13


@pytest.mark.slow
def test_intervals_in_groups_cost_little_more_than_those_of_independent_rows(tmp_path):
    """1.5 to 1.8 times at a million rows; five times when each measure went through the rows."""
    part = parts.in_groups(whole=False)
    for work in part(tmp_path / "small.parquet", 2000):
        work()
    grouped, plain = part(tmp_path / "large.parquet", 500_000)

    ratios = [parts.cpu(grouped) / parts.cpu(plain) for _ in range(ROUNDS)]

    assert min(ratios) < 2.5
