"""Whatever a spec says, it is read, or refused with exit code 2 and a place."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import pytest

import reportgen
from reportgen.errors import ReportgenError, SpecError
from reportgen.predictions import read as read_predictions
from reportgen.predictions import read_scores
from reportgen.spec import ScoresSpec, read
from reportgen.spec.yaml_text import block
from tests.hostile.spec_mutants import mutants, seeds, with_every_kind, write_tables

FULL = 50_000
PARTS = 20


@pytest.fixture
def folder(tmp_path):
    """A folder with some rows of the data of every example."""
    write_tables(tmp_path)
    return tmp_path


def test_the_specs_to_begin_with_are_read(folder):
    for values in seeds():
        assert fate(folder, block(values), evaluated=False) is None


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


def check(folder, texts: Iterable[str], *, evaluated: bool = False) -> None:
    for text in texts:
        error = fate(folder, text, evaluated=evaluated)
        if error is None:
            continue
        assert error.exit_code in {2, 3, 4, 5, 7}
        assert all(p.place or p.code == "more-problems" for p in error.problems), (text, error)
        if isinstance(error, SpecError):
            assert "report.yaml" in error.problems[0].place


def test_mutants_of_specs_are_read_or_refused(folder):
    check(folder, mutants(80, 0))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, PARTS + 1))
def test_many_mutants_of_specs_are_read_or_refused(folder, seed):
    check(folder, mutants(FULL // PARTS, seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(PARTS))
def test_mutants_that_are_read_are_evaluated_or_refused(folder, seed):
    check(folder, mutants(250, 1000 + seed), evaluated=True)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_values_of_every_kind_of_every_key_are_evaluated_or_refused(folder, part):
    check(folder, islice(with_every_kind(), part, None, PARTS), evaluated=True)
