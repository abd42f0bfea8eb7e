"""Valid input at its edges builds; input that cannot be used is refused with its place."""

from __future__ import annotations

import errno
import glob
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.cli import main
from reportgen.clock import moment
from reportgen.errors import DataError, LimitError, ReportgenError, SpecError
from reportgen.predictions import patterns
from reportgen.predictions.examined import changes, examine
from reportgen.predictions.files import DataFile, FileState, find
from reportgen.predictions.inputs import inputs
from reportgen.render import DEFAULT, pages
from reportgen.results import Results
from reportgen.spec import from_dict, read

ROWS = 120
RANDOM = np.random.default_rng(7)
TWO = pl.DataFrame({"y": np.arange(ROWS) % 2, "sex": np.arange(ROWS) // 2 % 2}).with_columns(
    score=0.1 + 0.8 * pl.col("y"), other=pl.Series(RANDOM.random(ROWS))
)
NUMBERS = pl.DataFrame({"y": RANDOM.normal(size=ROWS)}).with_columns(
    a=pl.col("y") + 0.3 * pl.Series(RANDOM.normal(size=ROWS)),
    b=pl.col("y") + 0.5 * pl.Series(RANDOM.normal(size=ROWS)),
    low=pl.col("y") - 0.6,
    high=pl.col("y") + 0.7,
)
PERFECT = {"a": {"score": "score"}}


def text_of(spec: dict, frame: pl.DataFrame) -> str:
    """The text of the pages of a report, from its results as they are written and read again."""
    results = reportgen.evaluate({"bootstrap": {"replicates": 40}, **spec}, frame)
    again = Results.from_json(results.to_json())
    job = pages.job(again, ["html"], attachments={}, notes={}, page_style=DEFAULT)
    return str(job.html)


def test_two_slices_that_agree_in_every_measure_have_a_table_of_gaps():
    text = text_of({"truth": "y", "models": PERFECT, "slices": ["sex"]}, TWO)

    assert "Gaps between slices" in text
    assert "+0.000" not in text
    assert "−0.000" not in text


def test_measures_compare_a_model_with_limits_and_one_without():
    models = {"a": {"estimate": "a", "low": "low", "high": "high"}, "b": {"estimate": "b"}}
    compared = {"measures": ["mean_absolute_error", "winkler_score"]}
    results = reportgen.evaluate(
        {"truth": "y", "models": models, "comparisons": compared, "bootstrap": {"replicates": 99}},
        NUMBERS,
    )

    tests = results.comparisons.filter(comparison="paired_permutation")
    reasons = dict(tests.select("metric", "undefined").iter_rows())
    assert reasons["mean_absolute_error"] is None
    assert reasons["winkler_score"] == "the model gives no prediction interval"


REFUSED = {
    "confidence": (1e-300, 1e-9, 1 - 1e-16, 10**4000),
    "threshold": (float("inf"), 10**400, -(10**400)),
    "bootstrap": ({"seed": 2**63}, {"seed": 10**400}),
    "costs": (
        {"false_negative": 1e300, "false_positive": 1},
        {"false_negative": 1, "false_positive": 1e-300},
        {"false_negative": float("inf"), "false_positive": 1},
    ),
    "output": ({"directory": "a\0b"},),
    "sections": ([{"markdown": "a\0b"}], [{"markdown": "x" * 300}], [{"markdown": "a\ud800"}]),
    "title": ("a\ud800b",),
    "positive": ("\udfff",),
    "comparisons": tuple(
        {"claims": [claim]}
        for claim in (
            "a.error_rate <= -1",
            "a.error_rate = 1e300",
            "a.auc >= 2",
            "a.mcc >= -1.1",
            "a.log_loss <= 1e300",
        )
    ),
}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in REFUSED.items() for value in values]
)
def test_a_value_that_nothing_can_be_computed_with_is_refused_at_its_place(key, value):
    with pytest.raises(SpecError) as caught:
        from_dict({"truth": "y", "models": PERFECT, key: value})

    assert key in caught.value.problems[0].place


@pytest.mark.parametrize(
    "digits", ["0x" + "f" * 3600, "0o" + "7" * 5000, "9" * 5000, "-" + "9" * 400]
)
@pytest.mark.parametrize("key", ["threshold", "confidence", "costs"])
def test_a_number_of_thousands_of_digits_is_refused_at_its_place(key, digits, tmp_path):
    path = tmp_path / "report.yaml"
    value = f"{{false_negative: {digits}, false_positive: 1}}" if key == "costs" else digits
    path.write_text(f"data: d.csv\ntruth: y\nmodels: {{a: {{score: p}}}}\n{key}: {value}\n")

    with pytest.raises(SpecError) as caught:
        read(path)

    assert caught.value.problems[0].line == 4
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("name", ["x" * 300 + ".csv", "x" * 300 + "*.csv", "a/" * 3000 + "b.csv"])
def test_a_name_that_no_file_can_have_is_refused(name, tmp_path):
    with pytest.raises(DataError):
        find([name], tmp_path)


def test_a_folder_that_may_not_be_entered_is_named(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    for folder in (closed, closed / "inner", tmp_path / "open"):
        folder.mkdir(exist_ok=True)
        (folder / "p.csv").write_text("a\n1\n")
    (tmp_path / "links").mkdir()
    (tmp_path / "links/x").symlink_to(closed / "inner")
    (tmp_path / "links/y").symlink_to(tmp_path / "open")
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(folder.stat().st_mode | 0o055)
    closed.chmod(0)
    names = ("closed/p.csv", "closed/*.csv", "**/*.csv", "*/p.csv", "links/*/*.csv")
    user, codes = os.geteuid(), []
    try:
        if user == 0:  # who may enter every folder
            os.seteuid(65534)
        for name in names:
            with pytest.raises(DataError) as caught:
                find([name], tmp_path)
            codes.append(caught.value.problems[0].code)
    finally:
        os.seteuid(user)
        closed.chmod(0o755)

    assert codes == ["unreadable"] * len(names)


@pytest.mark.parametrize(
    ("number", "code"),
    [(errno.EIO, "unreadable"), (errno.ESTALE, "unreadable"), (errno.EMFILE, "files")],
)
@pytest.mark.parametrize("what", ["scandir", "lstat"])
def test_a_folder_that_fails_is_not_left_out(what, number, code, tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.csv").write_text("a\n1\n")
    read = getattr(os, what)

    def failing(path):
        if f"{os.sep}b" in str(path).removeprefix(str(tmp_path)):
            raise OSError(number, os.strerror(number))
        return read(path)

    monkeypatch.setattr(os, what, failing)
    with pytest.raises(ReportgenError) as caught:
        patterns.matches("*/*.csv" if what == "scandir" else "*/p.csv", tmp_path)

    assert caught.value.problems[0].code == code


@pytest.mark.parametrize(("number", "code"), [(errno.ENOMEM, "memory"), (errno.EMFILE, "files")])
@pytest.mark.parametrize("what", ["examine", "changes"])
def test_a_file_that_is_not_read_for_want_of_memory_or_descriptors_is_a_limit(
    what, number, code, tmp_path, monkeypatch
):
    def failing(_):
        raise OSError(number, os.strerror(number))

    TWO.write_csv(tmp_path / "p.csv")
    spec = from_dict({"data": "p.csv", "truth": "y", "models": PERFECT}, tmp_path)
    [file], _ = inputs(spec)
    monkeypatch.setattr(FileState, "of", failing)
    with pytest.raises(LimitError) as caught:
        inputs(spec) if what == "examine" else changes(file)

    assert caught.value.problems[0].code == code


def test_a_pattern_over_a_whole_machine_is_refused_with_the_folder_that_it_came_to(monkeypatch):
    monkeypatch.setattr(patterns, "MOST_ENTRIES", 500)

    with pytest.raises(LimitError, match="it had come to '/") as caught:
        find(["/**/*.csv"], Path())

    assert caught.value.problems[0].code == "too-many-files"


def test_a_pattern_matches_what_glob_does(tmp_path):
    for name in ("a.csv", "b/a.csv", "b/c/a.csv", "b/c/a.txt", ".h/a.csv", "b/.a.csv", "b.csv/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    for pattern in (
        "*.csv",
        "**/*.csv",
        "b/**",
        "*/*",
        "**",
        "b/[ac]/*",
        "?/**/a.*",
        ".*/*",
        "b/../*.csv",
    ):
        expected = glob.glob(pattern, root_dir=tmp_path, recursive=True)
        assert set(patterns.matches(pattern, tmp_path)) - {""} == {*expected} - {"", "b/"}, pattern


@pytest.mark.parametrize("epoch", ["x", "-1", "1.5", " ", "1e9", "9" * 30, "253402300800", "٣"])
def test_an_odd_moment_of_the_build_is_refused(epoch, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)

    with pytest.raises(SpecError, match="not a whole number of seconds"):
        moment()


@pytest.mark.parametrize(("epoch", "year"), [("0", 1970), ("253402300799", 9999)])
def test_any_moment_up_to_the_year_9999_can_be_that_of_the_build(epoch, year, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)

    assert moment().year == year


def test_the_costs_that_are_allowed_are_computed_with():
    costs = {"false_negative": 1e12, "false_positive": 1e-12}
    models = {**PERFECT, "b": {"score": "other"}}
    try:
        text = text_of({"truth": "y", "models": models, "costs": costs}, TWO)
    except ReportgenError as error:
        pytest.fail(str(error))

    assert "nan" not in text.lower().split()


@pytest.mark.parametrize(("rows", "code"), [(40_000_000, "too-large"), (1_000_000, None)])
def test_a_parquet_file_that_unpacks_to_far_more_than_it_is_is_refused_before(rows, code, tmp_path):
    path = tmp_path / "p.parquet"
    pl.select(p=pl.repeat(0.25, rows)).write_parquet(path, compression="zstd")
    _, problems = examine(DataFile("p.parquet", path, "parquet"))

    assert [problem.code for problem in problems] == ([] if code is None else [code])


@pytest.mark.parametrize(("rows", "code"), [(40_000_000, "too-large"), (1_000_000, None)])
def test_an_arrow_file_that_unpacks_to_far_more_than_it_is_is_refused_before(rows, code, tmp_path):
    path = tmp_path / "p.arrow"
    pl.select(p=pl.repeat(0.25, rows)).write_ipc(path, compression="zstd")
    _, problems = examine(DataFile("p.arrow", path, "ipc"))

    assert [problem.code for problem in problems] == ([] if code is None else [code])


LONG = "x" * 4000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["verify", LONG], "too long"),
        (["accept", LONG, "--because", "x"], "too long"),
        (["history", LONG], "too long"),
        (["schedule", "r.yaml", "--for", "cron", "--with", "'open"], "no closing quotation"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_the_command_line_cannot_take_is_a_usage_error(words, message, capsys, tmp_path):
    with pytest.raises(SystemExit) as ended:
        main([*words, *([] if words[0] in ("verify", "schedule") else ["--out", str(tmp_path)])])

    assert ended.value.code == 2
    assert message in capsys.readouterr().err.lower()
