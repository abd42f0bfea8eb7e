"""Builds of named specs: one folder each, keyed by date, several in one command."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from pathlib import Path

import pytest

import reportgen
from reportgen.errors import SpecError
from tests.four_rows import ROWS, SPEC

MONDAY, TUESDAY = dt.date(2026, 11, 23), dt.date(2026, 11, 24)


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)
    (tmp_path / "melons.yaml").write_text(SPEC)
    return tmp_path / "melons.yaml"


def build(spec: Path, date: dt.date = MONDAY, out: Path | None = None) -> reportgen.Build:
    return reportgen.build(spec, formats=["json"], date=date, out=out)


def latest(folder: Path) -> str:
    return (folder / "latest").readlink().name


def test_a_build_goes_to_the_folder_of_its_spec_under_its_logical_date(spec):
    done = build(spec)

    assert done.path.parent == spec.parent / "reports" / "melons"
    assert done.path.name.startswith("20261123-")
    assert done.results.build["date"] == "2026-11-23"


def test_the_spec_says_its_name(spec):
    spec.write_text(f"name: water melons\n{SPEC}")

    assert build(spec).path.parent.name == "water melons"


@pytest.mark.parametrize("name", ["a/b", "..", "latest", ".hidden", "a\\b", "x" * 81])
def test_a_name_that_is_no_folder_is_refused_at_its_place(spec, name):
    spec.write_text(f"name: {json.dumps(name)}\n{SPEC}")

    with pytest.raises(SpecError) as caught:
        build(spec)
    assert caught.value.problems[0].place.endswith("melons.yaml:1:7")


def test_the_same_date_and_inputs_give_nothing_to_do_and_other_inputs_a_build_beside_it(spec):
    first, again = build(spec), build(spec)
    (spec.parent / "data.csv").write_text(ROWS.replace("0.7", "0.5"))
    other = build(spec)

    assert (first.unchanged, again.unchanged, other.unchanged) == (False, True, False)
    assert again.path == first.path != other.path
    assert latest(first.path.parent) == other.path.name


def test_a_build_that_has_lost_a_file_is_built_again(spec):
    first = build(spec)
    first.files["json"].unlink()

    assert not build(spec).unchanged


def test_a_build_whose_results_can_no_longer_be_read_is_built_again(spec):
    first = build(spec)
    file = first.path / "results.json"
    file.write_text(file.read_text().replace('"decision"', '"decisiom"'))

    again = build(spec)

    assert not again.unchanged
    assert again.path != first.path
    assert again.results.decision == first.results.decision


def test_latest_is_of_the_latest_date_whatever_is_built_last(spec):
    newest, earlier = build(spec, TUESDAY), build(spec, MONDAY)

    assert earlier.path.is_dir()
    assert latest(newest.path.parent) == newest.path.name


def test_another_spec_of_the_same_name_never_mixes_with_the_first(spec):
    build(spec)
    other = spec.parent / "elsewhere" / "melons.yaml"
    other.parent.mkdir()
    other.write_text(SPEC)
    (other.parent / "data.csv").write_text(ROWS)

    with pytest.raises(SpecError, match="same-name"):
        build(other, out=spec.parent / "reports")
    moved = spec.rename(spec.with_name("moved.yaml"))
    assert build(other, out=spec.parent / "reports").unchanged, "the first spec is no more"
    assert build(moved).path.parent.name == "moved"


@pytest.fixture
def specs(spec):
    """One that builds, one whose gate fails, one whose data are bad, one that is no spec."""
    folder = spec.parent
    (folder / "gate.yaml").write_text(f"{SPEC}gates: [m.auc >= 0.99]\n")
    (folder / "bad.csv").write_text(ROWS.replace("0.4", "NaN"))
    (folder / "data-fault.yaml").write_text(SPEC.replace("data.csv", "bad.csv"))
    (folder / "wrong.yaml").write_text("colour: red\n")
    return [folder / f"{name}.yaml" for name in ("wrong", "melons", "gate", "data-fault")]


def run(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "reportgen", "build", *map(str, words), "--format", "json"]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.slow
def test_several_specs_have_a_line_each_and_the_worst_exit_and_none_stops_another(specs):
    done = run(*specs, "--jobs", 2, "--json", "--quiet")

    messages = json.loads(done.stdout)
    assert done.returncode == 3
    assert [(one["name"], one["exit"]) for one in messages["specs"]] == [
        ("wrong", 2),
        ("melons", 0),
        ("gate", 1),
        ("data-fault", 3),
    ]
    assert [one["name"] for one in messages["builds"]] == ["melons", "gate"]
    assert all((Path(one["path"]) / "results.json").is_file() for one in messages["builds"])
    assert messages["specs"][3]["summary"] == "NOT BUILT (exit 3): the data cannot be used"


def test_two_specs_of_one_name_build_nothing(specs, tmp_path):
    done = run(*specs, "--set", "name=same", "--out", tmp_path / "out")

    assert (done.returncode, done.stdout) == (2, "")
    assert "gate.yaml" in done.stderr
    assert not (tmp_path / "out").exists()
