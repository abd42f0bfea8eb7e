"""Odd inputs are read with exactly the values that they hold, or refused with their place."""

from __future__ import annotations

import io

import polars as pl
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


ARROW = io.BytesIO()
pl.DataFrame({"y": [1, 0], "p": [0.9, 0.2]}).write_ipc_stream(ARROW)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.arrow", ARROW.getvalue(), "it is an Arrow stream"),
        ("d.ndjson", b'[{"y": 1, "p": 0.9}]', "it is a list"),
        ("d.ndjson", b'\xef\xbb\xbf{"y": 1, "p": 0.9}', "byte-order mark"),
        (
            "d.ndjson",
            b'{"y": 1, "p": 0.9}\n{"y": true, "p": 0.2}',
            "key 'y' is a boolean, and a number on line 1",
        ),
        ("d.arrow", b"ARROW1", "damaged"),
    ],
)
def test_a_file_that_is_whole_but_cannot_be_read_is_not_called_damaged(
    name, content, message, tmp_path
):
    (tmp_path / name).write_bytes(content)
    spec = {"data": name, "truth": "y", "models": {"m": {"score": "p"}}}
    with pytest.raises(DataError, match=message):
        predictions.read(specs.from_dict(spec, tmp_path))


@pytest.mark.parametrize(
    ("label", "hint"), [(" 1", '" 1"'), ("null", '"null"'), ("a: b", '"a: b"'), ("1e0", "1e0")]
)
def test_a_hint_on_the_positive_label_can_be_copied(label, hint, tmp_path):
    text = f"y,p\n{label},0.9\n0,0.2\n{label},0.8\n0,0.3\n"
    (tmp_path / "d.csv").write_text(text)
    spec = "data: d.csv\ntruth: y\nmodels: {m: {score: p}}\n"
    (tmp_path / "s.yaml").write_text(spec)
    with pytest.raises(DataError, match="which label is positive") as refused:
        predictions.read(specs.read(tmp_path / "s.yaml"))

    assert refused.value.problems[0].hint == f"name it, for example positive: {hint}"
    (tmp_path / "s.yaml").write_text(f"{spec}positive: {hint}\n")
    assert predictions.read(specs.read(tmp_path / "s.yaml")).positive == label
