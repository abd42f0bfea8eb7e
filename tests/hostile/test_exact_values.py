"""Values that floats cannot hold are kept exactly or refused; scores meet their threshold."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest

from reportgen import evaluate, predictions
from reportgen import spec as specs
from reportgen.errors import DataError

ROWS = 40
HUGE = [2**60 + i for i in range(ROWS)]


def spec(folder, data, **changes):
    base = {"truth": "y", "models": {"m": {"score": "p"}}, "engine": "exact"}
    return specs.from_dict({**base, "data": data, **changes}, folder)


def frame(**columns) -> pl.DataFrame:
    base = {"y": [i % 2 for i in range(ROWS)], "p": [i / ROWS for i in range(ROWS)]}
    return pl.DataFrame(base | columns)


@pytest.mark.parametrize(
    ("values", "dtype", "texts"),
    [
        (HUGE, pl.Int64, [str(v) for v in HUGE]),
        (HUGE, pl.UInt64, [str(v) for v in HUGE]),
        ([v * 2**60 for v in HUGE], pl.Int128, [str(v * 2**60) for v in HUGE]),
        ([Decimal(v) for v in HUGE], pl.Decimal(38, 0), [str(v) for v in HUGE]),
        ([Decimal(v) / 100 for v in HUGE], pl.Decimal(38, 4), None),
        ([Decimal(v) / 10**17 for v in HUGE], pl.Decimal(38, 17), None),
        (list(map(str, HUGE)), pl.String, [str(v) for v in HUGE]),
    ],
)
def test_names_beyond_the_exact_floats_stay_apart(tmp_path, values, dtype, texts):
    names = pl.Series(values, dtype=dtype)
    texts = texts or [format(value.normalize(), "f") for value in values]
    frame(fold=names, site=names, case=names).write_parquet(tmp_path / "d.parquet")
    columns = {"columns": {"fold": "fold", "id": "case"}, "slices": ["site"]}
    result = predictions.read(spec(tmp_path, "d.parquet", **columns)).frame

    assert result["fold"].to_list() == texts
    assert result["slice:site"].to_list() == texts


@pytest.mark.parametrize("column", ["fold", "site", "y"])
def test_floats_that_stand_for_several_whole_numbers_are_refused_as_names(tmp_path, column):
    values = [float(2**60 + 2**20 * (i % 2)) for i in range(ROWS)]
    frame(**{"fold": range(ROWS), "site": 1, column: values}).write_parquet(tmp_path / "d.parquet")
    columns = {"columns": {"fold": "fold"}, "slices": ["site"]}
    with pytest.raises(DataError) as caught:
        predictions.read(spec(tmp_path, "d.parquet", **columns))

    first = caught.value.problems[0]
    assert (first.code, first.count) == ("not-exact", ROWS)
    assert f"column {column!r}" in first.place


@pytest.mark.parametrize("threshold", [0.7, 0.1, 0.3, 0.123457, 0.1234567, 0.12345679, 0.9999999])
@pytest.mark.parametrize("engine", ["exact", "streaming"])
def test_narrow_scores_meet_a_decimal_threshold_as_they_do_in_csv(tmp_path, threshold, engine):
    near = [threshold] * 4 + [threshold - 1e-6, threshold + 1e-6] * 3
    scores = pl.Series([*near, *(i / 30 for i in range(30))], dtype=pl.Float32)
    table = frame(p=scores)
    table.write_csv(tmp_path / "d.csv")
    table.write_parquet(tmp_path / "d.parquet")
    values = {}
    for name in ("d.csv", "d.parquet"):
        result = evaluate(spec(tmp_path, name, threshold=threshold, engine=engine))
        values[name] = result.metrics.filter(metric="recall")["value"].to_list()
        told = {check["name"]: check["detail"] for check in result.data["checks"]}
        assert ("precision" in told) == (name == "d.parquet")

    assert values["d.csv"] == values["d.parquet"]
    assert told["precision"].startswith("'p' (Float32): scores and the threshold")


def test_half_precision_scores_meet_their_threshold(tmp_path):
    table = frame(p=pl.Series([0.1, 0.7] * 20, dtype=pl.Float16))
    result = predictions.from_frame(table, spec(tmp_path, [], threshold=0.7))

    assert (result.frame["score:0"] >= 0.7).to_list() == [False, True] * 20
    assert [c.name for c in result.checks][-1] == "precision"
