"""The spec that ``init`` writes for a table, and what it says where it writes none."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import yaml

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from reportgen.initial_spec import init_spec


def spec_of(folder: Path, frame: pl.DataFrame, truth: str | None = None) -> dict:
    """The spec that ``init`` writes, which loads with its data."""
    frame.write_csv(folder / "data.csv")
    (folder / "s.yaml").write_text(init_spec(folder / "data.csv", truth=truth))
    predictions.read(specs.read(folder / "s.yaml"))
    return yaml.safe_load((folder / "s.yaml").read_text())


def message_of(folder: Path, frame: pl.DataFrame, truth: str | None = None) -> str:
    frame.write_csv(folder / "data.csv")
    with pytest.raises(DataError) as error:
        init_spec(folder / "data.csv", truth=truth)
    return str(error.value)
