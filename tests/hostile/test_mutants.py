"""Files with bytes changed anywhere are read or refused with a place, whatever they are then.

200 mutants in every run; ``make hold`` reads 10,000.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from reportgen.errors import LimitError
from tests.hostile import csv_files, json_files, parquet_files, typed_files
from tests.hostile.cases import Case, outcome

GENERATORS = (csv_files.valid, json_files.lines, parquet_files.flipped, typed_files.typed)
INSERTED = (b'"', b"\n", b"\r", b",", b"\0", b"\xff", b"'", b"{", b"}", b"-", b"e", b"9" * 40, b" ")


def mutant(generator: random.Random) -> Case:
    """A generated file with up to three stretches changed, removed, doubled or put in."""
    case = generator.choice(GENERATORS)(generator)
    changed = {}
    for name, content in case.files.items():
        data = bytearray(content)
        for _ in range(generator.randrange(1, 4)):
            at, size = generator.randrange(len(data) + 1), generator.choice([1, 1, 1, 8, 64])
            stretch = bytes(data[at : at + size])
            data[at : at + generator.choice([0, size])] = generator.choice(
                [b"", stretch * 2, generator.choice(INSERTED), generator.randbytes(size)]
            )
        changed[name] = bytes(data)
    return Case(case.kind, changed, (), valid=False, spec=case.spec)


def ends(first: int, count: int) -> Counter:
    """How the reading of some mutants ended; what is not controlled raises."""
    result: Counter = Counter()
    for number in range(first, first + count):
        case = mutant(random.Random(number))
        with TemporaryDirectory() as folder:
            try:
                result[outcome(case, Path(folder))[0]] += 1
            except LimitError:  # of a damaged size, which asks for more memory than there is
                result["limit"] += 1
    return result


def test_mutants_are_read_or_refused_with_a_place():
    result = ends(0, 80)

    assert result["no place"] == 0
    assert result["refused"] > 20


@pytest.mark.slow
@pytest.mark.parametrize("thousand", range(10))
def test_ten_thousand_mutants_end_in_a_controlled_way(thousand):
    assert ends(1000 + 1000 * thousand, 1000)["no place"] == 0
