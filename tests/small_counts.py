"""Rows of which some counts are small, and what is published of them."""

from __future__ import annotations

import json
from collections.abc import Mapping

import polars as pl

import reportgen

LEAST = 5
LABELS = {"models": {"a": {"label": "a"}, "b": {"label": "b"}}, "positive": "1"}
Cells = Mapping[str, tuple[int, int, int, int]]

SITES: Cells = {
    "N": (40, 9, 8, 60),
    "E": (30, 7, 2, 50),
    "S": (25, 6, 9, 45),
    "W": (50, 12, 11, 90),
}
"""True positives, false positives, false negatives and true negatives of model a by site."""


def rows(sites: Cells) -> pl.DataFrame:
    """The rows of such a table; model b errs on rows of its own."""
    parts = []
    for site, (tp, fp, fn, tn) in sites.items():
        truth = [1] * (tp + fn) + [0] * (fp + tn)
        a = [1] * tp + [0] * fn + [1] * fp + [0] * tn
        wrong = [i % 3 == 0 for i in range(len(truth))]
        b = [1 - t if w else t for t, w in zip(truth, wrong, strict=True)]
        parts.append(pl.DataFrame({"y": truth, "a": a, "b": b}).with_columns(site=pl.lit(site)))
    return pl.concat(parts)


def evaluated(frame: pl.DataFrame, **more: object) -> reportgen.Results:
    spec = {"truth": "y", **LABELS, "slices": ["site"], "privacy": {"small_cells": LEAST}}
    return reportgen.evaluate({**spec, "bootstrap": {"replicates": 0}, **more}, frame)


def as_published(results: reportgen.Results) -> str:
    """The results but for the name of the build, which has a hash of the rows."""
    return json.dumps({**json.loads(results.to_json()), "build": None})


def counts(results: reportgen.Results, model: str) -> dict[str | None, dict[str, float | None]]:
    """What is published of a confusion table, by slice; of the whole under None."""
    table = results.metrics.filter(
        pl.col("metric").is_in(["tp", "fp", "fn", "tn"]), pl.col("model") == model
    )
    by: dict[str | None, dict[str, float | None]] = {}
    for row in table.iter_rows(named=True):
        by.setdefault(row["slice"], {})[row["metric"]] = row["value"]
    return by


def aligned(sites: Cells) -> pl.DataFrame:
    """Rows whose other model errs as it does on the usual ones, site by site."""
    frame = rows(SITES)
    a = pl.concat([rows({site: sites[site]}) for site in sites])["a"]
    return frame.with_columns(a)
