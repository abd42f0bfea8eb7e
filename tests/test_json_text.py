"""Results are written as the library of Python writes JSON."""

from __future__ import annotations

import json
import math
from types import MappingProxyType

import numpy as np
import pytest

from reportgen.records.json_text import json_text

VALUE = {
    "text": 'ä "quoted" \\ \n \u2028 \x7f',
    "numbers": [0, -3, 10**20, 0.1, 1e-7, 1e22, -0.0, np.float64(2.5)],
    "others": (True, False, None),
    "empty": [[], {}, ()],
    "rows": [{"a": 1.5, "b": None}, {"a": [1.0, [2.0]], "b": {"c": "d"}}],
}


def test_it_is_what_the_library_writes():
    assert json_text(VALUE) == json.dumps(VALUE, ensure_ascii=False, indent=1)
    assert json_text(MappingProxyType(VALUE)) == json_text(VALUE)


@pytest.mark.parametrize("value", [math.nan, math.inf, np.float64("nan")])
def test_what_is_not_finite_is_null(value: float):
    assert json_text({"a": [value]}) == json.dumps({"a": [None]}, indent=1)


def test_what_is_no_value_of_json_is_refused():
    with pytest.raises(TypeError, match="ndarray is no value of JSON"):
        json_text({"a": np.zeros(2)})
