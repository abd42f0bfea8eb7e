"""The models that figures and tables of the sections show where a report has many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, cast

import polars as pl

from reportgen.records.model import Results

FrameType = TypeVar("FrameType", bound=pl.DataFrame)


def names(results: Results) -> list[str]:
    """The models that the sections show, first those in slices; all of them where they are few."""
    declared = results.models
    return [name for name in results.reading.models if name in declared] or declared


def reordered(results: Results) -> Results:
    """The results with the featured models first, so that each has its colour everywhere."""
    places = {name: place for place, name in enumerate(names(results))}
    models = sorted(results.data["models"], key=lambda one: places.get(one["name"], len(places)))
    return _with_models(results, models)


def featured(results: Results) -> Results:
    """The results of the featured models alone; all of them where they are few."""
    shown = names(results)
    if len(shown) == len(results.data["models"]):
        return results
    return _only(results, shown)


def names_in_slices(results: Results) -> list[str]:
    """The models that are shown one by one and by slice: of many a few."""
    declared = results.models
    return [name for name in declared if name in results.reading.in_slices] or declared


def in_slices(results: Results) -> Results:
    """The results of the models that are shown one by one and by slice."""
    shown = names_in_slices(results)
    return results if len(shown) == len(results.data["models"]) else _only(results, shown)


def others(results: Results) -> Results | None:
    """The results of the other models, which figures show in grey; None where there are none."""
    shown = names(results)
    rest = [model["name"] for model in results.data["models"] if model["name"] not in shown]
    return _only(results, rest) if rest else None


def _only(results: Results, shown: list[str]) -> Results:
    models = [model for model in results.data["models"] if model["name"] in shown]
    models.sort(key=lambda model: shown.index(model["name"]))
    return replace(
        _with_models(results, models),
        whole=results.whole or results,
        metrics=_of_model(results.metrics, shown),
        curves={name: _of_model(table, shown) for name, table in results.curves.items()},
        comparisons=_of_models(results.comparisons, shown),
        differences=_of_models(results.differences, shown),
        dominance=_of_models(results.dominance, shown),
        folds=_of_model(results.folds, shown),
        generalisation=_of_model(results.generalisation, shown),
        slices=_of_model(results.slices, shown),
        gaps=_of_model(results.gaps, shown),
    )


def note(results: Results) -> str:
    """Which models the sections show; nothing where it is all of them."""
    count, shown = len(results.data["models"]), len(names(results))
    if shown == count:
        return ""
    best = shown - (results.decision.baseline is not None)
    baseline = " and the baseline" if best < shown else ""
    return (
        f"The sections show the {best} best models{baseline}; results.json has all {count}, and "
        "“measures: all” in the spec prints them all."
    )


def _with_models(results: Results, models: list[Any]) -> Results:
    return replace(results, data={**results.data, "models": models})


def _of_model(table: FrameType, shown: list[str]) -> FrameType:
    if "model" not in table.columns:
        return table
    return cast("FrameType", table.filter(pl.col("model").is_in(shown)))


def _of_models(table: FrameType, shown: list[str]) -> FrameType:
    """The rows about featured models alone, and those about more than two models at once."""
    if "models" not in table.columns or table.is_empty():
        return table
    among = pl.col("models").list.eval(pl.element().is_in(shown)).list.all()
    return cast("FrameType", table.filter(among | (pl.col("models").list.len() > 2)))
