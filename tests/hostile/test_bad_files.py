"""Each curated bad file is refused, with its name, what is wrong and what to do."""

from __future__ import annotations

import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError, EmptyError
from tests.hostile.bad_files import GOOD, files
from tests.hostile.cases import SPEC

FILES = files()


def read(folder, name: str, content: bytes):
    (folder / name).write_bytes(content)
    return predictions.read(specs.from_dict({**SPEC, "data": name}, folder))


@pytest.mark.parametrize("ending", GOOD)
def test_the_good_file_is_read(tmp_path, ending):
    assert read(tmp_path, f"d.{ending}", GOOD[ending]).frame.height == 20


def test_there_are_three_hundred():
    assert len(FILES) >= 300


@pytest.mark.parametrize("what", FILES)
def test_a_bad_file_is_refused_with_its_place(tmp_path, what):
    name, content = FILES[what]
    with pytest.raises((DataError, EmptyError)) as refused:
        read(tmp_path, name, content)

    for problem in refused.value.problems:
        assert problem.place.startswith((name, "spec")), problem
        assert problem.message
        assert problem.hint or problem.code == "no-rows", problem
