"""Values that floats cannot hold are kept exactly or refused; scores meet their threshold."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest

from reportgen import evaluate, predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from reportgen.predictions.text_values import as_text
from reportgen.predictions.times import in_order, points
from tests.breadth import breadth

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


@breadth("threshold", [0.7, 0.1, 0.3, 0.123457, 0.1234567, 0.12345679, 0.9999999], 1)
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
        messages = {check["name"]: check["detail"] for check in result.data["checks"]}
        assert ("precision" in messages) == (name == "d.parquet")

    assert values["d.csv"] == values["d.parquet"]
    assert messages["precision"].startswith("'p' (Float32): scores and the threshold")


def test_half_precision_scores_meet_their_threshold(tmp_path):
    table = frame(p=pl.Series([0.1, 0.7] * 20, dtype=pl.Float16))
    result = predictions.from_frame(table, spec(tmp_path, [], threshold=0.7))

    assert (result.frame["score:0"] >= 0.7).to_list() == [False, True] * 20
    assert [c.name for c in result.checks][-1] == "precision"


@pytest.mark.parametrize(
    ("times", "rows"),
    [
        (["2024-01-05", "2024-02-04", "2023-12-31", "2024-02-05"], ()),
        (["2024-01-05T10:00:00Z", "2024-01-05T10:00:00.25Z"] * 2, ()),
        (["5", "10", "9.5", "1e2"], ()),
        (["2024-W05", "2024-W06", "2023-W52", "2024-W07"], ()),
        (["05.01.2024", "04.02.2024", "31.12.2023", "05.02.2024"], (1, 2, 3, 4)),
        (["2024-01-05", "2024-1-6", "2024-01-07", "2024-01-08"], (2,)),
        (["day 8", "day 9", "day 10", "day 7"], (3,)),
        (["2024-10-27T02:30:00+02:00", "2024-10-27T02:00:00"] * 2, (2, 4)),
        (["2024-10-27T02:30:00+02:00", "2024-02-30T02:00:00+01:00"] * 2, (2, 4)),
        (["Jan 2024", "Feb 2024", "Jan 2025", "Jan 2026"], (2,)),
        (["5 Jan 2024", "4 Jan 2025", "6 Jan 2024", "7 Jan 2024"], (1, 2, 3, 4)),
        (["Q1 2024", "Q2 2023", "Q3 2024", "Q4 2023"], (1, 2, 3, 4)),
        (["05.2024", "06.2023", "12.2022", "01.2024"], (1, 2, 3, 4)),
        (["05012024", "31122023", "01022024", "02012024"], (1, 2, 3, 4)),
        (["20240105", "20231231", "20240201", "20240102"], ()),
        (["2024-01-05 12:30 PM", "2024-01-05 01:30 PM"] * 2, (1, 2, 3, 4)),
        (["1", "2", "nan", "inf"], (3, 4)),
        (["20241027T023000+0200", "20241027T020000+0100"] * 2, (2, 4)),
        (["2024-10-27T02:30 +0200", "2024-10-27T02:00 +0100"] * 2, (2, 4)),
        (["2024-10-27T02:30+02:00[Europe/Berlin]", "2024-10-27T02:00+01:00[Europe/Berlin]"], (2,)),
        (["2024-10-27 02:30 GMT+2", "2024-10-27 02:00 GMT+1"] * 2, (2, 4)),
        (["2024-10-27 02 +02:00", "2024-10-27 02 +01:00"] * 2, (2, 4)),
        (["2024-10-27T02:30.5\u221202:00", "2024-10-27T02:30\u221201:00"] * 2, (2, 4)),
        (["2024-10-27 02:30:00.125+02", "2024-10-27 02:30:00+02"] * 2, ()),
        (["2024.10.27", "2024.2.01"] * 2, (2, 4)),
        (["2024.10.27", "2024.02.01"] * 2, ()),
        (["2024-27-10", "2024-28-09"] * 2, (1, 2, 3, 4)),
        (["102024", "092025"] * 2, (1, 2, 3, 4)),
        (["102024", "102025"] * 2, ()),
    ],
)
def test_times_that_do_not_sort_as_text_are_refused(tmp_path, times, rows):
    table = pl.DataFrame({"y": [0, 1] * 2, "p": [0.1, 0.9, 0.2, 0.8]})[: len(times)]
    table = table.with_columns(t=pl.Series(times))
    given = spec(tmp_path, [], columns={"time": "t"})
    if not rows:
        assert predictions.from_frame(table, given).frame["time"].to_list() == times
        return
    with pytest.raises(DataError) as caught:
        predictions.from_frame(table, given)
    (problem,) = caught.value.problems
    assert (problem.code, problem.rows) == ("unordered-time", rows)


@pytest.mark.parametrize(
    "times",
    [
        ["2024-01-05T10:00:00Z", "2024-01-05T10:00:00.25Z", "2024-01-05T10:00:00,5Z"],
        ["-1700000000000000001", "-1700000000000000000", "9007199254740993"],
        ["9", "9.5", "1e1"],
        ["2024-10-27 02:30:00CEST", "2024-10-27 02:30:00.5CEST"],
        ["2024-10-27T02:30:00z", "2024-10-27T02:30:00.5z"],
        ["20241027T023000\u22120100", "20241027T023000.5\u22120100"],
        ["2024-10-27T02:30:00-01", "2024-10-27T02:30:00.25-01", "2024-10-27T02:30:00.5-01"],
    ],
)
def test_times_are_put_in_their_order(times):
    rows = pl.DataFrame({"time": times[::-1]})

    assert rows.sort(*in_order(rows["time"]))["time"].to_list() == times
    assert points(rows["time"]).to_list() == [*range(len(times))][::-1]


@pytest.mark.parametrize(
    "times",
    [
        ["2024-10-27T02:45:00+02:00", "2024-10-27T02:00:00+01:00", "2024-10-27T01:30:00Z"],
        ["2024-10-27 02:45:00+02", "2024-10-27 02:00:00.25+01", "2024-10-27 02:00:00,5+01"],
        ["2024-11-03T01:45-0400", "2024-11-03T01:15-0500"],
        ["2024-10-27T02:00:00.000000001+02:00", "2024-10-27T01:00:00.000000002+01:00"],
    ],
)
def test_times_whose_offsets_differ_are_put_in_their_order(tmp_path, times):
    """As where clocks change: the same hour occurs twice in autumn, and is two time points."""
    table = pl.DataFrame({"y": [0, 1] * 2, "p": [0.1, 0.9, 0.2, 0.8]})[: len(times)]
    table = table.with_columns(t=pl.Series(times))[::-1]

    frame = predictions.from_frame(table, spec(tmp_path, [], columns={"time": "t"})).frame

    assert frame["point"].to_list() == [*range(len(times))][::-1]
    assert frame["time"].is_sorted(descending=True)


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_times_are_spelled_alike_in_every_unit_with_all_their_digits(zone):
    first = pl.Series([0, 1, 3_600_000_000]).cast(pl.Datetime("us", zone))
    second = first.cast(pl.Datetime("ns", zone))

    assert as_text(first).to_list() == as_text(second).to_list()
    assert as_text(first).to_list()[1] == "1970-01-01 00:00:00.000001" + "+00:00" * bool(zone)


def test_times_of_day_and_durations_keep_their_digits():
    values = pl.Series([0, 1, 1000, 1_000_000]).cast(pl.Duration("us"))

    assert as_text(values).to_list() == ["PT0S", "PT0.000001S", "PT0.001S", "PT1S"]
    times = pl.Series([0, 1_000, 1_000_000_000]).cast(pl.Time)
    assert as_text(times).to_list() == ["00:00:00", "00:00:00.000001", "00:00:01"]


def test_names_in_a_table_of_values_keep_their_digits():
    seconds = pl.Series([1, 2, 1, 2]).cast(pl.Duration("us"))
    names = pl.Series([Decimal(v) for v in HUGE[:2] * 2], dtype=pl.Decimal(38, 0))
    for dataset, texts in (
        (seconds, ["PT0.000001S", "PT0.000002S"]),
        (names, [*map(str, HUGE[:2])]),
    ):
        table = pl.DataFrame({"d": dataset, "m": ["a", "a", "b", "b"], "v": [0.1, 0.2, 0.3, 0.4]})
        columns = {"dataset": "d", "model": "m", "value": "v"}
        given = specs.from_dict({"task": "comparison", "better": "higher", "columns": columns})
        blocks = predictions.read_scores(given, table).frame["block"]
        assert blocks.unique().sort().to_list() == texts


@pytest.mark.parametrize(
    ("dtype", "value"),
    [(pl.Datetime("us"), 2**63 - 1), (pl.Datetime("ms", "UTC"), -(2**62)), (pl.Date, 2**30)],
)
def test_times_beyond_the_calendar_are_refused(tmp_path, dtype, value):
    physical = pl.Series(
        [0] * (ROWS - 1) + [value], dtype=pl.Int32 if dtype == pl.Date else pl.Int64
    )
    table = frame(site=physical.cast(dtype))
    with pytest.raises(DataError) as caught:
        predictions.from_frame(table, spec(tmp_path, [], slices=["site"]))

    (problem,) = caught.value.problems
    assert (problem.code, problem.rows) == ("out-of-range", (ROWS,))
