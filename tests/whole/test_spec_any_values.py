"""Specs of any keys and values: read, or refused with their problems."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from reportgen import spec as specs
from reportgen.errors import SpecError

KEYS = st.sampled_from(
    [
        *specs.Spec.model_fields,
        *specs.Columns.model_fields,
        *("score", "label", "column", "scores", "labels", "estimate", "low", "quantile"),
        *("false_negative", "maximise", "omit", "markdown", "formats", "a"),
    ]
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.floats(), st.text(max_size=3), KEYS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=8))
def test_any_values_make_a_spec_or_are_refused_but_never_crash(values):
    good = {"data": "p.csv", "truth": "y", "models": {"a": {"score": "p"}}}
    for given_values in (values, good | values):
        with suppress(SpecError):
            assert specs.from_dict(specs.from_dict(given_values).to_dict())
