"""Lines of JSON whose keys have values of several types, or values within values."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError


@pytest.mark.parametrize("value", ["[0.5]", "{}", '{"p": 1}'])
@pytest.mark.parametrize("key", ["i", "site"])
def test_values_within_a_value_of_json_are_refused_with_their_row(tmp_path, key, value):
    """Polars reads them as text where the other rows have texts."""
    lines = [f'{{"i": "a{k}", "y": {k % 2}, "p": 0.5, "site": "[x"}}' for k in range(4)]
    lines[2] = lines[2].replace(f'"{key}": "{"a2" if key == "i" else "[x"}"', f'"{key}": {value}')
    (tmp_path / "d.jsonl").write_text("\n".join(lines))
    spec = {"data": "d.jsonl", "truth": "y", "models": {"m": {"score": "p"}}, "slices": ["site"]}
    with pytest.raises(DataError) as refused:
        predictions.read(specs.from_dict({**spec, "columns": {"id": "i"}}, tmp_path))

    (problem,) = refused.value.problems
    assert (problem.code, problem.rows) == ("nested", (3,))


@pytest.mark.parametrize(
    ("values", "place"),
    [
        (('"a"', "1", "true", "2"), None),
        (("[1]", "2"), "d.jsonl, line 2"),
        (("[1]", '{"a": 1}'), "d.jsonl, line 2"),
        (('"x"', "1", "true", '{"a": 1}'), None),
    ],
)
def test_a_key_of_several_types_is_refused_with_its_line(tmp_path, values, place):
    """Among texts any value is read; none of it was asked for."""
    lines = [f'{{"y": {k % 2}, "p": 0.{k}, "n": {value}}}' for k, value in enumerate(values)]
    (tmp_path / "d.jsonl").write_text("\n".join(lines))
    spec = {"data": "d.jsonl", "truth": "y", "models": {"m": {"score": "p"}}}
    with nullcontext() if place is None else pytest.raises(DataError) as refused:
        assert predictions.read(specs.from_dict(spec, tmp_path)).frame.height == len(values)

    if place is not None:
        assert refused.value.problems[0].place == place
