"""Whatever a spec says, it is read, or refused with exit code 2 and a place."""

from __future__ import annotations

import polars as pl
import pytest

import reportgen
from reportgen.errors import ReportgenError, SpecError
from reportgen.predictions import read as read_predictions
from reportgen.predictions import read_scores
from reportgen.spec import ScoresSpec, read
from tests.hostile.spec_mutants import mutants, seeds

FULL = 50_000
PARTS = 20


@pytest.fixture
def folder(tmp_path):
    """A folder with tiny data under the names that the examples give."""
    for values in seeds():
        for name in values["data"]:
            _tiny(tmp_path / name, values)
    return tmp_path


def _tiny(path, values) -> None:
    """Eight rows of the columns that a spec names, all numbers, or labels of two kinds."""
    named: dict[str, list] = {}
    for value in _texts(values):
        named[value] = [(7 * i + len(value)) % 5 / 8 for i in range(8)]
    if values.get("task") != "regression" and isinstance(values.get("truth"), str):
        label = values.get("positive", "0")
        named[values["truth"]] = [label if i % 2 else "other" for i in range(8)]
    frame = pl.DataFrame(named, strict=False)
    write = frame.write_csv if path.suffix == ".csv" else frame.write_parquet
    write(path)


def _texts(value):
    if isinstance(value, str):
        yield value
    for entry in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from _texts(entry)


def fate(folder, text: str, *, evaluated: bool) -> ReportgenError | None:
    """What refuses a spec, or its data; any other error is raised."""
    path = folder / "report.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        spec = read(path)
        if evaluated:
            reportgen.evaluate(spec)
        elif isinstance(spec, ScoresSpec):
            read_scores(spec)
        else:
            read_predictions(spec)
    except ReportgenError as error:
        return error
    except Exception as error:
        error.add_note(text)
        raise
    return None


def check(folder, count: int, seed: int, *, evaluated: bool = False) -> None:
    for text in mutants(count, seed):
        error = fate(folder, text, evaluated=evaluated)
        if error is None:
            continue
        assert error.exit_code in {2, 3, 4, 5, 7}
        assert all(p.place or p.code == "more-problems" for p in error.problems), (text, error)
        if isinstance(error, SpecError):
            assert "report.yaml" in error.problems[0].place


def test_mutants_of_specs_are_read_or_refused(folder):
    check(folder, 250, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, PARTS + 1))
def test_many_mutants_of_specs_are_read_or_refused(folder, seed):
    check(folder, FULL // PARTS, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(PARTS))
def test_mutants_that_are_read_are_evaluated_or_refused(folder, seed):
    check(folder, 250, 1000 + seed, evaluated=True)
