"""What ``engine: auto`` expects is what an evaluation takes, in a process of its own."""

from __future__ import annotations

import pytest

from tests.benchmarks import memory


@pytest.mark.slow
@pytest.mark.parametrize("name", memory.CASES)
def test_the_estimate_is_at_least_the_peak_and_not_far_above_it(name, tmp_path):
    """At some 100,000 rows; ``python -m tests.benchmarks.memory`` has a million."""
    case = memory.CASES[name]

    peak, _ = memory.peak(name, case.rows[0], tmp_path)

    assert 1 <= memory.expected(case, case.rows[0]) / peak <= memory.MOST
