"""What is evaluated has the hash that the report states, and each file counts once."""

from __future__ import annotations

import gzip
import hashlib
import os
import random
import shutil
import subprocess
import sys
from collections import Counter

import polars as pl
import pytest

from reportgen import evaluate, predictions
from reportgen import spec as specs
from reportgen.engines import long_form
from reportgen.errors import DataError
from reportgen.initial_spec import init_spec
from reportgen.predictions import reading
from tests.hostile.layout_files import content

SPEC = {"truth": "y", "models": {"m": {"score": "p"}}}
ONE = "y,p\n" + "0,0.1\n1,0.9\n" * 30
OTHER = "y,p\n" + "1,0.2\n0,0.8\n" * 30


def spec(folder, data, **changes):
    return specs.from_dict({**SPEC, "data": data, **changes}, folder)


def codes(declared):
    with pytest.raises(DataError) as caught:
        predictions.read(declared)
    return [(p.code, p.place, p.message) for p in caught.value.problems]


@pytest.fixture
def data(tmp_path):
    (tmp_path / "a.csv").write_text(ONE)
    (tmp_path / "sub").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "second", ["sub/../a.csv", "link.csv", "hard.csv", "copy.csv", "a.csv.gz", "a.csv.zst"]
)
@pytest.mark.parametrize("engine", ["exact", "streaming"])
def test_the_same_data_twice_is_refused_with_both_names(data, second, engine):
    (data / "link.csv").symlink_to(data / "a.csv")
    os.link(data / "a.csv", data / "hard.csv")
    (data / "copy.csv").write_text(ONE)
    (data / "a.csv.gz").write_bytes(gzip.compress(ONE.encode()))
    pl.read_csv(ONE.encode()).write_csv(data / "a.csv.zst", compression="zstd")
    with pytest.raises(DataError) as caught:
        evaluate(spec(data, ["a.csv", second], engine=engine))

    (problem,) = caught.value.problems
    copies = ("copy.csv", "a.csv.gz", "a.csv.zst")
    assert problem.code == ("same-content" if second in copies else "same-file")
    assert problem.place == second
    assert "a.csv:" in problem.message


def test_empty_parts_may_be_alike(data):
    for name in ("0.csv", "1.csv"):
        (data / name).write_text("y,p\n")

    assert predictions.read(spec(data, ["0.csv", "1.csv", "a.csv"])).frame.height == 60


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("how", ["replaced", "rewritten", "there and back"])
def test_a_file_that_changes_between_its_hash_and_its_reading_is_refused(
    tmp_path, monkeypatch, ending, how
):
    path, other = tmp_path / f"d.{ending}", tmp_path / f"other.{ending}"
    for text, target in ((ONE, path), (OTHER, other)):
        frame = pl.read_csv(text.encode())
        frame.write_csv(target) if ending == "csv" else frame.write_parquet(target)
    loaded = reading.load_file

    def load(file, *rest):
        if how == "rewritten":
            path.write_bytes(other.read_bytes())
            return loaded(file, *rest)
        path.rename(tmp_path / "away")
        other.rename(path)
        result = loaded(file, *rest)
        if how == "there and back":
            path.rename(other)
            (tmp_path / "away").rename(path)
        return result

    monkeypatch.setattr(reading, "load_file", load)

    assert [code for code, *_ in codes(spec(tmp_path, path.name))] == ["changed"]


def test_a_checksum_file_beside_the_data_is_used(data):
    digest = hashlib.sha256(ONE.encode()).hexdigest()
    beside = data / "a.csv.sha256"
    for text in (f"{digest}  a.csv\n", digest, f"{digest} *./a.csv", f"SHA256 (a.csv) = {digest}"):
        beside.write_text(text)
        result = predictions.read(spec(data, "a.csv"))
        assert result.files[0].verified == "checksum file"
        assert result.checks[0].detail == "1 file with the SHA-256 in the checksum file beside it"

    beside.write_text(f"{'0' * 64}  a.csv\n")
    ((code, place, message),) = codes(spec(data, "a.csv"))
    assert (code, place) == ("integrity", "a.csv")
    assert "a.csv.sha256 states 000" in message

    beside.write_text(f"{digest}  b.csv\n")
    assert [code for code, *_ in codes(spec(data, "a.csv"))] == ["integrity"]


def test_the_results_say_what_verified_each_file(data):
    digest = hashlib.sha256(ONE.encode()).hexdigest()
    for engine in ("exact", "streaming"):
        plain = evaluate(spec(data, "a.csv", engine=engine)).data
        stated = evaluate(spec(data, "a.csv", engine=engine, sha256={"a.csv": digest})).data

        assert plain["files"][0]["verified"] == "not verified"
        assert stated["files"][0]["verified"] == "stated"
        assert "unchanged" not in [check["name"] for check in plain["checks"]]
        assert "unchanged" in [check["name"] for check in stated["checks"]]


def test_init_writes_the_hash_as_a_comment_and_pinned_as_a_condition(data):
    digest = hashlib.sha256(ONE.encode()).hexdigest()
    target = data / "report.yaml"

    target.write_text(init_spec(data / "a.csv"))
    assert f"# sha256: {{a.csv: {digest}}}" in target.read_text()
    assert specs.read(target).sha256 == {}

    target.write_text(init_spec(data / "a.csv", pin=True))
    assert specs.read(target).sha256 == {"a.csv": digest}
    (data / "a.csv").write_text(OTHER)
    assert [code for code, *_ in codes(specs.read(target))] == ["integrity"]


def test_init_and_split_refuse_what_has_two_readings(data):
    from reportgen.splitting import split

    (data / "a.csv").write_text(ONE + "0,0.5,1\n")
    for reader in (init_spec, split):
        with pytest.raises(DataError, match="surplus-field"):
            reader(data / "a.csv")
    (data / "a.csv").write_bytes(ONE.replace("y,p", "ü,p").encode("latin-1"))
    assert "truth: ü" in init_spec(data / "a.csv", encoding="iso8859-1")


def test_counts_of_a_file_that_changed_are_neither_reported_nor_remembered(data, monkeypatch):
    """Else a later build of the first bytes would find the counts of the others."""
    text = ONE.replace("1,0.9", f"1,0.9{int.from_bytes(os.urandom(8))}", 1)  # not counted yet
    (data / "a.csv").write_text(text)
    declared = spec(data, "a.csv", engine="streaming")
    scan = long_form.scan

    def replaced(file):
        (data / "a.csv").write_text(OTHER)
        return scan(file)

    with monkeypatch.context() as patched:
        patched.setattr(long_form, "scan", replaced)
        with pytest.raises(DataError, match="changed"):
            evaluate(declared)

    (data / "a.csv").write_text(text)
    assert evaluate(declared).metrics.filter(metric="auc")["value"].to_list() == [1.0]


REPLACED = """
import os, random, shutil, sys, time
folder, ending, parent = sys.argv[1], sys.argv[2], int(sys.argv[3])
while os.getppid() == parent:
    time.sleep(random.random() * 0.03)
    shutil.copy(f"{folder}/{random.choice((1, 2))}.{ending}", f"{folder}/next")
    os.replace(f"{folder}/next", f"{folder}/data.{ending}")
"""


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet", "ndjson", "arrow"])
def test_readings_while_another_process_replaces_the_file_are_right_or_refused(tmp_path, ending):
    """One that is cut short in its place, instead, ends this process: see tests/RELIABILITY.md."""
    values = {}
    spec_ = spec(tmp_path, f"data.{ending}", bootstrap={"replicates": 0})
    for number in (1, 2):
        draw = random.Random(number)
        rows = [{"y": i % 2, "p": draw.random()} for i in range(300)]
        (tmp_path / f"{number}.{ending}").write_bytes(content(rows, ["y", "p"], ending))
        shutil.copy(tmp_path / f"{number}.{ending}", tmp_path / f"data.{ending}")
        data, value = _auc(spec_)
        values[data] = value
    words = [sys.executable, "-c", REPLACED, str(tmp_path), ending, str(os.getpid())]
    ends: Counter[str] = Counter()
    with subprocess.Popen(words) as other:
        for _ in range(400):
            try:
                data, value = _auc(spec_)
            except DataError:
                ends["refused"] += 1
            else:
                ends["right" if values[data] == value else "wrong"] += 1
        other.kill()

    assert len(set(values.values())) == 2
    assert ends["wrong"] == 0
    assert ends["right"] > 100


def _auc(declared):
    results = evaluate(declared)
    return results.data["files"][0]["sha256"], results.metrics.filter(metric="auc")["value"][0]
