"""Mapped files: found as in bytes, and given back as they are read."""

import mmap
import sys
from pathlib import Path

import polars as pl
import pytest

from reportgen.predictions import mapped
from reportgen.predictions.parquet_pages import swelling

reads_status = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has RssFile")


@pytest.mark.parametrize("place", [0, 1, mmap.PAGESIZE - 3, mmap.PAGESIZE, 3 * mmap.PAGESIZE - 8])
def test_a_pattern_is_found_wherever_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    monkeypatch.setattr(mapped, "STEP", mmap.PAGESIZE)
    content = bytearray(3 * mmap.PAGESIZE)
    content[place : place + 8] = b"PAR1PAR1"
    (tmp_path / "data").write_bytes(content)

    with (tmp_path / "data").open("rb") as stream:
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        assert mapped.find(data, b"PAR1PAR1") == place
        assert mapped.find(data, b"PAR2") == -1
        data.close()


@reads_status
def test_a_large_file_is_never_whole_in_memory(tmp_path: Path) -> None:
    size = 4 * mapped.STEP
    with (tmp_path / "data").open("wb") as stream:
        stream.truncate(size)

    with (tmp_path / "data").open("rb") as stream:
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        before = of_files()
        assert mapped.find(data, b"PAR1PAR1") == -1
        assert of_files() - before < size / 4
        data.close()


@reads_status
def test_headers_of_pages_keep_no_file_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 100,000,000 rows they kept 0.7 GB, as a system maps what lies around each of them."""
    monkeypatch.setattr(mapped, "STEP", 2**20)
    path = tmp_path / "data.parquet"
    rows = pl.DataFrame({"a": pl.int_range(2**21, eager=True)})
    rows.write_parquet(path, compression="uncompressed", data_page_size=2**12, row_group_size=2**18)

    with path.open("rb") as stream:
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        before = of_files()
        assert swelling(data, "data") is None
        assert of_files() - before < len(data) / 2
        data.close()


def of_files() -> int:
    """The bytes of files that this process has in memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    [kilobytes] = [line.split()[1] for line in lines if line.startswith("RssFile")]
    return 1024 * int(kilobytes)
