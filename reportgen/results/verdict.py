"""The one finding that page one opens with."""

from __future__ import annotations

from typing import Any

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons import TESTS, falls
from reportgen.comparisons.wording import measure, percent, plain
from reportgen.metrics import find
from reportgen.results.case import Found
from reportgen.tables import Comparisons, Metrics

Record = dict[str, Any]

MAIN = ("auc", "accuracy", "subset_accuracy", "mean_squared_error")
"""The measures that decide, first to last; a task has only some of them."""


def verdict(
    metrics: DataFrame[Metrics],
    comparisons: DataFrame[Comparisons],
    baseline: str,
    confidence: float = 0.95,
) -> Record:
    """Best challenger against the baseline, on the first of ``MAIN`` that has a value.

    ``decision`` is "better" or "worse" (the challenger than the baseline),
    "not shown", "undefined", or "single" where there is one model.
    """
    names = metrics["model"].unique(maintain_order=True).to_list()
    if len(names) == 1:
        return _single(metrics, names[0], confidence)
    best = _best_challenger(metrics, [n for n in names if n != baseline])
    record = _main_test(comparisons, {best, baseline})
    if record is None:
        return _without_test(best, baseline, comparisons)
    return _with_equivalence(_from_test(record, best, baseline), comparisons)


def _with_equivalence(record: Record, comparisons: DataFrame[Comparisons]) -> Record:
    """The verdict, with equivalence in the same measure where the spec's margin shows it."""
    if record["decision"] != "not shown":
        return record
    shown = comparisons.filter(
        (pl.col("shows") == "equivalence") & pl.col("reject"),
        pl.col("slice").is_null(),
        metric=record["metric"],
    )
    for row in shown.to_dicts():
        if row["models"] == record["models"]:
            within = f"; the two are equivalent within {plain(row['against'])}"
            return {
                **record,
                "headline": record["headline"] + within,
                "sentence": f"{record['sentence']} {row['verdict']}",
            }
    return record


def with_caveats(record: Record, found: Found, metrics: DataFrame[Metrics]) -> Record:
    """The verdict, with what weakens it whatever the test."""
    told = _without_width(metrics)
    truth = found.truth
    if 0 in (truth.get("positives", 1), truth.get("negatives", 1)):
        told.append("only one class is present, so what needs both has no value")
    if any(model.get("threshold_role") == "same rows" for model in found.models):
        told.append("thresholds were chosen on the rows that are judged; decisions look too good")
    new = [text for text in told if text not in record["caveats"]]
    return {**record, "caveats": [*new, *record["caveats"]]}


def _without_width(metrics: DataFrame[Metrics]) -> list[str]:
    """Say of which models the deciding measure has an interval of no width."""
    names = metrics["model"].unique(maintain_order=True).to_list()
    rows = [row for name in names if (row := _main_value(metrics, name)) is not None]
    flat = [row for row in rows if row["low"] is not None and row["low"] == row["high"]]
    return [
        f"the interval around {row['model']}'s {row['value']:.4g} has no width: the rows show no "
        "variation to estimate it from, which is not certainty"
        for row in flat
    ]


def _single(metrics: DataFrame[Metrics], model: str, confidence: float) -> Record:
    row = _main_value(metrics, model)
    if row is None:
        return _record("undefined", f"{model} could not be measured", "No measure has a value.")
    known = find(row["metric"])
    label = known.label if known else row["metric"]
    label = label if label.isupper() else label.lower()
    sentence = f"The {label} of {model} is {row['value']:.3f}"
    if row["low"] is not None:
        sentence += f" ({percent(confidence)} interval {row['low']:.3f} to {row['high']:.3f})"
    return _record(
        "single",
        f"{model}: {label} {row['value']:.3f}",
        f"{sentence}. There is no second model to compare it with.",
        metric=row["metric"],
        models=[model],
        **{key: row[key] for key in ("low", "high")},
        estimate=row["value"],
    )


def _best_challenger(metrics: DataFrame[Metrics], names: list[str]) -> str:
    def height(name: str) -> tuple[bool, float]:
        row = _main_value(metrics, name)
        if row is None:
            return False, 0.0
        return True, -row["value"] if falls(row["metric"]) else row["value"]

    return max(names, key=height)


def _main_value(metrics: DataFrame[Metrics], model: str) -> Record | None:
    rows = (_value(metrics, model, name) for name in MAIN)
    return next((row for row in rows if row is not None), None)


def _value(metrics: DataFrame[Metrics], model: str, metric: str) -> Record | None:
    found = metrics.filter(
        pl.col("slice").is_null() & pl.col("class").is_null() & pl.col("average").is_null(),
        pl.col("value").is_not_null(),
        model=model,
        metric=metric,
    ).to_dicts()
    return found[0] if found else None


def _rank(metric: str) -> int:
    return MAIN.index(metric) if metric in MAIN else len(MAIN)


def _main_test(comparisons: DataFrame[Comparisons], pair: set[str]) -> Record | None:
    """The recommended test of the first measure of ``MAIN`` that has one; else any that has."""
    of_pair = [
        row
        for row in comparisons.to_dicts()
        if set(row["models"]) == pair
        and row["slice"] is None
        and row["p_adjusted"] is not None
        # Samples that may share examples decide nothing.
        and (TESTS[row["comparison"]].paired or row["standing"] == "recommended")
    ]
    by_rank = sorted(of_pair, key=lambda r: (_rank(r["metric"]), r["standing"] != "recommended"))
    return by_rank[0] if by_rank else None


def _from_test(row: Record, best: str, baseline: str) -> Record:
    if row["standing"] == "avoid":
        return _not_sound(row, best, baseline)
    metric = measure(row["metric"])
    if row["better"] is None:
        decision = "not shown"
        headline = f"{best} is not shown to be better than {baseline} in {metric}"
    else:
        decision = "better" if row["better"] == best else "worse"
        headline = f"{best} is {decision} than {baseline} in {metric}"
    facts = {k: row[k] for k in ("metric", "estimate", "low", "high", "comparison", "caveats")}
    return _record(
        decision,
        headline,
        row["verdict"],
        models=row["models"],
        p_value=row["p_adjusted"],
        **facts,
    )


def _not_sound(row: Record, best: str, baseline: str) -> Record:
    """A pair whose tests are all ones to avoid decides nothing."""
    return _record(
        "undefined",
        f"{best} and {baseline} could not be compared soundly",
        "Every test of this pair assumes independent rows, and these are not; "
        "the comparisons section shows what they give.",
        models=[best, baseline],
        metric=row["metric"],
        caveats=row["caveats"],
    )


def _without_test(best: str, baseline: str, comparisons: DataFrame[Comparisons]) -> Record:
    """No test decides: none has a value, or only those of samples that may share examples."""
    own = comparisons.filter(pl.col("models").list.set_difference([best, baseline]).list.len() == 0)
    reasons = own["undefined"].drop_nulls().unique(maintain_order=True).to_list()
    sentence = "No test of this pair has a value; the comparisons section gives the reasons."
    if len(reasons) in (1, 2):
        sentence = f"No test of this pair has a value: {'; '.join(reasons)}."
    if own["p_value"].count():
        sentence = (
            "Their rows could not be paired, and nothing shows that they are different examples; "
            "the comparisons section gives the tests that take them for that."
        )
    headline = f"{best} and {baseline} could not be compared"
    return _record("undefined", headline, sentence, models=[best, baseline])


def _record(decision: str, headline: str, sentence: str, **facts: Any) -> Record:
    empty = dict.fromkeys(("metric", "estimate", "low", "high", "p_value", "comparison"))
    return {
        "decision": decision,
        "headline": headline,
        "sentence": sentence,
        "models": [],
        "caveats": [],
        **empty,
        **facts,
    }
