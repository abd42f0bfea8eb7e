"""Columns that are not declared, though errors of rows with the same value are alike."""

import json

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.simulations.undeclared_groups import DEPENDENT, INDEPENDENT, SIZES, said

MODELS = {name: {"label": name} for name in "ab"}


def hospitals(random, number=24, spread=0.3):
    """Decisions of two models that are equally good, whose accuracies differ by hospital."""
    size = random.integers(10, 60, number)
    size[0] = 300
    code = np.repeat(np.arange(number), size)
    truth = random.random(len(code)) < 0.5
    rates = np.clip(0.25 + random.normal(size=(2, number)) * spread, 0.02, 0.9)
    wrong = random.random((2, len(code))) < rates[:, code]
    return pl.DataFrame(
        {"y": truth, "a": truth ^ wrong[0], "b": truth ^ wrong[1], "hospital": code}
    ).cast(dict.fromkeys(("y", "a", "b"), pl.Int64))


def evaluated(frame, **spec):
    return reportgen.evaluate(
        {"truth": "y", "positive": 1, "task": "binary", "models": MODELS} | spec, frame
    )


def stated(results):
    return [c.text for c in results.decision.caveats if c.code == "undeclared_groups"]


def test_a_column_that_groups_the_errors_is_named_on_page_one_with_what_it_would_do():
    frame = hospitals(np.random.default_rng(1))
    results = evaluated(frame)

    [one] = results.data["undeclared_groups"]
    assert (one["column"], one["values"]) == ("hospital", 24)
    assert one["design_effect"] >= 1.5
    declared = evaluated(frame, columns={"group": "hospital"})
    assert not stated(declared)
    assert "undeclared_groups" not in declared.data
    widths = {}
    for name, of in (("without", results), ("with", declared)):
        values = of.metrics.filter(metric="accuracy").filter(pl.col("slice").is_null())
        widths[name] = max(values["high"] - values["low"])
    assert 1.3 < widths["with"] / widths["without"] < 1.2 * one["times_as_wide"]
    [text] = stated(results)
    assert text.startswith("hospital is not declared, but rows with the same value of it have")
    width = f"{one['times_as_wide']:.1f}"
    assert f"(24 values). With its values as groups, limits would be up to {width} times" in text
    assert json.loads(json.dumps(results.data["undeclared_groups"])) == [one]
    chinese = translator("zh", names_of(results.to_dict())).text(text)
    assert all(part in chinese for part in ("columns.group", "hospital", "未声明"))
    assert not any(word in chinese for word in ("declared", "resemble", "wide"))


def patients(random, spread, number=16, each=15, rows=4):
    """Hospitals of so many patients, of whom each has so many rows and a rate of errors."""
    hospital = np.repeat(np.arange(number), each * rows)
    patient = np.repeat(np.arange(number * each), rows)
    rate = 0.3 + 0.1 * random.normal(size=(2, number * each))[:, patient]
    rate = np.clip(rate + spread * random.normal(size=(2, number))[:, hospital], 0.02, 0.9)
    truth = random.random(len(hospital)) < 0.5
    wrong = random.random((2, len(hospital))) < rate
    columns = {"y": truth, "a": truth ^ wrong[0], "b": truth ^ wrong[1]}
    frame = pl.DataFrame(columns).cast(pl.Int64)
    return frame.with_columns(hospital=hospital, patient=patient)


def test_a_column_that_declared_groups_lie_within_is_named_where_these_resemble_each_other():
    frame = patients(np.random.default_rng(4), 0.2)
    results = evaluated(frame, columns={"group": "patient"})
    wider = evaluated(frame, columns={"group": "hospital"})

    [one] = results.data["undeclared_groups"]
    assert (one["column"], one["values"]) == ("hospital", 16)
    [text] = stated(results)
    assert text.endswith("as columns.group, as the declared groups lie within its values.")
    widths = []
    for of in (results, wider):
        values = of.metrics.filter(pl.col("slice").is_null(), metric="accuracy").sort("model")
        widths.append((values["high"] - values["low"]).to_numpy())
    times = {tuple(limits["models"]): limits["times_as_wide"] for limits in one["limits"]}
    assert widths[1] / widths[0] == pytest.approx([times[("a",)], times[("b",)]], rel=0.05)
    into = translator("zh", names_of(results.to_dict()))
    into.text(text, "p")
    assert not into.missing


def test_groups_that_do_not_resemble_each_other_name_none_and_those_across_a_column_name_it():
    for seed in range(3):
        frame = patients(np.random.default_rng(seed), 0.0)
        across = frame.with_columns(patient=pl.int_range(960) % 240)
        assert not stated(evaluated(frame, columns={"group": "patient"}))
        assert not stated(evaluated(across, columns={"group": "patient"}))
    across = patients(np.random.default_rng(4), 0.2).with_columns(patient=pl.int_range(960) % 240)
    [text] = stated(evaluated(across, columns={"group": "patient"}))
    assert text.startswith("hospital crosses the declared groups")


def test_nothing_is_said_of_independent_rows():
    for seed in range(3):
        random = np.random.default_rng(seed)
        frame = hospitals(random, spread=0)
        wards = [f"ward {k}" for k in random.integers(0, 40, frame.height)]

        assert not stated(evaluated(frame.with_columns(ward=pl.Series(wards))))


@pytest.mark.parametrize("losses", INDEPENDENT)
@pytest.mark.parametrize("sizes", ["100 groups of 5", "12 uneven groups, 600 rows"])
def test_independent_errors_are_hardly_ever_taken_for_grouped(sizes, losses):
    random = np.random.default_rng(7)
    count = sum(said(random, SIZES[sizes](random), INDEPENDENT[losses]) for _ in range(100))

    assert count <= 1


@pytest.mark.parametrize("sizes", ["8 groups of 100", "250 groups of 20"])
def test_errors_that_share_a_fifth_of_their_variance_are_seen(sizes):
    random = np.random.default_rng(8)
    draw = DEPENDENT["correlation 0.2"]

    assert sum(said(random, SIZES[sizes](random), draw) for _ in range(20)) >= 18


@pytest.mark.parametrize(
    "spec",
    [
        {"columns": {"time": "number"}},
        {"privacy": {"small_cells": 5}},
        {"slices": ["hospital"]},
    ],
    ids=["time", "small cells", "slice"],
)
def test_nothing_is_said_where_rows_are_in_time_or_counts_are_withheld_or_the_column_is_used(spec):
    frame = hospitals(np.random.default_rng(1)).with_row_index("number")

    assert "undeclared_groups" not in evaluated(frame, **spec).data


@pytest.mark.parametrize("values", [2, 7])
def test_columns_of_few_values_are_slices(values):
    frame = hospitals(np.random.default_rng(2), number=values)

    assert "undeclared_groups" not in evaluated(frame).data


def test_measurements_and_what_another_model_predicts_are_no_groups():
    random = np.random.default_rng(3)
    frame = hospitals(random).rename({"hospital": "age"})
    truth = np.array(list("abcdefghij"))[random.integers(0, 10, 800)]
    other = np.where(random.random(800) < 0.7, truth, random.permutation(truth))
    model = np.where(random.random(800) < 0.8, other, random.permutation(truth))
    several = pl.DataFrame({"y": truth, "m": model, "vit": other})

    assert "undeclared_groups" not in evaluated(frame).data
    spec = {"truth": "y", "task": "multiclass", "models": {"m": {"label": "m"}}}
    assert "undeclared_groups" not in reportgen.evaluate(spec, several).data


def test_files_are_read_as_frames_are_and_every_file_must_have_the_column(tmp_path):
    frame = hospitals(np.random.default_rng(1)).with_columns(
        hospital="H" + pl.col("hospital").cast(pl.String)
    )
    frame = frame.sample(fraction=1, shuffle=True, seed=1)
    parts = frame.head(400), frame.tail(-400)
    for number, part in enumerate(parts):
        part.write_csv(tmp_path / f"{number}.csv")
    parts[1].drop("hospital").write_csv(tmp_path / "without.csv")
    spec = {"truth": "y", "positive": 1, "task": "binary", "models": MODELS, "name": "x"}
    both, lacking = (
        reportgen.evaluate(
            spec | {"data": [str(tmp_path / name) for name in names]}, allowed_roots=None
        )
        for names in (["0.csv", "1.csv"], ["0.csv", "without.csv"])
    )

    assert both.data["undeclared_groups"] == evaluated(frame).data["undeclared_groups"]
    assert "undeclared_groups" not in lacking.data


def test_only_the_rows_that_are_evaluated_count():
    frame = hospitals(np.random.default_rng(1)).sample(fraction=1, shuffle=True, seed=1)
    training = frame.with_columns(hospital=pl.lit(99, pl.Int64), role=pl.lit("train"))
    both = pl.concat([training, frame.with_columns(role=pl.lit("test"))])

    one = evaluated(both, columns={"role": "role"}).data["undeclared_groups"]
    assert one == evaluated(frame).data["undeclared_groups"]


def test_probabilities_whose_errors_resemble_each_other_name_the_column_where_few_are_wrong():
    random = np.random.default_rng(6)
    village = np.repeat(np.arange(50), 30)
    shift = random.normal(size=50)[village]
    truth = random.random(1500) < 0.85
    score = 1 / (1 + np.exp(-(4 * truth - 1.5 + 0.8 * shift + random.normal(size=1500) / 2)))
    frame = pl.DataFrame({"y": truth, "a": score, "b": score**1.1, "village": village})
    models = {name: {"score": name} for name in "ab"}

    results = evaluated(frame.cast({"y": pl.Int64}), models=models)
    assert [one["column"] for one in results.data["undeclared_groups"]] == ["village"]
    wrong = (frame["a"] >= 0.5) != frame["y"]
    assert wrong.mean() < 0.15
