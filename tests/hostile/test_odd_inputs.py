"""Odd inputs are read with exactly the values that they hold, or refused with their place."""

from __future__ import annotations

import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError, EmptyError
from tests.hostile.odd_inputs import EXPECTED, Odd, odd_inputs

ODD = {odd.name: odd for odd in odd_inputs()}


def read(odd: Odd, folder) -> dict[str, list]:
    name = f"d.{odd.ending}"
    (folder / name).write_bytes(odd.content)
    spec = {"data": name, "truth": "y", "models": {"m": {"score": "p"}}, **odd.spec}
    result = predictions.read(specs.from_dict(spec, folder))
    columns = result.frame.to_dict(as_series=False)
    return columns | (
        {} if result.identities is None else result.identities.to_dict(as_series=False)
    )


def test_no_two_odd_inputs_share_a_name():
    assert len(ODD) == len(list(odd_inputs())) >= 114


@pytest.mark.parametrize("name", [name for name, odd in ODD.items() if odd.refused is None])
def test_an_odd_input_is_read_as_what_it_holds(name, tmp_path):
    columns = read(ODD[name], tmp_path)

    for column, values in (EXPECTED | dict(ODD[name].columns)).items():
        assert columns[column] == values, column


@pytest.mark.parametrize("name", [name for name, odd in ODD.items() if odd.refused])
def test_an_odd_input_that_breaks_a_rule_is_refused_with_its_place(name, tmp_path):
    with pytest.raises((DataError, EmptyError)) as refused:
        read(ODD[name], tmp_path)

    problem = refused.value.problems[0]
    code, place = ODD[name].refused or ("", "")
    assert problem.code == code
    assert problem.place.replace(f"d.{ODD[name].ending}", "D").startswith(place)
    assert problem.message
    assert problem.hint or code == "no-rows"
