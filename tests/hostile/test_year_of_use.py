"""What a year of use brings, and once ended in a wrong word, or in none."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

import polars as pl
import pytest

from reportgen import evaluate, predictions
from reportgen import spec as specs
from reportgen.cli.group import check_threads
from reportgen.errors import DataError, SpecError
from reportgen.spec.naming import refuse_shared_names
from tests.breadth import breadth

ROWS = [(i % 2, (i * 17 % 40 + 20 * (i % 2)) / 60) for i in range(40)]
SPEC = {"data": "d.csv", "truth": "y", "models": {"m": {"score": "p"}}}


def csv(header: str = "y,p", *more: str) -> str:
    lines = (f"{y},{p}{''.join(f',{cell}' for cell in more)}\n" for y, p in ROWS)
    return f"{header}\n{''.join(lines)}"


def read(folder, text: str, **changes):
    (folder / "d.csv").write_text(text, encoding="utf-8")
    return predictions.read(specs.from_dict({**SPEC, **changes}, folder))


@breadth(
    ("ending", "engine"),
    [*product(("csv", "parquet"), ("exact", "streaming"))],
    [("csv", "exact"), ("parquet", "streaming")],
)
def test_a_column_may_be_named_as_polars_names_a_repeated_one(tmp_path, ending, engine):
    frame = pl.DataFrame(ROWS, schema=["y", "p"], orient="row")
    frame = frame.with_columns(p_duplicated_0=pl.lit(7))
    getattr(frame, f"write_{ending}")(tmp_path / f"d.{ending}")
    spec = {**SPEC, "data": f"d.{ending}", "engine": engine}

    assert evaluate(specs.from_dict(spec, tmp_path)).data["rows_evaluated"] == 40


def test_a_column_that_is_there_twice_is_still_refused(tmp_path):
    with pytest.raises(DataError, match="two columns 'p'"):
        read(tmp_path, csv("y,p,p", "7"))


@pytest.mark.parametrize("other", ["North", "north ", "no\u0301rth", "ｎorth"])
def test_slices_that_look_alike_are_told_as_a_warning(tmp_path, other):
    first = "n\u00f3rth" if "\u0301" in other else "north"
    cells = [first, other, "south"]
    text = "y,p,site\n" + "".join(f"{y},{p},{cells[i % 3]}\n" for i, (y, p) in enumerate(ROWS))
    checks = read(tmp_path, text, slices=["site"]).checks
    (warning,) = [check.detail for check in checks if check.name == "look-alike names"]

    assert warning.startswith("site: ")
    assert "count as different" in warning
    assert "south" not in warning


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("1", "1.0"),
        ("7", "007"),
        ("0.5", "5e-1"),
        ("2024-05-31", "2024-05-31 00:00:00"),
        ("2024-05-31T10:30", "2024-05-31 10:30:00.000"),
        ("2024-05-31T10:30Z", "2024-05-31 12:30:00+02:00"),
        ("10:30", "10:30:00"),
        ("1", "true"),
    ],
)
@pytest.mark.parametrize("role", ["slice", "fold", "repeat", "group"])
def test_a_number_or_time_of_two_spellings_is_told_as_a_warning(tmp_path, first, other, role):
    """As files of several types spell it; of groups, which may be people, no name is printed."""
    cells = [first, other, "0001-01-01 00:00:00+14:00", "2024-13-45", "9" * 400]
    text = "y,p,id,v\n" + "".join(f"{y},{p},{i},{cells[i % 5]}\n" for i, (y, p) in enumerate(ROWS))
    columns = {"id": "id", **({} if role == "slice" else {role: "v"})}
    spec = {"slices": ["v"] if role == "slice" else [], "columns": columns}
    checks = read(tmp_path, text, **spec).checks
    (warning,) = [check.detail for check in checks if check.name == "look-alike names"]

    assert "the same value" in warning
    one, two = sorted([first, other])
    assert (f"'{one}' and '{two}'" in warning) == (role != "group")


@pytest.mark.parametrize("role", ["group", "id"])
def test_groups_and_ids_that_differ_in_spaces_are_counted(tmp_path, role):
    cells = [f"p{i}" for i in range(len(ROWS) - 2)] + ["p0 ", "P1"]
    text = "y,p,v\n" + "".join(f"{y},{p},{c}\n" for (y, p), c in zip(ROWS, cells, strict=True))
    checks = read(tmp_path, text, columns={role: "v"}).checks
    (warning,) = [check.detail for check in checks if check.name == "look-alike names"]

    assert warning.startswith(f"{role}s: 1 pair of names is the same but for spaces")


@pytest.mark.parametrize(
    ("role", "word"), [("truth", "nan"), ("fold", "NA"), ("repeat", "<NA>"), ("group", "?")]
)
def test_a_name_that_stands_for_a_missing_value_is_told_as_a_warning(tmp_path, role, word):
    """As text files of pandas, R and Weka have it: a class, a fold or a group of its own."""
    cells = [("a", "b", word)[i % 3] for i in range(len(ROWS))]
    text = "y,l,i,v\n" + "".join(f"{'ab'[i % 2]},a,{i},{c}\n" for i, c in enumerate(cells))
    spec = {"truth": "v"} if role == "truth" else {"truth": "y", "positive": "a"}
    columns = {"id": "i"} if role == "truth" else {"id": "i", role: "v"}
    models = {"m": {"label": "l"}}
    checks = read(tmp_path, text, columns=columns, models=models, **spec).checks
    (warning,) = [check.detail for check in checks if check.name == "names of missing values"]

    assert f": {word!r} often stands for a missing value" in warning


def test_slices_that_differ_are_no_look_alikes(tmp_path):
    text = "y,p,site\n" + "".join(f"{y},{p},{'ab'[i % 2]}\n" for i, (y, p) in enumerate(ROWS))
    checks = read(tmp_path, text, slices=["site"]).checks

    assert "look-alike names" not in [check.name for check in checks]


def test_models_of_a_column_that_look_alike_are_told_as_a_warning(tmp_path):
    text = "y,p,model\n" + "".join(
        f"{y},{p / k},{'forest' + ' ' * (k - 1)}\n" for k in (1, 2) for y, p in ROWS
    )
    checks = read(tmp_path, text, models={"column": "model", "score": "p"}).checks
    (warning,) = [check.detail for check in checks if check.name == "look-alike names"]

    assert warning.startswith("models: 'forest' and 'forest '")


def test_models_whose_names_look_the_same_are_refused(tmp_path):
    models = {"caf\u00e9": {"score": "p"}, "cafe\u0301": {"score": "q"}}

    with pytest.raises(SpecError, match="looks the same"):
        specs.from_dict({**SPEC, "models": models}, tmp_path)


@breadth("name", ["-", "/dev/stdin"], 1)
def test_a_spec_on_standard_input_is_told_to_be_written_to_a_file(tmp_path, name):
    words = [sys.executable, "-m", "reportgen", "check", "--", name]
    done = subprocess.run(
        words,
        input="data: d.csv\n",
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )

    assert done.returncode == 2
    assert "not from standard input" in done.stderr


@pytest.mark.parametrize("number", ["0", "many", "1.5", "99999"])
def test_a_number_of_threads_that_cannot_be_used_is_refused_before_it_is_read(number, monkeypatch):
    """Zero ended in a bug, the others in a warning of the library."""
    monkeypatch.setenv("POLARS_MAX_THREADS", number)
    with pytest.raises(SpecError, match="not a number of threads"):
        check_threads()


def test_no_number_of_threads_is_the_library_s_own(monkeypatch):
    monkeypatch.setenv("POLARS_MAX_THREADS", "")
    check_threads()

    assert "POLARS_MAX_THREADS" not in os.environ


def test_rows_without_a_fold_are_a_fold_of_their_own_and_told(tmp_path):
    """Of two models they ended in a bug."""
    text = "y,p,q,k\n" + "".join(
        f"{y},{p},{1 - p},{i % 4 if i > 9 else ''}\n" for i, (y, p) in enumerate(ROWS)
    )
    (tmp_path / "d.csv").write_text(text)
    models = {"m": {"score": "p"}, "n": {"score": "q"}}
    results = evaluate(
        specs.from_dict({**SPEC, "models": models, "columns": {"fold": "k"}}, tmp_path)
    )
    (messages,) = [c for c in results.data["checks"] if c["name"] == "rows without a fold"]

    assert messages["detail"].startswith("10 test rows have no fold")
    assert results.data["evaluation"]["folds"] == 5


def test_a_prevalence_whose_odds_are_no_float_is_refused(tmp_path):
    """It ended in a bug: the negative predictive value was no number."""
    with pytest.raises(SpecError, match="at least 1e-12"):
        specs.from_dict({**SPEC, "prevalence": 5e-324}, tmp_path)


def test_an_output_folder_that_no_system_can_name_is_refused_by_its_own_build(tmp_path):
    """Looking for a second spec with the same folder ended in a bug."""
    path = tmp_path / "s.yaml"
    path.write_text('{data: d.csv, truth: y, models: {m: {score: p}}, output: {directory: "\\0"}}')
    refuse_shared_names([path, path], None)

    with pytest.raises(SpecError, match=r"U\+0000"):
        specs.read(path)


def test_a_spec_that_is_a_pipe_is_refused_unread(tmp_path):
    """The build waited for who writes to it."""
    os.mkfifo(tmp_path / "s.yaml")
    refuse_shared_names([tmp_path / "s.yaml"] * 2, None)

    with pytest.raises(SpecError, match="not from a pipe"):
        specs.read(tmp_path / "s.yaml")


def test_links_in_a_circle_end_in_no_bug(tmp_path):
    """Neither a folder that holds itself, below a pattern, nor an output folder."""
    (tmp_path / "d.csv").write_text(csv())
    (tmp_path / "again").symlink_to(".")
    (tmp_path / "out").symlink_to("out")
    (tmp_path / "s.yaml").write_text("data: d.csv\ntruth: y\nmodels: {m: {score: p}}\n")
    refuse_shared_names([tmp_path / "s.yaml"] * 2, tmp_path / "out")

    with pytest.raises(DataError, match="same file"):
        predictions.read(specs.from_dict({**SPEC, "data": "**/*.csv"}, tmp_path))


@pytest.mark.parametrize("value", ["maybe", [], 2])
def test_a_switch_is_true_or_false(tmp_path, value):
    with pytest.raises(SpecError, match="true or false is expected"):
        specs.from_dict({**SPEC, "output": {"interactive": value}}, tmp_path)


def test_a_slicing_by_a_column_and_itself_is_refused(tmp_path):
    with pytest.raises(SpecError, match="names the same column twice"):
        specs.from_dict({**SPEC, "slices": [["site", "site"]]}, tmp_path)


def test_values_whose_squares_are_beyond_a_float_are_refused():
    """Their means had no value, and the library warned of an overflow."""
    cells = [(f"d{i // 2}", "ab"[i % 2], (-1) ** i * (i + 1) * 1e306) for i in range(20)]
    frame = pl.DataFrame(cells, schema=["d", "m", "v"], orient="row")
    columns = {"dataset": "d", "model": "m", "value": "v"}

    with pytest.raises(DataError, match="20 values are beyond"):
        evaluate({"task": "comparison", "columns": columns, "measure": "acc"}, frame)
