"""Files of data in each format."""

from __future__ import annotations

from pathlib import Path

import polars as pl


def save(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame in the format of the file's ending."""
    writers = {
        ".csv": frame.write_csv,
        ".parquet": frame.write_parquet,
        ".arrow": frame.write_ipc,
        ".ndjson": frame.write_ndjson,
    }
    if path.suffix == ".tsv":
        frame.write_csv(path, separator="\t")
    else:
        writers[path.suffix](path)
