"""Tables as people have them: all give the same numbers, anything else is refused by name."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.frames import polars_column, polars_frame, write_csv, write_parquet
from tests.quick import QUICK

TRUTH = [1, 0, 1, 0, 1, 0]
SCORE = [0.9, 0.4, 0.35, 0.1, 0.8, 0.5]
SPEC = {"truth": "y", "models": {"m": {"score": "p"}}, **QUICK}
FRAME = pl.DataFrame({"y": TRUTH, "p": SCORE})


def _pandas() -> object:
    return pytest.importorskip("pandas").DataFrame({"y": TRUTH, "p": SCORE}, index=list("abcdef"))


def _nullable() -> object:
    return _pandas().convert_dtypes()


def _pyarrow() -> object:
    return pytest.importorskip("pyarrow").table({"y": TRUTH, "p": SCORE})


def _mixed() -> object:
    arrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    return {"y": arrow.array(TRUTH), "p": pandas.Series(SCORE)}


TABLES = {
    "polars": lambda: FRAME,
    "polars lazy": FRAME.lazy,
    "pandas": _pandas,
    "pandas nullable": _nullable,
    "pyarrow": _pyarrow,
    "dict of lists": lambda: {"y": TRUTH, "p": tuple(SCORE)},
    "dict of arrays": lambda: {"y": np.array(TRUTH), "p": np.array(SCORE)[:, None]},
    "dict of mixed columns": _mixed,
    "structured array": lambda: np.rec.fromarrays([TRUTH, SCORE], names="y,p"),
}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_every_kind_of_table_is_the_same_frame(make):
    frame = polars_frame(make())

    assert frame.columns == ["y", "p"]
    assert frame["y"].to_list() == TRUTH
    assert frame["p"].to_list() == SCORE


@pytest.mark.parametrize("name", ["pandas", "pyarrow", "polars lazy", "dict of arrays"])
def test_what_takes_a_frame_takes_them_all(name):
    table = TABLES[name]()
    truth = FRAME.select(truth=pl.col("y") == 1, p="p")
    boolean = {"truth": truth["truth"], "p": polars_frame(table)["p"]}

    assert reportgen.evaluate(SPEC, table).numbers("m")["auc"] == pytest.approx(7 / 9)
    assert reportgen.sweep(boolean, score="p").equals(reportgen.sweep(truth, score="p"))
    assert reportgen.split(table, "k_fold", folds=3).height == 18
    boolean["predicted"] = np.array(SCORE) >= 0.5
    assert reportgen.counts(boolean).select("tp", "fp", "fn", "tn").row(0) == (2, 1, 1, 2)


def test_missing_values_of_pandas_are_null_with_and_without_pyarrow(monkeypatch):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "number": [1.5, None],
            "text": ["a", None],
            "whole": pandas.array([1, None], dtype="Int64"),
            "kind": pandas.Categorical(["u", None]),
        }
    )
    with_pyarrow = polars_frame(frame).cast({"kind": pl.String})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    without = polars_frame(frame).cast({"kind": pl.String})

    assert with_pyarrow.row(1) == without.row(1) == (None,) * 4
    assert with_pyarrow.row(0) == without.row(0) == (1.5, "a", 1, "u")


def test_a_table_of_an_array_has_numbered_columns():
    assert polars_frame(np.eye(2)).columns == ["column_0", "column_1"]


class Tensor:
    """A tensor of another library: it says what it is as an array."""

    def __array__(self, dtype=None, copy=None):
        return np.array(SCORE)


def test_a_column_of_another_library_is_read_as_an_array():
    assert polars_column(Tensor(), "p").to_list() == SCORE


REFUSED = {
    "list": ([1, 2], "list cannot be read"),
    "path": ("p.csv", "name files under data:"),
    "rows": ([{"y": 1}], "polars.DataFrame(rows)"),
    "vector": (np.arange(3), "an array of 1 dimension is not a table"),
    "object": (Tensor(), ".Tensor cannot be read"),
    "lengths": ({"y": [1, 2], "p": [1.0]}, "'y' has 2 rows, 'p' has 1"),
    "mixed": ({"y": [1, "a"]}, "y: wrong-type: the column mixes types"),
    "cube": ({"y": np.zeros((2, 2, 2))}, "an array of 3 dimensions is not a column"),
    "generator": ({"y": (i for i in [1])}, "list(...)"),
    "scalar": ({"y": 1}, "int cannot be read"),
}


@pytest.mark.parametrize(("given", "says"), REFUSED.values(), ids=REFUSED)
def test_anything_else_is_refused_by_name_with_a_hint(given, says):
    with pytest.raises(reportgen.ReportgenError) as refused:
        polars_frame(given)

    assert says in str(refused.value)


def test_columns_of_one_name_are_refused():
    twice = pytest.importorskip("pandas").DataFrame([[1, 2]], columns=["y", "y"])

    for table in (twice, twice.set_axis([1, "1"], axis=1), {1: [0], "1": [1]}):
        with pytest.raises(reportgen.ReportgenError, match=r"two columns have one name: '[y1]'"):
            polars_frame(table)


def test_pandas_columns_that_are_named_by_numbers_are_taken_by_their_name():
    """As ``DataFrame(array)`` names them, in any order."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({1: SCORE, 0: TRUTH})

    assert polars_frame(frame).to_dict(as_series=False) == {"1": SCORE, "0": TRUTH}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_a_full_disk_is_an_error_of_the_system(write):
    no_space = os.strerror(errno.ENOSPC)
    with (
        Path("/dev/full").open("wb", buffering=0) as full,
        pytest.raises(OSError, match=no_space) as caught,
    ):
        write(FRAME, full)

    assert caught.value.errno == errno.ENOSPC
