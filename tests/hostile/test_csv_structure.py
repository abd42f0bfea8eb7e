"""CSV files that can be read in two ways are refused, each with its row and line."""

from __future__ import annotations

import gzip

import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from reportgen.predictions import examined

SPEC = {"data": "d.csv", "truth": "y", "positive": "b", "models": {"m": {"score": "p"}}}
GOOD = b"y,p,note\n" + b"a,0.1,x\nb,0.9,x\n" * 10


def read(folder, content: bytes, name: str = "d.csv", **changes):
    """Read a file with the example's spec."""
    (folder / name).write_bytes(content)
    return predictions.read(specs.from_dict({**SPEC, "data": name, **changes}, folder))


def refusal(folder, content: bytes, **changes):
    """The only problem of a file that must be refused."""
    with pytest.raises(DataError) as caught:
        read(folder, content, **changes)
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    ("rows", "code", "at", "line"),
    [
        (b"b,0.5,1,5\n", "surplus-field", 21, 22),
        (b"b,0.5\n", "short-row", 21, 22),
        (b"\n", "empty-line", 21, 22),
        (b'b,0.5,5" disc\n', "stray-quote", 21, 22),
        (b'b,0.5,"x" \n', "stray-quote", 21, 22),
        (b"b,0.5,x\ra,0.5,x\n", "line-end", 21, 22),
        (b"b,0.5,x\x00\n", "control-character", 21, 22),
        (b'b,0.5,"x\n', "open-quote", 21, 22),
        (b'b,0.5,"\nb,0.5,"\n', "swallowed-rows", 21, 22),
        (b'b,0.5,"two\nlines"\nb,0.5\n', "short-row", 22, 24),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_what_has_two_readings_is_refused_with_row_and_line(tmp_path, rows, code, at, line, end):
    problem = refusal(tmp_path, (GOOD + rows).replace(b"\n", end))

    assert (problem.code, problem.rows, problem.place) == (code, (at,), f"d.csv, row {at}")
    assert f"line {line}" in problem.message
    assert problem.hint


def test_surplus_fields_are_refused_though_only_other_columns_are_read(tmp_path):
    """Decimal commas in a column that nobody asked for moved the values of three rows of 40."""
    content = b"note,y,p\n" + b"x,a,0.1\n" * 20 + b"1,5,b,0.7\n" * 3 + b"x,b,0.9\n" * 17
    problem = refusal(tmp_path, content)

    assert (problem.code, problem.rows, problem.count) == ("surplus-field", (21, 22, 23), 3)
    assert "decimals with a point" in problem.hint


def test_one_row_too_long_and_one_too_short_are_both_refused(tmp_path):
    with pytest.raises(DataError) as caught:
        read(tmp_path, GOOD + b"b,0.5,1,5\nb,0.5\n")

    assert [(p.code, p.rows) for p in caught.value.problems] == [
        ("surplus-field", (21,)),
        ("short-row", (22,)),
    ]


@pytest.mark.parametrize("block", [64, 100, 1 << 20])
@pytest.mark.parametrize("fault", [b"b,0.5,1,5\n", b'"b\n,",0.5\n', b'b,0.5,5"\n'])
def test_rows_are_counted_over_all_blocks_of_a_file(tmp_path, monkeypatch, block, fault):
    monkeypatch.setattr(examined, "BLOCK", block)
    filled = b"y,p,note\n" + b'a,0.1,"two\nlines"\nb,0.9,\n' * 100
    problem = refusal(tmp_path, filled + fault + b"a,0.1,x\n" * 50)

    assert problem.rows == (201,)
    assert "line 302" in problem.message


def test_records_on_several_lines_are_read_and_told(tmp_path):
    result = read(tmp_path, GOOD + b'b,0.5,"two\nlines, and more"\na,0.4,"\r\n"\n')
    (warning,) = [check for check in result.checks if check.warning]

    assert result.frame.height == 22
    assert warning.name == "records on several lines"
    assert (
        warning.detail == "2 records have line breaks between quotation marks: d.csv, rows 21, 22"
    )


def test_text_in_another_encoding_is_read_where_the_spec_says_so(tmp_path):
    text = "y,p,site\n" + "böse,0.9,Øst\ngut,0.1,süd\n" * 5
    changes = {"positive": "böse", "slices": ["site"]}

    for encoding in ("latin-1", "windows-1252", "utf-16", "utf-8"):
        for separator, name in ((",", "d.csv"), ("\t", "d.tsv")):
            content = text.replace(",", separator).encode(encoding)
            result = read(tmp_path, content, name, encoding=encoding, **changes)
            assert result.positive == "böse"
            assert result.frame["slice:site"].to_list() == ["Øst", "süd"] * 5


@pytest.mark.parametrize(
    ("content", "changes", "place", "message"),
    [
        ("y,p\na,1\nb,ö\n".encode("latin-1"), {}, "d.csv, line 3", "byte 0xF6 is number 3"),
        ("y,p\na,1\nb,ö\n".encode("utf-16"), {}, "d.csv, line 1", "byte 0xFF is number 1"),
        (b"y,p\na,1\nb,\x81\n", {"encoding": "cp1252"}, "d.csv, byte 10", "byte 0x81"),
    ],
)
def test_text_in_an_encoding_that_is_not_stated_is_refused_with_its_place(
    tmp_path, content, changes, place, message
):
    problem = refusal(tmp_path, content, **changes)

    assert (problem.code, problem.place) == ("unreadable", place)
    assert message in problem.message
    assert "encoding:" in problem.hint


def test_a_compressed_file_without_its_ending_is_refused(tmp_path):
    assert "gzip" in refusal(tmp_path, gzip.compress(GOOD)).message
