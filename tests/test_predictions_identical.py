"""Rows that return without an id are reported; coincidences that chance explains are not.

The slow test is the simulation of both error rates.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import reportgen
from reportgen.cli.group import group
from reportgen.predictions import ModelColumns
from reportgen.predictions.identical import LEAST_ROWS, identical_rows, same_outputs, trained_on
from reportgen.sections.summary import Summary
from tests.breadth import breadth
from tests.quick import QUICK

Floats = np.ndarray


def examples(random: np.random.Generator, rows: int, levels: int = 0) -> tuple[Floats, Floats]:
    """Five features, continuous or of a few levels, and a truth that follows from their sum."""
    features = (
        random.integers(0, levels, size=(rows, 5)).astype(float)
        if levels
        else random.normal(size=(rows, 5))
    )
    centred = features - features.mean(axis=0)
    chance = 1 / (1 + np.exp(-centred @ np.linspace(1, 0.2, 5)))
    return features, random.random(rows) < chance


def predicted(random: np.random.Generator, kind: str, rows: int) -> pl.DataFrame:
    """Predictions of different examples by a model whose scores coincide by chance."""
    model = {
        "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
        "neighbours": KNeighborsClassifier(7),
    }.get(kind, LogisticRegression())
    features, truth = examples(random, 2 * rows, levels=3 if kind == "levels" else 0)
    scores = model.fit(features[:rows], truth[:rows]).predict_proba(features[rows:])[:, 1]
    digits = {"one digit": 1, "two digits": 2, "three digits": 3}
    if kind in digits:
        scores = scores.round(digits[kind])
    return pl.DataFrame({"truth": truth[rows:], "score:0": scores})


KINDS = (
    "full precision", "one digit", "two digits", "three digits", "tree", "neighbours", "levels",
)  # fmt: skip


@pytest.mark.parametrize(("rows", "share"), [(30_000, 1e-3), (60_000, 1e-3), (20_000, 2e-3)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rounded_scores_of_a_rare_class_coincide_where_all_are_negative(rows, share, seed):
    random = np.random.default_rng(seed)
    truth = random.random(rows) < share
    scores = {
        f"score:{k}": share * np.exp(apart * (random.normal(size=rows) + apart * (truth - 0.5)))
        for k, apart in enumerate((3, 2.2))
    }
    frame = pl.DataFrame({"truth": truth, **{k: (s / (1 + s)).round(6) for k, s in scores.items()}})
    assert frame.height - frame.unique().height > 0.1 * rows
    assert identical_rows(frame) == 0


@pytest.mark.parametrize("kind", KINDS)
@breadth("rows", [60, 300, 1500], [300])
def test_different_examples_whose_scores_coincide_are_not_reported(kind, rows):
    random = np.random.default_rng(11)
    frames = [predicted(random, kind, rows) for _ in range(5)]

    assert [identical_rows(frame) for frame in frames] == [0] * 5
    assert not any(identical_rows(frame.sort("truth", "score:0")) for frame in frames)


def beside(frame: pl.DataFrame, right: float, random: np.random.Generator) -> pl.DataFrame:
    """The predictions with those of an expert who is right in that share of the rows."""
    wrong = random.random(frame.height) >= right
    return frame.with_columns(pl.col("truth").xor(pl.Series(wrong)).alias("label:1"))


@pytest.mark.parametrize("right", [1.0, 0.99, 0.97, 0.95, 0.92])
def test_rows_on_which_an_expert_is_right_are_no_copies(right):
    random = np.random.default_rng(13)
    for rows in (300, 1000, 3000):
        predictions = [predicted(random, "three digits", rows) for _ in range(4)]
        assert [identical_rows(beside(frame, right, random)) for frame in predictions] == [0] * 4


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_scores_of_two_sure_models_in_several_repeats_show_no_copies(seed):
    """Most scores are 0 or 1 but for the last digits, as of classes that are easy to tell apart."""
    random = np.random.default_rng(seed)
    distance = random.normal(size=400) + 5 * np.where(np.arange(400) < 200, 1, -1)
    parts = [
        pl.DataFrame(
            {
                "truth": distance + random.normal(size=400) / 4 > 0,
                "repeat": str(repeat),
                **{
                    f"score:{k}": (
                        1 / (1 + np.exp(-1.8 * distance - random.normal(size=400)))
                    ).round(3)
                    for k in range(2)
                },
            }
        )
        for repeat in range(10)
    ]
    frame = pl.concat(parts)

    assert frame.height - frame.n_unique() > 0.1 * frame.height
    assert identical_rows(frame) == 0


def test_copies_beside_an_expert_are_counted():
    random = np.random.default_rng(14)
    frame = beside(predicted(random, "full precision", 400), 0.9, random)
    again = frame.sample(fraction=0.5, seed=2)

    assert identical_rows(pl.concat([frame, again])) == 200


def test_estimates_that_are_the_truth_show_no_copies():
    random = np.random.default_rng(15)
    truth = random.normal(50, 10, size=600).round(1)
    estimate = (truth + random.normal(0, 4, size=600)).round()
    frame = pl.DataFrame({"truth": truth, "estimate:0": truth, "estimate:1": estimate})

    assert frame.height - frame.n_unique() > 20
    assert identical_rows(frame) == 0
    assert identical_rows(frame.select("truth", "estimate:0")) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_false_alarms_stay_rare_and_doubled_rows_are_reported(kind):
    random = np.random.default_rng(12)
    frames = [predicted(random, kind, rows) for rows in (60, 200, 600) for _ in range(100)]

    assert sum(identical_rows(frame) > 0 for frame in frames) <= 1
    doubled = [identical_rows(pl.concat([frame, frame])) for frame in frames]
    fine = kind in ("full precision", "two digits", "three digits", "levels")
    assert sum(count > 0 for count in doubled) >= (300 if fine else 240)


@pytest.mark.parametrize("kind", ["full precision", "two digits", "three digits", "levels"])
@pytest.mark.parametrize("times", [2, 5])
def test_rows_that_are_all_there_several_times_are_counted(kind, times):
    frame = predicted(np.random.default_rng(3), kind, 400)
    again = pl.concat([frame] * times).sample(fraction=1, shuffle=True, seed=1)

    assert identical_rows(again) == again.height - frame.n_unique()


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_a_part_of_the_rows_that_returns_is_counted(share):
    frame = predicted(np.random.default_rng(4), "full precision", 400)
    again = frame.sample(fraction=share, seed=2)

    assert identical_rows(pl.concat([frame, again])) == again.height


def test_a_few_rows_that_return_change_no_conclusion_and_are_not_reported():
    frame = predicted(np.random.default_rng(5), "full precision", 400)

    assert identical_rows(pl.concat([frame, frame.head(LEAST_ROWS - 1)])) == 0


def test_labels_alone_cannot_tell():
    random = np.random.default_rng(0)
    frame = pl.DataFrame({"truth": random.random(90) < 0.4, "label:0": random.random(90) < 0.4})

    assert identical_rows(pl.concat([frame, frame])) is None


def test_numbers_are_told_by_truths_that_agree_to_the_last_digit():
    random = np.random.default_rng(6)
    estimate = random.normal(size=300).round(1)
    frame = pl.DataFrame({"truth": estimate + random.normal(size=300), "estimate:0": estimate})
    counts = pl.DataFrame({"truth": random.poisson(2, 300).astype(float), "estimate:0": estimate})

    assert identical_rows(frame) == identical_rows(counts) == 0
    assert identical_rows(pl.concat([frame, frame.head(60)])) == 60


def test_dependence_that_is_declared_is_not_reported_again():
    frame = predicted(np.random.default_rng(7), "full precision", 200)
    groups = pl.Series("group", [f"g{i}" for i in range(200)])
    within = pl.concat([frame.with_columns(groups)] * 2)
    other = pl.Series("group", [f"h{i}" for i in range(200)])
    across = pl.concat([frame.with_columns(groups), frame.with_columns(other)])
    repeats = pl.concat([frame.with_columns(repeat=pl.lit(r)) for r in "ab"])

    assert identical_rows(within) == identical_rows(repeats) == 0
    assert identical_rows(across) == 200
    alone = across.with_columns(group=pl.lit(None, pl.String))
    assert identical_rows(alone) == 200


def of_sure_classes(copies: int = 0) -> pl.DataFrame:
    """15 classes, of which one model is sure, and mostly correct; the other has twelve leaves."""
    random = np.random.default_rng(3)
    truth = random.integers(15, size=300)
    given = np.where(random.random(300) < 0.95, truth, random.integers(15, size=300))
    leaf = np.where(random.random(300) < 0.7, truth % 12, random.integers(12, size=300))
    sure = {f"score:0:{k}": (given == k).astype(float) for k in range(15)}
    leaves = random.dirichlet(np.full(15, 0.3), size=12)[leaf]
    coarse = {f"score:1:{k}": leaves[:, k] for k in range(15)}
    frame = pl.DataFrame({"truth": truth, **sure, **coarse})
    return pl.concat([frame] * (1 + copies))


def test_rows_of_which_a_model_is_sure_look_alike_and_are_no_copies():
    assert identical_rows(of_sure_classes()) == 0
    assert identical_rows(of_sure_classes(copies=1)) > 300


def test_rows_of_different_times_are_not_the_same_row():
    random = np.random.default_rng(0)
    truth, estimate = (np.repeat(random.normal(size=100), 3) for _ in range(2))
    frame = pl.DataFrame({"truth": truth, "estimate:0": estimate})
    days = pl.int_range(300, eager=True).alias("time")

    assert identical_rows(frame) == 200
    assert identical_rows(frame.with_columns(days)) == 0
    assert identical_rows(frame.with_columns(days // 3)) == 200


def test_training_rows_are_not_compared():
    frame = predicted(np.random.default_rng(8), "full precision", 200)
    both = pl.concat([frame.with_columns(role=pl.lit(r)) for r in ("train", "test")])

    assert identical_rows(both) == 0


def test_many_rows_are_sampled_by_value_and_counted_in_full():
    random = np.random.default_rng(9)
    score = random.random(400_000)
    frame = pl.DataFrame({"truth": random.random(400_000) < score, "score:0": score})
    start = time.process_time()

    assert identical_rows(frame) == 0
    assert time.process_time() - start < 1
    assert identical_rows(pl.concat([frame, frame.head(40_000)])) == 40_000


@pytest.mark.parametrize("command", [["check"], ["build", "--format", "json"]])
def test_the_commands_warn_on_stderr(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    frame = predicted(np.random.default_rng(10), "full precision", 200)
    pl.concat([frame, frame]).rename({"score:0": "p"}).write_parquet("p.parquet")
    Path("r.yaml").write_text("data: p.parquet\ntruth: truth\nmodels: {m: {score: p}}\n", "utf-8")
    done = CliRunner().invoke(group, [command[0], "r.yaml", *command[1:]], catch_exceptions=False)

    assert "warning: identical rows: 200 test rows repeat another one" in done.stderr


@pytest.mark.parametrize("identified", [False, True])
def test_the_warning_is_in_the_results_with_the_count(identified):
    frame = predicted(np.random.default_rng(10), "full precision", 200)
    twice = pl.concat([frame, frame]).rename({"score:0": "p"}).with_row_index("case")
    columns = {"id": "case"} if identified else {}
    spec = {"data": "f", "truth": "truth", "models": {"m": {"score": "p"}}, "columns": columns}
    results = reportgen.evaluate(spec, twice)
    data = results.data
    (warning,) = [check for check in data["checks"] if check["warning"]]

    assert data["identical_rows"] == 200
    (caveat,) = [c for c in results.decision.caveats if c.code == "identical_rows"]
    assert caveat.text.startswith("200 of 400 test rows repeat another one in truth")
    assert warning["name"] == "identical rows"
    assert warning["detail"].startswith("200 test rows repeat another one in truth and in every")
    assert ("though their ids differ" in warning["detail"]) is identified


def test_models_with_the_same_outputs_are_named_together():
    frame = pl.DataFrame({"a": [0.1, None, 0.3], "b": [0.1, None, 0.3], "c": [0.1, 0.2, 0.3]})
    frame = frame.with_columns(d="c", label=pl.Series([True, False, True]))
    models = [ModelColumns(name, score=name) for name in "abcd"]
    assert same_outputs(frame, models) == [["a", "b"], ["c", "d"]]

    labelled = [ModelColumns("c", score="c"), ModelColumns("d", score="d", label="label")]
    assert same_outputs(frame, labelled) == []
    assert same_outputs(frame.head(0), models) == []


@pytest.mark.parametrize(("last", "alike"), [(0.5, True), (0.6, False)])
def test_page_one_the_summary_and_the_record_say_which_models_are_one(last, alike):
    random = np.random.default_rng(8)
    score = np.append(random.random(199), 0.5)
    frame = pl.DataFrame({"y": random.random(200) < score, "a": score, "b": score, "c": score**2})
    frame = frame.with_columns(b=pl.when(pl.int_range(200) < 199).then("b").otherwise(last))
    models = {name: {"score": name} for name in "abc"}
    spec = {"truth": "y", "models": models, **QUICK}
    results = reportgen.evaluate(spec, frame)

    text = "a and b give the same outputs for every row: on these data they are one model."
    assert (text in [caveat.text for caveat in results.decision.caveats]) is alike
    assert results.data["same_outputs"] == ([["a", "b"]] if alike else [])
    assert (text in Summary.from_results(results).caveats) is alike


def split(random: np.random.Generator, kind: str, again: int) -> pl.DataFrame:
    """Test rows and as many training rows, of which so many are those of the test again."""
    rows = predicted(random, kind, 600)
    trained = pl.concat([rows.head(again), rows.slice(300, 300 - again)])
    roles = [rows.head(300).with_columns(role=pl.lit("test"))]
    return pl.concat([*roles, trained.with_columns(role=pl.lit("train"))])


@pytest.mark.parametrize("kind", KINDS)
def test_training_rows_with_scores_of_test_rows_by_chance_are_not_those_again(kind):
    assert trained_on(split(np.random.default_rng(5), kind, 0)) == 0


def test_rows_that_return_in_the_training_of_another_fold_or_have_ids_are_not_counted():
    frame = split(np.random.default_rng(6), "full precision", 120)
    by_fold = frame.with_columns(fold=pl.col("role"))

    assert trained_on(frame.with_columns(id=pl.int_range(600))) == 0
    assert trained_on(by_fold) == 0
    assert trained_on(frame.with_columns(fold=pl.lit("1"))) == 120


def test_training_rows_that_are_tested_take_the_conclusion_away():
    frame = split(np.random.default_rng(7), "full precision", 120)
    frame = frame.rename({"score:0": "a"}).with_columns(b=1 - pl.col("a"))
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "truth", "positive": True, "models": models, "columns": {"role": "role"}}
    decision = reportgen.evaluate({**spec, **QUICK}, frame).decision

    assert decision.headline.endswith("120 of 300 test rows were also trained on")
    assert decision.severe[0].code == "leakage"
