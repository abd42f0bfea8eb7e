"""Names from data that obey no format: ends of lines, controls, turned text, formulas, nothing."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import polars as pl
import pytest

import reportgen
from reportgen.builds import index
from reportgen.builds.acceptance import accept
from reportgen.cli import main
from reportgen.errors import DataError
from reportgen.exporting import export

NAMES = ("\x1b[2Jred\ngate passed", "\u202eturned", "=cmd|' /C calc'!A0", "@SUM(1)")
SPEC = """\
data: p.parquet
truth: y
models: {column: m, score: s}
columns: {id: i}
slices: [site]
gates: ["\\u202eturned.auc by site >= 0.6", "\\u202eturned.error_rate <= 0.01"]
bootstrap: {replicates: 0}
"""
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def rows(names: tuple[str, ...]) -> pl.DataFrame:
    """Sixty rows of every model, the first the best."""
    draw = random.Random(1)
    return pl.DataFrame(
        [
            {
                "i": i,
                "m": name,
                "y": i % 2,
                "s": (i % 2) * (0.45 - 0.1 * k) + 0.6 * draw.random(),
                "site": ("-2", "\x1b]0;x\x07", "s\nt")[i % 3],
            }
            for k, name in enumerate(names)
            for i in range(60)
        ]
    )


def run(*arguments: str) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the spec and its data, built."""
    path = tmp_path_factory.mktemp("names")
    rows(NAMES).write_parquet(path / "p.parquet")
    (path / "s.yaml").write_text(SPEC)
    reportgen.build(path / "s.yaml", formats=["json"])
    return path


def test_a_terminal_obeys_no_name(folder, capfd):
    """Neither what is printed of a build, nor its history with the reason of an accepted level."""
    accept(folder / "reports" / "s" / "latest", "new scanner \x1b[31m\u202e")
    options = ["--format", "json", "--out", str(folder / "reports")]
    assert run("build", str(folder / "s.yaml"), "--set", "title=x", *options) == 1  # the gate fails
    assert run("history", "s", "--out", str(folder / "reports")) == 0
    assert run("history", "s", "--out", str(folder / "reports"), "--json") == 0

    printed = capfd.readouterr()
    assert "turned" in printed.out
    assert not OBEYED.search(printed.out + printed.err)
    assert not any(line.startswith("gate passed") for line in printed.out.splitlines()[:5])


def test_feed_and_index_are_well_formed_whatever_names_hold(folder):
    index.update(folder / "reports")

    ET.parse(folder / "reports" / "feed.xml")
    for page in (folder / "reports" / "index.html", folder / "reports" / "s" / "index.html"):
        assert not OBEYED.search(page.read_text(encoding="utf-8")), page


def test_no_cell_of_an_exported_csv_is_a_formula_and_parquet_is_exact(folder, tmp_path):
    results = reportgen.Results.from_json(
        (folder / "reports" / "s" / "latest" / "results.json").read_text(encoding="utf-8")
    )
    export(results, tmp_path / "parts", ["csv", "parquet"])

    numbers = tmp_path / "parts" / "numbers"
    exact = pl.read_parquet(numbers / "metrics.parquet")["model"].unique()
    cells = pl.read_csv(numbers / "metrics.csv", infer_schema=False)["model"].unique()
    assert set(exact) == set(NAMES)
    assert set(cells) == {NAMES[0], NAMES[1], f"'{NAMES[2]}", f"'{NAMES[3]}"}
    values = pl.read_csv(numbers / "metrics.csv", infer_schema=False)["value"]
    assert (
        values.drop_nulls().cast(pl.Float64).to_list()
        == results.metrics["value"].drop_nulls().to_list()
    )


@pytest.mark.parametrize("name", ["", "  "])
def test_a_model_without_a_name_is_refused_with_its_rows(name, tmp_path):
    rows((NAMES[0], name)).write_parquet(tmp_path / "p.parquet")
    (tmp_path / "s.yaml").write_text(SPEC)

    with pytest.raises(DataError, match=r"rows 61, 62, .*no-name: 60 rows"):
        reportgen.evaluate(tmp_path / "s.yaml")


@pytest.mark.parametrize("reason", ["", " \n"])
def test_a_level_without_a_reason_is_a_fault_of_usage(folder, reason):
    build = str(folder / "reports" / "s" / "latest")

    assert run("accept", build, "--because", reason) == 2
