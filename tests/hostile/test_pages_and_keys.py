"""Page checksums of Parquet are verified; keys given twice in JSON lines are refused."""

from __future__ import annotations

import io
import struct
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen import evaluate, predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from reportgen.predictions.parquet_pages import check_pages, swelling
from tests.hostile.parquet_files import DOUBLE, INT64, written

ROWS = 60
COLUMNS = {
    "y": (INT64, [i % 2 for i in range(ROWS)]),
    "p": (DOUBLE, [0.25 + i / 120 for i in range(ROWS)]),
}


def spec(folder, data, **changes):
    base = {"truth": "y", "models": {"m": {"score": "p"}}}
    return specs.from_dict({**base, "data": data, **changes}, folder)


@pytest.mark.parametrize("engine", ["exact", "streaming"])
def test_a_flipped_bit_in_a_page_with_a_checksum_is_refused(tmp_path, engine):
    good = written(COLUMNS, checksum=True)
    (tmp_path / "d.parquet").write_bytes(good)
    result = evaluate(spec(tmp_path, "d.parquet", engine=engine)).data

    assert result["files"][0]["verified"] == "page checksums"
    assert "1 file with intact page checksums" in [c["detail"] for c in result["checks"]]

    half = struct.pack("<d", 0.5)  # in the fifth page of seven values
    (tmp_path / "d.parquet").write_bytes(good.replace(half, b"\x01" + half[1:]))
    with pytest.raises(DataError) as caught:
        evaluate(spec(tmp_path, "d.parquet", engine=engine))
    (problem,) = caught.value.problems
    assert (problem.code, problem.place) == ("integrity", "d.parquet, column 'p'")
    assert "page 5 " in problem.message


@pytest.mark.parametrize("changed", [b"\x15\x02\x25\x00\x18\x01p", b"\x15\x0a\x25\x02\x18\x01p"])
def test_a_column_of_another_type_than_its_pages_is_refused(tmp_path, changed):
    """A whole number of 32 bits, and one that may be missing: of the schema, whose bytes no
    checksum covers.
    """
    good = written(COLUMNS, checksum=True)
    element = b"\x15\x0a\x25\x00\x18\x01p"
    assert good.count(element) == 1
    (tmp_path / "d.parquet").write_bytes(good.replace(element, changed))

    with pytest.raises(DataError, match="the headers of its pages cannot be read"):
        predictions.read(spec(tmp_path, "d.parquet"))


def checked_files() -> dict[str, bytes]:
    """Files with checksums: of this format's writer, and of PyArrow in both forms of pages."""
    table = pa.table(
        {
            "y": [i % 2 for i in range(30)],
            "p": [i * 7 % 31 / 31 for i in range(30)],
            "d": pa.array([Decimal(i) / 100 for i in range(30)], pa.decimal128(9, 2)),
            "n": [None if i % 5 == 0 else i / 3 for i in range(30)],
            "s": pa.array(["a", "b", "c"] * 10).dictionary_encode(),
        }
    )
    files = {"plain": written(COLUMNS, checksum=True)}
    for version, packed in (("1.0", "none"), ("2.0", "none"), ("1.0", "zstd")):
        into = io.BytesIO()
        more = {"write_page_checksum": True, "data_page_version": version, "compression": packed}
        parquet.write_table(table, into, **more)
        files[f"{version}, {packed}"] = into.getvalue()
    return files


def assert_no_bit_tells_another_number(good: bytes, step: int) -> None:
    """Whatever bit is flipped: pages are not intact, cannot be read, or have the same values."""
    expected = pl.read_parquet(io.BytesIO(good))
    assert check_pages(good, "d") == "intact"
    for place in range(0, 8 * len(good), step):
        content = bytearray(good)
        content[place // 8] ^= 1 << place % 8
        if check_pages(bytes(content), "d") != "intact" or swelling(bytes(content), "d"):
            continue
        try:
            result = pl.read_parquet(io.BytesIO(content))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            continue
        for column in {*result.columns} & {*expected.columns}:
            binary = result[column].dtype == pl.Binary  # no truth, score or slice can be that
            assert binary or result[column].equals(expected[column], null_equal=True), place


def test_flipped_bits_of_a_file_with_checksums_are_no_other_numbers():
    assert_no_bit_tells_another_number(checked_files()["2.0, none"], 201)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "1.0, none", "2.0, none", "1.0, zstd"])
def test_no_single_bit_of_a_file_with_checksums_tells_another_number(name):
    assert_no_bit_tells_another_number(checked_files()[name], 1)


def test_a_file_without_checksums_is_not_called_verified(tmp_path):
    (tmp_path / "d.parquet").write_bytes(written(COLUMNS, checksum=False))
    result = predictions.read(spec(tmp_path, "d.parquet"))

    assert result.frame["score:0"].to_list() == COLUMNS["p"][1]
    assert result.files[0].verified == "not verified"


@pytest.mark.parametrize("engine", ["exact", "streaming"])
@pytest.mark.parametrize(
    ("line", "column"),
    [
        ('{"y": 1, "p": 0.2, "p": 0.9}', "p"),
        ('{"y": 1, "p": 0.2, "\\u0070": 0.9}', "p"),
        ('{"y": 1, "p": 0.2, "y": null}', "y"),
        ('{"y" :1,"y" :0,"p":0.1}', "y"),
    ],
)
def test_a_key_that_a_row_gives_twice_is_refused(tmp_path, line, column, engine):
    good = ['{"y": 0, "p": 0.1}', '{"p": 0.7, "y": 1, "note": {"p": 3}}']
    (tmp_path / "d.ndjson").write_text("\n".join([*good, line, *good]))
    with pytest.raises(DataError) as caught:
        evaluate(spec(tmp_path, "d.ndjson", engine=engine))

    (problem,) = caught.value.problems
    assert (problem.code, problem.rows) == ("repeated-key", (3,))
    assert problem.place == f"d.ndjson, column {column!r}, row 3"


def test_names_of_many_digits_in_json_stay_apart(tmp_path):
    parts = [
        "9007199254740993",
        "9007199254740992",
        "0.5",
        "1234567890123456.71",
        "1e2",
        "7",
        "1.50",
    ]
    rows = [f'{{"y": {i % 2}, "p": 0.{i}, "part": {part}}}' for i, part in enumerate(parts)]
    (tmp_path / "d.ndjson").write_text("\n".join(rows))
    result = predictions.read(spec(tmp_path, "d.ndjson", slices=["part"]))

    expected = [*parts[:4], "100", "7", "1.5"]
    assert result.frame["slice:part"].to_list() == expected
