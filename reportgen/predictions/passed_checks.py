"""Data checks that passed, for the report's section on data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from reportgen.metrics.class_scores import add_up, sum_tolerance
from reportgen.predictions.binary_labels import counts_text
from reportgen.predictions.column_names import columns_of, truth_column
from reportgen.predictions.files import Verified
from reportgen.predictions.ids import crossed
from reportgen.predictions.label_encoding import LabelEncoding
from reportgen.predictions.look_alikes import look_alikes
from reportgen.predictions.source import counted
from reportgen.predictions.validated import Check, ImproperScores, InputFile, ModelColumns

WITHOUT_FOLD = "rows without a fold"
"""Name of a check that counts rows."""


def passed_checks(
    frame: pl.DataFrame,
    encoding: LabelEncoding,
    models: Sequence[ModelColumns],
    rows: int,
    files: Sequence[InputFile],
) -> tuple[Check, ...]:
    """Return the checks that were made, with their results."""
    numbers = columns_of(frame.columns, "score", "estimate")
    what = "estimates" if encoding.info.of_numbers else "scores"
    scored = [m for m in models if encoding.info.several_classes and m.scores]
    off = {m.name: scores for m in scored if (scores := _off(frame, m)) is not None}
    proper = [m.name for m in scored if m.name not in off]
    every = "truth, score or label"
    if encoding.info.of_numbers:
        every = "truth or estimate"
    complete = f"no {every} missing in {counted(rows, 'row', 'rows')}"
    listed: list[tuple[Any, str, str]] = [
        (numbers, what, f"{counted(len(numbers), 'column', 'columns')} of finite numbers"),
        (proper, "sums", f"{', '.join(proper)}: the scores of every row add up to 1"),
        (any(m.low for m in models), "intervals", "no lower limit above its upper limit"),
        (any(name.startswith("cost_") for name in frame.columns), "costs", "finite, none negative"),
        (
            "id" in frame.columns,
            "ids",
            f"no duplicates{' within a group' if crossed(frame) else ''}",
        ),
        ("weight" in frame.columns, "weights", "finite, none negative, not all zero"),
        ("role" in frame.columns, "roles", "train, validation or test in every row"),
    ]
    return (
        *unchanged(files),
        *([Check("complete", complete)] if rows else []),
        *([] if encoding.info.of_numbers else [_labels(frame, encoding)]),
        *(Check(name, detail) for applies, name, detail in listed if applies),
        *_one_class(frame, encoding),
        *look_alikes(frame, encoding.classes, [model.name for model in models]),
        *_without_fold(frame),
        *(_against_scores(frame, models) if encoding.info.two_classes else []),
        *(_few_outside(frame, models) if encoding.info.two_classes else []),
        *(
            Check("sums", one.text, warning=True, improper=one, model=one.model)
            for one in off.values()
        ),
    )


_VERIFIED: Mapping[Verified, str] = {
    "stated": "with the SHA-256 that the spec states",
    "checksum file": "with the SHA-256 in the checksum file beside it",
    "page checksums": "with intact page checksums",
}


def unchanged(files: Sequence[InputFile]) -> list[Check]:
    """Return what shows that files are as they were written, where anything does."""
    counts = Counter(file.verified for file in files)
    file_texts = [
        f"{counted(counts[how], 'file', 'files')} {words}"
        for how, words in _VERIFIED.items()
        if counts[how]
    ]
    return [Check("unchanged", "; ".join(file_texts))] if file_texts else []


def _one_class(frame: pl.DataFrame, encoding: LabelEncoding) -> list[Check]:
    """Return a warning when the rows that are evaluated are all of one class."""
    if not encoding.info.has_decisions:
        return []
    test_rows, which = frame, ""
    if "role" in frame.columns and (frame["role"] == "test").any():
        test_rows, which = frame.filter(pl.col("role") == "test"), "test "
    if test_rows.is_empty() or test_rows["truth"].min() != test_rows["truth"].max():
        return []
    first = test_rows["truth"][0]
    name = encoding.classes[int(not first) if encoding.info.two_classes else first]
    rows = counted(test_rows.height, f"{which}row is", f"{which}rows are")
    detail = f"{rows} {name}, and no other class is present, so discrimination cannot be evaluated"
    return [Check("one class", detail, warning=True)]


def _without_fold(frame: pl.DataFrame) -> list[Check]:
    """Return a warning when test rows have no fold: together they are taken as one."""
    if "fold" not in frame.columns:
        return []
    tested = pl.col("role") == "test" if "role" in frame.columns else pl.lit(value=True)
    missing = frame.filter(tested, pl.col("fold").is_null()).height
    if not missing:
        return []
    rows = counted(missing, "test row has", "test rows have")
    detail = f"{rows} no fold and count together as one more fold"
    return [Check(WITHOUT_FOLD, detail, warning=True)]


LEAST_AGAINST, RANKED_BELOW = 5, 0.25
"""Rows of either label that it takes, and the share of pairs that a model's scores put in order."""


def _against_scores(frame: pl.DataFrame, models: Sequence[ModelColumns]) -> list[Check]:
    """Return a warning for labels that a model gives to the rows with its lowest scores."""
    checks = []
    for model in models:
        if model.score is None or model.label is None:
            continue
        rows = frame.select(score=model.score, label=pl.col(model.label).cast(pl.Boolean))
        rows = rows.drop_nulls().select("label", rank=pl.col("score").rank())
        flagged = rows.filter("label")
        n, others = flagged.height, rows.height - flagged.height
        if min(n, others) < LEAST_AGAINST:
            continue
        in_order = (float(flagged["rank"].sum()) - n * (n + 1) / 2) / (n * others)
        if in_order < RANKED_BELOW:
            detail = (
                f"{model.name}: the labels run against the scores: rows labelled positive have the "
                "lower ones; check the label column"
            )
            checks.append(Check("labels against scores", detail, warning=True, model=model.name))
    return checks


MOST_OUTSIDE = 0.05
"""Share of the scores of a model that may be slips where all others are from 0 to 1."""


def _few_outside(frame: pl.DataFrame, models: Sequence[ModelColumns]) -> list[Check]:
    """Return a warning for scores of which a few alone keep the others from being probabilities."""
    scores = {m.name: pl.col(m.score) for m in models if m.score is not None}
    outside = frame.select(
        pl.struct(
            count=(~c.is_between(0, 1)).sum(), first=c.filter(~c.is_between(0, 1)).first()
        ).alias(name)
        for name, c in scores.items()
    )
    records = outside.row(0, named=True) if scores else {}
    return [
        Check(
            "range",
            f"{name}: scores, not probabilities: in {counted(one['count'], 'row', 'rows')} they "
            f"are not from 0 to 1, such as {one['first']:g}",
            warning=True,
            uncounted=f"{name}: scores, not probabilities: a few are not from 0 to 1",
            model=name,
        )
        for name, one in records.items()
        if 0 < one["count"] <= MOST_OUTSIDE * frame.height
    ]


def returning(identical: int | None, *, identified: bool) -> list[Check]:
    """Return a warning when test rows return as if they were different examples."""
    if not identical:
        return []
    rows = counted(identical, "test row repeats", "test rows repeat")
    ids = ", though their ids differ" if identified else ""
    detail = (
        f"{rows} another one in truth and in every model's output{ids}, more often than chance "
        "explains; intervals and tests treat them as different examples. If they are not, name "
        "the column of ids, repeats or groups under columns:, or remove the copies"
    )
    return [Check("identical rows", detail, warning=True)]


def _once(frame: pl.DataFrame) -> str:
    return "no duplicates within a group" if crossed(frame) else "no duplicates"


def _labels(frame: pl.DataFrame, encoding: LabelEncoding) -> Check:
    if encoding.info.two_classes:
        positives = int(frame["truth"].sum())
        negatives = frame.height - positives
        detail = f"{encoding.positive} ({positives:,}) and {encoding.negative} ({negatives:,})"
        return Check("labels", detail)
    if encoding.info.several_labels:
        rows = frame.select(
            pl.col(truth_column(k)).sum() for k in range(len(encoding.classes))
        ).row(0)
        label_counts = dict(zip(encoding.classes, map(int, rows), strict=True))
        return labels_check(label_counts, "label", "labels")
    table = dict(frame["truth"].value_counts(name="n").iter_rows())
    label_counts = {name: int(table.get(index, 0)) for index, name in enumerate(encoding.classes)}
    return labels_check(label_counts, "class", "classes")


def labels_check(sizes: Mapping[str, int], noun: str, nouns: str) -> Check:
    """Return which labels there are, and how many rows have each.

    >>> labels_check({"cat": 3, "dog": 1}, "class", "classes").uncounted
    '2 classes'
    """
    number = counted(len(sizes), noun, nouns)
    return Check("labels", f"{number}: {counts_text(sizes)}", uncounted=number)


def _off(frame: pl.DataFrame, model: ModelColumns) -> ImproperScores | None:
    """Why the scores of a model are not probabilities; None where they are."""
    scores, total = pl.col(model.scores), pl.sum_horizontal(model.scores)
    sums = add_up(pl.lit(sum_tolerance(frame, model.scores)), total)
    away = pl.all_horizontal(scores.is_not_null()) & ~sums
    off, least, most, low = frame.select(
        off=away.sum(),
        least=total.filter(away).min(),
        most=total.filter(away).max(),
        low=pl.min_horizontal(model.scores).min(),
    ).row(0)
    if off:
        return ImproperScores(model.name, int(off), least, most)
    return ImproperScores(model.name, 0) if low is not None and low < 0 else None
