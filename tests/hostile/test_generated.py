"""Generated files whose right answer is known: read exactly, or refused with a place.

300 files in every run; ``make hold`` reads 10,000.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.hostile import csv_files, json_files, parquet_files, typed_files
from tests.hostile.cases import BAD, outcome

GENERATORS = (
    csv_files.valid,
    csv_files.faulty,
    csv_files.faulty,
    csv_files.undeclared,
    json_files.lines,
    parquet_files.flipped,
    typed_files.typed,
)


def differences(first: int, count: int) -> tuple[list[str], Counter]:
    """What is wrong with the outcomes of some files, and how many had each outcome."""
    wrong, outcomes = [], Counter()
    for number in range(first, first + count):
        generator = random.Random(number)
        case = generator.choice(GENERATORS)(generator)
        with TemporaryDirectory() as folder:
            result, messages = outcome(case, Path(folder))
        outcomes[result] += 1
        if result in BAD:
            wrong.append(f"file {number} ({case.kind}): {result}: {messages}")
    return wrong, outcomes


def test_generated_files_are_read_exactly_or_refused_with_a_place():
    wrong, outcomes = differences(0, 300)

    assert wrong == []
    assert min(outcomes["accepted"], outcomes["refused"]) > 60


@pytest.mark.slow
@pytest.mark.parametrize("thousand", range(10))
def test_ten_thousand_generated_files_hold_no_silent_difference(thousand):
    assert differences(1000 + 1000 * thousand, 1000)[0] == []
