"""Columns in memory of every kind are read with exactly their values, or refused by name."""

from __future__ import annotations

import math
import uuid
from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.errors import DataError
from reportgen.frames import polars_column, polars_frame

KINDS = ("floats", "wholes", "flags", "texts", "moments", "days")
ROWS = 12
SCORES = [k % 5 / 4 for k in range(ROWS)]
REFUSED = (
    "pandas array",
    "pandas index",
    "mixed",
    "pandas period",
    "flags, pandas sparse",
    "complex",
    "numpy g",
    "fractions",
    "polars object",
)


def _alike(read: Any, meant: Any) -> bool:
    if meant is None:
        return read is None or math.isnan(read)
    if hasattr(meant, "year"):
        clock = meant if hasattr(meant, "hour") else None
        return (read.year, read.month, read.day) == (meant.year, meant.month, meant.day) and (
            clock is None or read.replace(tzinfo=None) == clock
        )
    return read == meant or float(read) == meant


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_is_read_with_its_values_or_refused(kind):
    for library in ("pandas", "pyarrow"):
        pytest.importorskip(library)
    from tests.hostile import odd_frames

    for name, column, meant in odd_frames.columns(kind):
        for read in (lambda c: polars_column(c, "c"), lambda c: polars_frame({"c": c})["c"]):
            values, refusal = _read(read, column)
            if refusal:
                assert any(word in name for word in REFUSED), (name, refusal)
                continue
            assert len(values) == len(meant), name
            assert all(map(_alike, values, meant)), name


def _read(read: Any, column: Any) -> tuple[list[Any], str]:
    """The values of a column, or why it is refused, at the latest where it is used."""
    try:
        values = read(column)
        if isinstance(values.dtype, pl.BaseExtension) or values.dtype == pl.Object:
            reportgen.evaluate(SLICED, {"y": [0, 1] * 6, "p": SCORES, "c": values})
    except DataError as error:
        return [], str(error)
    return values.to_list(), ""


SLICED = {
    "truth": "y",
    "models": {"m": {"score": "p"}},
    "slices": ["c"],
    "bootstrap": {"replicates": 0},
}


def extensions() -> dict[str, Any]:
    """Columns of types that a library adds to those of Arrow."""
    pa = pytest.importorskip("pyarrow")
    columns = {
        "uuid": (pa.uuid(), [uuid.UUID(int=k % 3).bytes for k in range(ROWS)], pa.binary(16)),
        "json": (pa.json_(), ['{"a": 1}', "2"] * 6, pa.string()),
        "bool8": (pa.bool8(), [0, 1] * 6, pa.int8()),
        "opaque": (pa.opaque(pa.int64(), "t", "v"), [0, 1] * 6, pa.int64()),
    }
    return {
        name: pa.ExtensionArray.from_storage(kind, pa.array(values, storage))
        for name, (kind, values, storage) in columns.items()
    }


ROLES = {
    "slices": {"slices": ["c"]},
    "truth": {"truth": "c"},
    "score": {"models": {"m": {"score": "c"}}},
    **{role: {"columns": {role: "c"}} for role in ("id", "group", "fold", "time", "weight")},
}


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("json", "exact"),
        ("bool8", "streaming"),
        pytest.param("uuid", "streaming", marks=pytest.mark.slow),
        pytest.param("opaque", "exact", marks=pytest.mark.slow),
    ],
)
def test_columns_of_extension_types_are_refused_where_they_are_needed(tmp_path, name, engine):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"y": [0, 1] * 6, "p": SCORES, "c": extensions()[name]})
    parquet.write_table(table, tmp_path / "data.parquet")
    data = {"data": str(tmp_path / "data.parquet"), "engine": engine}
    plain = {key: value for key, value in SLICED.items() if key != "slices"}

    assert reportgen.evaluate(plain | data).numbers("m")["auc"] is not None
    for keys in (keys for role, keys in ROLES.items() if (role, engine) != ("time", "streaming")):
        with pytest.raises(DataError, match=r"column 'c'.*wrong-type"):
            reportgen.evaluate(plain | data | keys)


def test_scores_of_classes_that_are_masked_are_missing():
    truth = ["a", "b", "c"] * 4
    scores = np.ma.MaskedArray(np.full((12, 3), 1 / 3), np.eye(12, 3, dtype=bool))

    with pytest.raises(DataError, match="null"):
        reportgen.report(truth, {"m": scores}, bootstrap={"replicates": 0})


def test_columns_with_names_of_no_class_are_not_taken_in_their_order():
    truth = ["a", "b", "c"] * 4
    scores = pl.DataFrame({"c": [1 / 3] * 12, "b": [1 / 3] * 12, "A": [1 / 3] * 12})

    with pytest.raises(DataError, match="which are not classes"):
        reportgen.report(truth, {"m": scores}, bootstrap={"replicates": 0})
