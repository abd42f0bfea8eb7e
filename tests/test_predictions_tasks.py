"""Predictions of several classes, several labels and numbers, right and wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import ReportgenError
from reportgen.predictions import ModelColumns
from reportgen.predictions.class_labels import in_order
from reportgen.predictions.input_tables import TABLES
from reportgen.results import evaluate
from reportgen.tasks import TASKS
from tests.quick import QUICK
from tests.task_frames import ANIMALS, FLAGS, NUMBERS, SCORES, TOPICS, faults, forest, read


def test_classes_become_indices_in_the_order_of_the_scores():
    result = read(
        ANIMALS,
        models=forest(scores=SCORES, label="says"),
        columns={"weight": "w"},
        slices=["site"],
    )

    assert (result.task, result.classes) == ("multiclass", ("cat", "dog", "emu"))
    assert (result.positive, result.negative) == ("", "")
    assert result.models == (
        ModelColumns("forest", label="label:0", scores=("score:0:0", "score:0:1", "score:0:2")),
    )
    assert result.frame.equals(
        pl.DataFrame(
            {
                "truth": pl.Series([1, 0, 2, 0], dtype=pl.UInt16),
                "weight": ANIMALS["w"],
                "slice:site": ANIMALS["site"],
                "label:0": pl.Series([1, 2, 2, 0], dtype=pl.UInt16),
                "score:0:0": ANIMALS["p_cat"],
                "score:0:1": ANIMALS["p_dog"],
                "score:0:2": ANIMALS["p_emu"],
            }
        )
    )


def test_scores_stand_in_the_order_of_the_classes_whatever_the_models_order():
    backwards = {name: SCORES[name] for name in ("emu", "dog", "cat")}
    result = read(ANIMALS, models=forest(scores=backwards), classes=["dog", "cat", "emu"])

    assert result.classes == ("dog", "cat", "emu")
    assert result.frame["truth"].to_list() == [0, 1, 2, 1]
    assert result.frame.columns == ["truth", "score:0:0", "score:0:1", "score:0:2"]
    assert result.frame["score:0:0"].to_list() == ANIMALS["p_dog"].to_list()


TWO = {"models": forest(label="says"), "positive": "dog"}


def test_labels_alone_are_several_classes_when_the_truth_has_more_than_two():
    several = read(ANIMALS, models=forest(label="says"))
    two = read(ANIMALS.filter(pl.col("y") != "emu").with_columns(says="y"), **TWO)

    assert (several.task, several.classes) == ("multiclass", ("cat", "dog", "emu"))
    assert several.frame["label:0"].to_list() == [1, 2, 2, 0]
    assert (two.task, two.classes) == ("binary", ("dog", "cat"))


def test_two_classes_can_be_read_as_several():
    frame = pl.DataFrame({"y": [0, 1, 1], "says": [1, 1, 0]})
    result = read(frame, models=forest(label="says"), task="multiclass")

    assert (result.task, result.classes) == ("multiclass", ("0", "1"))
    assert result.frame["label:0"].to_list() == [1, 1, 0]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["10", "9", "1"], ("1", "9", "10")),
        (["b", "a", "c"], ("a", "b", "c")),
        (["10", "9", "x"], ("10", "9", "x")),
        (["-1", "0.5", "0"], ("-1", "0", "0.5")),
        (["nan", "2", "10"], ("10", "2", "nan")),
    ],
)
def test_classes_without_an_order_are_sorted_numbers_by_value(labels, classes):
    frame = pl.DataFrame({"y": labels, "says": labels[::-1]})

    assert in_order(labels) == classes
    assert read(frame, models=forest(label="says")).classes == classes


@pytest.mark.parametrize(
    ("truth", "names"),
    [
        ([1, 2, 3], ["1", "2", "3"]),
        ([1.0, 2.0, 3.0], [1, 2, 3]),
        ([1, 2, 3], [1.0, 2.0, 3.0]),
        (["01", "1", "x"], ["01", "1", "x"]),
        (pl.Series(["a", "b", "c"], dtype=pl.Categorical), ["a", "b", "c"]),
        (pl.Series(["a", "b", "c"], dtype=pl.Enum(["c", "a", "b"])), ["a", "b", "c"]),
    ],
)
def test_classes_are_text_whatever_the_type_of_the_truth(truth, names):
    frame = pl.DataFrame({"y": truth, "a": [0.0] * 3, "b": [0.5] * 3, "c": [0.5] * 3})
    scores = dict(zip(names, "abc", strict=True))

    assert read(frame, models=forest(scores=scores)).frame["truth"].to_list() == [0, 1, 2]


def test_files_give_the_same_table_as_a_frame(tmp_path):
    ANIMALS.head(2).write_csv(tmp_path / "a.csv")
    ANIMALS.tail(2).write_parquet(tmp_path / "b.parquet")
    given = {"truth": "y", "models": forest(scores=SCORES, label="says")}
    spec = specs.from_dict({"data": ["a.csv", "b.parquet"]} | given, tmp_path)

    assert predictions.read(spec).frame.equals(read(ANIMALS, **given).frame)


def test_several_labels_are_booleans_whatever_says_them():
    result = read(
        TOPICS,
        truth=FLAGS,
        models=forest(
            scores={"news": "news", "sport": "sport"},
            labels={"sport": "says_sport", "news": "says_news"},
        ),
    )

    assert (result.task, result.classes) == ("multilabel", ("sport", "news"))
    assert result.models == (
        ModelColumns(
            "forest", scores=("score:0:0", "score:0:1"), labels=("label:0:0", "label:0:1")
        ),
    )
    assert result.frame.to_dict(as_series=False) == {
        "truth:0": [True, False, False],
        "truth:1": [True, True, False],
        "score:0:0": [0.9, 0.0, 0.4],
        "label:0:0": [True, False, True],
        "score:0:1": [0.5, 0.5, 0.1],
        "label:0:1": [False, True, False],
    }
    assert str(result.frame["score:0:0"][1]) == "0.0"


def test_numbers_are_read_with_their_intervals():
    result = read(
        NUMBERS,
        models=forest(estimate="hat", low="low", high="high", quantile=0.5),
    )

    assert (result.task, result.classes) == ("regression", ())
    assert result.models == (
        ModelColumns("forest", estimate="estimate:0", low="low:0", high="high:0", quantile=0.5),
    )
    assert result.frame.to_dict(as_series=False) == {
        "truth": [1.5, 2.0, -3.0],
        "estimate:0": [1.0, 2.0, 3.0],
        "low:0": [0.0, 1.0, -4.0],
        "high:0": [2.0, 2.0, 4.0],
    }
    assert "intervals" in {check.name for check in result.checks}


def test_costs_of_each_example_are_read_beside_the_scores():
    frame = pl.DataFrame({"y": [0, 1], "p": [0.1, 0.9], "amount": [5, 0]})
    costs = {"false_negative": {"column": "amount"}, "false_positive": 1}
    result = read(frame, models=forest(score="p"), costs=costs)

    assert result.frame["cost_false_negative"].to_list() == [5.0, 0.0]
    assert "cost_false_positive" not in result.frame.columns

    (problem,) = faults(
        frame.with_columns(amount=pl.Series([-1.0, 0.0])), models=forest(score="p"), costs=costs
    )
    assert (problem.code, problem.rows) == ("out-of-range", (1,))


LONG = pl.DataFrame(
    {
        "model": ["a", "a", "b", "b"],
        "id": [1, 2, 2, 1],
        "y": [3.0, 4.0, 4.0, 3.0],
        "hat": [3.5, 4.5, 4.0, 3.0],
    }
)


def test_numbers_and_classes_can_be_in_long_form():
    models = {"column": "model", "estimate": "hat", "quantile": 0.9}
    result = read(LONG, models=models, columns={"id": "id"})

    assert [m.quantile for m in result.models] == [0.9, 0.9]
    assert result.frame.to_dict(as_series=False) == {
        "truth": [3.0, 4.0],
        "estimate:0": [3.5, 4.5],
        "estimate:1": [3.0, 4.0],
    }

    both = pl.concat([ANIMALS.with_columns(m=pl.lit(m)).with_row_index("id") for m in "ab"])
    wide = read(both, models={"column": "m", "scores": SCORES}, columns={"id": "id"})
    assert wide.models[1].scores == ("score:1:0", "score:1:1", "score:1:2")
    assert wide.frame["score:1:2"].to_list() == ANIMALS["p_emu"].to_list()


@pytest.mark.parametrize(
    ("frame", "given"),
    [
        (ANIMALS, {"models": forest(scores=SCORES, label="says")}),
        (TOPICS, {"truth": FLAGS, "models": forest(scores={"sport": "sport", "news": "news"})}),
        (NUMBERS, {"models": forest(estimate="hat", low="low", high="high")}),
    ],
)
def test_what_is_read_meets_the_declaration_of_its_task(frame, given):
    result = read(frame, **given)

    assert TABLES[TASKS[result.task].truth].validate(result.frame).height == frame.height


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([0.2, 0.5, 0.3], "add up to 1"),
        ([0.2, 0.5, 0.3000005], "add up to 1"),
        ([0.2, 0.5, 0.32], "in 1 row they do not add up to 1 but to 1.02"),
        ([1.2, -0.5, 0.3], "some are negative"),
    ],
)
def test_whether_scores_are_probabilities_is_told(row, message):
    scores = ["p_cat", "p_dog", "p_emu"]
    first = pl.int_range(pl.len()) == 0
    frame = ANIMALS.with_columns(
        pl.when(first).then(value).otherwise(name).alias(name)
        for name, value in zip(scores, row, strict=True)
    )
    listed = {c.name: c for c in read(frame, models=forest(scores=SCORES)).checks}
    checks = {name: check.detail for name, check in listed.items()}

    assert checks["sums"].startswith("forest: ")
    assert checks["sums"].endswith(message)
    assert listed["sums"].warning == (message != "add up to 1")
    assert checks["labels"] == "3 classes: 'cat' (2), 'dog' (1), 'emu' (1)"


def test_models_whose_scores_are_probabilities_are_one_check():
    others = {name: f"tree_{column}" for name, column in SCORES.items()}
    frame = ANIMALS.with_columns(pl.col(SCORES.values()).name.prefix("tree_"))
    models = {"forest": {"scores": SCORES}, "tree": {"scores": others}}
    sums = [c.detail for c in read(frame, models=models).checks if c.name == "sums"]

    assert sums == ["forest, tree: the scores of every row add up to 1"]


@pytest.mark.parametrize(("digits", "off", "fits"), [(6, 1, True), (3, 1, True), (3, 2, False)])
def test_sums_of_rounded_probabilities_are_off_by_half_a_unit_of_each_at_most(digits, off, fits):
    """The check and the measures read one rule: three scores may be off by 1.5 units."""
    third, unit = round(1 / 3, digits), 10.0**-digits
    rows = [[third, third, third - (off - 1) * unit], [0.25, 0.25, 0.5], [0.5, 0.25, 0.25]]
    frame = pl.DataFrame(rows, schema=["cat", "dog", "emu"], orient="row")
    spec = {"truth": "y", "models": {"m": {"scores": {s: s for s in frame.columns}}}}
    frame = frame.with_columns(y=pl.Series(frame.columns))
    results = evaluate(spec | QUICK, frame)
    sums = next(check for check in results.data["checks"] if check["name"] == "sums")

    assert sums["warning"] is not fits
    assert results.data["models"][0]["probability"] is fits


CELLS = st.one_of(
    st.none(), st.floats(), st.integers(-3, 3), st.sampled_from(["", "a", "b", "1", "nan"])
)


@settings(deadline=None)  # pandera is slow the first time
@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=6),
    st.sampled_from(
        [
            {"models": forest(scores={"a": "p", "b": "q"}), "classes": ["a", "b"]},
            {"models": forest(scores={"1": "p", "0": "q"}), "classes": ["0", "1"]},
            {"models": forest(label="p"), "task": "multiclass"},
            {"models": forest(label="p")},
            {"truth": {"a": "y"}, "models": forest(scores={"a": "p"}, labels={"a": "q"})},
            {"models": forest(estimate="p", low="p2", high="q")},
        ]
    ),
)
def test_any_cells_are_read_or_refused_but_never_crash(rows, given):
    texts = [[None if v is None else str(v) for v in column] for column in zip(*rows, strict=True)]
    frame = pl.DataFrame(dict(zip("ypq", texts, strict=True))).with_columns(p2="p")
    for typed in (frame, frame.with_columns(pl.all().cast(pl.Float64, strict=False))):
        try:
            result = read(typed, **given)
        except ReportgenError as refused:
            assert refused.problems  # noqa: PT017  # either is right
        else:
            assert TABLES[TASKS[result.task].truth].validate(result.frame).height == len(rows)


STATUS = Path("/proc/self/status")


READ = """
import re, sys
from pathlib import Path
from reportgen import predictions, spec

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024

scores = {str(i): f"p{i}" for i in range(100)}
given = {"data": "d.parquet", "truth": "y", "models": {"m": {"scores": scores}}}
asked = spec.from_dict(given, Path(sys.argv[1]))
before = peak()
frame = predictions.read(asked).frame
print((peak() - before) / frame.estimated_size())
"""


@pytest.mark.slow
@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells a process's peak of memory")
def test_many_classes_are_read_without_a_second_copy(tmp_path):
    """The peak of memory stays well below twice the table."""
    rows = pl.select(pl.int_range(200_000).alias("i"))
    rows.select(
        (pl.col("i") % 100).alias("y"),
        *((pl.col("i") * (k + 7) % 9973 / 9973).alias(f"p{k}") for k in range(100)),
    ).write_parquet(tmp_path / "d.parquet", row_group_size=50_000)
    child = [sys.executable, "-c", READ, str(tmp_path)]
    done = subprocess.run(child, capture_output=True, text=True, check=True)

    assert float(done.stdout) < 1.8
