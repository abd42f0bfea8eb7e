"""Generated files whose right answer is known: read exactly, or refused with a place.

300 files in every run; ``make hold`` reads 10,000.
"""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.feather
import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from tests.hostile import (
    arrow_files,
    column_types,
    csv_files,
    json_files,
    layout_files,
    member_files,
    mixed_files,
    parquet_files,
    sheet_files,
    sheet_texts,
    table_files,
    text_dialects,
    typed_files,
    workbook_files,
)
from tests.hostile.cases import BAD, Case, outcome

GENERATORS = (
    csv_files.valid,
    csv_files.faulty,
    csv_files.faulty,
    csv_files.undeclared,
    json_files.lines,
    parquet_files.flipped,
    typed_files.typed,
)

PACKED = (
    workbook_files.workbook,
    workbook_files.workbook,
    workbook_files.packed_text,
    workbook_files.typed_columns,
)


LAYOUTS = (*layout_files.LAYOUTS, member_files.members)

AnyCase = Case | table_files.TableCase


def differences(
    first: int, count: int, generators: Sequence[Callable[[random.Random], AnyCase]] = GENERATORS
) -> tuple[list[str], Counter]:
    """What is wrong with the outcomes of some files, and how many had each outcome."""
    wrong, outcomes = [], Counter()
    for number in range(first, first + count):
        generator = random.Random(number)
        case = generator.choice(generators)(generator)
        with TemporaryDirectory() as folder:
            judge = outcome if isinstance(case, Case) else table_files.outcome
            result, messages = judge(case, Path(folder))
        outcomes[result] += 1
        if result in BAD:
            wrong.append(f"file {number} ({case.kind}): {result}: {messages}")
    return wrong, outcomes


def test_generated_files_are_read_exactly_or_refused_with_a_place():
    wrong, outcomes = differences(0, 100)

    assert wrong == []
    assert min(outcomes["accepted"], outcomes["refused"]) > 20


def test_workbooks_packed_text_and_typed_columns_are_read_exactly_or_refused():
    wrong, outcomes = differences(0, 24, PACKED)

    assert wrong == []
    assert min(outcomes["accepted"], outcomes["refused"]) > 8


def test_tables_long_forms_and_times_are_read_exactly_or_refused():
    wrong, outcomes = differences(0, 24, table_files.TABLES)

    assert wrong == []
    assert min(outcomes["accepted"], outcomes["refused"]) > 6


@pytest.mark.parametrize(
    "generators",
    [
        LAYOUTS,
        arrow_files.ARROW,
        [mixed_files.mixed],
        [sheet_files.sheets, sheet_texts.texts],
        text_dialects.DIALECTS,
        [column_types.types],
    ],
)
def test_layouts_and_types_of_another_library_are_read_exactly_or_refused(generators):
    wrong, outcomes = differences(0, 24, generators)

    assert wrong == []
    assert min(outcomes["accepted"], outcomes["refused"]) > 4


def test_time_zones_that_cannot_be_read_are_named(tmp_path):
    times = mixed_files.ZONED["offset"]([dt.datetime(2024, 5, 31)] * 2)
    numbers = arrow_files.WHOLE["int8"]([1, 0], random.Random(0))
    columns = {"y": numbers, "p": numbers, "t": times}
    (tmp_path / "d.arrow").write_bytes(arrow_files.stored(columns, random.Random(0), "arrow"))
    spec = {"data": "d.arrow", "truth": "y", "models": {"m": {"score": "p"}}}
    with pytest.raises(DataError, match="an unknown time zone"):
        predictions.read(specs.from_dict(spec, tmp_path))


def test_compressed_text_views_are_refused_with_what_to_do(tmp_path):
    """Which are right by the format, but not read: PyArrow leaves out buffers without bytes."""
    texts = pa.array(["1", "0", "1"], pa.string_view())
    pa.feather.write_feather(pa.table({"y": texts, "p": texts}), tmp_path / "d.arrow", "lz4")
    spec = {"data": "d.arrow", "truth": "y", "models": {"m": {"score": "p"}}}
    with pytest.raises(DataError, match="compressed text views"):
        predictions.read(specs.from_dict(spec, tmp_path))


@pytest.mark.parametrize("seed", [0, 1])
def test_decimals_that_cannot_be_read_are_named(tmp_path, seed):
    """Whether the file has the schema of Arrow too (seed 1) or not."""
    draw = random.Random(seed)
    values = arrow_files.WHOLE["wide decimal"]([1, 0], draw)
    columns = {"y": values, "p": values}
    (tmp_path / "d.parquet").write_bytes(arrow_files.stored(columns, draw, "parquet"))
    spec = {"data": "d.parquet", "truth": "y", "models": {"m": {"score": "p"}}}
    with pytest.raises(DataError, match="decimals of more than 38 digits"):
        predictions.read(specs.from_dict(spec, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(
    "generator",
    [
        *LAYOUTS,
        *arrow_files.ARROW,
        mixed_files.mixed,
        sheet_files.sheets,
        sheet_texts.texts,
        parquet_files.flipped,
        column_types.types,
        *dict.fromkeys(text_dialects.DIALECTS),
    ],
)
def test_two_thousand_files_of_each_layout_hold_no_silent_difference(generator):
    assert differences(1000, 2000, (generator,))[0] == []


@pytest.mark.slow
def test_two_thousand_tables_long_forms_and_times_hold_no_silent_difference():
    assert differences(100, 2000, table_files.TABLES)[0] == []


@pytest.mark.slow
def test_three_hundred_more_of_them_hold_no_silent_difference():
    assert differences(100, 300, PACKED)[0] == []


@pytest.mark.slow
@pytest.mark.parametrize("thousand", range(10))
def test_ten_thousand_generated_files_hold_no_silent_difference(thousand):
    assert differences(1000 + 1000 * thousand, 1000)[0] == []
