"""YAML 1.2 with positions: what is read, what is refused, and where it says so."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import SpecError
from reportgen.spec.document import DEEPEST, LARGEST, parse
from reportgen.spec.yaml_text import Plain, quoted, resolve


@pytest.mark.parametrize(
    "word", ["no", "yes", "on", "off", "y", "n", "No", "1_000", "12:30", "0b1"]
)
def test_words_of_yaml_1_1_are_text(word):
    value = parse(f"a: {word}", "s").value["a"]

    assert value == word
    assert not isinstance(value, Plain)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", 1),
        ("01", 1),
        ("-12", -12),
        ("0o17", 15),
        ("0x1F", 31),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("+1e-3", 0.001),
        ("-.inf", float("-inf")),
        ("true", True),
        ("FALSE", False),
    ],
)
def test_numbers_and_booleans_follow_the_core_schema_and_keep_their_spelling(written, value):
    read = parse(f"a: {written}", "s").value["a"]

    assert isinstance(read, Plain)
    assert read == written
    assert read.value == value
    assert type(read.value) is type(value)


@pytest.mark.parametrize("written", ["null", "~", "Null", "NULL", ""])
def test_null_is_nothing(written):
    assert parse(f"a: {written}", "s").value == {"a": None}


@pytest.mark.parametrize("written", ['"1"', "'true'", "!!str 1", "! 1", "|\n  1", ">\n  1"])
def test_a_quoted_or_tagged_or_block_scalar_is_text(written):
    value = parse(f"a: {written}", "s").value["a"]

    assert not isinstance(value, Plain)


def test_every_key_and_value_knows_its_line_and_column():
    document = parse("a: 1\nb:\n  - x\n  - {c: 2}\n", "report.yaml")

    assert str(document.place(("b", 1, "c"))) == "report.yaml:4:9"
    assert str(document.place(("b", 1, "c"), key=True)) == "report.yaml:4:6"
    assert str(document.place(("b",), key=True)) == "report.yaml:2:1"


def test_what_is_not_written_is_placed_at_what_holds_it():
    document = parse("a:\n  b: 1\n", "report.yaml")

    assert str(document.place(("a", "zz"))) == "report.yaml:2:3"
    assert str(document.place(("zz", "y"))) == "report.yaml:1:1"


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("a: 1\nb: 2\na: 3\n", "duplicate-key", 3, 1),
        ("a: {b: 1, b: 2}\n", "duplicate-key", 1, 11),
        ('a: 1\n"a": 2\n', "duplicate-key", 2, 1),
        ("a: &x 1\n", "yaml-alias", 1, 4),
        ("a: 1\nb: *x\n", "yaml-alias", 2, 4),
        ("a: !foo 1\n", "yaml-tag", 1, 4),
        ("a: !!python/object:os.system {}\n", "yaml-tag", 1, 4),
        ("a: !!int 1\n", "yaml-tag", 1, 4),
        ("a: 1\n---\nb: 2\n", "several-documents", 3, 1),
        ("%YAML 1.1\n---\na: no\n", "yaml-version", 2, 1),
        ("[a]: 1\n", "yaml-key", 1, 1),
        ("a: [1\nb: 2\n", "yaml", 2, 2),
        ("a: 1\n\tb: 2\n", "yaml", 2, 1),
        ("a: 'x\n", "yaml", 2, 1),
        ("a: b\x07c\n", "control-character", 1, 5),
        ("a: 1\nb: \x00\n", "control-character", 2, 4),
        ("a: \x85\ufffe\n", "control-character", 1, 5),
    ],
)
def test_what_is_not_plain_yaml_is_refused_at_its_place(text, code, line, column):
    with pytest.raises(SpecError) as caught:
        parse(text, "report.yaml")

    problem = caught.value.problems[0]
    assert (problem.code, problem.line, problem.column) == (code, line, column)
    assert problem.place == f"report.yaml:{line}:{column}"
    assert problem.hint


def test_all_refusals_of_a_file_are_told_at_once():
    with pytest.raises(SpecError) as caught:
        parse("a: &x 1\na: 2\nb: *x\nc: !t 1\n", "s")

    assert [p.line for p in caught.value.problems] == [1, 2, 3, 4]


def test_nesting_is_bounded_before_anything_recurses():
    assert parse("[" * DEEPEST + "]" * DEEPEST, "s").value
    for levels in (DEEPEST + 1, 100_000):
        with pytest.raises(SpecError) as caught:
            parse("[" * levels, "s")
        assert caught.value.problems[0].code == "too-deep"


def test_a_file_above_one_mebibyte_is_refused():
    with pytest.raises(SpecError, match="too-large"):
        parse(b"a: " + b"x" * LARGEST, "s")


def test_text_that_is_not_utf8_is_refused_at_its_place():
    with pytest.raises(SpecError) as caught:
        parse("a: 1\nb: ä\n".encode("latin-1"), "s")

    assert (caught.value.problems[0].line, caught.value.problems[0].column) == (2, 4)


def test_a_byte_order_mark_and_windows_lines_are_read():
    assert parse("\ufeffa: x\r\nb: y\r\n".encode(), "s").value == {"a": "x", "b": "y"}


@given(st.text(min_size=1))
def test_any_text_that_init_quotes_is_read_back_as_it_was(text):
    if any("\ud800" <= c <= "\udfff" for c in text):
        return
    value = parse(f"a: {{{quoted(text)}: [{quoted(text)}]}}  # comment\n", "s").value["a"]

    assert value == {text: [text]}
    assert not isinstance(value[text][0], Plain)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_but_never_crashes(text):
    with suppress(SpecError):
        parse(text, "s")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_as_it_was_written(number):
    read = resolve(repr(number))

    assert isinstance(read, Plain)
    assert read.value == number
