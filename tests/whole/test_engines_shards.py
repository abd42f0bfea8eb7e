"""Shards that are counted where their rows are, and added up where the report is built."""

from __future__ import annotations

import io
import json
import zipfile

import polars as pl
import pytest

from reportgen import ReportgenError, evaluate
from reportgen.cli import main
from reportgen.engines.cache import Cache
from reportgen.engines.partial import Partial
from reportgen.engines.shards import Shard, count_shard
from reportgen.predictions import inputs
from reportgen.progress import silent
from reportgen.spec import from_dict
from tests.breadth import breadth
from tests.engine_data import rows, spec, written

NOTHING_KEPT = Cache(None)


def counted(tmp_path, name: str, frame, **more) -> tuple[Shard, str]:
    path = written(frame, tmp_path / f"{name}.parquet")
    of_shard = from_dict(spec(path, **more))
    shard, content = count_shard(of_shard, *inputs(of_shard), NOTHING_KEPT, silent)
    target = tmp_path / f"{name}.counts"
    target.write_bytes(content)
    return shard, str(target)


@breadth(
    "more",
    [
        {"threshold": 0.4, "slices": ["site"], "columns": {"weight": "w"}},
        {"columns": {"role": "role", "id": "id"}},
        {"columns": {"fold": "site"}},
    ],
    1,
    ids=["weights and slices", "roles and ids", "folds"],
)
def test_files_of_counts_add_up_to_the_numbers_of_streaming(tmp_path, more):
    """To the last digit, also where they are named in another order."""
    frame = rows(900).with_row_index("id")
    parts = frame[:200], frame[200:650], frame[650:]
    files = [counted(tmp_path, str(k), part, **more)[1] for k, part in enumerate(parts)]
    whole = evaluate(spec(written(frame, tmp_path / "all.parquet"), **more))

    added = evaluate({**spec("", engine="exact", **more), "data": files[::-1]})

    assert added.metrics.equals(whole.metrics)
    assert added.comparisons.equals(whole.comparisons)
    assert added.data["rows"] == 900
    assert added.data["engine"]["name"] == "partials"


def test_counts_name_neither_files_nor_ids(tmp_path):
    frame = rows(50).with_columns(patient=pl.int_range(50).cast(pl.String) + " Miller")
    _, path = counted(tmp_path, "clinic", frame, columns={"id": "patient"})
    with zipfile.ZipFile(path) as archive:
        everything = archive.read("shard.json")
        with zipfile.ZipFile(io.BytesIO(archive.read("counts.zip"))) as counts:
            everything += counts.read("facts.json")
    assert b"well" in everything
    assert b"Miller" not in everything
    assert b"clinic" not in everything


def test_counts_of_another_plan_are_refused(tmp_path):
    shard, path = counted(tmp_path, "east", rows(50), threshold=0.4)
    with pytest.raises(ReportgenError, match="counted by another plan"):
        evaluate(spec(path, threshold=0.5))
    assert len(shard.plan) == 64


def test_rows_that_are_counted_twice_are_refused(tmp_path):
    one, other = rows(50), rows(60, seed=1)
    _, east = counted(tmp_path, "east", one)
    written(other, tmp_path / "west.parquet")
    both = from_dict(
        {**spec(""), "data": [str(tmp_path / f"{n}.parquet") for n in ("east", "west")]}
    )
    _, content = count_shard(both, *inputs(both), NOTHING_KEPT, silent)
    (tmp_path / "both.counts").write_bytes(content)
    with pytest.raises(ReportgenError, match=r"counts rows that .*east.counts counts too"):
        evaluate({**spec(""), "data": [east, str(tmp_path / "both.counts")]})


def test_damaged_counts_and_rows_beside_counts_are_refused(tmp_path):
    _, path = counted(tmp_path, "east", rows(50))
    other = written(rows(60, seed=1), tmp_path / "west.parquet")
    with pytest.raises(ReportgenError, match=r"west\.parquet holds rows"):
        evaluate({**spec(""), "data": [path, str(other)]})
    damaged = tmp_path / "damaged.counts"
    damaged.write_bytes((tmp_path / "east.counts").read_bytes()[:-400])
    with pytest.raises(ReportgenError, match="no counts, or they are damaged"):
        evaluate(spec(damaged))


def test_no_bit_of_kept_counts_changes_without_notice(tmp_path):
    """A bit in the name of an entry would leave out its table."""
    shard, _ = counted(tmp_path, "east", rows(50), slices=["site"])
    with zipfile.ZipFile(tmp_path / "east.counts") as archive:
        content = archive.read("counts.zip")
    whole = Partial.from_bytes(content)
    assert whole.facts["rows"] == shard.rows == 50
    assert {"cells", "joint", "decisions"} <= whole.tables.keys()
    for bit in range(0, len(content) * 8, len(content) * 8 // 499):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ValueError, match="damaged"):
            Partial.from_bytes(bytes(damaged))


@pytest.mark.parametrize(
    "record",
    [b"[" * 100_000, b"[]", b"{", "rows", {"sha256": "abc"}, {"models": [1]}, {"other": 1}],
    ids=["deep", "list", "cut", "text", "hash of text", "model of number", "another key"],
)
def test_counts_with_another_record_are_refused(tmp_path, record):
    _, path = counted(tmp_path, "east", rows(50))
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    if isinstance(record, dict):
        record = json.loads(entries["shard.json"]) | record
    text = record if isinstance(record, bytes) else json.dumps(record)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (entries | {"shard.json": text}).items():
            archive.writestr(name, content)
    with pytest.raises(ReportgenError, match=r"east\.counts: .*no counts, or they are damaged"):
        evaluate(spec(path))


@pytest.mark.parametrize("bit", [8, 24], ids=["encrypted", "packed in another way"])
def test_counts_in_another_kind_of_archive_are_refused(tmp_path, bit):
    _, path = counted(tmp_path, "east", rows(50))
    content = bytearray((tmp_path / "east.counts").read_bytes())
    for start in (content.index(b"PK\3\4") + 5, content.index(b"PK\1\2") + 7):
        content[start + bit // 8] ^= 1
    (tmp_path / "east.counts").write_bytes(content)
    with pytest.raises(ReportgenError, match="no counts, or they are damaged"):
        evaluate(spec(path))


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"threshold": {"maximise": "f1"}}, "second pass over the rows"),
        ({"columns": {"group": "site", "weight": "w"}}, "weighted rows in groups"),
        ({"models": {"column": "site", "score": "a"}}, "long form"),
    ],
    ids=["chosen threshold", "weights in groups", "long form"],
)
def test_what_needs_rows_is_refused_before_anything_is_counted(tmp_path, more, reason):
    with pytest.raises(ReportgenError, match=reason):
        counted(tmp_path, "east", rows(50), **more)


def command(*words: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return int(left.value.code or 0)


def test_the_command_counts_a_shard_and_build_adds_up(tmp_path, capsys):
    report, out = tmp_path / "report.yaml", tmp_path / "reports"
    report.write_text("data: all.parquet\ntruth: y\npositive: ill\nmodels: {a: {score: a}}\n")
    for seed, name in enumerate(("east", "west")):
        shard = written(rows(80 + seed, seed=seed), tmp_path / f"{name}.parquet")
        assert command("count", report, shard, "--out", shard.with_suffix(".counts")) == 0
    again = ("count", report, tmp_path / "east.parquet", "--out", tmp_path / "east.counts")
    assert command(*again) == 8

    pattern = tmp_path / "*.counts"
    assert command("build", report, "--from", pattern, "--format", "json", "--out", out) == 0
    results = json.loads((out / "report" / "latest" / "results.json").read_text())
    assert [(f["path"], f["rows"]) for f in results["data"]["files"]] == [
        ("east.counts", 80),
        ("west.counts", 81),
    ]
    assert command("build", report, report, "--from", pattern) == 2
    assert "counts are those of one spec" in capsys.readouterr().err
