"""Rows to look at: the right ones, each once, and of each only what privacy allows."""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.builds import compare, comparison_pages
from reportgen.errors import SpecError
from reportgen.render import html, summary
from reportgen.results.notable_rows import MOST, selection
from reportgen.sections.notable_rows import RowsSection
from reportgen.spec import from_dict
from tests.breadth import breadth
from tests.hostile.payloads import PAYLOADS
from tests.hostile.test_pages import harmless
from tests.page_text import page_text
from tests.quick import QUICK

TWO = {"truth": "y", "models": {"a": {"score": "p"}, "b": {"score": "q"}}}


def data(rows: int = 200, seed: int = 0) -> pl.DataFrame:
    """Two models with rounded probabilities, so that many rows tie."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, rows)
    p, q = ((truth * 0.3 + random.random(rows) * 0.7).round(2) for _ in range(2))
    return pl.DataFrame(
        {"y": truth, "p": p, "q": q, "id": [f"patient-{k}" for k in range(rows)]}
    ).with_columns(site=pl.Series(random.choice(list("AB"), rows)))


def evaluated(frame: pl.DataFrame, spec: dict[str, Any] = TWO, **more: Any) -> reportgen.Results:
    return reportgen.evaluate({**QUICK, **spec, **more}, frame)


def numbers(results: reportgen.Results, kind: str, model: str | None = None) -> list[int]:
    rows = results.notable_rows.filter(pl.col("kind") == kind)
    if model is not None:
        rows = rows.filter(pl.col("models").list.first() == model)
    return [int(row) for row in rows["row"]]


def first(values: list[float | None]) -> list[int]:
    """The numbers of the rows with the largest values, of equal ones the first; none without."""
    listed = [(-v, k + 1) for k, v in enumerate(values) if v is not None]
    return [number for _, number in sorted(listed)[:MOST]]


@pytest.mark.parametrize("chunk", [7, 1000])
def test_confident_errors_of_two_classes_are_those_of_a_sort(monkeypatch, chunk):
    monkeypatch.setattr(selection, "CHUNK", chunk)
    frame = data()
    results = evaluated(frame)

    for model, column in (("a", "p"), ("b", "q")):
        rows = zip(frame["y"], frame[column], strict=True)
        expected = first([abs(p - y) if (p >= 0.5) != y else None for y, p in rows])
        assert numbers(results, "error", model) == expected
    apart = (frame["p"] - frame["q"]).abs().to_list()
    assert numbers(results, "disagreement") == first(apart)


def test_scores_that_are_no_probabilities_are_compared_with_the_threshold():
    frame = data().with_columns(p=pl.col("p") * 1e308 - 0.4e308, q=pl.col("q") * 8)
    results = evaluated(frame, threshold=1.0)
    rows = zip(frame["y"], frame["q"], strict=True)

    assert numbers(results, "error", "b") == first(
        [abs(q - 1) if (q >= 1) != y else None for y, q in rows]
    )
    decided = zip(frame["p"] >= 1, frame["q"] >= 1, strict=True)
    assert numbers(results, "disagreement") == first([1.0 if a != b else None for a, b in decided])


def test_confident_errors_of_several_classes_have_the_largest_margin():
    random = np.random.default_rng(1)
    truth, raw = random.integers(0, 3, 150), random.random((2, 150, 3))
    raw[:, np.arange(150), truth] += 0.3
    p = (raw / raw.sum(2, keepdims=True)).round(3)
    columns = {f"{m}{k}": p[m, :, k] for m in range(2) for k in range(3)}
    frame = pl.DataFrame({"y": [f"c{k}" for k in truth], **columns})
    models = {str(m): {"scores": {f"c{k}": f"{m}{k}" for k in range(3)}} for m in range(2)}
    results = evaluated(frame, {"truth": "y", "models": models})

    for m in range(2):
        margins = [
            row.max() - row[true] if row.argmax() != true else None
            for row, true in zip(p[m], truth, strict=True)
        ]
        assert numbers(results, "error", str(m)) == first(margins)
    record = results.notable_rows.row(0, named=True)
    assert record["truth"] == f"c{truth[int(record['row']) - 1]}"
    assert record["outputs"][0] - record["truth_outputs"][0] == pytest.approx(record["value"])
    assert numbers(results, "disagreement") == first(np.abs(p[0] - p[1]).max(1).tolist())


def test_of_several_labels_the_most_confident_wrong_one_decides():
    random = np.random.default_rng(2)
    truth, p = random.integers(0, 2, (120, 3)), random.random((2, 120, 3)).round(2)
    columns = {f"y{k}": truth[:, k] for k in range(3)}
    columns |= {f"p{m}{k}": p[m, :, k] for m in range(2) for k in range(3)}
    models = {str(m): {"scores": {f"l{k}": f"p{m}{k}" for k in range(3)}} for m in range(2)}
    results = evaluated(
        pl.DataFrame(columns), {"truth": {f"l{k}": f"y{k}" for k in range(3)}, "models": models}
    )
    wrong = (p >= 0.5) != truth
    worst = np.where(wrong, np.abs(p - truth), -1)

    for m in range(2):
        values = [row.max() if row.max() >= 0 else None for row in worst[m]]
        assert numbers(results, "error", str(m)) == first(values)
    record = results.notable_rows.row(0, named=True)
    label = int(worst[0][int(record["row"]) - 1].argmax())
    assert record["class"] == f"l{label}"
    assert (record["truth"] == "1") == bool(truth[int(record["row"]) - 1, label])
    assert record["predicted"] != [record["truth"]]


def test_residuals_are_ordered_by_the_loss_of_the_task():
    random = np.random.default_rng(3)
    y, e, q = (random.normal(size=90).round(1) for _ in range(3))
    frame = pl.DataFrame({"y": y, "e": e, "q": q})
    models = {"mean": {"estimate": "e"}, "upper": {"estimate": "q", "quantile": 0.9}}
    results = evaluated(frame, {"truth": "y", "models": models})

    squared = [v or None for v in ((y - e) ** 2).tolist()]
    pinball = [v or None for v in np.maximum(0.9 * (y - q), -0.1 * (y - q)).tolist()]
    assert numbers(results, "residual", "mean") == first(squared)
    assert numbers(results, "residual", "upper") == first(pinball)
    assert not numbers(results, "disagreement"), "a mean and a quantile differ by what they are"


@pytest.mark.parametrize("column", ["group", "repeat"])
def test_rows_that_belong_together_are_listed_once_with_their_worst(column):
    frame = data().with_columns(unit=pl.arange(0, 200) % 20)
    if column == "group":
        columns = {"group": "unit"}
    else:
        frame = frame.with_columns(repeat=pl.arange(0, 200) // 20)
        columns = {"id": "unit", "repeat": "repeat"}
    results = evaluated(frame, columns=columns)
    listed = [int(row) - 1 for row in numbers(results, "error", "a")]
    wrong = frame.select(w=(pl.col("p") >= 0.5) != (pl.col("y") == 1), u="unit")
    loss = (frame["p"] - frame["y"]).abs()

    assert len({k % 20 for k in listed}) == len(listed) == MOST
    for k in listed:
        of_unit = [j for j in range(200) if j % 20 == k % 20 and wrong["w"][j]]
        assert loss[k] == max(loss[j] for j in of_unit)
    record = results.notable_rows.row(0, named=True)
    unit = wrong.filter(pl.col("u") == (record["row"] - 1) % 20)
    assert (record["unit_rows"], record["unit_errors"]) == (unit.height, unit["w"].sum())


def test_a_row_is_named_by_its_file_and_its_number_there(tmp_path: Path):
    """Rows of other roles and of weight 0 count, as they stand in the file."""
    frame = data().with_columns(
        role=pl.when(pl.arange(0, 200) % 3 == 0)
        .then(pl.lit("validation"))
        .otherwise(pl.lit("test")),
        w=pl.when(pl.arange(0, 200) % 5 == 0).then(0.0).otherwise(1.5),
    )
    frame.head(150).write_csv(tmp_path / "one.csv")
    frame.tail(50).write_csv(tmp_path / "two.csv")
    spec = {**QUICK, **TWO, "columns": {"role": "role", "weight": "w"}, "slices": ["site"]}
    spec |= {"data": [str(tmp_path / name) for name in ("one.csv", "two.csv")]}
    results = reportgen.evaluate(spec)

    for row in results.notable_rows.to_dicts():
        index = int(row["row"]) - 1 + (150 if str(row["file"]).endswith("two.csv") else 0)
        source = frame.row(index, named=True)
        assert source["role"] == "test"
        assert source["w"] > 0
        assert row["truth"] == str(source["y"])
        assert row["outputs"][0] in (source["p"], source["q"])
        assert row["slices"] == [f"site = {source['site']}"]
    assert results.notable_rows["file"].n_unique() == 2


def test_rows_of_models_in_long_form_are_those_of_the_first_model():
    frame = data()
    parts = [
        frame.select("id", "y", score=column, model=pl.lit(name))
        for column, name in (("q", "b"), ("p", "a"))
    ]
    long = pl.concat(parts)
    spec = {"truth": "y", "models": {"column": "model", "score": "score"}, "columns": {"id": "id"}}
    results = evaluated(long, spec, privacy={"ids": "shown"})

    for row in results.notable_rows.to_dicts():
        source = long.row(int(row["row"]) - 1, named=True)
        assert (source["model"], source["id"]) == ("a", row["id"])
    wide = evaluated(frame, TWO, columns={"id": "id"}, privacy={"ids": "shown"})
    assert results.notable_rows["id"].to_list() == wide.notable_rows["id"].to_list()


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (data().with_columns(p="y", q="y"), "a: no wrong decision."),
        (data(1).with_columns(p=1.0), "a: no wrong decision."),
        (data().filter(pl.col("y") == 1), ""),
    ],
    ids=["no errors", "one row", "one class"],
)
def test_without_errors_the_section_says_so(frame, text):
    results = evaluated(frame.with_columns(pl.col("p", "q").cast(pl.Float64)), positive="1")
    section = RowsSection.from_results(results, ())

    assert section is not None
    assert text in " ".join(section.findings)


def test_labels_without_scores_have_no_order():
    frame = data().select("y", a=pl.col("p") >= 0.5, b=pl.col("q") >= 0.5)
    frame = frame.with_columns(pl.col("a", "b").cast(pl.Int8))
    results = evaluated(frame, {"truth": "y", "models": {"a": {"label": "a"}, "b": {"label": "b"}}})

    assert set(results.notable_rows["kind"]) == {"disagreement"}
    section = RowsSection.from_results(results, ())
    assert section is not None
    both = "a and b give labels without scores: their errors have no order."
    assert section.findings[0] == both


@pytest.mark.parametrize(("start", "last"), [("c", "label3"), ("class of long names ", "votes")])
def test_four_models_stand_beside_each_other_where_classes_have_short_names(start, last):
    classes, models = [f"{start}{k}" for k in range(3)], "abcd"
    rows = [{f"{m}{k}": (i + ord(m)) % 3 == k for m in models for k in range(3)} for i in range(30)]
    frame = pl.DataFrame(rows).cast(pl.Float64).with_columns(y=pl.Series(10 * classes))
    spec = {m: {"scores": {name: f"{m}{k}" for k, name in enumerate(classes)}} for m in models}
    section = RowsSection.from_results(evaluated(frame, {"truth": "y", "models": spec}), ())

    assert section is not None
    assert section.tables[-1].columns[-1].key == last


BUILD = """\
data: data.csv
truth: y
models: {a: {score: p}, b: {score: q}}
columns: {id: id}
bootstrap: {replicates: 0}
sections: [verdict, rows]
output: {formats: [json, markdown]}
intervals: {ratios: delta}  # the default takes two fifths of a small build
"""


def built(folder: Path, privacy: str) -> reportgen.Build:
    folder.mkdir(exist_ok=True)
    data().write_csv(folder / "data.csv")
    (folder / "nightly.yaml").write_text(f"{BUILD}privacy: {privacy}\n")
    return reportgen.build(folder / "nightly.yaml", date=dt.date(2026, 1, 1))


def test_ids_stand_in_the_report_as_privacy_says(tmp_path: Path):
    hidden, hashed, shown = (
        built(tmp_path / level, f"{{ids: {level}}}") for level in ("hidden", "hashed", "shown")
    )

    def named(build: reportgen.Build) -> list[bool]:
        texts = [page_text(build.results), *(path.read_text() for path in build.files.values())]
        return [bool(re.search(r"patient-\d", text)) for text in texts]

    assert not any(named(hidden) + named(hashed))
    assert hidden.results.notable_rows["id"].null_count() == hidden.results.notable_rows.height
    keys = pl.read_parquet(hashed.path / "rows.parquet")["id"]
    for row in hashed.results.notable_rows.to_dicts():
        assert keys[int(row["row"]) - 1].hex() == row["id"]
    for row in shown.results.notable_rows.to_dicts():
        assert row["id"] == f"patient-{row['row'] - 1:.0f}"
    assert all(named(shown))


def test_no_cell_is_shown_but_those_of_named_columns():
    frame = data().with_columns(age=pl.lit("bait-age"), note=pl.lit("bait-note"))
    assert "bait-" not in evaluated(frame).to_json()
    results = evaluated(frame, privacy={"show": ["age"]})

    assert set(results.notable_rows["shown"].explode()) == {"bait-age"}
    assert "bait-note" not in results.to_json()


@pytest.mark.parametrize(
    "more",
    [
        {"sections": {"omit": ["rows"]}},
        {"sections": ["verdict"]},
        {"privacy": {"small_cells": 2}},
    ],
)
def test_rows_that_the_report_does_not_show_are_in_no_file(more):
    assert evaluated(data(), **more).notable_rows.is_empty()


def test_counts_hold_no_rows_and_the_report_says_so(tmp_path: Path):
    data().write_parquet(tmp_path / "p.parquet")
    spec = {**QUICK, **TWO, "data": str(tmp_path / "p.parquet"), "engine": "streaming"}
    results = reportgen.evaluate(spec)

    assert results.notable_rows.is_empty()
    reasons = [item["reason"] for item in results.skipped if item["what"] == "rows to look at"]
    assert reasons == ["only counts of rows are available; engine: exact shows rows"]
    assert RowsSection.from_results(results, ()) is None


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"privacy": {"ids": "shown"}}, "has no effect without columns.id"),
        (
            {"privacy": {"ids": "hashed", "small_cells": 5}, "columns": {"id": "id"}},
            "with privacy.small_cells no single row is shown",
        ),
        ({"privacy": {"show": ["age"]}, "engine": "streaming"}, "only engine: exact"),
        ({"privacy": {"show": ["age"]}, "sections": ["verdict"]}, "section rows is not in"),
        ({"privacy": {"show": ["id"]}, "columns": {"id": "id"}}, "names the column of the ids"),
        ({"privacy": {"show": ["age", "age"]}}, "names the same thing twice"),
    ],
)
def test_what_cannot_be_shown_is_refused(spec, message):
    with pytest.raises(SpecError, match=message):
        from_dict({**TWO, **spec})


def test_a_column_to_show_that_is_missing_is_named_with_its_place():
    with pytest.raises(reportgen.ReportgenError, match=r"no column 'agee' \(named at .*show"):
        evaluated(data().with_columns(age=1), privacy={"show": ["agee"]})


def test_hostile_ids_and_cells_are_text():
    texts = [
        *PAYLOADS[:60:2],
        "م" * 400,
        "好瓜" * 300,
        "a\x00\x1b[31m\u202e\u2066",
        " ",
        "x" * 5000,
    ]
    ids = [f"{texts[k % len(texts)]}{k}" for k in range(200)]
    frame = data().with_columns(id=pl.Series(ids), note=pl.Series(ids).str.reverse())
    results = evaluated(frame, columns={"id": "id"}, privacy={"ids": "shown", "show": ["note"]})
    results = replace(results, spec={**results.spec, "sections": ["rows"]})

    assert results.notable_rows["id"].to_list()[0] in ids
    assert results.notable_rows["shown"].explode().str.len_chars().max() <= selection.LONGEST
    page = html(results)
    assert "xxx" in page
    assert harmless(page)
    assert not re.search(r"<(script|style|svg|img|base|template)", summary(results))


@breadth("level", ["hidden", "hashed", "shown"], ["hashed"])
def test_a_comparison_names_flipped_rows_as_privacy_says(tmp_path: Path, level):
    first_build = built(tmp_path, f"{{ids: {level}}}")
    changed = data().with_columns(
        p=pl.when(pl.arange(0, 200) < 30).then(1 - pl.col("p")).otherwise("p")
    )
    changed.sample(fraction=1, shuffle=True, seed=1).write_csv(tmp_path / "data.csv")
    second = reportgen.build(tmp_path / "nightly.yaml", date=dt.date(2026, 1, 2), formats=["json"])
    compared = compare(first_build.path, second.path)
    flip = next(row for row in compared.flips if row["model"] == "a")

    frame = data()
    was = (frame["p"] >= 0.5) == (frame["y"] == 1)
    now = (changed["p"] >= 0.5) == (changed["y"] == 1)
    lost = {f"patient-{k}" for k in range(200) if was[k] and not now[k]}
    page = comparison_pages.html(compared)
    if level == "shown":
        assert set(flip["ids"]["right_to_wrong"]) == lost
        assert all(name in page for name in lost)
    elif level == "hashed":
        assert len(flip["ids"]["right_to_wrong"]) == len(lost)
        assert all(len(name) == 24 for name in flip["ids"]["right_to_wrong"])
    else:
        assert flip["ids"] is None
    assert level == "shown" or "patient-" not in json.dumps(compared.to_dict()) + page


def test_long_ids_that_differ_at_their_ends_are_printed_apart():
    frame = data().with_columns(id=pl.lit("x" * 300) + pl.arange(0, 200).cast(pl.String))
    results = evaluated(frame, columns={"id": "id"}, privacy={"ids": "shown"})
    section = RowsSection.from_results(results, ())

    assert section is not None
    for table in section.tables:
        printed = {str(row.cells["id"]): str(row.cells["row"]) for row in table.rows}
        assert len(printed) == len({str(row.cells["row"]) for row in table.rows})
        assert all(len(text) <= 60 for text in printed)
