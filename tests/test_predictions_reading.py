"""Predictions that are right: every format and form gives the same canonical table."""

from __future__ import annotations

import datetime
import hashlib
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError
from reportgen.predictions import ModelColumns, input_tables
from reportgen.predictions.exact_numbers import as_floats
from reportgen.predictions.text_values import as_text
from tests.data_files import save

FRAME = pl.DataFrame(
    {
        "case": ["a", "b", "c", "d"],
        "y": ["sick", "well", "well", "sick"],
        "p": [0.9, 0.2, 0.6, 0.4],
        "said": ["sick", "well", "sick", "well"],
        "w": [1.0, 2.0, 0.5, 1.0],
        "fold": [1, 1, 2, 2],
        "split": ["test", "train", "validation", "test"],
        "site": ["n", None, "s", "n"],
    }
)
SPEC = {
    "data": "d.parquet",
    "truth": "y",
    "positive": "sick",
    "models": {"forest": {"score": "p", "label": "said"}},
    "columns": {"id": "case", "weight": "w", "fold": "fold", "role": "split"},
    "slices": ["site", ["site", "fold"]],
}


def read(base: Path, **changes):
    """Read predictions with the example's spec and some changes to it."""
    return predictions.read(specs.from_dict(SPEC | changes, base))


def simple(truth, scores=None, **changes):
    """Check a small frame with one score and one spec, and return what is read."""
    frame = pl.DataFrame({"y": truth, "p": scores or [0.5] * len(truth)})
    given = {"truth": "y", "models": {"m": {"score": "p"}}} | changes
    return predictions.from_frame(frame, specs.from_dict(given))


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "arrow", "ndjson"])
def test_every_format_gives_the_same_table(tmp_path, ending):
    save(FRAME, tmp_path / f"d.{ending}")
    result = read(tmp_path, data=f"d.{ending}")

    assert result.frame.equals(
        pl.DataFrame(
            {
                "truth": [True, False, False, True],
                "weight": [1.0, 2.0, 0.5, 1.0],
                "id": ["a", "b", "c", "d"],
                "fold": ["1", "1", "2", "2"],
                "role": ["test", "train", "validation", "test"],
                "slice:site": ["n", None, "s", "n"],
                "slice:fold": ["1", "1", "2", "2"],
                "score:0": [0.9, 0.2, 0.6, 0.4],
                "label:0": [True, False, True, False],
            }
        )
    )
    assert result.models == (ModelColumns("forest", "score:0", "label:0"),)
    assert (result.positive, result.negative) == ("sick", "well")
    assert result.unpaired is None


def test_what_is_read_meets_its_declaration(tmp_path):
    save(FRAME, tmp_path / "d.parquet")

    assert input_tables.BinaryPredictions.validate(read(tmp_path).frame).height == 4


def test_groups_are_numbered_and_rows_without_one_have_none(tmp_path):
    FRAME.write_parquet(tmp_path / "d.parquet")
    spec = specs.from_dict({**SPEC, "columns": {"group": "site"}, "slices": []}, base=tmp_path)

    group = predictions.read(spec).frame["group"]

    assert group.dtype == pl.Int64
    assert group.is_null().to_list() == [False, True, False, False]
    assert group[0] == group[3] != group[2]


def test_files_are_named_with_hash_size_and_rows(tmp_path):
    save(FRAME, tmp_path / "d.parquet")
    content = (tmp_path / "d.parquet").read_bytes()
    (file,) = read(tmp_path).files

    assert file.path == "d.parquet"
    assert file.sha256 == hashlib.sha256(content).hexdigest()
    assert (file.bytes, file.rows) == (len(content), 4)


def test_a_stated_sha256_is_checked_and_said(tmp_path):
    save(FRAME, tmp_path / "d.parquet")
    digest = hashlib.sha256((tmp_path / "d.parquet").read_bytes()).hexdigest()
    result = read(tmp_path, sha256={"d.parquet": digest.upper()})

    assert "unchanged" in {check.name for check in result.checks}


def test_what_was_checked_is_said(tmp_path):
    save(FRAME, tmp_path / "d.parquet")
    names = [check.name for check in read(tmp_path).checks if not check.warning]

    assert names == ["complete", "labels", "scores", "ids", "weights", "roles"]


@pytest.mark.parametrize(
    ("data", "files"),
    [
        ("*.csv", ["a.csv", "b.csv", "c.csv"]),
        (["c.csv", "a.csv"], ["c.csv", "a.csv"]),
        (["b.csv", "[ac].csv"], ["b.csv", "a.csv", "c.csv"]),
        (["*.csv", "a.csv"], ["a.csv", "b.csv", "c.csv"]),
        ("**/*.csv", ["a.csv", "b.csv", "c.csv", "deep/d.csv"]),
        ("./a.csv", ["./a.csv"]),
    ],
)
def test_lists_keep_their_order_and_patterns_are_sorted(tmp_path, data, files):
    (tmp_path / "deep").mkdir()
    for index, name in enumerate(["c.csv", "a.csv", "b.csv", "deep/d.csv"]):
        save(pl.DataFrame({"y": [0, 1], "p": [index / 10, index / 10 + 0.05]}), tmp_path / name)
    given = {"data": data, "truth": "y", "models": {"m": {"score": "p"}}}
    result = predictions.read(specs.from_dict(given, tmp_path))

    assert [file.path for file in result.files] == files
    scores = {"c.csv": 0.0, "a.csv": 0.1, "b.csv": 0.2, "deep/d.csv": 0.3, "./a.csv": 0.1}
    assert result.frame["score:0"].to_list()[::2] == pytest.approx([scores[f] for f in files])


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path):
    save(FRAME, tmp_path / "d[1].csv")
    save(FRAME.head(3), tmp_path / "d1.csv")
    for ending in ("ndjson", "arrow", "parquet"):
        save(FRAME, tmp_path / f"d[1].{ending}")

    for ending in ("csv", "ndjson", "arrow", "parquet"):
        assert read(tmp_path, data=f"d[1].{ending}").frame.height == 4


def test_an_absolute_path_and_pattern_are_read(tmp_path):
    save(FRAME, tmp_path / "d.csv")

    for data in (str(tmp_path / "d.csv"), str(tmp_path / "*.csv")):
        assert read(Path("/"), data=data).frame.height == 4


def test_files_of_different_formats_and_types_are_joined(tmp_path):
    save(FRAME.with_columns(case=pl.Series([1, 2, 3, 4])), tmp_path / "a.parquet")
    save(FRAME.with_columns(case=pl.Series([5, 6, 7, 8])), tmp_path / "b.csv")
    result = read(tmp_path, data=["a.parquet", "b.csv"])

    assert result.frame.height == 8
    assert result.frame["fold"].to_list() == ["1", "1", "2", "2"] * 2


@pytest.mark.parametrize(
    ("truth", "positive", "pair"),
    [
        ([0, 1, 1], None, ("1", "0")),
        ([1, 0, 0], "0", ("0", "1")),
        ([0.0, 1.0, 1.0], None, ("1", "0")),
        ([0.0, 1.0, 1.0], "1.0", ("1", "0")),
        ([False, True, True], None, ("true", "false")),
        ([False, True, True], "True", ("true", "false")),
        ([True, False, False], "false", ("false", "true")),
        (["0", "1", "1"], None, ("1", "0")),
        (["False", "True", "True"], None, ("True", "False")),
        (["01", "1", "1"], "1", ("1", "01")),
        (["1", "01", "01"], "01", ("01", "1")),
        (["no", "yes", "yes"], "yes", ("yes", "no")),
        ([-1, 1, 1], "1", ("1", "-1")),
        ([Decimal("0"), Decimal("1"), Decimal("1")], None, ("1", "0")),
        (
            [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
            "2021-01-01",
            ("2021-01-01", "2020-01-01"),
        ),
    ],
)
def test_labels_are_text_whatever_their_type(truth, positive, pair):
    change = {} if positive is None else {"positive": positive}
    result = simple(truth, **change)

    assert (result.positive, result.negative) == pair
    assert result.frame["truth"].to_list() == [False, True, True][: len(truth)]


@pytest.mark.parametrize(
    ("truth", "positive", "pair", "values"),
    [
        ([1, 1], None, ("1", "0"), [True, True]),
        ([0, 0], None, ("1", "0"), [False, False]),
        ([True], None, ("true", "false"), [True]),
        (["sick"], "sick", ("sick", "not sick"), [True]),
        (["well"], "sick", ("sick", "well"), [False]),
    ],
)
def test_one_class_only_can_be_read(truth, positive, pair, values):
    """Curves of it are undefined, but its error rate is not."""
    result = simple(truth, **({"positive": positive} if positive else {}))

    assert (result.positive, result.negative) == pair
    assert result.frame["truth"].to_list() == values


def test_with_one_class_the_models_own_labels_tell_the_other():
    frame = pl.DataFrame({"y": ["sick", "sick"], "l": ["sick", "well"]})
    given = {"truth": "y", "positive": "sick", "models": {"m": {"label": "l"}}}
    result = predictions.from_frame(frame, specs.from_dict(given))

    assert result.negative == "well"
    assert result.frame["label:0"].to_list() == [True, False]


def test_csv_values_stay_as_they_are_written(tmp_path):
    (tmp_path / "d.csv").write_text("case,y,p\n01,1,0.5\n1,0,.25\n1.0,1, 0.75\n")
    given = {
        "data": "d.csv",
        "truth": "y",
        "models": {"m": {"score": "p"}},
        "columns": {"id": "case"},
        "slices": ["case"],
    }
    result = predictions.read(specs.from_dict({**given, "columns": {}}, tmp_path))

    assert result.frame["slice:case"].to_list() == ["01", "1", "1.0"]
    assert result.frame["score:0"].to_list() == [0.5, 0.25, 0.75]


@pytest.mark.parametrize(
    "dtype", [pl.Float32, pl.Int8, pl.UInt64, pl.Int64, pl.Decimal(10, 2), pl.Float64]
)
def test_every_number_is_a_float64(dtype):
    frame = pl.DataFrame({"y": [0, 1], "p": pl.Series([0, 1]).cast(dtype)})
    given = specs.from_dict({"truth": "y", "models": {"m": {"score": "p"}}})

    assert predictions.from_frame(frame, given).frame["score:0"].to_list() == [0.0, 1.0]


@given(numbers=st.lists(st.floats(-1e6, 1e6, width=32), min_size=1), digits=st.integers(1, 8))
def test_a_narrow_float_is_the_decimal_of_six_digits_that_it_was_written_as(numbers, digits):
    narrow = pl.Series([float(f"{number:.{digits}g}") for number in numbers], dtype=pl.Float32)
    short = [float(f"{number:.6g}") for number in narrow]
    written = [
        decimal if np.float32(decimal) == number else number
        for decimal, number in zip(short, narrow, strict=True)
    ]

    assert as_floats(narrow).to_list() == written


def test_negative_zero_and_zero_are_one_score():
    scores = simple([0, 1, 1], [-0.0, 0.0, -1.0]).frame["score:0"]

    assert [str(value) for value in scores] == ["0.0", "0.0", "-1.0"]


def test_categories_are_labels():
    frame = pl.DataFrame({"y": pl.Series(["a", "b"], dtype=pl.Categorical), "p": [0.1, 0.2]})
    given = specs.from_dict({"truth": "y", "positive": "b", "models": {"m": {"score": "p"}}})

    assert predictions.from_frame(frame, given).frame["truth"].to_list() == [False, True]


def test_columns_that_the_spec_does_not_name_are_not_looked_at():
    frame = FRAME.with_columns(junk=pl.Series([None, float("nan"), 1.0, 2.0]))

    assert "junk" not in "".join(predictions.from_frame(frame, specs.from_dict(SPEC)).frame.columns)


def test_rows_keep_the_order_of_the_files(tmp_path):
    scores = [((i * 7919) % 10007) / 10007 for i in range(20_000)]
    frame = pl.DataFrame({"y": [i % 2 for i in range(20_000)], "p": scores})
    frame.write_parquet(tmp_path / "d.parquet", row_group_size=500)
    given = {"data": "d.parquet", "truth": "y", "models": {"m": {"score": "p"}}}
    result = predictions.read(specs.from_dict(given, tmp_path))

    assert result.frame["score:0"].to_list() == scores


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, 2], ["1", "2"]),
        ([1.0, 0.5, None, 1e300], ["1", "0.5", None, "1e+300"]),
        ([True, False], ["true", "false"]),
        (["01", "1"], ["01", "1"]),
        ([Decimal("1.00"), Decimal("2.50")], ["1", "2.5"]),
    ],
)
def test_one_value_has_one_spelling(values, texts):
    assert as_text(pl.Series(values)).to_list() == texts


@given(st.lists(st.integers(-(2**53) + 1, 2**53 - 1), min_size=1))
def test_a_whole_number_is_spelled_alike_as_integer_and_as_float(values):
    as_float = as_text(pl.Series([float(v) for v in values]))

    assert as_float.to_list() == as_text(pl.Series(values)).to_list()


def test_roles_are_read_by_the_words_that_data_has_for_them():
    frame = pl.DataFrame(
        {
            "y": [True, False] * 3,
            "p": [0.9, 0.1, 0.8, 0.3, 0.7, 0.2],
            "split": ["Training", "train", "val", "dev", "holdout", " TEST"],
        }
    )
    declared = {"truth": "y", "models": {"m": {"score": "p"}}, "columns": {"role": "split"}}
    read = predictions.from_frame(frame, specs.from_dict(declared))
    odd = frame.with_columns(split=pl.lit("someday"))

    assert read.frame["role"].to_list() == ["train"] * 2 + ["validation"] * 2 + ["test"] * 2
    with pytest.raises(DataError, match="split"):
        predictions.from_frame(odd, specs.from_dict(declared))
