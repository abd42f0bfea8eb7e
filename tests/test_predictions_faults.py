"""Predictions that are wrong: every fault with file, column, count, rows and hint."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError, EmptyError, SpecError
from reportgen.predictions.files import find
from reportgen.predictions.inputs import all_hashes, file_checks
from tests.faulty_predictions import SCORES, SPEC, TRUTH, changed, faults, frame


def test_a_missing_file_suggests_the_nearest_one(tmp_path):
    frame().write_csv(tmp_path / "predictions.csv")
    (problem,) = faults(tmp_path, data="prediction.csv")

    assert (problem.code, problem.place) == ("missing-file", "prediction.csv")
    assert "'predictions.csv'" in problem.hint


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (["truth: y", "data: none.csv"], "2:7"),
        (["truth: y", "data: [a.csv, none.xls]"], "2:15"),
        (["data: a.csv", "truth: y", "reference: no*.csv"], "3:12"),
    ],
)
def test_a_file_that_is_not_there_says_where_the_spec_names_it(tmp_path, lines, place):
    frame().write_csv(tmp_path / "a.csv")
    (tmp_path / "none.xls").write_text("x")
    path = tmp_path / "report.yaml"
    path.write_text("\n".join([*lines, "models: {m: {score: p}}"]))
    with pytest.raises(DataError) as refused:
        all_hashes(specs.read(path))

    assert f"(named at {path}:{place})" in refused.value.problems[0].message


def test_every_missing_file_is_told_and_a_pattern_says_what_was_tried(tmp_path):
    problems = faults(tmp_path, data=["no.csv", "parts/*.parquet", "."])

    assert [p.code for p in problems] == ["missing-file"] * 3
    assert str(tmp_path / "parts/*.parquet") in problems[1].hint
    assert "folder" in problems[2].message


@pytest.mark.parametrize(
    ("beside", "message"),
    [("pipe", "a pipe or a device"), ("link", "leads to no file"), ("circle", "cannot be reached")],
)
def test_what_a_pattern_matches_is_not_left_out_without_a_word(tmp_path, beside, message):
    frame().write_csv(tmp_path / "a.csv")
    other = tmp_path / "b.csv"
    if beside == "pipe":
        os.mkfifo(other)
    else:
        other.symlink_to("nowhere" if beside == "link" else other)

    (problem,) = faults(tmp_path, data="*.csv")

    assert problem.place == "b.csv"
    assert message in problem.message


def test_an_ending_that_tells_no_format_is_refused(tmp_path):
    (tmp_path / "d.xls").write_text("x")

    assert ".parquet" in faults(tmp_path, data="d.xls")[0].hint


@pytest.mark.parametrize(
    ("name", "content", "place", "message"),
    [
        ("d.parquet", b"PAR1 nothing like it PAR1", "d.parquet", "damaged or is not parquet"),
        ("d.arrow", b"hello", "d.arrow", "damaged or is not ipc"),
        ("d.ndjson", b'{"y": ', "d.ndjson, line 1", "it is not JSON: expecting value"),
    ],
)
def test_a_damaged_file_is_told_without_its_content(tmp_path, name, content, place, message):
    (tmp_path / name).write_bytes(content)
    (problem,) = faults(tmp_path, data=name)

    assert (problem.code, problem.place) == ("unreadable", place)
    assert message in problem.message


def test_a_file_that_is_damaged_between_two_looks_at_it_is_refused(tmp_path):
    path = tmp_path / "d.parquet"
    pl.DataFrame({"y": TRUTH, "p": SCORES}).write_parquet(path)
    (file,) = find([str(path)], Path())
    path.write_bytes(b"PAR1 nothing like it PAR1")

    with pytest.raises(DataError) as caught:
        file_checks([file], [])
    (problem,) = caught.value.problems
    assert problem.code == "unreadable"


def test_a_parquet_file_cut_short_is_damaged(tmp_path):
    big = pl.DataFrame({"y": TRUTH * 500, "p": SCORES * 500})
    big.write_parquet(tmp_path / "d.parquet")
    content = bytearray((tmp_path / "d.parquet").read_bytes())
    (tmp_path / "d.parquet").write_bytes(content[: len(content) // 2])

    assert faults(tmp_path, data="d.parquet")[0].code == "unreadable"


def test_a_changed_file_is_refused_before_it_is_read(tmp_path):
    (tmp_path / "d.csv").write_bytes(b"\xff not even text")
    problems = faults(tmp_path, sha256={"d.csv": "0" * 64, "e.csv": "0" * 64})

    assert [p.code for p in problems] == ["integrity", "unknown-file"]
    assert hashlib.sha256(b"\xff not even text").hexdigest() in problems[0].message


def test_missing_columns_are_all_told_with_the_nearest_and_where_they_are_named(tmp_path):
    frame().write_csv(tmp_path / "d.csv")
    (tmp_path / "report.yaml").write_text(
        "data: d.csv\ntruth: yy\npositive: b\nmodels:\n  m: {score: p1}\n  n: {label: p}\n"
        "columns: {weight: wt}\n"
    )
    with pytest.raises(DataError) as caught:
        predictions.read(specs.read(tmp_path / "report.yaml"))

    missing = [p for p in caught.value.problems if p.code == "missing-column"]
    assert [p.value for p in missing] == ["yy", "wt", "p1"]
    assert "report.yaml:5:14" in missing[2].message
    assert missing[2].hint == "did you mean 'p'?"


def test_other_separators_than_commas_are_recognised(tmp_path):
    (tmp_path / "d.csv").write_text("y;p\na;0.5\n")

    assert "separated by commas" in faults(tmp_path)[0].hint


def test_a_column_twice_in_the_header_is_refused(tmp_path):
    (tmp_path / "d.csv").write_text("y,p,p\na,0.5,0.1\nb,0.5,0.1\n")

    assert [p.code for p in faults(tmp_path)] == ["repeated-column"]


def test_text_in_a_score_column_is_told_with_its_rows(tmp_path):
    scores = changed(map(str, SCORES), _3="high", _9="n/a")
    frame(p=scores).write_csv(tmp_path / "d.csv")
    (problem,) = faults(tmp_path)

    assert problem.code == "wrong-type"
    assert (problem.count, problem.rows, problem.value) == (2, (3, 9), "high")
    assert problem.place == "d.csv, column 'p', rows 3, 9"
    assert "high" not in str(problem)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (["x"] * 20, "20 values are not numbers"),
        (["0.5"] * 20, "the column is String"),
        ([True] * 20, "the column is Boolean"),
        ([[0.5]] * 20, "the column is List"),
    ],
)
def test_a_score_column_of_another_type_is_refused(scores, message):
    (problem,) = faults(frame(p=scores))

    assert problem.code == "wrong-type"
    assert message in problem.message


def test_boolean_scores_are_told_to_be_labels():
    assert "label:" in faults(frame(p=[True] * 20))[0].hint


def test_a_truth_column_of_lists_is_refused():
    assert faults(frame(y=[["a"]] * 20))[0].code == "wrong-type"


VALUES = {
    "null score": ({"p": changed(SCORES, _2=None, _5=None)}, "null", 2, (2, 5), "p"),
    "nan score": ({"p": changed(SCORES, _4=float("nan"))}, "not-finite", 1, (4,), "p"),
    "infinite score": (
        {"p": changed(SCORES, _1=float("inf"), _2=float("-inf"))},
        "not-finite",
        2,
        (1, 2),
        "p",
    ),
    "null truth": ({"y": changed(TRUTH, _20=None)}, "null", 1, (20,), "y"),
    "negative weight": ({"w": changed([1.0] * 20, _7=-0.5)}, "out-of-range", 1, (7,), "w"),
    "nan weight": ({"w": changed([1.0] * 20, _7=float("nan"))}, "not-finite", 1, (7,), "w"),
    "null weight": ({"w": changed([1] * 20, _7=None)}, "null", 1, (7,), "w"),
    "infinite weight": ({"w": changed([1.0] * 20, _7=float("inf"))}, "not-finite", 1, (7,), "w"),
    "huge and tiny weights": (
        {"w": changed([1.0] * 20, _7=1e300, _9=1e-300)},
        "out-of-range",
        2,
        (7, 9),
        "w",
    ),
    "zero weights": ({"w": [0] * 20}, "no-weight", None, (), "w"),
    "role": ({"r": changed(["test"] * 20, _3="someday")}, "unknown-value", 1, (3,), "r"),
    "null role": ({"r": changed(["test"] * 20, _3=None)}, "null", 1, (3,), "r"),
    "null id": ({"i": changed(range(20), _3=None)}, "null", 1, (3,), "i"),
    "same id": ({"i": changed(range(20), _3=0, _9=5)}, "duplicate-id", 2, (3, 9), "i"),
    "same text id": (
        {"i": changed(map(str, range(20)), _3="0")},
        "duplicate-id",
        1,
        (3,),
        "i",
    ),
    "label": ({"l": changed(TRUTH, _3="c", _4="d")}, "unknown-label", 2, (3, 4), "l"),
    "null label": ({"l": changed(TRUTH, _3=None)}, "null", 1, (3,), "l"),
}


@pytest.mark.parametrize("name", VALUES)
def test_wrong_values_are_told_with_column_count_and_rows(name):
    columns, code, count, rows, column = VALUES[name]
    roles = {"w": "weight", "r": "role", "i": "id"}
    changes = {"columns": {roles[c]: c for c in columns if c in roles}}
    if "l" in columns:
        changes["models"] = {"m": {"label": "l"}}
    (problem,) = faults(frame(**columns), **changes)

    assert (problem.code, problem.count, problem.rows) == (code, count, rows)
    assert f"column {column!r}" in problem.place
    assert problem.hint


def test_at_most_ten_rows_are_named_but_all_are_counted():
    (problem,) = faults(frame(p=[None] * 20).with_columns(pl.col("p").cast(pl.Float64)))

    assert (problem.count, problem.rows) == (20, tuple(range(1, 11)))


def test_rows_are_counted_within_their_own_file(tmp_path):
    for name, row in (("a.parquet", 2), ("b.parquet", 20), ("c.parquet", None)):
        scores = SCORES if row is None else changed(SCORES, **{f"_{row}": float("nan")})
        frame(p=scores).write_parquet(tmp_path / name)
    problems = faults(tmp_path, data="*.parquet")

    assert [p.place for p in problems] == [
        "a.parquet, column 'p', row 2",
        "b.parquet, column 'p', row 20",
    ]


def test_an_id_that_comes_back_in_another_file_is_told_there(tmp_path):
    for name, scores in (("a.parquet", SCORES), ("b.parquet", SCORES[::-1])):
        frame(i=range(20), p=scores).write_parquet(tmp_path / name)
    (problem,) = faults(tmp_path, data="*.parquet", columns={"id": "i"})

    assert problem.place.startswith("b.parquet, column 'i'")
    assert problem.count == 20


def test_ids_may_return_in_another_repeat_role_or_training_fold_only():
    ids = [i % 5 for i in range(20)]
    columns = {"id": "i", "repeat": "r"}
    good = frame(i=ids, r=[i // 5 for i in range(20)])
    given = specs.from_dict(SPEC | {"columns": columns})
    assert predictions.from_frame(good, given).frame.height == 20

    roles = ["train"] * 15 + ["test"] * 5
    folds = [i // 5 for i in range(15)] + [0, 1, 2, 0, 1]
    columns = {"id": "i", "role": "r", "fold": "f"}
    given = specs.from_dict(SPEC | {"columns": columns})
    assert predictions.from_frame(frame(i=ids, r=roles, f=folds), given).frame.height == 20

    tested = faults(frame(i=ids, r=["test"] * 20, f=[i // 5 for i in range(20)]), columns=columns)
    assert tested[0].count == 15


@given(st.binary(max_size=300), st.sampled_from(["csv", "tsv", "ndjson"]))
def test_any_bytes_are_read_or_refused_but_never_crash(content, ending):
    with TemporaryDirectory() as folder:
        path = Path(folder, f"d.{ending}")
        path.write_bytes(b"y,p\n" * (ending != "ndjson") + content)
        with suppress(DataError, EmptyError):
            predictions.read(specs.from_dict(SPEC | {"data": path.name}, Path(folder)))


CELLS = st.sampled_from(["a", "b", "c", "", "1", "0.5", "nan", "-inf", "1e999", '"', " 1 ", "\x00"])


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=6))
def test_any_cells_are_read_or_refused_with_rows_that_exist(rows):
    with TemporaryDirectory() as folder:
        Path(folder, "d.csv").write_text("y,p,i\n" + "".join(",".join(r) + "\n" for r in rows))
        spec = specs.from_dict(SPEC | {"columns": {"id": "i"}}, Path(folder))
        try:
            height = predictions.read(spec).frame.height
        except (DataError, EmptyError) as refused:
            row_numbers = [row for problem in refused.problems for row in problem.rows]
            height = max(row_numbers, default=1)

    assert 1 <= height <= len(rows)


def test_all_faults_of_the_data_are_told_together():
    wrong = frame(
        y=changed(TRUTH, _1=None),
        p=changed(SCORES, _2=float("nan")),
        l=changed(TRUTH, _3="c"),
        w=changed([1.0] * 20, _4=-1.0),
        i=changed(range(20), _5=0),
    )
    problems = faults(
        wrong,
        models={"m": {"score": "p", "label": "l"}, "n": {"score": "q"}},
        columns={"weight": "w", "id": "i", "fold": "f"},
    )

    assert [p.code for p in problems] == [
        "missing-column",
        "missing-column",
        "null",
        "out-of-range",
        "not-finite",
        "duplicate-id",
        "unknown-label",
    ]


def test_no_row_value_is_in_a_message():
    wrong = frame(
        y=changed(TRUTH, _1=None),
        p=changed(SCORES, _2=-98765.25e300 * 1e10),
        w=changed([1.0] * 20, _4=-98765.25),
        i=changed(map(str, range(20)), _5="98765.25", _6="98765.25"),
    )
    problems = faults(wrong, columns={"weight": "w", "id": "i"})

    assert len(problems) == 4
    assert "98765" not in "".join(map(str, problems))
    assert {p.value for p in problems} >= {"-98765.25", "98765.25"}


@pytest.mark.parametrize("content", ["", "y,p\n"])
def test_no_rows_is_a_fault_of_its_own(tmp_path, content):
    (tmp_path / "d.csv").write_text(content)

    with pytest.raises(EmptyError):
        predictions.read(specs.from_dict(SPEC, tmp_path))


@pytest.mark.parametrize("ending", ["parquet", "arrow", "ndjson"])
def test_typed_files_without_rows_are_empty_too(tmp_path, ending):
    path = tmp_path / f"d.{ending}"
    empty = frame().clear()
    {"parquet": empty.write_parquet, "arrow": empty.write_ipc, "ndjson": empty.write_ndjson}[
        ending
    ](path)

    with pytest.raises(EmptyError):
        predictions.read(specs.from_dict(SPEC | {"data": path.name}, tmp_path))


def test_a_file_without_rows_among_others_does_no_harm(tmp_path):
    frame().write_csv(tmp_path / "a.csv")
    frame().clear().write_csv(tmp_path / "b.csv")

    result = predictions.read(specs.from_dict(SPEC | {"data": ["a.csv", "b.csv"]}, tmp_path))
    assert [file.rows for file in result.files] == [20, 0]


def test_a_spec_without_data_files_reads_none():
    given = {k: v for k, v in SPEC.items() if k != "data"}

    with pytest.raises(SpecError, match="no data file"):
        predictions.read(specs.from_dict(given))


def test_an_id_again_within_a_repeat_and_role_says_so():
    columns = {"id": "i", "repeat": "k", "role": "r"}
    roles = changed(["test"] * 20, _1="train", _2="train")
    twice = frame(i=[0, 0, 0, *range(3, 20)], k=[1] * 20, r=roles)
    (problem,) = faults(twice, columns=columns)

    assert (problem.code, problem.count) == ("duplicate-id", 1)
    assert problem.message == "1 row repeats an id within a repeat and role"
    assert problem.hint.startswith("list each example once within a repeat and role")
