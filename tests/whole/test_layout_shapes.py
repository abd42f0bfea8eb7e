"""Reports of data of many shapes are laid out well: no page is broken where it should not be."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pypdf import PageObject, PdfReader

import reportgen
from reportgen.resources import EXAMPLES
from reportgen.spec import from_dict, read
from tests.pdf_pages import body_of, lines_below_last_head, text_of
from tests.quick import QUICK

Shape = tuple[dict[str, Any], dict[str, Any]]
"""Columns, and what the spec says beside the data."""


def two_classes(models: list[str], share: float = 0.4, lift: float = 0.4, size: int = 400) -> Shape:
    random = np.random.default_rng(len(models))
    truth = random.random(size) < share
    scores = {
        f"s{k}": np.clip((lift - 0.02 * k) * truth + 0.6 * random.random(size), 0, 1)
        for k in range(len(models))
    }
    spec = {"positive": "true", "models": {m: {"score": f"s{k}"} for k, m in enumerate(models)}}
    return {"truth": truth, **scores}, spec


def rare() -> Shape:
    columns, spec = two_classes(["boosted", "logit", "rules"], 0.02, 0.1, 3000)
    return columns, {**spec, "prevalence": 0.001, "threshold": 0.3}


def labels_alone() -> Shape:
    random = np.random.default_rng(1)
    truth = random.random(300) < 0.5
    labels = {f"l{k}": np.where(random.random(300) < 0.8, truth, ~truth) for k in range(2)}
    spec = {"positive": "true", "models": {f"rules {k}": {"label": f"l{k}"} for k in range(2)}}
    return {"truth": truth, **labels}, spec


def several_classes(count: int) -> Shape:
    random = np.random.default_rng(count)
    truth = random.integers(0, count, 500)
    columns: dict[str, Any] = {"truth": [f"class {k}" for k in truth]}
    models = {}
    for model in ("a", "b"):
        scores = random.dirichlet(np.ones(count), 500)
        scores[np.arange(500), truth] += 0.5
        scores /= scores.sum(axis=1, keepdims=True)
        columns |= {f"{model}{k}": scores[:, k] for k in range(count)}
        models[model] = {"scores": {f"class {k}": f"{model}{k}" for k in range(count)}}
    return columns, {"models": models}


def numbers_of(models: int) -> Shape:
    random = np.random.default_rng(9)
    truth = random.normal(50, 10, 300)
    estimates = {f"e{k}": truth + random.normal(0, 3 + k, 300) for k in range(models)}
    spec = {"models": {f"model {k}": {"estimate": f"e{k}"} for k in range(models)}}
    return {"truth": truth, **estimates}, spec


def quantiles() -> Shape:
    columns, _ = numbers_of(2)
    models = {f"model {k}": {"estimate": f"e{k}", "quantile": 0.9} for k in range(2)}
    return columns, {"models": models, "unit": "kWh"}


def sliced() -> Shape:
    columns, spec = two_classes(["one", "two"], lift=0.0)
    region = [f"region {k % 12}" for k in range(400)]
    return {**columns, "region": region}, {**spec, "slices": ["region"]}


def folded_of(models: list[str]) -> Shape:
    columns, spec = two_classes(models)
    gates = [f"{models[0]}.auc >= 0.9", f"{models[0]}.recall - {models[1]}.recall > -0.1"]
    return {**columns, "fold": [k % 5 for k in range(400)]}, {
        **spec,
        "columns": {"fold": "fold"},
        "gates": gates,
    }


def twelve_models() -> Shape:
    columns, spec = folded_of([f"model_{k}" for k in range(12)])
    parts = {"site": [f"s{k % 3}" for k in range(400)], "sex": [f"x{k % 2}" for k in range(400)]}
    return {**columns, **parts}, {
        **spec,
        "baseline": "model_1",
        "slices": ["site", "sex", ["site", "sex"]],
        "costs": {"false_negative": 5, "false_positive": 1},
    }


def learners_and_data_sets() -> Shape:
    random = np.random.default_rng(12)
    skill, ease = np.linspace(0.6, 0.9, 12), random.normal(0, 0.08, 30)
    pairs = [(d, m) for d in range(30) for m in range(12)]
    return {
        "dataset": [f"data set {d}" for d, _ in pairs],
        "learner": [f"learner {m}" for _, m in pairs],
        "value": [skill[m] + ease[d] + random.normal(0, 0.05) for d, m in pairs],
    }, {
        "task": "comparison",
        "columns": {"dataset": "dataset", "model": "learner", "value": "value"},
        "measure": "r2",
    }


LONG = [
    "gradient_boosting_with_monotone_constraints_and_early_stopping",
    "gradient_boosting_with_all_features_and_early_stopping",
    "随机森林与特征选择的很长很长的名字",
]
SHAPES: dict[str, Callable[[], Shape]] = {
    "one model": lambda: two_classes(["only"]),
    "long names": lambda: two_classes(LONG),
    "twelve models": lambda: two_classes([f"model {k}" for k in range(12)]),
    "five models": lambda: two_classes([f"model {k}" for k in range(5)]),
    "emoji": lambda: two_classes(["👩‍🔬", "🇩🇪 👍🏽"], size=120),
    "rare": rare,
    "labels": labels_alone,
    "three classes": lambda: several_classes(3),
    "eight classes": lambda: several_classes(8),
    "ten classes": lambda: several_classes(10),
    "twelve classes": lambda: several_classes(12),
    "twenty-six classes": lambda: several_classes(26),
    "learners and data sets": learners_and_data_sets,
    "five regressions": lambda: numbers_of(5),
    "quantiles": quantiles,
    "slices at chance": sliced,
    "folds and gates": lambda: folded_of(["one", "two", "three"]),
    "twelve models with folds and slices": twelve_models,
}


def built(folder: Path, shape: Shape, paper: str = "A4") -> PdfReader:
    columns, spec = shape
    pl.DataFrame(columns).write_parquet(folder / "rows.parquet")
    report = {"data": "rows.parquet", "name": "shape", "output": {"paper": paper}, **spec}
    report |= {"truth": "truth"} if "truth" in columns else {}
    build = reportgen.build(from_dict(report, folder), out=folder / "out", formats=["pdf"])
    return PdfReader(build.files["pdf"])


def checked(pages: list[PageObject]) -> None:
    """No page is broken where it should not be, and no caption stands without its figure."""
    texts = [text_of(page) for page in pages]
    [contents] = [number for number, text in enumerate(texts) if "CONTENTS" in text]
    assert contents == 0 or (contents == 1 and "Key numbers" in texts[1].partition("CONTENTS")[2])
    bodies = [body_of(page) for page in pages]
    assert bodies[0][1] <= 1 / 3
    assert all(page.mediabox.height > page.mediabox.width for page in pages)
    assert not [number for number, text in enumerate(texts, 1) if "HTML page only" in text]
    assert not [line for text in texts for line in text.splitlines() if line.strip(" −") == "…"]
    for number, ((_, empty), (following, _)) in enumerate(pairwise(bodies), 1):
        begins_section = following.isdecimal()
        assert empty <= 0.4 or begins_section, f"page {number}"
    for number, page in enumerate(pages, 1):
        below = lines_below_last_head(page)
        assert below is None or below >= 2, f"page {number}"


def test_pages_of_a_small_report_are_full(tmp_path):
    """A few seconds of what follows."""
    columns, spec = SHAPES["emoji"]()
    checked(list(built(tmp_path, (columns, spec | QUICK)).pages))


@pytest.mark.slow  # make layout
@pytest.mark.parametrize("paper", ["A4", "letter"])
@pytest.mark.parametrize("name", SHAPES)
def test_pages_are_full_and_no_head_stands_without_rows(name, paper, tmp_path):
    pages = list(built(tmp_path, SHAPES[name](), paper).pages)
    if name.startswith("twelve"):
        assert len(pages) <= 16
    checked(pages)


@pytest.mark.slow  # make layout
@pytest.mark.parametrize("paper", ["A4", "letter"])
@pytest.mark.parametrize(
    "name", sorted(path.parent.name for path in EXAMPLES.glob("*/report.yaml"))
)
def test_pages_of_the_examples_are_full(name, paper, tmp_path):
    spec = EXAMPLES / name / "report.yaml"
    done = reportgen.build(read(spec, [f"output.paper={paper}"]), out=tmp_path, formats=["pdf"])
    checked(list(PdfReader(done.files["pdf"]).pages))
