"""Files with bytes changed anywhere are read or refused with a place, whatever they are then.

80 mutants and 20 of Arrow files in every run; ``make hold`` reads 10,000 and 3,000.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from reportgen.errors import LimitError
from tests.hostile import (
    arrow_files,
    csv_files,
    json_files,
    parquet_files,
    table_files,
    typed_files,
)
from tests.hostile.cases import Case, outcome
from tests.hostile.table_files import TableCase

GENERATORS = (csv_files.valid, json_files.lines, parquet_files.flipped, typed_files.typed)
INSERTED = (b'"', b"\n", b"\r", b",", b"\0", b"\xff", b"'", b"{", b"}", b"-", b"e", b"9" * 40, b" ")


def changed(files: Mapping[str, bytes], generator: random.Random) -> dict[str, bytes]:
    """The files with up to three stretches of each changed, removed, doubled or put in."""
    result = {}
    for name, content in files.items():
        data = bytearray(content)
        for _ in range(generator.randrange(1, 4)):
            at, size = generator.randrange(len(data) + 1), generator.choice([1, 1, 1, 8, 64])
            stretch = bytes(data[at : at + size])
            data[at : at + generator.choice([0, size])] = generator.choice(
                [b"", stretch * 2, generator.choice(INSERTED), generator.randbytes(size)]
            )
        result[name] = bytes(data)
    return result


def mutant(generator: random.Random) -> Case:
    case = generator.choice(GENERATORS)(generator)
    return Case(case.kind, changed(case.files, generator), (), valid=False, spec=case.spec)


def arrow_mutant(generator: random.Random) -> TableCase:
    """Of files that PyArrow wrote, at least one of them as Arrow."""
    cases = (generator.choice(arrow_files.ARROW)(generator) for _ in count())
    case = next(case for case in cases if any(name.endswith(".arrow") for name in case.files))
    return replace(case, files=changed(case.files, generator), expected=None)


def ends(
    first: int, size: int, generator: Callable[[random.Random], Case | TableCase] = mutant
) -> Counter:
    """How the reading of some mutants ended; what is not controlled raises."""
    result: Counter = Counter()
    for number in range(first, first + size):
        case = generator(random.Random(number))
        judge = outcome if isinstance(case, Case) else table_files.outcome
        with TemporaryDirectory() as folder:
            try:
                result[judge(case, Path(folder))[0]] += 1
            except LimitError:  # of a damaged size, which asks for more memory than there is
                result["limit"] += 1
    return result


def test_mutants_are_read_or_refused_with_a_place():
    result = ends(0, 80)

    assert result["no place"] == 0
    assert result["refused"] > 20


def test_mutants_of_arrow_files_are_read_or_refused_with_a_place():
    result = ends(0, 20, arrow_mutant)

    assert result["no place"] == 0
    assert result["refused"] > 5


@pytest.mark.slow
@pytest.mark.parametrize("thousand", range(10))
def test_ten_thousand_mutants_end_in_a_controlled_way(thousand):
    assert ends(1000 + 1000 * thousand, 1000)["no place"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("thousand", range(3))
def test_three_thousand_mutants_of_arrow_files_end_in_a_controlled_way(thousand):
    assert ends(1000 + 1000 * thousand, 1000, arrow_mutant)["no place"] == 0
