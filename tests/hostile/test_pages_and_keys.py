"""Page checksums of Parquet are verified; keys given twice in JSON lines are refused."""

from __future__ import annotations

import struct

import pytest

from reportgen import evaluate, predictions
from reportgen import spec as specs
from reportgen.errors import DataError
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
