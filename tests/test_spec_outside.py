"""A spec reads files in its own folder, and elsewhere only where the command line allows it."""

from __future__ import annotations

from pathlib import Path

import pytest

import reportgen
from reportgen.cli import main
from reportgen.errors import SpecError
from reportgen.predictions.reading import inputs
from reportgen.spec import read

ROWS = "y,p\n" + "".join(f"{i % 2},{0.1 + 0.07 * i}\n" for i in range(12))
MODELS = "truth: y\nmodels: {m: {score: p}}\noutput: {formats: [json]}\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A spec's folder with data, beside a folder that is none of its business."""
    for folder in ("specs/parts", "other"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("specs/p.csv", "specs/parts/a.csv", "other/p.csv", "other/notes.md"):
        (tmp_path / file).write_text(ROWS)
    (tmp_path / "specs/link.csv").symlink_to(tmp_path / "other/p.csv")
    (tmp_path / "specs/linked").symlink_to(tmp_path / "other")
    (tmp_path / "specs/inner.csv").symlink_to("parts/a.csv")
    return tmp_path


def spec(place: Path, data: str, more: str = "") -> Path:
    path = place / "specs/report.yaml"
    path.write_text(f"data: {data.format(place=place)}\n{MODELS}{more}")
    return path


OUTSIDE = [
    "../other/p.csv",
    "{place}/other/p.csv",
    "link.csv",
    "linked/p.csv",
    "parts/../../other/p.csv",
    "../other/*.csv",
    "*/../../other/*.csv",
    "../no-such-folder/p.csv",
    "{place}/other/[p].csv",
]


@pytest.mark.parametrize("data", OUTSIDE)
def test_data_outside_are_refused_with_field_file_and_option(place, data):
    with pytest.raises(SpecError) as refused:
        inputs(read(spec(place, f"'{data}'")))

    [problem] = refused.value.problems
    assert problem.code == "outside-folder"
    assert "data: " in problem.message
    assert "p.csv" in problem.message or "*.csv" in problem.message or "[p].csv" in problem.message
    assert "--allow-root" in problem.hint
    assert "--allow-outside" in problem.hint
    assert problem.line == 1


@pytest.mark.parametrize("data", ["'*.csv'", "'**/p.csv'", "'link*/*.csv'"])
def test_a_pattern_inside_does_not_reach_a_file_outside_through_a_link(place, data):
    with pytest.raises(SpecError) as refused:
        inputs(read(spec(place, data)))

    assert {problem.code for problem in refused.value.problems} == {"outside-folder"}


@pytest.mark.parametrize(
    "data",
    ["p.csv", "./p.csv", "parts/../p.csv", "inner.csv", "{place}/specs/p.csv", "parts/*.csv"],
)
def test_files_in_the_folder_are_read_however_they_are_written(place, data):
    files, _ = inputs(read(spec(place, data)))

    assert len(files) == 1


def test_a_folder_that_only_begins_alike_is_another_one(place):
    (place / "specs-other").mkdir()
    (place / "specs-other/p.csv").write_text(ROWS)

    with pytest.raises(SpecError, match="outside-folder"):
        read(spec(place, "../specs-other/p.csv"))


def test_a_text_outside_is_refused_whether_or_not_it_is_there(place):
    for name in ("../other/notes.md", "../other/none.md", "linked/notes.md"):
        with pytest.raises(SpecError) as refused:
            read(spec(place, "p.csv", f"sections: {{add: [{{markdown: {name}}}]}}\n"))
        assert [problem.code for problem in refused.value.problems] == ["outside-folder"]
        assert "markdown: " in refused.value.problems[0].message


@pytest.mark.parametrize("data", ["../other/p.csv", "link.csv", "../other/*.csv"])
def test_an_allowed_root_or_the_option_lets_them_be_read(place, data):
    path = spec(place, f"'{data}'")

    for roots in ([place / "other"], [place / "specs", place / "specs/linked"], [place], None):
        files, _ = inputs(read(path, allowed_roots=roots))
        assert len(files) == 1


def test_the_command_line_itself_is_trusted(place):
    files, _ = inputs(read(spec(place, "p.csv"), [f"data={place}/other/p.csv"]))

    assert files[0].path == place / "other/p.csv"


def test_a_spec_written_in_python_reads_where_it_says(place):
    results = reportgen.evaluate(
        {"data": str(place / "other/p.csv"), "truth": "y", "models": {"m": {"score": "p"}}}
    )

    assert results.data["rows"] == 12


def test_a_spec_file_is_held_to_its_folder_from_python_too(place):
    path = spec(place, "../other/p.csv")

    with pytest.raises(SpecError, match="outside-folder"):
        reportgen.build(path)
    assert reportgen.build(path, allowed_roots=[place / "other"]).results.data["rows"] == 12


@pytest.fixture
def run(capsys):
    def run(*words: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        return left.value.code, capsys.readouterr().err

    return run


def test_build_and_check_take_the_options_and_a_refusal_leaves_no_report(place, run):
    path = spec(place, "../other/p.csv")

    for command in ("build", "check"):
        code, output = run(command, path)
        assert code == 2
        assert "report.yaml:1:7: outside-folder: data: '../other/p.csv'" in output
        assert not (place / "specs/reports").exists()
    assert run("check", path, "--allow-root", place / "other")[0] == 0
    assert run("check", path, "--allow-outside")[0] == 0
    assert run("build", path, "--allow-root", place / "other")[0] == 0


def test_roots_may_stand_in_the_environment(place, run, monkeypatch):
    monkeypatch.setenv("REPORTGEN_ALLOWED_ROOTS", f"{place}/none:{place}/other")

    assert run("check", spec(place, "../other/p.csv"))[0] == 0
