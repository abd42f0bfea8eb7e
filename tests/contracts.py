"""The schemas that results and specs are checked against, each read once."""

from __future__ import annotations

from functools import cache

from jsonschema import Draft202012Validator

from reportgen.records.contract import results_schema
from reportgen.spec import schema


@cache
def results_validator() -> Draft202012Validator:
    """What checks results.json."""
    return Draft202012Validator(results_schema())


@cache
def decision_validator() -> Draft202012Validator:
    """What checks the decision of results.json."""
    return Draft202012Validator(results_schema()["properties"]["decision"])


@cache
def spec_validator() -> Draft202012Validator:
    """What checks a spec."""
    return Draft202012Validator(schema())
