"""Columns in memory of every kind, with the values that each one holds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

ROWS = 12
NUMBERS = [0.875, 0.125, 0.75, 0.25, 0.625, 0.375, 0.5, 0.0, 1.0, 0.25, 0.75, 0.125]
"""Exact in sixteen bits."""

WHOLE = [3, 1, 0, 2, 100, 7, 3, 1, 0, 2, 4, 5]
FLAGS = [True, False] * 6
TEXTS = ["a", "b", "ä", "1", "01", "", "x y", "NA", "null", "a", "b", "None"]
DAYS = [dt.date(2024, 2, 29) + dt.timedelta(days=30 * k) for k in range(ROWS)]
MOMENTS = [
    dt.datetime(2024, 2, 29, 23, 59, 59, 999_999) + dt.timedelta(days=k) for k in range(ROWS)
]
GAPS = (2, 7)
"""Rows without a value where a column has missing ones."""

Maker = Callable[[Sequence[Any]], Any]


def with_gaps(values: Sequence[Any]) -> list[Any]:
    return [None if row in GAPS else value for row, value in enumerate(values)]


def _masked(kind: Any) -> Maker:
    return lambda values: np.ma.MaskedArray(
        np.array(values, dtype=kind), [row in GAPS for row in range(len(values))]
    )


def _strided(kind: Any) -> Maker:
    def made(values: Sequence[Any]) -> Any:
        wide = np.zeros((len(values), 3), dtype=kind)
        wide[:, 1] = values
        return wide[:, 1]

    return made


def _numpy(kind: Any) -> Maker:
    return lambda values: np.array(values, dtype=kind)


def _pandas(kind: Any, **more: Any) -> Maker:
    return lambda values: pd.Series(list(values), dtype=kind, **more)


def _arrow(kind: pa.DataType) -> Maker:
    return lambda values: pa.array(list(values), type=kind)


def _chunked(values: Sequence[Any]) -> pa.ChunkedArray:
    return pa.chunked_array(
        [pa.array(list(part)) for part in (values[:5], values[5:5], values[5:])]
    )


def _sliced(values: Sequence[Any]) -> pa.Array:
    return pa.array([values[0], *values, values[0]])[1:-1]


def _categories(values: Sequence[Any]) -> pd.Series:
    known = [value for value in dict.fromkeys(values) if value is not None]
    return pd.Series(pd.Categorical(values, categories=known[::-1]))


ANY: Mapping[str, Maker] = {
    "list": list,
    "tuple": tuple,
    "polars": lambda values: pl.Series("other name", list(values)),
    "polars chunks": lambda values: pl.concat(
        [pl.Series(list(values[:4])), pl.Series(list(values[4:]))], rechunk=False
    ),
    "pandas object": _pandas(object),
    "pandas of one index": _pandas(object, index=[7] * ROWS),
    "pandas inferred": _pandas(None),
    "pandas index": lambda values: pd.Index(list(values)),
    "pandas category": _categories,
    "pandas array": lambda values: pd.array(list(values)),
    "numpy object": _numpy(object),
    "numpy object column": lambda values: np.array(values, dtype=object)[:, None],
    "arrow": pa.array,
    "arrow chunks": _chunked,
    "arrow slice": _sliced,
    "arrow dictionary": lambda values: pa.array(list(values)).dictionary_encode(),
    "pandas of arrow": lambda values: pd.Series(
        pd.arrays.ArrowExtensionArray(pa.array(list(values)))
    ),
}

FLOATS: Mapping[str, Maker] = {
    **{f"numpy {kind}": _numpy(kind) for kind in ("f2", "f4", "f8", "g", ">f4", ">f8")},
    **{f"numpy {kind} strided": _strided(kind) for kind in ("f2", "f4", "f8", ">f8")},
    "numpy reversed": lambda values: np.array(values[::-1])[::-1],
    "numpy read-only": lambda values: _read_only(np.array(values)),
    "numpy fortran": lambda values: np.asfortranarray(np.array([values, values]).T)[:, 0],
    **{f"pandas {kind}": _pandas(kind) for kind in ("float16", "float32", "Float32", "Float64")},
    "arrow half": lambda values: pa.array(np.array(values, dtype="f2")),
    "arrow float": _arrow(pa.float32()),
    "arrow decimal": lambda values: _arrow(pa.decimal128(20, 5))([_decimal(v) for v in values]),
    "arrow wide decimal": lambda values: _arrow(pa.decimal256(60, 9))(
        [_decimal(v) for v in values]
    ),
    "decimals": lambda values: [_decimal(v) for v in values],
    "numpy decimals": lambda values: np.array([_decimal(v) for v in values], dtype=object),
    "pandas decimals": lambda values: pd.Series([_decimal(v) for v in values], dtype=object),
    "fractions": lambda values: [None if v is None else Fraction(v) for v in values],
    "numpy scalars": lambda values: [None if v is None else np.float32(v) for v in values],
    "polars decimal": lambda values: pl.Series([_decimal(v) for v in values]),
    "pandas sparse": lambda values: pd.Series(pd.arrays.SparseArray(values, fill_value=0.25)),
    "pandas arrow": _pandas("double[pyarrow]"),
    "complex": _numpy(complex),
    "polars object": lambda values: pl.Series(list(values), dtype=pl.Object),
    "mixed": lambda values: [str(v) if row == 3 else v for row, v in enumerate(values)],
    "numpy mixed": lambda values: np.array(
        [str(v) if row == 3 else v for row, v in enumerate(values)], dtype=object
    ),
}

WHOLES: Mapping[str, Maker] = {
    **{
        f"numpy {kind}": _numpy(kind) for kind in ("i1", "u1", "i2", ">i4", ">u8", "i8", "u8", "f2")
    },
    **{f"pandas {kind}": _pandas(kind) for kind in ("int8", "UInt8", "Int16", "Int64", "uint64")},
    **{f"arrow {kind}": _arrow(kind) for kind in (pa.int8(), pa.uint64(), pa.decimal128(12, 0))},
    "numpy strided": _strided("i4"),
    "wide": lambda values: [None if v is None else v + 2**70 - 2**70 for v in values],
    "pandas sparse": lambda values: pd.Series(pd.arrays.SparseArray(values)),
    "range index": lambda values: pd.Series(list(values), index=range(5, 5 + len(values))),
    "enumerated": lambda values: [np.int8(v) if v is not None else None for v in values],
}

BOOLEANS: Mapping[str, Maker] = {
    "numpy": _numpy(bool),
    "numpy scalars": lambda values: [np.bool_(value) for value in values],
    "numpy strided": _strided(bool),
    "pandas nullable": _pandas("boolean"),
    "pandas arrow": _pandas("bool[pyarrow]"),
    "pandas sparse": lambda values: pd.Series(pd.arrays.SparseArray(values)),
}

STRINGS: Mapping[str, Maker] = {
    "numpy": _numpy(str),
    "numpy wide": lambda values: np.array(values, dtype="U40"),
    "numpy text": lambda values: np.array(values, dtype=np.dtypes.StringDType()),
    "pandas string": _pandas("string"),
    "pandas arrow": _pandas("string[pyarrow]"),
    "pandas python": _pandas("string[python]"),
    **{f"arrow {kind}": _arrow(kind) for kind in (pa.large_string(), pa.string_view())},
    "arrow large dictionary": _arrow(pa.dictionary(pa.int64(), pa.large_string())),
    "arrow runs": lambda values: pa.RunEndEncodedArray.from_arrays(
        pa.array(range(1, len(values) + 1), pa.int32()), pa.array(list(values))
    ),
    "pandas ordered": lambda values: pd.Series(list(values)).astype(
        pd.CategoricalDtype(sorted(set(values) - {None}), ordered=True)
    ),
    "polars categorical": lambda values: pl.Series(list(values), dtype=pl.Categorical),
    "polars enum": lambda values: pl.Series(
        list(values), dtype=pl.Enum([*dict.fromkeys(v for v in values if v is not None)])
    ),
}

TIMES: Mapping[str, Maker] = {
    **{f"numpy {unit}": _numpy(f"M8[{unit}]") for unit in ("us", "ns")},
    "pandas": lambda values: pd.Series(pd.to_datetime(list(values))),
    "pandas stamps": lambda values: [None if v is None else pd.Timestamp(v) for v in values],
    **{f"arrow {unit}": _arrow(pa.timestamp(unit)) for unit in ("us", "ns")},
    "pandas zone": lambda values: pd.Series(pd.to_datetime(list(values)).tz_localize("Asia/Tokyo")),
}

DATES: Mapping[str, Maker] = {
    "numpy": _numpy("M8[D]"),
    "pandas": _pandas(object),
    "arrow 32": _arrow(pa.date32()),
    "arrow 64": _arrow(pa.date64()),
    "pandas period": lambda values: pd.Series(pd.PeriodIndex(list(values), freq="D")),
}

VALUES: Mapping[str, tuple[Sequence[Any], Mapping[str, Maker]]] = {
    "floats": (NUMBERS, FLOATS),
    "wholes": (WHOLE, WHOLES),
    "flags": (FLAGS, BOOLEANS),
    "texts": (TEXTS, STRINGS),
    "moments": (MOMENTS, TIMES),
    "days": (DAYS, DATES),
}

MASKED = {
    "floats": ("f2", "f4", "f8"),
    "wholes": ("i1", "i8", "u4"),
    "flags": (bool,),
    "texts": (object, str),
}


NO_GAPS = ("numpy", "numpy strided", "numpy scalars", "numpy wide", "numpy text")
"""Arrays of flags and texts, which have no missing values: None becomes False or a text."""


def columns(what: str) -> Iterator[tuple[str, Any, Sequence[Any]]]:
    """A name, a column and its values for each kind, whole and with missing values."""
    values, makers = VALUES[what]
    for form, make in (ANY | makers).items():
        for meant in (list(values), with_gaps(values)):
            name = f"{what}, {form}{', gaps' if None in meant else ''}"
            if None in meant and what in ("flags", "texts") and form in NO_GAPS:
                continue
            try:
                column = make(meant)
            except (TypeError, ValueError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
                continue  # the library has no such column
            yield name, column, meant
    for kind in MASKED.get(what, ()):
        yield f"{what}, masked {kind}", _masked(kind)(values), with_gaps(values)


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(value)
