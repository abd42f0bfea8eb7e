"""The published contracts: they say what the code says, and judge specs as it does."""

from __future__ import annotations

import json

import jsonschema
import pytest

from reportgen import spec as specs
from reportgen import tables
from reportgen.contracts import contracts, rendered, write_schemas
from reportgen.errors import SpecError
from reportgen.resources import SCHEMAS
from tests.contracts import spec_validator

BASE = {"data": "p.csv", "truth": "y", "models": {"a": {"score": "p"}}}

GOOD = [
    {},
    {"data": ["a.csv", "b.csv"]},
    {"positive": 1},
    {"positive": True},
    {"positive": "malignant"},
    {"models": {"a": {"label": "l"}, "b": {"score": "s", "label": "k"}}},
    {"models": {"column": "m", "score": "s"}},
    {"models": {"a": {"scores": {"x": "p", "z": "q"}, "label": "l"}}},
    {"models": {"a": {"estimate": "e", "low": "l", "high": "h", "quantile": 0.9}}},
    {"models": {"column": "m", "scores": {"x": "p", "z": "q"}}},
    {"models": {"column": "m", "estimate": "e"}},
    {"truth": {"s": "is_s"}, "models": {"a": {"scores": {"s": "p"}, "labels": {"s": "l"}}}},
    {"models": {"a": {"label": "l"}}, "classes": ["x", "z"], "costs": {"x": {"z": 2}}},
    {"costs": {"false_negative": {"column": "c"}, "false_positive": 1}},
    {"task": "binary"},
    {"threshold": 1},
    {"threshold": {"maximise": "f1", "subject to": {"recall": ">= 0.9"}}},
    {"slices": ["a", ["b", "c"]]},
    {"sections": "default"},
    {"sections": ["verdict", "data"]},
    {"sections": {"omit": ["costs"]}},
    {"sections": {"add": ["curves"]}},
    {"measures": "all"},
    {"measures": ["auc"]},
    {"gates": ["a.auc > 0.5"]},
    {"costs": {"false_negative": 10, "false_positive": 1}},
    {"output": {"formats": ["pdf"], "directory": "out"}},
    {"columns": {"id": "i", "fold": "f"}, "confidence": 0.9, "baseline": "a"},
]

BAD = [
    {"postive": 1},
    {"truth": None},
    {"truth": ["a", "b"]},
    {"models": {}},
    {"models": ["a"]},
    {"models": {"a": "p"}},
    {"models": {"a": {"scores": {"x": "y", "z": "p"}, "score": "s"}}},
    {"models": {"a": {"scores": ["x", "z"]}}},
    {"models": {"a": {"estimate": "e", "label": "l"}}},
    {"models": {"a": {"low": "e"}}},
    {"models": {"a": {"estimate": "e", "quantile": 1}}},
    {"task": "ranking"},
    {"costs": {"false_negative": {"colum": "c"}, "false_positive": 1}},
    {"costs": {"a": {"b": -1}}},
    {"threshold": "0.5"},
    {"threshold": {"maximize": "f1"}},
    {"confidence": 1},
    {"confidence": 95},
    {"costs": {"false_negative": 1}},
    {"costs": {"false_negative": -1, "false_positive": 1}},
    {"sections": ["verdct"]},
    {"sections": {"omit": []}},
    {"sections": {"add": ["curve"]}},
    {"measures": "some"},
    {"output": {"formats": ["docx"]}},
    {"output": {"formats": []}},
    {"language": "fr"},
    {"gates": "a.auc > 0.5"},
    {"slices": "site"},
]


@pytest.mark.parametrize("change", GOOD, ids=str)
def test_a_spec_reads_back_as_it_stands_in_the_results(change):
    """``reportgen render`` reads it again from results.json."""
    spec = specs.from_dict(BASE | change)

    assert specs.from_dict(spec.to_dict()).to_dict() == spec.to_dict()


@pytest.mark.parametrize("name", contracts())
def test_the_published_contract_is_what_the_code_says(name):
    """When this fails, run `reportgen.contracts.write_schemas` on the schemas folder."""
    assert (SCHEMAS / name).read_text(encoding="utf-8") == rendered(contracts()[name])


def test_write_schemas_writes_every_contract(tmp_path):
    files = write_schemas(tmp_path / "new")

    assert {file.name for file in files} == set(contracts())
    assert json.loads(files[0].read_text()) == specs.schema()


def test_the_schema_is_a_valid_schema():
    jsonschema.Draft202012Validator.check_schema(specs.schema())


@pytest.mark.parametrize("change", GOOD, ids=str)
def test_schema_and_reader_accept_the_same_specs(change):
    spec_validator().validate(BASE | change)

    assert specs.from_dict(BASE | change)


@pytest.mark.parametrize("change", BAD, ids=str)
def test_schema_and_reader_refuse_the_same_specs(change):
    with pytest.raises(jsonschema.ValidationError):
        spec_validator().validate(BASE | change)
    with pytest.raises(SpecError):
        specs.from_dict(BASE | change)


@pytest.mark.parametrize("key", ["data", "truth", "models"])
def test_data_truth_and_models_are_required(key):
    with pytest.raises(jsonschema.ValidationError, match=f"'{key}' is a required property"):
        jsonschema.validate({k: v for k, v in BASE.items() if k != key}, specs.schema())


def _properties(schema):
    yield from schema["properties"].items()
    for part in schema["$defs"].values():
        yield from part.get("properties", {}).items()


def test_every_key_has_a_description_for_editors():
    missing = [key for key, value in _properties(specs.schema()) if not value.get("description")]

    assert missing == []


def test_every_table_of_the_results_has_a_contract():
    published = contracts()["results.columns.json"]
    names = {table["table"] for table in published["tables"]}

    assert names == {
        "Metrics",
        "Comparisons",
        "Differences",
        "Dominance",
        "FoldMetrics",
        "Generalisation",
        "Slices",
        "Gaps",
        "Gates",
        "NotableRows",
    }
    assert set(published["curves"]) == set(tables.CURVES)


def test_a_column_contract_gives_type_nullability_and_checks():
    predictions, *others = contracts()["predictions.columns.json"]["tables"]
    columns = {c.get("name", c.get("pattern")): c for c in predictions["columns"]}

    assert [table["table"] for table in others] == [
        "ClassPredictions",
        "LabelPredictions",
        "EstimatePredictions",
    ]
    assert columns["truth"]["dtype"] == "Boolean"
    assert columns["role"]["checks"]["isin"]["allowed_values"] == ("train", "validation", "test")
    assert columns["weight"]["checks"]["greater_than_or_equal_to"] == {"min_value": 0}
    assert not columns["weight"]["nullable"]
    assert columns["fold"]["nullable"]
