"""The bundled examples build, and say what an outside program says."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from functools import cache
from io import BytesIO
from itertools import pairwise

import polars as pl
import pytest
from pypdf import PdfReader
from sklearn import metrics as peer
from sklearn.metrics import roc_auc_score

import reportgen
from reportgen.builds import FILES, Build
from reportgen.resources import EXAMPLES
from reportgen.results import Results
from tests.example_results import example_results
from tests.pdf_pages import body_of

EPOCH = "1700000000"
EXAMPLE_NAMES = (
    "watermelon",
    "breast_cancer",
    "digits",
    "digit_properties",
    "diabetes",
    "learners",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Callable[[str], Build]:
    """Builds an example at a fixed moment, once."""
    out = tmp_path_factory.mktemp("examples")

    @cache
    def build(name: str) -> Build:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SOURCE_DATE_EPOCH", EPOCH)
            return reportgen.build(EXAMPLES / name / "report.yaml", out=out / name)

    return build


@pytest.fixture(
    params=[
        "watermelon",
        *(pytest.param(name, marks=pytest.mark.slow) for name in EXAMPLE_NAMES[1:]),
    ]
)
def name(request) -> str:
    return request.param


@pytest.fixture
def example(name, built) -> Build:
    return built(name)


def value(results: Results, metric: str, model: str) -> float:
    row = results.metrics.filter(
        pl.col("metric") == metric,
        pl.col("model") == model,
        pl.all_horizontal(pl.col("slice", "average").is_null()),
    )
    return row["value"].item()


def pdf_text(build: Build) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(build.files["pdf"]).pages)


def test_only_the_last_page_of_a_section_is_more_than_two_fifths_empty(example):
    pages = [body_of(page) for page in PdfReader(example.files["pdf"]).pages]
    for (_, empty), (following, _) in pairwise(pages):
        begins_section = following.isdecimal()  # the number before its title
        assert empty <= 0.4 or begins_section


def test_page_one_of_an_example_is_two_thirds_full(example):
    first = PdfReader(example.files["pdf"]).pages[0]
    assert body_of(first)[1] <= 1 / 3


def test_every_page_of_an_example_is_upright(example):
    boxes = [page.mediabox for page in PdfReader(example.files["pdf"]).pages]
    assert all(box.height > box.width for box in boxes)


def test_an_example_has_every_format(example):
    assert {name: path.name for name, path in example.files.items()} == FILES
    assert all(path.stat().st_size > 500 for path in example.files.values())
    assert example.notices == ()


def test_the_manifest_names_every_input_and_output_by_its_hash(name, example):
    manifest = json.loads((example.path / "manifest.json").read_text(encoding="utf-8"))

    outputs = {output["path"]: output["sha256"] for output in manifest["outputs"]}
    assert outputs == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in example.path.iterdir()
        if path.name != "manifest.json"
    }
    assert {path.name for path in example.files.values()} <= outputs.keys()
    [source] = manifest["inputs"]
    data = EXAMPLES / name / source["path"]
    assert source["sha256"] == hashlib.sha256(data.read_bytes()).hexdigest()
    assert manifest["build"] == example.path.name


def test_the_pdf_carries_results_spec_and_manifest(example):
    attached = PdfReader(example.files["pdf"]).attachments

    assert {"results.json", "report.yaml", "manifest.json"} <= attached.keys()
    assert attached["results.json"][0] == example.files["json"].read_bytes()
    assert json.loads(BytesIO(attached["manifest.json"][0]).read())["build"] == example.path.name


def test_the_pages_hold_nothing_that_points_elsewhere_on_this_machine(example):
    for path in (example.files["html"], example.files["markdown"], example.files["json"]):
        assert str(EXAMPLES) not in path.read_text(encoding="utf-8")


def test_breast_cancer_has_the_areas_that_scikit_learn_gives():
    data = pl.read_parquet(EXAMPLES / "breast_cancer" / "predictions.parquet")
    truth = data["diagnosis"] == "malignant"

    results = example_results("breast_cancer")
    for model in ("logistic", "forest", "bayes"):
        expected = roc_auc_score(truth.to_numpy(), data[f"p_{model}"].to_numpy())
        assert value(results, "auc", model) == pytest.approx(expected, abs=1e-12)


def test_each_sentence_of_the_verdict_on_breast_cancer_stands_once():
    decision = example_results("breast_cancer").decision
    sentences = [text for text in decision.sentence.split(". ") if text]

    assert (decision.measure, decision.leader) == ("cost_sensitive_error_rate", "forest")
    assert len(sentences) > 2
    assert len({*sentences, decision.headline}) == len(sentences) + 1


def test_breast_cancer_shows_a_gate_that_holds_and_two_that_are_not_decided():
    """Over ten folds the limits of both differences allow for training sets that overlap."""
    states = example_results("breast_cancer").gates["state"].to_list()

    assert states == ["pass", "inconclusive", "inconclusive"]


def test_the_break_even_point_of_the_watermelons_is_seven_of_ten():
    melons = example_results("watermelon")
    data = pl.read_csv(EXAMPLES / "watermelon" / "predictions.csv")
    truth = (data["quality"] == "好瓜").to_numpy()

    assert value(melons, "break_even_point", "scorer") == pytest.approx(0.7)
    assert value(melons, "auc", "scorer") == pytest.approx(
        roc_auc_score(truth, data["score"].to_numpy()), abs=1e-12
    )


def whole(results: Results, metric: str, model: str, average: str | None = None) -> float:
    rows = results.metrics.filter(
        pl.col("slice").is_null() & pl.col("class").is_null(),
        pl.col("average").eq_missing(pl.lit(average, pl.String)),
        metric=metric,
        model=model,
    )
    return rows["value"].item()


def test_digits_have_the_values_that_scikit_learn_gives():
    results = example_results("digits")
    data = pl.read_parquet(EXAMPLES / "digits" / "predictions.parquet")
    truth = data["digit"].to_numpy()
    for model in ("logistic", "forest", "neighbours"):
        scores = data.select(f"{model}_{k}" for k in range(10)).to_numpy()
        predicted = scores.argmax(axis=1)
        expected = peer.accuracy_score(truth, predicted)
        assert whole(results, "accuracy", model) == pytest.approx(expected)
        expected = peer.f1_score(truth, predicted, average="macro")
        assert whole(results, "f1", model, "macro") == pytest.approx(expected)
        areas = [peer.roc_auc_score(truth == k, scores[:, k]) for k in range(10)]
        area = whole(results, "auc", model, "macro")
        assert area == pytest.approx(sum(areas) / 10, abs=1e-12)


def test_diabetes_has_the_values_that_scikit_learn_gives():
    results = example_results("diabetes")
    data = pl.read_csv(EXAMPLES / "diabetes" / "predictions.csv")
    truth = data["progression"].to_numpy()
    for model, column in (("ridge", "ridge"), ("forest", "forest"), ("quantiles", "median")):
        estimate = data[column].to_numpy()
        for metric, expected in (
            ("mean_squared_error", peer.mean_squared_error(truth, estimate)),
            ("r2", peer.r2_score(truth, estimate)),
        ):
            assert whole(results, metric, model) == pytest.approx(expected)
    inside = ((data["low"] <= data["progression"]) & (data["high"] >= data["progression"])).mean()
    assert whole(results, "interval_coverage", "quantiles") == pytest.approx(inside)


def test_chinese_labels_are_text_in_every_format(built):
    melons = built("watermelon")

    shown = [melons.files[name].read_text(encoding="utf-8") for name in ("html", "json")]
    for text in (*shown, pdf_text(melons)):
        assert "好瓜" in text
        assert "坏瓜" in text


def test_the_same_inputs_at_the_same_moment_give_the_same_bytes(built, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    first = built("watermelon").path
    shutil.copy(first.parent.parent / ".reportgen.key", tmp_path)  # what ids are hashed with
    again = reportgen.build(EXAMPLES / "watermelon" / "report.yaml", out=tmp_path)

    assert again.path.name == first.name
    for path in first.iterdir():
        assert (again.path / path.name).read_bytes() == path.read_bytes(), path.name
