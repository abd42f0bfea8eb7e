"""Outputs that are not what a reader takes them for: decisions as scores, classes exchanged."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reportgen.comparisons.wording import MOST_NAMES, bounded, counted
from reportgen.records.decision import Caveat
from reportgen.records.model import Results

OF_TWO_VALUES, OF_A_RANKING = 3, 10
"""Points of the ROC curve of two distinct scores; more than so many are those of a ranking."""

MOST_OF_CLASS = 0.5
"""Two classes are exchanged where each has so large a share of its rows predicted as the other."""

LEAST_ROWS = 10
"""Of classes with fewer rows that may be chance."""


def misread_outputs(results: Results) -> Iterator[Caveat]:
    """What page one says of such outputs."""
    if results.task.two_classes:
        yield from _decisions_as_scores(results)
    elif results.task.several_classes:
        yield from _exchanged_classes(results)


def _decisions_as_scores(results: Results) -> Iterator[Caveat]:
    """The models whose scores have two values beside others that rank the rows."""
    if "roc" not in results.curves:
        return
    whole = results.curves["roc"].filter(pl.col("slice").is_null())
    points = dict(whole.group_by("model", maintain_order=True).len().iter_rows())
    single = [name for name, count in points.items() if count <= OF_TWO_VALUES]
    if not single or max(points.values()) <= OF_A_RANKING:
        return
    of, has = ("its AUC is", "has") if len(single) == 1 else ("their AUCs are", "have")
    scored = counted([bounded(name) for name in single], "models")
    text = f"{scored} {has} no more than two distinct scores: {of} that of one operating point, "
    if len(single) > 1:
        text = text.replace("that of one", "each that of one")
    yield Caveat("two_scores", "moderate", f"{text}not of a ranking.")


def _exchanged_classes(results: Results) -> Iterator[Caveat]:
    """The models that predict one class for most rows of another, and the reverse."""
    if "confusion" not in results.curves:
        return
    whole = results.curves["confusion"].filter(
        pl.all_horizontal(pl.col("slice", "class").is_null()), pl.col("share") > MOST_OF_CLASS
    )
    classes = results.data.get("classes") or ()
    large = {str(one["class"]) for one in classes if (one["rows"] or 0) >= LEAST_ROWS}
    pairs: list[tuple[str, str, str]] = []
    for (name,), rows in whole.group_by("model", maintain_order=True):
        most = set(rows.select("truth", "predicted").iter_rows())
        pairs += [(str(name), a, b) for a, b in sorted(most) if a < b and (b, a) in most]
    for name, a, b in [one for one in pairs if large.issuperset(one[1:])][:MOST_NAMES]:
        text = (
            f"{bounded(name)} predicts {bounded(b)} for most rows of {bounded(a)}, and "
            f"{bounded(a)} for most rows of {bounded(b)}: check that it does not exchange them."
        )
        yield Caveat("exchanged_classes", "moderate", text)
