"""A report in parts: numbers with all their digits, charts, and tables as they are printed."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from dataclasses import replace

import docx
import polars as pl
import pytest

from reportgen.cli import main
from reportgen.errors import OutputError, SpecError
from reportgen.exporting import INDEX, KINDS, export
from reportgen.exporting.latex import escaped, latex
from reportgen.exporting.printed import PrintedTable, printed_tables, text_of
from reportgen.resources import EXAMPLES
from reportgen.sections.tables import Cell, Column, Note, Row, Table
from tests.example_results import example_results

LINE = {"$schema", "data", "mark", "layer", "encoding", "hconcat", "vconcat", "datasets"}


@pytest.fixture(scope="module")
def results():
    return example_results("watermelon")


@pytest.fixture(scope="module")
def parts(results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts") / "watermelon"
    export(results, folder, KINDS)
    return folder


def test_the_index_lists_every_file(parts):
    index = json.loads((parts / INDEX).read_text(encoding="utf-8"))
    listed = {file["file"] for file in index["files"]}

    assert listed | {INDEX} == {str(p.relative_to(parts)) for p in parts.rglob("*") if p.is_file()}
    assert {file["kind"] for file in index["files"]} == set(KINDS)


def test_numbers_have_all_their_digits(parts, results):
    typed = pl.read_parquet(parts / "numbers/metrics.parquet")
    with (parts / "numbers/metrics.csv").open(encoding="utf-8") as file:
        texts = list(csv.DictReader(file))

    assert typed.equals(results.metrics)
    assert pl.read_parquet(parts / "numbers/curve_roc.parquet").equals(results.curves["roc"])
    assert [float(t["value"]) if t["value"] else None for t in texts] == typed["value"].to_list()


def test_charts_are_drawings_and_their_specification(parts):
    specification = json.loads((parts / "charts/roc.vl.json").read_text(encoding="utf-8"))

    assert specification["$schema"].startswith("https://vega.github.io/schema/vega-lite/v6")
    assert LINE & specification.keys()
    assert (parts / "charts/roc.png").read_bytes().startswith(b"\x89PNG")
    assert (parts / "charts/roc.svg").read_text(encoding="utf-8").startswith("<svg")


def test_printed_tables_are_those_of_the_page_with_its_numbers(results):
    printed = printed_tables(results)

    assert [p.number for p in printed] == list(range(1, len(printed) + 1))
    assert {"key_numbers", "confusion"} <= {p.table.id for p in printed}


def test_word_has_every_printed_cell(parts, results):
    document = docx.Document(str(parts / "tables.docx"))
    printed = {p.table.id: p for p in printed_tables(results)}["confusion"]
    table = document.tables[printed.number - 1]
    keys = [column.key for column in printed.table.columns]
    given = [text_of(row.cells.get(key)) for row in printed.table.rows for key in keys]

    texts = [cell.text for row in table.rows for cell in row.cells]

    assert texts[-len(given) :] == given


def test_latex_has_as_many_cells_in_every_line_and_escapes_names():
    rows = (
        Row({"m": "a_b & 5 %", "v": Cell("−0.1", "−0.2", "0.3", note="a")}, group="R²"),
        Row({"m": "[x]", "v": Cell("0.5", kind="best")}),
    )
    columns = (Column("m", "Model"), Column("v", "Value", spanner="first"))
    table = Table("t", "Values #1", columns, rows, (Note("of n rows", "a"), "All rows."))

    text = latex(PrintedTable(3, table))

    assert r"a\_b \& 5 \% & $-$0.1 ($-$0.2 to 0.3)\textsuperscript{a} \\" in text
    assert r"{}[x] & \textbf{0.5} \\" in text
    assert r"\multicolumn{2}{l}{\textit{R$^{2}$}}" in text
    assert r"\caption{Values \#1}\label{tab:t}" in text
    assert r" & \multicolumn{1}{c}{first} \\" in text
    assert r"\textsuperscript{a}~of n rows\par" in text
    assert escaped("10⁻¹²") == "10$^{-12}$"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
@pytest.mark.parametrize("name", ["breast_cancer", "diabetes", "digits", "learners"])
def test_latex_compiles(tmp_path, name):
    files = export(example_results(name), tmp_path / "parts", ["latex"])
    inputs = "\n".join(rf"\input{{{file}}}" for file in files)
    head = r"\documentclass{article}\usepackage{array,booktabs,longtable}\begin{document}"
    (tmp_path / "all.tex").write_text(f"{head}\n{inputs}\n\\end{{document}}\n")

    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout[-2000:]


def test_tables_are_in_the_language_of_the_report(results):
    chinese = replace(results, spec={**results.spec, "language": "zh"})

    captions = [p.table.caption for p in printed_tables(chinese)]

    assert all(not caption.isascii() for caption in captions)


@pytest.mark.slow
def test_the_same_results_give_the_same_bytes(parts, results, tmp_path):
    export(results, tmp_path / "again", KINDS)

    for path in parts.rglob("*"):
        if path.is_file():
            assert (tmp_path / "again" / path.relative_to(parts)).read_bytes() == path.read_bytes()


def test_an_export_replaces_an_export_as_a_whole_and_nothing_else(results, tmp_path):
    folder = tmp_path / "parts"
    export(results, folder, ["csv"])
    export(results, folder, ["parquet"])

    assert not list(folder.rglob("*.csv"))

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("kept")
    with pytest.raises(OutputError, match="not an earlier export"):
        export(results, tmp_path / "mine", ["csv"])
    (tmp_path / "mine" / INDEX).write_text("[" * 100_000)
    with pytest.raises(OutputError, match="not an earlier export"):
        export(results, tmp_path / "mine", ["csv"])
    (tmp_path / "mine" / INDEX).unlink()
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine", "parts"]


def test_an_unknown_kind_is_refused(results, tmp_path):
    with pytest.raises(SpecError, match="'svgg' is not a kind of export") as caught:
        export(results, tmp_path / "parts", ["svgg"])

    assert "svg" in caught.value.problems[0].hint
    assert not (tmp_path / "parts").exists()


def test_a_build_is_exported_with_it_and_later(tmp_path, capsys):
    spec, out = EXAMPLES / "learners/report.yaml", tmp_path / "out"
    words = ["build", str(spec), "--out", str(out), "--format", "json"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--export", str(tmp_path / "with")])
    with pytest.raises(SystemExit) as later:
        main(["export", str(out / "learners/latest"), "--to", str(tmp_path / "later")])

    assert (ended.value.code, later.value.code) == (0, 0)
    files = {p.relative_to(tmp_path / "later") for p in (tmp_path / "later").rglob("*")}
    assert files == {
        p.relative_to(tmp_path / "with/learners") for p in (tmp_path / "with/learners").rglob("*")
    }
    assert f" files in {tmp_path / 'later'}" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(
            ["export", str(out / "learners/latest"), "--to", str(tmp_path / "w"), "--kind", "word"]
        )
    assert "1 file in " in capsys.readouterr().out
