"""Repeats that are further readings or answers of the same models, which make groups of rows."""

from __future__ import annotations

import polars as pl

from reportgen.predictions.source import counted
from reportgen.predictions.validated import Check

MOSTLY = 0.8
"""Share of the examples from which on a repeat is a reading: two halves drawn at random have two
thirds of what either of them has."""


def readings(frame: pl.DataFrame, *, graded: bool = False) -> tuple[pl.DataFrame, list[Check]]:
    """Return the frame with readings of one example as a group, and the note on it.

    A repeat without a fold or a role names no fit. Where each repeat has most of the examples of
    its model, as readers or sampled answers have, the rows of an ``id`` depend on each other and
    no model was fitted again. ``graded`` answers are always read so. A declared group stays.

    >>> rows = pl.DataFrame({"id": ["a", "b"] * 2, "repeat": ["r1", "r1", "r2", "r2"]})
    >>> readings(rows)[0].row(2)
    ('a / r2', 'a')
    """
    if not {"id", "repeat"} <= set(frame.columns) or not (graded or _same_examples(frame)):
        return frame, []
    item = pl.col("id").cast(pl.String)
    note = _note(frame)
    if "group" in frame.columns and _crossed(frame):
        return frame.drop("repeat"), note
    grouped = frame if "group" in frame.columns else frame.with_columns(group=item)
    reading = pl.concat_str(item, pl.col("repeat").cast(pl.String), separator=" / ")
    return grouped.with_columns(id=reading).drop("repeat"), note


def _same_examples(frame: pl.DataFrame) -> bool:
    """Whether each repeat of a model has most of its examples, and nothing names a fit."""
    if not {"fold", "role", "dataset"}.isdisjoint(frame.columns):
        return False
    if frame["repeat"].null_count() or frame["repeat"].n_unique() < 2:
        return False
    model = [name for name in ("model",) if name in frame.columns]
    of_model = pl.col("id").n_unique()
    whole = of_model.over(model) if model else of_model
    shares = (
        frame.with_columns(whole=whole)
        .group_by(*model, "repeat")
        .agg(share=pl.len() / pl.col("whole").first())
    )
    return bool((shares["share"] >= MOSTLY).all())


def _crossed(frame: pl.DataFrame) -> bool:
    """Whether the readings of an example are in several groups, as where readers are the groups."""
    if "model" in frame.columns:
        return False
    return bool(frame.select((pl.col("group").n_unique().over("id") > 1).any()).item())


def _note(frame: pl.DataFrame) -> list[Check]:
    times = counted(frame["repeat"].n_unique(), "repeat", "repeats")
    detail = (
        f"{times} of the same rows and no fold: the models are not taken to be fitted again, and "
        "the rows of an id depend on each other"
    )
    return [Check("readings", detail)]
