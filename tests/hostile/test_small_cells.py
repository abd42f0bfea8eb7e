"""Whatever a withheld count is, every file of a build is the same, so that none tells it.

In every run the results of the designs that told one before they were mended; ``make hold`` builds
all designs and compares every file, with exports, gates, numbers for monitoring and notices.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reportgen
from reportgen.errors import EmptyError
from tests.breadth import breadth
from tests.hostile import small_cells
from tests.hostile.forked import started
from tests.hostile.small_cells import Design
from tests.hostile.small_cells_further import FURTHER
from tests.small_counts import LEAST

DESIGNS = {**small_cells.DESIGNS, **FURTHER}

SMALL = (
    "labels of different lengths",
    "rows of a role",
    "rows of a second file",
    "rows of weight 0",
    "coarse scores of two labels",
    "pairs of a class in the wrong order",
    "intervals that do not hold the truth",
)
SIBLINGS = ("coarse scores of three classes", "pairs in the wrong order")
REFUSED = ("rows that a model lacks", "a class of a model's own rows")
EVERY_FILE = (
    *("--format", "html,json,markdown", "--export", "parts", "--junit", "gates.xml"),
    *("--openmetrics", "numbers.txt", "--notify", "always", "--webhook", "--dry-run"),
)
_HASHES = re.compile(r"(?<![.\w])(?:[0-9a-f]{64}|[0-9a-f]{16}|(?<=202311\d\d-)[0-9a-f]{8})\b")
_PRIVACY = {"privacy": {"small_cells": LEAST}, "measures": "all", "bootstrap": {"replicates": 20}}


def written(design: Design, few: int, folder: Path) -> dict[str, Any]:
    """The files of a design, with its spec."""
    for name, frame in design.frames(few).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
    spec = {**_PRIVACY, **design.spec}
    (folder / "s.yaml").write_text(json.dumps(spec))
    return spec


def results(design: Design, few: int, folder: Path) -> str:
    """The results but for hashes of the data."""
    written(design, few, folder)
    return _HASHES.sub("", reportgen.evaluate(folder / "s.yaml").to_json())


def files(design: Design, counts: Sequence[int], folder: Path) -> dict[str, str]:
    """The text of every file that builds of so many nights write, but for hashes of the data.

    With them what the terminal says of the builds, of their history and of their differences.
    """
    texts: dict[str, str] = {}
    folder.mkdir()
    written(design, counts[0], folder)
    given = set(folder.rglob("*"))
    for night, few in enumerate(counts, 1):
        written(design, few, folder)
        date = f"2023-11-{13 + night}"
        texts |= _said(folder, "build", "s.yaml", *EVERY_FILE, "--date", date)
    if len(counts) > 1:
        texts |= _said(folder, "history", "s", "--json")
        for form in ("json", "markdown"):
            texts |= _said(folder, "compare", "s/latest~1", "s/latest", "--format", form)
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and path not in given:
            name = _HASHES.sub("", str(path.relative_to(folder)))
            texts[name] = _HASHES.sub("", _text(path))
    return texts


def _said(folder: Path, *words: str) -> dict[str, str]:
    """What a command prints, and its exit code."""
    output = folder.with_suffix(".txt")
    output.write_text("")
    run = started(
        words,
        output=output,
        folder=folder,
        SOURCE_DATE_EPOCH=os.environ["SOURCE_DATE_EPOCH"],
        REPORTGEN_WEBHOOK="http://localhost:1/",
    )
    run.join()
    texts = {"terminal": _HASHES.sub("", output.read_text()), "exit code": str(run.exitcode)}
    return {f"{' '.join(words)}, {what}": text for what, text in texts.items()}


def _text(path: Path) -> str:
    if path.suffix == ".parquet":
        return pl.read_parquet(path).write_ndjson()
    return path.read_bytes().decode("latin-1")


@pytest.fixture(autouse=True)
def _same_time(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


@breadth("name", [*SMALL, *SIBLINGS], SMALL)
def test_results_do_not_tell_a_withheld_count(name, tmp_path):
    few = {results(DESIGNS[name], count, _folder(tmp_path, count)) for count in (1, LEAST - 1)}

    assert len(few) == 1


@pytest.mark.parametrize("name", REFUSED)
def test_models_whose_own_rows_differ_in_few_are_refused(name, tmp_path):
    with pytest.raises(EmptyError, match="small_cells"):
        results(DESIGNS[name], LEAST - 1, tmp_path)


def test_warnings_of_the_data_count_no_rows(tmp_path):
    """Of scores that do not add up to 1, and of records on several lines with their places."""
    lines = ["y,p0,p1,p2,note", *(f"{i % 3},{_thirds(i)},x" for i in range(300))]
    lines[7] = lines[7].replace("x", '"x\ny"')
    (tmp_path / "p.csv").write_text("\n".join(lines))
    spec = {"data": "p.csv", "truth": "y", "models": {"a": {"scores": _SCORES}}, **_PRIVACY}
    (tmp_path / "s.yaml").write_text(json.dumps(spec))
    checks = {
        c["name"]: c["detail"] for c in reportgen.evaluate(tmp_path / "s.yaml").data["checks"]
    }

    assert checks["sums"] == "a: scores, not probabilities: they do not add up to 1"
    assert checks["records on several lines"] == "line breaks between quotation marks"


_SCORES = {str(k): f"p{k}" for k in range(3)}


def _thirds(i: int) -> str:
    """Scores of three classes that add up to 1 but in three rows."""
    first = (i * 37 % 150 + 1) / 300
    return f"{first},{0.5 - first},{0.5 + (i < 3) / 10}"


def test_numbers_are_not_taken_for_hashes():
    assert _HASHES.sub("", "0.1234567890123456, 00aa00aa00aa00aa") == "0.1234567890123456, "


def test_the_comparison_would_see_a_count():
    """A count that is large enough to be published is in the files, so that they differ."""
    design = DESIGNS["false negatives"]
    many = {
        reportgen.evaluate({**design.spec, **_PRIVACY}, _frame(design, n)).to_json()
        for n in (9, 12)
    }

    assert len(many) == 2


def _frame(design: Design, count: int) -> pl.DataFrame:
    return next(iter(design.frames(count).values()))


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_no_file_of_a_build_tells_a_withheld_count(name, tmp_path):
    _assert_same(name, [1], [LEAST - 1], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*DESIGNS} - {*REFUSED}))
def test_no_file_of_a_later_build_tells_a_withheld_count(name, tmp_path):
    """Not the one before, its trend, or what has changed."""
    _assert_same(name, [3, 1], [3, LEAST - 1], tmp_path)


ONCE = (
    *("gates.xml", "numbers.txt", "parts/s/numbers/metrics.csv", "parts/s/numbers/metrics.parquet"),
    *("parts/s/index.json", "parts/s/tables/09-", "parts/s/charts/", "reports/s/history.parquet"),
    *("reports/index.html", "reports/feed.xml", "reports/s/index.html", "reports/s/badge.json"),
)
"""What the files that are written once begin with."""

OF_EACH_NIGHT = ("report.html", "results.json", "summary.md", "manifest.json")


def _expected(nights: int) -> list[str]:
    days = range(14, 14 + nights)
    return [*ONCE, *(f"reports/s/202311{day}-/{file}" for day in days for file in OF_EACH_NIGHT)]


def _assert_same(name: str, counts: Sequence[int], others: Sequence[int], folder: Path) -> None:
    one = files(DESIGNS[name], counts, folder / "one")
    other = files(DESIGNS[name], others, folder / "other")

    assert one.keys() == other.keys()
    assert [path for path in one if one[path] != other[path]] == []
    expected = [] if name in REFUSED else _expected(len(counts))
    assert [start for start in expected if not any(path.startswith(start) for path in one)] == []
    assert len(one) >= 2


def _folder(parent: Path, count: int) -> Path:
    folder = parent / str(count)
    folder.mkdir()
    return folder
