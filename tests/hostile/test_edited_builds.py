"""Earlier builds that were edited or copied: later ones read them, or count them as gone.

60 edits in every run; ``make hold`` reads 4,000.
"""

from __future__ import annotations

import datetime as dt
import json
import random
import shutil
from pathlib import Path

import polars as pl
import pytest

import reportgen
from reportgen.builds.history_file import FILE, SCHEMA, history, record_of
from tests.four_rows import ROWS, SPEC
from tests.hostile.edits import edited, places

GATES = "gates: [m.auc >= previous - 0.1, m.auc within history]\n"
DEEP = "[" * 100_000
EDITED = ("manifest.json", "results.json")


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    """The folder of a spec with two builds."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "data.csv").write_text(ROWS)
    (folder / "report.yaml").write_text(SPEC + GATES)
    for day in (1, 2):
        _build(folder, day)
    return folder


@pytest.fixture
def folder(published, tmp_path) -> Path:
    return Path(shutil.copytree(published, tmp_path / "copy", symlinks=True))


def _build(folder: Path, day: int) -> reportgen.Build:
    spec, out = folder / "report.yaml", folder / "out"
    return reportgen.build(spec, out=out, formats=["json"], date=dt.date(2026, 1, day))


def _builds(folder: Path) -> list[Path]:
    return sorted((folder / "out" / "report").glob("2026*"))


def check(folder: Path, count: int, seed: int) -> None:
    last = _builds(folder)[-1]
    chance = random.Random(seed)
    whole = {name: json.loads((last / name).read_text()) for name in EDITED}
    ways = {name: [way for way in places(whole[name]) if way] for name in EDITED}
    for number in range(count):
        name = EDITED[number % 2]
        (last / name).write_text(json.dumps(edited(whole[name], chance, ways[name])))
        row = record_of(last)
        (last / name).write_text(json.dumps(whole[name]))
        assert row is None or pl.DataFrame([row], schema=SCHEMA)["id"].to_list() == [last.name]


def test_a_build_that_was_edited_has_a_row_or_counts_as_gone(folder):
    check(folder, 60, 1)


@pytest.mark.slow
def test_four_thousand_edited_builds_have_a_row_or_count_as_gone(folder):
    check(folder, 4000, 2)


@pytest.mark.parametrize("content", [DEEP, "[]", '{"metrics": [7]}'], ids=["deep", "list", "other"])
def test_the_build_after_one_that_was_edited_is_published(folder, content):
    """Also where the history is read from the builds again."""
    (_builds(folder)[-1] / "results.json").write_text(content)
    _build(folder, 3)
    (folder / "out" / "report" / FILE).unlink()

    states = history(folder / "out" / "report")["state"].to_list()

    assert [state is None for state in states] == [False, True, False]
    assert len(_builds(folder)) == 3


def test_a_build_that_was_copied_under_another_id_is_counted_once(folder):
    shutil.copytree(_builds(folder)[-1], folder / "out" / "report" / "20260103-aaaaaaaa")

    assert history(folder / "out" / "report")["date"].to_list() == ["2026-01-01", "2026-01-02"]
