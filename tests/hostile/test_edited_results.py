"""A results.json that was edited: ``render`` makes a report of it, or says where it is wrong."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from click.testing import CliRunner

from reportgen.cli import reports
from reportgen.cli.group import group
from reportgen.errors import DataError, ReportgenError
from reportgen.results import Results
from tests.example_results import example_results
from tests.hostile.edits import edited, places

TASKS = ("watermelon", "learners")
IDS = ("../../escaped", "/tmp/escaped", "", ".", "..", "a/b", "a\0b", "x" * 300, "latest", None, 7)


@pytest.fixture(scope="module", params=TASKS)
def whole(request) -> dict[str, Any]:
    """The results of an example as plain values."""
    return json.loads(example_results(request.param).to_json())


def fate(folder, record: dict[str, Any]) -> tuple[int, str]:
    """The exit code of ``render`` and what it says; the pages are put together, not drawn."""
    path = folder / "results.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    words = ["render", str(path), "--out", str(folder / "out"), "--format", "markdown", "-q"]
    done = CliRunner().invoke(group, words, standalone_mode=False)
    if isinstance(done.exception, ReportgenError):
        return done.exception.exit_code, str(done.exception)
    if done.exception is not None:
        raise done.exception
    return done.return_value or 0, done.output


def check(folder, whole: dict[str, Any], count: int, seed: int) -> None:
    ways = [way for way in places(whole) if way]
    short = [way for way in ways if len(way) < 4]
    chance = random.Random(seed)
    for number in range(count):
        record = edited(whole, chance, short if number % 2 else ways)
        code, messages = fate(folder, record)
        assert code in (0, 1, 2, 3), messages
        assert code < 2 or "results.json" in messages
        outside = {path.name for path in folder.iterdir()} - {"results.json", "out"}
        assert not outside


def test_edited_results_are_rendered_or_refused_with_their_place(whole, tmp_path):
    check(tmp_path, whole, 15, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_many_edited_results_are_rendered_or_refused_with_their_place(whole, tmp_path, seed):
    check(tmp_path, whole, 500, seed)


@pytest.mark.parametrize("name", IDS)
def test_a_build_id_is_checked_before_it_names_a_folder(name, whole, tmp_path):
    whole = {**whole, "build": {**whole["build"], "id": name}}

    code, messages = fate(tmp_path, whole)

    assert (code, "build.id" in messages) == (3, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("checks", ["x", [7], ["x"], [{"name": "a", "detail": 7, "warning": True}]])
def test_checks_of_the_data_are_read_before_anything_is_published(checks, whole, tmp_path):
    whole = {**whole, "data": {**whole["data"], "checks": checks}}

    code, messages = fate(tmp_path, whole)

    assert (code, "data.checks" in messages) == (3, True)
    assert not (tmp_path / "out").exists()


def test_every_fault_is_told_with_its_place(whole):
    metrics = [{**whole["metrics"][0], "value": "much"}, *whole["metrics"][1:]]
    text = json.dumps({**whole, "metrics": metrics, "title": 7, "further": 1})

    with pytest.raises(DataError) as caught:
        Results.from_json(text, "results.json")

    messages = {p.place: p.message for p in caught.value.problems}
    assert messages == {
        "results.json, metrics[0].value": "must be number or null, not 'much'",
        "results.json, title": "must be string, not 7",
        "results.json, further": "is unknown",
    }


def test_only_results_that_are_not_as_they_were_published_can_be_at_fault(whole, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    words = ["render", str(path), "--out", str(tmp_path / "out"), "--format", "json", "-q"]
    CliRunner().invoke(group, words, standalone_mode=False)
    published = tmp_path / "out" / whole["build"]["name"] / "latest" / "results.json"
    text = published.read_text(encoding="utf-8")

    assert reports._is_published(published, text)
    assert not reports._is_published(published, f"{text} ")
    assert not reports._is_published(path, text)
