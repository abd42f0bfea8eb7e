"""Models that rank the rows, but predict a single class at the threshold that the spec fixes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import polars as pl

from reportgen.concluding.caveats import counted, in_use
from reportgen.records.decision import Caveat
from reportgen.records.model import Results

FIXED = "fixed in the spec"
"""The rule of a threshold that no data chose."""

ADVICE = {0.0: ("no row", "lower"), 1.0: ("every row", "higher")}
"""What is predicted positive, by its share, and which way another threshold lies."""


def one_class_decisions(results: Results, guessing: Collection[str]) -> Iterator[Caveat]:
    """The models whose fixed threshold no score reaches, or every score, though they rank the rows.

    Precision, F1 and the like then say nothing of a model. A chosen threshold may mean it so, and
    no other one helps a model that is at chance.
    """
    fixed = [m["name"] for m in results.data["models"] if m.get("threshold_rule") == FIXED]
    of_all = results.metrics.filter(
        pl.col("slice").is_null(), pl.col("average").is_null(), pl.col("value").is_not_null()
    )
    ranking = {*of_all.filter(metric="auc")["model"]} - {*guessing}
    share_of = dict(
        of_all.filter(metric="detection_prevalence").select("model", "value").iter_rows()
    )
    for share, (which, direction) in ADVICE.items():
        models = [m for m in fixed if m in ranking and share_of.get(m) == share]
        if models:
            verb = "predicts" if len(models) == 1 else "predict"
            text = f"{in_use(len(models))}{counted(models, 'models')} {verb} {which} positive"
            advice = f"choose {'a ' if len(models) == 1 else ''}{direction}"
            one = "one" if len(models) == 1 else "ones"
            yield Caveat("one_class_decisions", "moderate", f"{text}: {advice} {one}.")
