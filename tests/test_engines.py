"""Counts of parts: files, formats, faults, and what is left to the exact engine."""

from __future__ import annotations

import json

import polars as pl
import pytest

from reportgen import ReportgenError, evaluate
from reportgen.engines import choice, partition
from reportgen.engines.partial import Partial, merged
from reportgen.engines.plan import Partition, Plan
from reportgen.errors import DataError
from reportgen.predictions.files import DataFile, digest
from reportgen.spec import from_dict
from tests.engine_data import ONE, newly_counted, rows, spec, written


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))


def test_parts_in_any_order_add_up_to_the_same_counts(tmp_path):
    frame = rows(900).with_columns(w=pl.col("w") / 3 + 0.1)
    weighted = spec("x", slices=["site"], columns={"weight": "w", "fold": "role"})
    plan = Plan(from_dict(weighted), (0.5, 0.5))
    parts = []
    for number, first in enumerate((0, 300, 600)):
        path = written(frame.slice(first, 300), tmp_path / f"{number}.parquet")
        parts.append(
            partition.count_partition(Partition(DataFile(path.name, path, "parquet"), ""), plan)
        )
    path = written(frame, tmp_path / "all.parquet")
    whole = partition.count_partition(Partition(DataFile("all", path, "parquet"), ""), plan)

    one, other = merged(parts), merged([merged(parts[1:]), parts[0]])
    assert one.facts == other.facts
    for name, table in whole.tables.items():
        assert one.tables[name].equals(table), name
        assert other.tables[name].equals(table), name


def test_a_second_run_only_adds_up_and_a_changed_file_is_counted_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for number in range(3):
        written(rows(200, seed=number), tmp_path / f"{number}.parquet")
    pattern = spec(tmp_path / "*.parquet", models=ONE)

    steps: list[list[str]] = [[], [], []]
    first, second = (evaluate(pattern, on_step=said.append) for said in steps[:2])
    assert steps[1][0] == "3 of 3 parts of the data are counted already"
    written(rows(250, seed=9), tmp_path / "1.parquet")
    third = evaluate(pattern, on_step=steps[2].append)

    assert list(map(newly_counted, steps)) == [3, 0, 1]
    assert first.to_json() == second.to_json()
    assert third.data["rows"] == 650


def test_a_file_is_cut_into_leaves_that_give_the_same_numbers(tmp_path, monkeypatch):
    data = written(rows(1000), tmp_path / "p.parquet")
    whole = evaluate(spec(data, slices=["site"]))
    monkeypatch.setattr("reportgen.engines.plan.LEAF_ROWS", 300)
    monkeypatch.setattr(partition, "BATCH", 100)

    results = evaluate(spec(data, slices=["site"]))

    assert results.data["engine"]["leaves"] == 4
    assert results.metrics.equals(whole.metrics)


@pytest.mark.parametrize("ending", ["csv", "ndjson", "ipc"])
def test_every_format_can_be_counted(tmp_path, ending):
    frame = rows(300)
    plan = Plan(from_dict(spec("x", slices=["site"])), (0.5, 0.5))
    paths = {"parquet": tmp_path / "p.parquet", ending: tmp_path / f"p.{ending}"}
    for kind, path in paths.items():
        getattr(frame, f"write_{kind}")(path)

    one, other = (
        partition.count_partition(Partition(DataFile("p", p, kind), ""), plan)
        for kind, p in paths.items()
    )

    assert one.facts == other.facts
    assert all(other.tables[name].equals(table) for name, table in one.tables.items())


def test_damaged_counts_are_counted_again(tmp_path):
    data = written(rows(200), tmp_path / "p.parquet")
    first = evaluate(spec(data, models=ONE))
    [file] = (tmp_path / "cache").rglob("*.counts")
    file.write_bytes(file.read_bytes()[:-40])

    steps: list[str] = []
    again = evaluate(spec(data, models=ONE), on_step=steps.append)

    assert newly_counted(steps) == 1
    assert again.metrics.equals(first.metrics)
    assert Partial.from_bytes(file.read_bytes()).facts["rows"] == 200


def test_a_fault_names_its_file_column_and_row(tmp_path, monkeypatch):
    monkeypatch.setattr(partition, "BATCH", 100)
    written(rows(200), tmp_path / "0.parquet")
    frame = rows(200).with_columns(
        a=pl.when(pl.int_range(pl.len()) == 149).then(None).otherwise("a")
    )
    written(frame, tmp_path / "1.parquet")
    (tmp_path / "2.parquet").write_bytes(b"PAR1 no more")

    with pytest.raises(DataError) as caught:
        evaluate(spec(tmp_path / "[01].parquet"))
    with pytest.raises(DataError, match=r"2\.parquet"):
        evaluate(spec(tmp_path / "2.parquet"))

    [problem] = caught.value.problems
    assert problem.place.endswith("1.parquet, column 'a', row 150")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (pl.lit("maybe").alias("said"), "unknown-label"),
        (pl.Series("y", ["ill", "well", "so", "so"] * 50), "many-labels"),
    ],
)
def test_labels_that_cannot_be_told_apart_are_refused(tmp_path, change, code):
    data = written(rows(200).with_columns(change), tmp_path / "p.parquet")

    with pytest.raises(ReportgenError) as caught:
        evaluate(spec(data))

    assert caught.value.problems[0].code == code


@pytest.mark.parametrize("together", [True, False])
def test_labels_of_several_classes_need_their_task(tmp_path, together):
    for number, labels in enumerate((["a", "b", "c"],) if together else (["a", "b"], ["c", "b"])):
        frame = pl.DataFrame({"y": labels, "said": labels})
        written(frame, tmp_path / f"{number}.parquet")

    with pytest.raises(DataError, match="3 labels in the truth") as caught:
        evaluate(spec(tmp_path / "*.parquet", positive=None, models={"m": {"label": "said"}}))

    assert "task: multiclass" in caught.value.problems[0].hint


def test_an_unknown_label_is_found_where_it_is(tmp_path):
    for number in range(3):
        written(rows(200, seed=number), tmp_path / f"{number}.parquet")
    strange = pl.when(pl.int_range(pl.len()) == 42).then(pl.lit("so")).otherwise("said")
    written(rows(200).with_columns(said=strange), tmp_path / "1.parquet")

    with pytest.raises(DataError, match="unknown label: 'so'") as caught:
        evaluate(spec(tmp_path / "*.parquet"))

    assert caught.value.problems[0].place.endswith("1.parquet, column 'said', row 43")


def test_too_many_parts_of_an_evaluation_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("reportgen.engines.scope.MOST_FITS", 2)
    data = written(rows(100), tmp_path / "p.parquet")

    with pytest.raises(DataError, match="more than 500 parts by fold"):
        evaluate(spec(data, columns={"fold": "site"}))


@pytest.mark.parametrize(
    ("weight", "message"),
    [(1e-9, "from 9.54e-07 to 65,536"), (1e6, "from 9.54e-07 to 65,536"), (0, "all weights are 0")],
)
def test_weights_that_cannot_be_added_up_are_refused(tmp_path, weight, message):
    data = written(rows(100).with_columns(w=pl.lit(weight, pl.Float64)), tmp_path / "p.parquet")

    with pytest.raises(DataError, match=message) as caught:
        evaluate(spec(data, columns={"weight": "w"}))

    assert ("column 'w', rows 1, 2" in caught.value.problems[0].place) == (weight != 0)


def test_auto_counts_what_cannot_be_sorted_in_memory_and_says_so(tmp_path, monkeypatch):
    data = written(rows(300), tmp_path / "p.parquet")

    assert evaluate(spec(data, "auto", models=ONE)).data["engine"]["name"] == "exact"

    monkeypatch.setattr(choice, "SHARE", 0.0)
    engine = evaluate(spec(data, "auto", models=ONE)).data["engine"]
    assert engine["name"] == "streaming"
    assert "GB of memory" in engine["why"]


TWO_SCORES = {"models": {m: {"score": m} for m in "ab"}}
MEASURED = {
    "two classes": (TWO_SCORES, {10**3: 0.32, 10**4: 0.36, 10**5: 0.365, 10**6: 0.41, 10**7: 1.04}),
    "ten models": (
        {"models": {f"m{k}": {"score": f"m{k}"} for k in range(10)}},
        {10**4: 0.382, 10**6: 0.647},
    ),
    "weights": (
        TWO_SCORES | {"columns": {"weight": "w"}},
        {10**3: 0.308, 10**4: 0.458, 10**5: 0.385, 10**6: 0.596},
    ),
    "groups": (
        TWO_SCORES | {"columns": {"group": "g"}},
        {10**3: 0.319, 10**4: 0.344, 10**5: 0.447, 10**6: 0.643},
    ),
    "time": (TWO_SCORES | {"columns": {"time": "t"}}, {10**5: 0.315, 10**6: 0.5}),
    "time, 10 classes": (
        {
            "models": {m: {"scores": {f"c{k}": f"{m}{k}" for k in range(10)}} for m in "ab"},
            "columns": {"time": "t"},
        },
        {10**6: 1.44},
    ),
    "time, 5 labels": (
        {
            "truth": {f"l{k}": f"t{k}" for k in range(5)},
            "models": {"a": {"scores": {f"l{k}": f"a{k}" for k in range(5)}}},
            "columns": {"time": "t"},
        },
        {10**6: 0.854},
    ),
    "20 sites, 2 sexes and both": (
        TWO_SCORES | {"slices": ["site", "sex", ["site", "sex"]]},
        {10**6: 0.642},
    ),
    "folds": (TWO_SCORES | {"columns": {"fold": "f"}}, {10**6: 0.531}),
    "repeats": (TWO_SCORES | {"columns": {"id": "id", "repeat": "r"}}, {10**6: 0.568}),
    "every measure": (TWO_SCORES | {"measures": "all"}, {10**6: 0.492}),
    "regression, time": (
        {"models": {m: {"estimate": m} for m in "ab"}, "columns": {"time": "t"}},
        {10**6: 0.694},
    ),
    "regression, repeats": (
        {"models": {m: {"estimate": m} for m in "ab"}, "columns": {"id": "id", "repeat": "r"}},
        {10**6: 0.771},
    ),
    "regression, every measure": (
        {"models": {m: {"estimate": m} for m in "ab"}, "measures": "all"},
        {10**6: 0.666},
    ),
    "5 labels, folds": (
        {
            "truth": {f"l{k}": f"t{k}" for k in range(5)},
            "models": {"a": {"scores": {f"l{k}": f"a{k}" for k in range(5)}}},
            "columns": {"fold": "f"},
        },
        {10**6: 0.776},
    ),
    "a further measure": (
        TWO_SCORES | {"comparisons": {"measures": ["average_precision"]}},
        {10**3: 0.353, 10**4: 0.406, 10**5: 0.401, 10**6: 0.571},
    ),
    "regression": (
        {"models": {m: {"estimate": m} for m in "ab"}},
        {10**3: 0.28, 10**4: 0.283, 10**5: 0.311, 10**6: 0.482, 3 * 10**6: 0.825},
    ),
    "regression, weights": (
        {"models": {m: {"estimate": m} for m in "ab"}, "columns": {"weight": "w"}},
        {10**3: 0.288, 10**4: 0.287, 10**5: 0.315, 10**6: 0.482},
    ),
    "regression, groups": (
        {"models": {m: {"estimate": m} for m in "ab"}, "columns": {"group": "g"}},
        {10**3: 0.285, 10**4: 0.305, 10**5: 0.304, 10**6: 0.747},
    ),
    "regression, weights and groups": (
        {
            "models": {m: {"estimate": m} for m in "ab"},
            "columns": {"weight": "w", "group": "g"},
        },
        {10**6: 0.647},
    ),
    "10 classes": (
        {"models": {m: {"scores": {f"c{k}": f"{m}{k}" for k in range(10)}} for m in "ab"}},
        {10**3: 0.332, 10**4: 0.366, 10**5: 0.492, 10**6: 1.14},
    ),
    "100 classes": (
        {"models": {m: {"scores": {f"c{k}": f"{m}{k}" for k in range(100)}} for m in "ab"}},
        {10**3: 0.362, 10**4: 0.392, 10**5: 0.683},
    ),
    "1,000 classes": (
        {"models": {"a": {"scores": {f"c{k}": f"a{k}" for k in range(1000)}}}},
        {10**5: 2.0},
    ),
    "5 labels": (
        {
            "truth": {f"l{k}": f"t{k}" for k in range(5)},
            "models": {"a": {"scores": {f"l{k}": f"a{k}" for k in range(5)}}},
        },
        {10**3: 0.338, 10**4: 0.391, 10**5: 0.454, 10**6: 0.629},
    ),
    "50 labels": (
        {
            "truth": {f"l{k}": f"t{k}" for k in range(50)},
            "models": {"a": {"scores": {f"l{k}": f"a{k}" for k in range(50)}}},
        },
        {10**3: 0.35, 10**4: 0.388, 10**5: 0.478, 10**6: 1.37},
    ),
}
"""Peaks of the exact engine in GB by rows, of what was evaluated."""


@pytest.mark.parametrize("case", MEASURED.values(), ids=MEASURED.keys())
def test_the_estimate_of_memory_is_what_was_measured_or_up_to_a_third_more(case):
    given, peaks = case
    requested = from_dict({"data": "p.parquet", "truth": "y", **given})

    ratios = {n: choice.needed_bytes(requested, n) / 1e9 / peak for n, peak in peaks.items()}
    assert {n: ratio for n, ratio in ratios.items() if not 1 <= ratio < 1.3} == {}


def test_ids_in_order_are_known_to_occur_once(tmp_path):
    frame = rows(100).with_row_index("id")
    data = written(frame, tmp_path / "p.parquet")
    mixed = written(frame.reverse(), tmp_path / "q.parquet")

    def id_check(path):
        checks = evaluate(spec(path, models=ONE, columns={"id": "id"})).data["checks"]
        return next(c["detail"] for c in checks if c["name"] == "ids")

    assert id_check(data) == "no duplicates"
    assert "not checked" in id_check(mixed)


def test_the_counts_hold_no_rows(tmp_path):
    data = written(rows(3000), tmp_path / "p.parquet")
    file = DataFile("p", data, "parquet")

    counts = partition.count_partition(
        Partition(file, digest(data)), Plan(from_dict(spec("x")), (0.5, 0.5))
    )

    assert json.loads(json.dumps(counts.facts)) == counts.facts
    assert counts.tables["decisions"].height <= 2 * 4 * 2
