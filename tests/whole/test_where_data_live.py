"""Data of each night by ``{date}``, and folders that name columns."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

import reportgen
from reportgen.cli import main
from reportgen.errors import DataError, SpecError

SPEC = """\
name: dated
data: nights/{date:%Y/%m}/{date}.csv
truth: y
models: {m: {score: p}}
bootstrap: {replicates: 0}
intervals: {ratios: delta}
output: {formats: [json]}
"""


def rows(n: int) -> pl.DataFrame:
    return pl.DataFrame({"y": [0, 1] * n, "p": [0.2, 0.7] * n})


def test_a_night_reads_the_file_of_its_date(tmp_path, capsys):
    spec = tmp_path / "report.yaml"
    spec.write_text(SPEC)
    nights = [dt.date(2026, 1, 31), dt.date(2026, 2, 1)]
    for n, night in enumerate(nights, 10):
        path = tmp_path / f"nights/{night:%Y/%m}/{night}.csv"
        path.parent.mkdir(parents=True)
        rows(n).write_csv(path)
    built = [reportgen.build(spec, date=night) for night in nights]

    assert [b.results.data["rows_evaluated"] for b in built] == [20, 22]
    assert built[1].results.data["files"][0]["path"] == "nights/2026/02/2026-02-01.csv"
    assert built[1].results.spec["data"] == ["nights/{date:%Y/%m}/{date}.csv"]
    assert built[1].results.trends is not None
    assert "spec" not in built[1].results.trends.numbers[0].points[-1].changed
    assert reportgen.build(spec, date=nights[1]).unchanged
    with pytest.raises(SystemExit) as left:
        main(["build", str(spec), "--date", "2026-02-02", "--format", "json"])
    assert left.value.code == 3
    assert "nights/2026/02/2026-02-02.csv" in capsys.readouterr().err
    assert not (built[1].path.parent / "20260202").exists()


def test_a_date_leads_to_no_other_folder(tmp_path):
    inside = tmp_path / "specs"
    inside.mkdir()
    (inside / "report.yaml").write_text(SPEC.replace("nights/{date:%Y/%m}", "../{date:%Y}"))
    with pytest.raises(SpecError, match="outside the folder of the spec"):
        reportgen.build(inside / "report.yaml", date=dt.date(2026, 1, 1))


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_folders_name_columns(ending, tmp_path):
    for n, site in ((10, "A%20b"), (12, "C")):
        path = tmp_path / f"events/site={site}/0.{ending}"
        path.parent.mkdir(parents=True)
        rows(n).write_parquet(path) if ending == "parquet" else rows(n).write_csv(path)
    text = SPEC.replace("nights/{date:%Y/%m}/{date}.csv", f"events/**/*.{ending}")
    spec = tmp_path / "report.yaml"
    spec.write_text(f"{text}slices: [site]\nhive: true\n")
    results = reportgen.evaluate(spec)
    sizes = dict(results.slices.select("slice", "rows").iter_rows())

    assert sizes == {"site = A b": 20.0, "site = C": 24.0}
    spec.write_text(f"{text}slices: [site]\n")
    with pytest.raises(DataError, match="site"):
        reportgen.evaluate(spec)


def test_streaming_reads_the_columns_of_folders_too(tmp_path):
    for n, site in ((200, "A"), (300, "C")):
        path = tmp_path / f"site={site}/0.parquet"
        path.parent.mkdir(parents=True)
        rows(n).write_parquet(path)
    spec = {"data": f"{tmp_path}/*/0.parquet", "truth": "y", "models": {"m": {"score": "p"}}}
    spec |= {"slices": ["site"], "hive": True, "engine": "streaming"}
    sizes = dict(reportgen.evaluate(spec).slices.select("slice", "rows").iter_rows())

    assert sizes == {"site = A": 400.0, "site = C": 600.0}


def test_a_column_that_file_and_folder_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "site=A/0.parquet"
    path.parent.mkdir()
    rows(10).with_columns(site=pl.lit("B")).write_parquet(path)
    spec = {"data": str(path), "truth": "y", "models": {"m": {"score": "p"}}, "hive": True}
    with pytest.raises(DataError, match="a folder of its path names it too"):
        reportgen.evaluate(spec)
