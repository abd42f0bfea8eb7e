"""Small evaluations for the tests of the charts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import vl_convert

from reportgen.charts import Figure, figures
from reportgen.resources import TEMPLATES
from reportgen.results import Results, evaluate
from reportgen.spec import from_dict
from tests.quick import BY_DELTA, FEW

SCRIPT = "</script><script>alert(1)</script>"
QUOTED = '"quoted".dots[0]'
LONG = "a long name, " * 8

vl_convert.register_font_directory(str(TEMPLATES / "fonts"))


def evaluated(frame: pl.DataFrame, models: Mapping[str, Any], **more: Any) -> Results:
    """Evaluate the models on the frame, whose truth is in the column ``truth``."""
    spec = {"data": "none.parquet", "truth": "truth", "positive": "yes", "models": models}
    return evaluate(from_dict({**spec, **FEW, **BY_DELTA, **more}, Path()), frame)


def scored(
    names: list[str], rows: int = 120, positive: str = "yes", negative: str = "no"
) -> Results:
    """Probabilities of growing strength under these names."""
    draw = np.random.default_rng(3)
    truth = draw.random(rows) < 0.4
    noise = draw.normal(size=(len(names), rows))
    columns = {
        f"p{i}": 1 / (1 + np.exp(-(0.5 + i / 4) * (2 * truth - 1) - noise[i]))
        for i in range(len(names))
    }
    frame = pl.DataFrame({"truth": np.where(truth, positive, negative), **columns})
    models = {name: {"score": f"p{i}"} for i, name in enumerate(names)}
    return evaluated(frame, models, positive=positive)


@cache
def single() -> Results:
    """One model with probabilities, named m."""
    return scored(["m"])


@cache
def rich() -> Results:
    """Probabilities, a margin that is no probability, labels only, and labels to escape."""
    draw = np.random.default_rng(5)
    truth = draw.random(150) < 0.4
    strong = 1 / (1 + np.exp(-4 * (truth - 0.5) - draw.normal(size=150)))
    frame = pl.DataFrame(
        {
            "truth": np.where(truth, "好瓜", SCRIPT),
            "strong": strong,
            "weak": np.round(1 / (1 + np.exp(-1.0 * truth - draw.normal(size=150))), 2),
            "margin": 400 * truth + 300 * draw.normal(size=150) - 1000,
            "said": np.where(strong > 0.6, "好瓜", SCRIPT),
        }
    )
    models = {
        SCRIPT: {"score": "strong"},
        QUOTED: {"score": "weak"},
        LONG: {"score": "margin"},
        "好瓜": {"label": "said"},
    }
    costs = {"false_negative": 10, "false_positive": 1}
    more = {"costs": costs, "prevalence": 0.4, "intervals": {}}  # all that a report has by default
    return evaluated(frame, models, positive="好瓜", **more)


def by_id(results: Results) -> dict[str, Figure]:
    """The figures of a report by their id."""
    return {figure.id: figure for figure in figures(results)}


def records(figure: Figure, *fields: str) -> list[dict[str, Any]]:
    """The records of a figure's data that have these fields."""
    return [
        record
        for values in figure.chart["datasets"].values()
        for record in values
        if all(field in record for field in fields)
    ]


def svg_of(chart: Mapping[str, Any]) -> str:
    """The chart as SVG."""
    svg: str = vl_convert.vegalite_to_svg(dict(chart), show_warnings=True, allowed_base_urls=[])
    return svg


def words(svg: str) -> list[str]:
    """Every text of a drawing."""
    return ["".join(e.itertext()) for e in elements(svg) if e.tag.endswith("}text")]


def elements(svg: str) -> Iterator[ElementTree.Element]:
    """Every element of a drawing."""
    return ElementTree.fromstring(svg).iter()


def size(svg: str) -> tuple[float, float]:
    """Width and height of a drawing in px."""
    match = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    assert match is not None
    return float(match[1]), float(match[2])


def nodes(spec: Any) -> Iterator[dict[str, Any]]:
    """Every mapping inside a specification."""
    if isinstance(spec, Mapping):
        yield dict(spec)
        for value in spec.values():
            yield from nodes(value)
    elif isinstance(spec, list | tuple):
        for value in spec:
            yield from nodes(value)
