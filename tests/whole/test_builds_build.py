"""Builds: ids, formats, notes, and what is published when something is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from html import unescape

import pytest
from pypdf import PdfReader

import reportgen
from reportgen.builds import render_again
from reportgen.errors import OutputError, SpecError, UndefinedError
from reportgen.results import Results
from tests.four_rows import ROWS, SPEC

EPOCH = "1700000000"


@pytest.fixture
def spec(tmp_path, monkeypatch):
    """A spec whose builds all fall into one second."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    (tmp_path / "data.csv").write_text(ROWS)
    (tmp_path / "report.yaml").write_text(SPEC)
    return tmp_path / "report.yaml"


def build(spec, *formats: str) -> reportgen.Build:
    return reportgen.build(spec, formats=formats or ("json",))


def test_the_same_build_in_the_same_second_is_one_build(spec):
    first, second = build(spec), build(spec)

    assert second.path == first.path
    folders = (path.name for path in first.path.parent.iterdir() if path.is_dir())
    assert sorted(folders) == [first.path.name, "latest"]
    assert (first.unchanged, second.unchanged) == (False, True)


def test_another_build_of_the_same_second_gets_an_id_of_its_own(spec):
    first, second = build(spec), build(spec, "json", "markdown")

    assert second.path.name == f"{first.path.name}-2"
    assert second.results.build["id"] == second.path.name
    assert json.loads(second.files["json"].read_text())["build"]["id"] == second.path.name
    assert (first.path.parent / "latest").readlink().name == second.path.name
    assert not (first.path / "summary.md").exists()


def test_source_date_epoch_is_the_time_of_the_build(spec):
    done = build(spec)

    manifest = json.loads((done.path / "manifest.json").read_text())
    assert done.path.name.startswith("20231114-")
    assert manifest["times"] == {
        "created": "2023-11-14T22:13:20Z",
        "finished": "2023-11-14T22:13:20Z",
    }


def test_only_the_wanted_formats_are_written(spec):
    done = build(spec, "markdown")

    assert sorted(path.name for path in done.path.iterdir()) == [
        "manifest.json",
        "rows.parquet",
        "summary.md",
    ]
    assert list(done.files) == ["markdown"]


def test_a_gate_without_a_value_publishes_nothing_and_points_at_its_line(spec):
    before = build(spec)
    spec.write_text(SPEC + "threshold: 0.95\ngates:\n  - m.precision > 0\n")

    with pytest.raises(UndefinedError) as caught:
        build(spec)

    assert caught.value.problems[0].place.endswith("report.yaml:9:5")
    assert (before.path.parent / "latest").readlink().name == before.path.name


def test_a_threshold_that_cannot_be_chosen_points_at_its_line_and_names_the_model(spec):
    choice = 'threshold: {maximise: recall, subject to: {accuracy: "<= 0.01"}}\n'
    spec.write_text(SPEC + choice)

    with pytest.raises(UndefinedError, match=r"of 'm' .* accuracy <= 0\.01") as caught:
        build(spec)

    assert caught.value.problems[0].place.endswith("report.yaml:7:12")


def test_a_section_of_ones_own_travels_with_the_results(spec):
    (spec.parent / "notes.md").write_text("Seen by the *board*.")
    spec.write_text(SPEC + "sections: [verdict, {markdown: notes.md}]\n")
    done = build(spec)

    results = Results.from_json(done.files["json"].read_text(encoding="utf-8"))
    again = render_again(results, out=spec.parent / "again", formats=["html"])
    assert "Seen by the <em>board</em>." in again.files["html"].read_text(encoding="utf-8")


def test_a_section_whose_file_is_missing_is_a_fault_of_the_spec(spec):
    spec.write_text(SPEC + "sections: [verdict, {markdown: nothing.md}]\n")

    with pytest.raises(SpecError, match=r"nothing\.md"):
        build(spec)


def test_the_python_call_takes_a_spec_that_is_already_read(spec):
    from reportgen.spec import read

    assert reportgen.build(read(spec), out=spec.parent / "out", formats=["json"]).path.is_dir()


SMALL = """
import resource, sys
from reportgen.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
main(["build", sys.argv[1], "--quiet", "--format", "json"])
"""


def test_a_file_that_cannot_be_written_to_its_end_exits_with_8(spec):
    """The limit on file sizes stands in for a full disk: the same call fails at the same place."""
    done = subprocess.run(
        [sys.executable, "-c", SMALL, str(spec)], check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stdout) == (OutputError.exit_code, "")
    assert "disk-full" in done.stderr
    assert not (spec.parent / "reports/report").exists()


def test_the_spec_sets_paper_and_whether_charts_are_interactive(spec):
    sections = "sections: [verdict, discrimination]\n"
    spec.write_text(f"{SPEC}{sections}output: {{paper: letter, interactive: false}}\n")
    done = build(spec, "html", "pdf")
    box = PdfReader(done.files["pdf"]).pages[0].mediabox

    assert (round(box.width), round(box.height)) == (612, 792)
    page = done.files["html"].read_text(encoding="utf-8")
    assert "<script" not in page
    assert "script-src 'none'" in unescape(page)
    assert len(page.encode()) < 1_000_000


def test_the_date_of_a_build_may_be_a_text(spec):
    done = reportgen.build(spec, formats=["json"], date="2026-01-31")

    assert done.results.build["date"] == "2026-01-31"
    with pytest.raises(SpecError, match="'31 January' is not a date"):
        reportgen.build(spec, formats=["json"], date="31 January")
