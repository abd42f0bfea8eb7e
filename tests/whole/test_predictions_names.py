"""Columns may be called anything: names are never patterns, and never meet names of ours."""

from __future__ import annotations

import json

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen import evaluate, predictions, spec
from reportgen.errors import DataError
from tests.breadth import sample_size

ROWS = 12
COLUMNS = {
    "truth": [i % 3 == 0 for i in range(ROWS)],
    "score": [i * 5 % ROWS / ROWS for i in range(ROWS)],
    "label": [i % 4 == 0 for i in range(ROWS)],
    "id": list(range(ROWS)),
    "slice": ["a" if i % 2 else "b" for i in range(ROWS)],
    "weight": [1.0 + i % 3 for i in range(ROWS)],
}
ODD = [
    "^$",
    "^a.*$",
    "^.*$",
    "*",
    "n",
    "count",
    "truth",
    "score:0",
    "slice:x",
    "value",
    'a"b',
    '""',
]
NAMES = st.one_of(
    st.sampled_from(ODD), st.text(st.characters(exclude_categories=["C"]), min_size=1)
).filter(str.strip)


def written(folder, names, ending="parquet"):
    """Return the spec of the table above with its columns under other names."""
    t, s, d, i, g, w = names
    frame = pl.DataFrame(dict(zip(names, COLUMNS.values(), strict=True)))
    path = folder / f"p.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    declared = {
        "data": path.name,
        "truth": t,
        "models": {"m": {"score": s, "label": d}},
        "columns": {"id": i, "weight": w},
        "slices": [g],
    }
    (folder / "report.yaml").write_text(json.dumps(declared, ensure_ascii=False), encoding="utf-8")
    return spec.read(folder / "report.yaml")


@settings(
    max_examples=sample_size(25, 60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(NAMES, min_size=6, max_size=6, unique_by=str.strip),
    st.sampled_from(["csv", "parquet"]),
)
def test_columns_of_any_name_are_read(tmp_path, names, ending):
    read = predictions.read(written(tmp_path, names, ending))

    model = read.models[0]
    assert read.frame["truth"].to_list() == COLUMNS["truth"]
    assert read.frame[model.score].to_list() == COLUMNS["score"]
    assert read.frame[model.label].to_list() == COLUMNS["label"]
    assert read.frame["weight"].to_list() == COLUMNS["weight"]
    assert read.frame[f"slice:{names[4]}"].to_list() == COLUMNS["slice"]


def test_names_of_a_file_cannot_make_the_terminal_obey():
    frame = pl.DataFrame({"y": [0, 1], "p\x1b[2J\n": [0.1, 0.2]})
    declared = spec.from_dict({"truth": "y", "models": {"m": {"score": "p"}}})

    with pytest.raises(DataError) as refused:
        predictions.from_frame(frame, declared)
    assert "p\\x1b[2J\\n" in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_text_in_another_encoding_is_told_as_that(tmp_path):
    declared = written(tmp_path, list(COLUMNS), "csv")
    data = tmp_path / "p.csv"
    data.write_bytes(data.read_text(encoding="utf-8").encode("utf-16"))

    with pytest.raises(DataError, match="not UTF-8"):
        predictions.read(declared)


@pytest.mark.parametrize("names", [ODD[:6], ODD[6:]])
def test_columns_of_odd_names_are_evaluated(tmp_path, names):
    plain = evaluate(written(tmp_path, list(COLUMNS)))
    odd = evaluate(written(tmp_path, names))

    assert odd.metrics["value"].equals(plain.metrics["value"])
