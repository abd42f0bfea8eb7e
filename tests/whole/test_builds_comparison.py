"""Two builds side by side: paired where the rows are the same, refused where nothing compares."""

from __future__ import annotations

import datetime as dt
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pypdf import PdfReader

import reportgen
from reportgen.builds import compare, comparison_pages
from reportgen.builds.change_records import adjust
from reportgen.cli import main
from reportgen.errors import DataError
from tests.breadth import breadth

SPEC = """\
data: data.csv
truth: y
models: {a-b: {score: a}, c: {score: c}}
columns: {id: id}
slices: [site]
bootstrap: {replicates: 0}
intervals: {ratios: delta}
"""


def rows(shift: float = 0.0, *, seed: int = 0) -> pl.DataFrame:
    """400 cases; model a of a seed, worse by a shift, and model c, which stays."""
    random = np.random.default_rng(seed)
    truth = random.random(400) < 0.5
    noise, noise_c = random.normal(size=(2, 400))
    return pl.DataFrame(
        {
            "id": [f"case {seed} {k}" for k in range(400)],
            "y": truth.astype(int),
            "a": 1 / (1 + np.exp(-((1.5 - shift) * (2 * truth - 1) + noise))),
            "c": 1 / (1 + np.exp(-(1.5 * (2 * truth - 1) + noise_c))),
            "site": np.where(np.arange(400) % 2 == 1, "A", "B"),
        }
    )


@pytest.fixture(scope="module")
def out(tmp_path_factory) -> Path:
    """Steady, then worse on the same rows and at another threshold, then on other rows."""
    folder = tmp_path_factory.mktemp("compared")
    tables = [rows(), rows(0.6).sample(fraction=1, shuffle=True, seed=1), rows(seed=5)]
    for night, table in enumerate(tables):
        changed = "" if night == 0 else "threshold: 0.6\n"
        (folder / "nightly.yaml").write_text(SPEC + changed)
        table.write_csv(folder / "data.csv")
        date = dt.date(2026, 1, 1 + night)
        reportgen.build(folder / "nightly.yaml", formats=["json"], date=date)
    return folder / "reports"


@pytest.fixture(scope="module")
def compared(out):
    return compare("nightly/latest~2", "nightly/latest~1", out=out)


def measure(compared, metric: str, model: str) -> dict:
    return next(r for r in compared.measures if (r["metric"], r["model"]) == (metric, model))


def test_the_verdict_names_the_worst_change_of_the_deciding_measure(compared):
    assert compared.state == "worse"
    assert compared.verdict.startswith("Worse: AUC of a-b −0.")


def test_what_changed_in_spec_and_data_is_told_by_key_and_count(compared):
    assert [(r["key"], r["first"], r["second"]) for r in compared.spec] == [("threshold", 0.5, 0.6)]
    facts = {k: compared.data[k] for k in ("common", "added", "removed", "relabelled")}
    assert facts == {"common": 400, "added": 0, "removed": 0, "relabelled": 0}
    assert [r["key"] for r in compared.data["files"]] == ["data.csv"]


def test_differences_on_the_same_rows_are_paired_with_interval_and_adjusted_p(compared):
    """Model a differs by the shift alone: pairs tell it far more surely than separate rows."""
    row = measure(compared, "auc", "a-b")
    assert compared.basis == "400 paired rows"
    assert row["state"] == "worse"
    assert row["difference"] == pytest.approx(row["second"] - row["first"], abs=1e-6)
    assert row["p"] <= row["p_adjusted"] < 0.001
    assert row["high"] - row["low"] < 0.06
    assert measure(compared, "auc", "c")["state"] == "unchanged"


def test_one_number_under_two_names_is_one_test_of_the_family():
    """Accuracy and error rate are one test beside that of recall."""
    rows: list[Any] = [
        {"metric": name, "model": "m", "difference": d, "p": p, "state": "worse"}
        for name, d, p in (
            ("accuracy", -0.1, 0.02),
            ("error_rate", 0.1, 0.02),
            ("recall", -0.2, 0.03),
        )
    ]
    adjust(rows, "auc", 1, 0.05)

    assert [row["p_adjusted"] for row in rows] == [0.04, 0.04, 0.04]
    assert {row["state"] for row in rows} == {"worse"}


def test_a_model_that_gives_the_same_scores_is_unchanged_but_for_its_decisions(compared):
    flips = {(r["model"], r["slice"]): r for r in compared.flips}

    assert measure(compared, "auc", "c")["difference"] == 0
    total, parts = flips["c", None], [flips["c", f"site = {s}"] for s in "AB"]
    for way in ("right_to_wrong", "wrong_to_right"):
        assert total[way] == sum(part[way] for part in parts) > 0


def test_other_rows_are_compared_as_separate_rows(out):
    result = compare("nightly/latest~1", "nightly/latest", out=out)

    assert result.basis == "separate rows (0% in both builds)"
    assert result.state == "better"
    assert (result.data["added"], result.data["removed"], result.flips) == (400, 400, [])


def test_a_build_compared_with_itself_is_unchanged(out):
    assert compare("nightly/latest", "nightly/latest", out=out).state == "unchanged"


def test_every_form_says_the_verdict_and_the_pdf_carries_the_numbers(compared, tmp_path):
    for make in (comparison_pages.plain_text, comparison_pages.markdown, comparison_pages.html):
        assert compared.verdict in make(compared)
    (tmp_path / "change.pdf").write_bytes(comparison_pages.pdf(compared))
    attached = PdfReader(tmp_path / "change.pdf").attachments["comparison.json"][0]
    assert json.loads(attached)["verdict"] == compared.verdict


def in_chinese(compared):
    """The comparison of the same builds, of specs with ``language: zh``."""
    first, second = compared.results
    second = replace(second, spec={**second.spec, "language": "zh"})
    return replace(compared, results=(first, second))


@breadth("pair", [("latest~2", "latest~1"), ("latest~1", "latest"), ("latest",) * 2], 1)
def test_every_text_of_a_page_has_a_translation_and_names_stay(out, pair):
    english = compare(*(f"nightly/{one}" for one in pair), out=out)
    chinese = in_chinese(english)
    page, text = comparison_pages.html(chinese), comparison_pages.markdown(chinese)

    assert '<html lang="zh-CN">' in page
    for part in (page.partition("</style>")[2], text):
        bare = re.sub(r"<[^>]*>|（[a-zA-Z, -]+）|&lt;", " ", part)
        for name in (english.first["id"], english.second["id"], "nightly", "data.csv", "threshold"):
            bare = bare.replace(name, " ")
        assert set(re.findall(r"[A-Za-z]{4,}", bare)) <= {"Brier", "Cohen", "Holm", "spec", "site"}
    assert "A 与 B 共有" in text
    assert english.verdict in comparison_pages.plain_text(chinese)  # the terminal is English


def test_builds_that_cannot_be_compared_are_refused_in_words(out, tmp_path, capsys):
    (tmp_path / "other.yaml").write_text(SPEC + "positive: 0\n")
    rows().write_csv(tmp_path / "data.csv")
    reportgen.build(tmp_path / "other.yaml", formats=["json"])
    with pytest.raises(SystemExit) as left:
        main(["compare", str(out / "nightly/latest"), str(tmp_path / "reports/other"), "-q"])

    messages = capsys.readouterr().out
    assert left.value.code == 3
    assert messages.startswith("Not comparable: the positive class was 1, and is 0.")


def test_a_comparison_overwrites_a_file_only_where_asked(out, tmp_path, capsys):
    target = tmp_path / "kept.md"
    target.write_text("kept")
    words = ["compare", "nightly/latest~1", "nightly/latest", "--out", str(out)]
    with pytest.raises(SystemExit) as refused:
        main([*words, "--to", str(target)])

    assert (refused.value.code, target.read_text()) == (8, "kept")
    assert "the file already exists\n  hint: --force overwrites it" in capsys.readouterr().err

    with pytest.raises(SystemExit) as done:
        main([*words, "--to", str(target), "--force"])

    assert (done.value.code, "nightly" in target.read_text()) == (0, True)


@pytest.mark.parametrize("content", [b"\xff", b"{}", b"[" * 100_000])
def test_a_build_whose_results_or_manifest_are_damaged_is_refused(tmp_path, content):
    build = tmp_path / "20260101-00000000"
    build.mkdir()
    for name in ("manifest.json", "results.json"):
        (build / name).write_bytes(content)

    with pytest.raises(DataError, match=r"results\.json"):
        compare(build, build)


@pytest.mark.parametrize("text", ["{}", "[" * 100_000, '{"build": 1, "date": 1, "times": 1}'])
def test_results_with_another_manifest_are_refused(out, tmp_path, text):
    build = shutil.copytree(out / "nightly/latest", tmp_path / "20260101-00000000")
    (build / "manifest.json").write_text(text)

    with pytest.raises(DataError, match=r"manifest\.json: .*not the manifest of a build"):
        compare(build, build)
