"""Rows whose truth is no class are left out, counted and reported, by every engine alike."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate, predictions
from reportgen import spec as specs
from reportgen.errors import ReportgenError
from reportgen.initial_spec import init_spec
from tests.page_text import page_text
from tests.quick import QUICK

LABELS = ["unknown", "?"]


def rows(number=600, seed=1):
    random = np.random.default_rng(seed)
    ill = random.random(number) < 0.4
    site = random.choice(["north", "west"], number)
    truth = np.where(ill, "ill", "well").astype(object)
    truth[random.random(number) < np.where(site == "west", 0.3, 0.05)] = "unknown"
    truth[7] = "?"
    score = 1 / (1 + np.exp(-(random.normal(size=number) + 2 * ill - 1)))
    other = np.where(random.random(number) < 0.8, ill, ~ill)
    return pl.DataFrame(
        {
            "id": [f"r{k:04}" for k in range(number)],
            "y": truth.astype(str),
            "a": score.round(4),
            "b": np.where(other, "ill", "well"),
            "site": site,
        }
    )


def spec(**more):
    models = {"a": {"score": "a"}, "b": {"label": "b"}}
    return {
        "data": "p.csv",
        "truth": "y",
        "positive": "ill",
        "leave_out": LABELS,
        "models": models,
        "columns": {"id": "id"},
        "slices": ["site"],
        **QUICK,
        **more,
    }


def kept(frame):
    return frame.filter(~pl.col("y").is_in(LABELS))


def plain(results):
    """The results, but for what says which rows were read."""
    record = results.to_dict()
    data = {k: v for k, v in record["data"].items() if k not in ("files", "rows_left_out")}
    caveats = [c for c in record["decision"]["caveats"] if c["code"] != "rows_left_out"]
    notable = [
        {k: v for k, v in row.items() if k not in ("file", "row")} for row in record["notable_rows"]
    ]
    changed = {
        "data": data,
        "decision": {**record["decision"], "caveats": caveats},
        "notable_rows": notable,
    }
    unlike = {"spec", "build", "versions"}
    return {k: v for k, v in (record | changed).items() if k not in unlike}


def of_file(folder, frame, **more):
    frame.write_csv(folder / "p.csv")
    return evaluate(spec(data=str(folder / "p.csv"), **more))


@pytest.mark.parametrize("engine", ["exact", "streaming"])
def test_every_number_is_that_of_the_other_rows(tmp_path, engine):
    frame = rows()
    (tmp_path / "whole").mkdir()

    with_labels = of_file(tmp_path, frame, engine=engine)
    without = of_file(tmp_path / "whole", kept(frame), engine=engine, leave_out=[])

    assert plain(with_labels) == plain(without)
    assert with_labels.data["files"][0]["rows"] == frame.height


def test_both_engines_count_what_they_leave_out(tmp_path):
    frame = rows()

    records = [
        of_file(tmp_path, frame, engine=engine).data["rows_left_out"]
        for engine in ("exact", "streaming")
    ]

    out = frame.filter(pl.col("y").is_in(LABELS))
    west = [f.filter(site="west").height for f in (out, frame)]
    assert records[0] == records[1]
    assert records[0]["rows"], records[0]["of"] == (out.height, frame.height)
    assert records[0]["labels"] == [
        {"label": "unknown", "rows": out.height - 1},
        {"label": "?", "rows": 1},
    ]
    assert {"part": "site = west", "rows": west[0], "of": west[1]} in records[0]["slices"]


def test_rows_of_faults_and_of_tables_are_those_of_the_file(tmp_path):
    frame = rows()
    last = frame.filter(~pl.col("y").is_in(LABELS))["id"][-1]
    broken = frame.with_columns(a=pl.when(id=last).then(None).otherwise("a"))
    broken.write_csv(tmp_path / "p.csv")
    for engine in ("exact", "streaming"):
        with pytest.raises(ReportgenError) as fault:
            evaluate(spec(data=str(tmp_path / "p.csv"), engine=engine))
        assert fault.value.problems[0].rows == (int(last[1:]) + 1,)

    results = of_file(tmp_path, frame, privacy={"ids": "shown"})
    assert results.notable_rows.height
    for row in results.notable_rows.to_dicts():
        assert row["id"] == f"r{int(row['row']) - 1:04}"


def test_models_in_long_form_are_counted_each_and_compared_in_coverage():
    frame = rows().with_columns(
        said=pl.when(pl.col("a") > 0.5).then(pl.lit("ill")).otherwise(pl.lit("well"))
    )
    second = frame.with_columns(
        y=pl.when(pl.col("y") == "unknown").then(pl.lit("ill")).otherwise("y")
    )
    long = pl.concat(
        [frame.with_columns(model=pl.lit("a")), second.with_columns(model=pl.lit("b"))]
    )
    declared = specs.from_dict(
        spec(models={"column": "model", "label": "said"}, data="frame", columns={}, slices=[])
    )

    results = evaluate(declared, long)

    models = {one["part"]: one["rows"] for one in results.data["rows_left_out"]["models"]}
    assert models == {"a": frame.filter(pl.col("y").is_in(LABELS)).height, "b": 1}
    text = page_text(results)
    assert "of the rows of a are left out, and 0.2\xa0% of those of b" in text


def test_the_page_says_how_many_by_label_and_slice_and_warns_of_many():
    results = evaluate(specs.from_dict(spec()), rows())

    text = page_text(results)

    left = results.data["rows_left_out"]
    share = f"{left['rows'] / left['of']:.1%}".replace("%", "\xa0%")
    assert (
        f"{left['rows']} of 600 rows ({share}), whose truth is none of the classes: unknown" in text
    )
    assert "of slices: site = west (" in text
    assert f"{share} of the rows are left out, as their truth is none of the classes" in text


def test_few_rows_and_none_are_no_caveat():
    frame = rows().with_row_index("n")
    few = frame.filter((pl.col("n") < 8) | ~pl.col("y").is_in(LABELS)).drop("n")

    for part, words in ((few, "rows (0."), (kept(rows()), "none of")):
        results = evaluate(specs.from_dict(spec()), part)

        assert "rows_left_out" not in [c.code for c in results.decision.caveats]
        assert words in page_text(results)


def test_small_counts_of_labels_are_withheld():
    results = evaluate(specs.from_dict(spec(privacy={"small_cells": 5})), rows())

    assert "rows_left_out" not in results.data
    assert "Rows left out" not in page_text(results)


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"leave_out": ["ill"]}, "conflict", "'ill' is also a class"),
        ({"leave_out": ["unknown", "unknown"]}, "repeated", "names the same thing twice"),
        (
            {"models": {"a": {"estimate": "a"}}, "positive": None},
            "conflict",
            "leave_out is for one truth of two or several classes",
        ),
        ({"leave_out": ["unknwon", "?"]}, "unknown-label", "the truth has no 'unknwon'"),
        ({"leave_out": []}, "many-labels", "4 labels in the truth"),
    ],
)
def test_what_cannot_be_left_out_is_refused_with_its_place(change, code, words):
    keys = {key: value for key, value in spec(**change).items() if value is not None}

    with pytest.raises(ReportgenError) as fault:
        evaluate(specs.from_dict(keys), rows())

    problems = {problem.code: problem for problem in fault.value.problems}
    assert words in problems[code].message
    if code == "many-labels":
        assert problems[code].hint.endswith('leave_out: [unknown, "?"]')


def test_a_file_without_any_class_has_no_rows(tmp_path):
    rows().filter(pl.col("y").is_in(LABELS)).write_csv(tmp_path / "p.csv")
    for engine in ("exact", "streaming"):
        with pytest.raises(ReportgenError, match="every row has a label that leave_out names"):
            evaluate(spec(data=str(tmp_path / "p.csv"), engine=engine))


def test_a_file_of_which_nothing_is_left_adds_only_what_is_left_out(tmp_path):
    frame = rows()
    files = {"a.csv": kept(frame), "b.csv": frame.filter(pl.col("y").is_in(LABELS))}
    for name, part in files.items():
        part.write_csv(tmp_path / name)
    data = [str(tmp_path / name) for name in files]

    exact, counted = (evaluate(spec(data=data, engine=e)) for e in ("exact", "streaming"))

    assert exact.data["rows_left_out"] == counted.data["rows_left_out"]
    assert counted.data["rows"] == exact.data["rows"] == files["a.csv"].height


def test_init_leaves_out_what_no_model_gives_and_the_spec_builds(tmp_path):
    frame = rows()
    frame.write_csv(tmp_path / "p.csv")
    messages = []

    text = init_spec(tmp_path / "p.csv", on_guess=messages.append)

    number = frame.filter(y="unknown").height
    line = f'leave_out: [unknown, "?"]  # unknown {number}, ? 1 of 600 rows; '
    assert line in text
    assert any("are left out" in message for message in messages)
    (tmp_path / "report.yaml").write_text(text)
    read = predictions.read(specs.read(tmp_path / "report.yaml"))
    assert read.left_out.rows == number + 1


def test_init_keeps_a_label_that_a_model_gives(tmp_path):
    kinds = ["cat", "dog", "unclear"] * 40
    frame = pl.DataFrame({"label": kinds, "pred_a": [*kinds[:-1], "cat"]})
    frame.write_csv(tmp_path / "p.csv")

    assert "leave_out" not in init_spec(tmp_path / "p.csv")
