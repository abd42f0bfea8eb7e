"""Compressed tables of text are read as if they were not, and unpacked within a bound."""

from __future__ import annotations

import gzip
import hashlib
import io
import random
from contextlib import suppress

import polars as pl
import pytest

from reportgen import evaluate, predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from reportgen.predictions import packed

SPEC = {"truth": "y", "positive": "b", "models": {"m": {"score": "p"}}}
ROWS = b"a,0.125,x\r\nb,0.875,\xc3\xa9\r\n" * 200
GOOD = b"y,p,note\r\n" + ROWS


def zstd(text: bytes) -> bytes:
    """A Zstandard file of a text in UTF-8: a table of one column and one row, without quotes."""
    packed = io.BytesIO()
    whole = pl.DataFrame({"": [text.decode()]})
    whole.write_csv(
        packed, include_header=False, quote_style="never", line_terminator="", compression="zstd"
    )
    return packed.getvalue()


PACK = {".gz": gzip.compress, ".zst": zstd}


def read(folder, ending: str, content: bytes, **changes):
    (folder / f"d{ending}").write_bytes(content)
    return predictions.read(specs.from_dict({**SPEC, "data": f"d{ending}", **changes}, folder))


def refusal(folder, ending: str, content: bytes):
    with pytest.raises(DataError) as caught:
        read(folder, ending, content)
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize("packing", PACK)
def test_a_packed_file_has_the_rows_that_it_had(tmp_path, packing):
    packed = PACK[packing](GOOD)
    result = read(tmp_path, f".csv{packing}", packed)

    assert result.frame.equals(read(tmp_path, ".csv", GOOD).frame)
    assert result.files[0].sha256 == hashlib.sha256(packed).hexdigest()
    assert result.files[0].bytes == len(packed)


def test_a_frame_that_is_skipped_may_stand_before_the_text(tmp_path):
    """As pzstd writes them."""
    skipped = (0x184D2A5F).to_bytes(4, "little") + b"\2\0\0\0ab"
    result = read(tmp_path, ".csv.zst", skipped * 2 + zstd(GOOD[:500]) + skipped + zstd(GOOD[500:]))

    assert result.frame.equals(read(tmp_path, ".csv", GOOD).frame)
    assert refusal(tmp_path, ".csv.zst", skipped + skipped[:5]).code == "unreadable"


@pytest.mark.parametrize("packing", PACK)
def test_other_tables_of_text_are_read_too(tmp_path, packing):
    plain = read(tmp_path, ".csv", GOOD).frame
    lines = b'{"y": "a", "p": 0.125}\n{"y": "b", "p": 0.875}\n' * 200

    assert read(tmp_path, f".tsv{packing}", PACK[packing](GOOD.replace(b",", b"\t"))).frame.equals(
        plain
    )
    assert read(tmp_path, f".ndjson{packing}", PACK[packing](lines)).frame.equals(plain)


@pytest.mark.parametrize("packing", PACK)
def test_a_packed_file_is_counted_in_parts(tmp_path, packing):
    (tmp_path / f"d.csv{packing}").write_bytes(PACK[packing](GOOD))
    spec = {**SPEC, "data": f"d.csv{packing}", "engine": "streaming"}

    assert evaluate(specs.from_dict(spec, tmp_path)).data["rows_evaluated"] == 400


@pytest.mark.parametrize("packing", PACK)
def test_faults_of_packed_text_have_row_and_line(tmp_path, packing):
    problem = refusal(tmp_path, f".csv{packing}", PACK[packing](GOOD + b"b,0.5,1,5\r\n"))

    assert (problem.code, problem.place) == ("surplus-field", f"d.csv{packing}, row 401")
    assert "line 402" in problem.message


def test_gzip_of_another_encoding_is_read(tmp_path):
    text = GOOD.decode().encode("utf-16")

    assert read(tmp_path, ".csv.gz", gzip.compress(text), encoding="utf-16").frame.height == 400


@pytest.mark.parametrize("packing", PACK)
def test_members_and_frames_one_after_the_other_are_one_file(tmp_path, packing):
    pack = PACK[packing]

    assert read(tmp_path, f".csv{packing}", pack(GOOD) + pack(ROWS)).frame.height == 800


@pytest.mark.parametrize("packing", PACK)
def test_a_damaged_packed_file_is_refused(tmp_path, packing):
    good, ending = PACK[packing](GOOD), f".csv{packing}"
    for content in (good[:-1], good[: len(good) // 2], good + b"junk", GOOD, b"", good[:3]):
        problem = refusal(tmp_path, ending, content) if content else None
        assert problem is None or (problem.code, problem.place) == ("unreadable", f"d{ending}")


def test_flipped_bits_of_gzip_are_never_read_as_other_values(tmp_path):
    """It ends in a checksum of the text, which Zstandard may leave out."""
    good = gzip.compress(GOOD)
    frame = read(tmp_path, ".csv", GOOD).frame
    for number in range(150):
        chance = random.Random(number)
        content = bytearray(good)
        content[chance.randrange(len(good))] ^= 1 << chance.randrange(8)
        with suppress(DataError):
            assert read(tmp_path, ".csv.gz", bytes(content)).frame.equals(frame)


@pytest.mark.parametrize("packing", PACK)
def test_what_unpacks_to_far_more_than_it_is_is_refused(tmp_path, packing, monkeypatch):
    monkeypatch.setattr(packed, "MOST_UNPACKED", 1 << 20)
    large = b"y,p,note\n" + b"a,0.5,x\nb,0.5,x\n" * 200_000
    problem = refusal(tmp_path, f".csv{packing}", PACK[packing](large))

    assert problem.code == "too-large"
    assert read(tmp_path, ".csv", large).frame.height == 400_000


@pytest.mark.parametrize("text", [b"y,p\na\0b\n", "é".encode("latin-1")])
def test_zstd_text_that_is_not_utf8_is_refused(tmp_path, text):
    """One frame of one block, which is not compressed."""
    frame = b"\x28\xb5\x2f\xfd\x20" + bytes([len(text)])
    block = (len(text) << 3 | 1).to_bytes(3, "little") + text
    problem = refusal(tmp_path, ".csv.zst", frame + block)

    assert "gzip" in problem.hint


def test_a_packed_parquet_file_tells_no_format(tmp_path):
    problem = refusal(tmp_path, ".parquet.gz", b"")

    assert problem.code == "unknown-format"
    assert ".csv" in problem.hint
