"""Tests whose recommendation reads the data, counted only in reports that recommend them.

The share of runs with a p is that of such reports; the level over that share is the level
among them. A recommendation that reads the AUCs or the errors could select the data in which
the models happen to differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.comparing.near_guessing import Classes
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparisons import (
    Comparison,
    corrected_resampled_t,
    corrected_t_of_repeats,
    equivalence_of_errors,
    mean_difference,
    mean_difference_in_groups,
    paired_errors,
)
from reportgen.comparisons.grouped import errors_in_groups, tails_of
from reportgen.predictions.evaluation_scheme import Evaluation, RecognisedScheme
from tests.simulations.fold_measures import (
    Measure,
    accuracy_at_0,
    auc,
    kappa,
    mcc,
    measured_by_fold,
)
from tests.simulations.folds import SCHEMES, Floats, Learner, centroids, neighbours, ridge, tested
from tests.simulations.situations import Generator, asked, normals, situation

EVALUATED: dict[str, RecognisedScheme] = {
    "10 folds": "k_fold",
    "5 × 2 folds": "five_by_two",
    "10 × 10 folds": "repeated_k_fold",
    "15 splits": "repeated_hold_out",
}


def where_recommended(
    record: Comparison, evaluation: Evaluation, classes: Classes | None = None
) -> Comparison:
    """The record, without its p where a report does not recommend it."""
    [advised] = with_recommendation([record], Situation(evaluation, classes=classes))
    return advised if advised.recommendation == "recommended" else replace(advised, p_value=None)


def _heavy(groups: int, rows: int, of: str) -> None:
    """Squared errors of two models with one mean; those of the second may have heavy tails.

    They are of a t distribution with three degrees of freedom, by row or by whole group.
    """
    size = groups * rows
    evaluation = Evaluation(
        "hold_out", 1, 1, 1, size, float(size), groups=groups, test_rows=size, test_examples=size
    )

    @situation(f"{groups} groups of {rows}, {of} of one model with heavy tails, where recommended")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        code = np.repeat(np.arange(groups), rows)
        a, b = (
            np.sqrt(0.6) * random.standard_normal(groups)[code]
            + np.sqrt(0.4) * random.standard_normal(size)
            for _ in range(2)
        )
        if of != "no group":
            scale = np.sqrt(random.chisquare(3, groups if of == "groups" else size))
            b /= scale[code] if of == "groups" else scale
        absolute = pl.DataFrame({"first": np.abs(a), "second": np.abs(b)})
        record = errors_in_groups(absolute, Groups(code, groups), asked("mean_squared_error"))[0]
        yield where_recommended(record, evaluation)


for _groups, _size in ((10, 15), (20, 15), (40, 15), (80, 8), (200, 3)):
    for _tails in ("no group", "rows", "groups"):
        _heavy(_groups, _size, _tails)


def _unlike_errors(random: Generator, rows: int, what: str) -> tuple[Floats, Floats]:
    """Normal errors, and correlated ones of ``what`` kind with their mean square and mean size.

    These are scaled to either mean by what ``MEANS`` says of their kind.
    """
    first, second = normals(random, rows, 0.5).T
    if what == "of one size":
        second = np.sign(second)
    if what == "rarely large":
        second = np.where(random.random(rows) < 0.02, 6, 1) * second
    if what in ("t(3)", "t(5)"):
        degrees = int(what[2])
        second = second * np.sqrt(degrees / random.chisquare(degrees, rows))
    return first, second


MEANS = {
    "normal": (1.0, np.sqrt(2 / np.pi)),
    "t(3)": (3.0, 2 * np.sqrt(3) / np.pi),
    "t(5)": (5 / 3, 16 * np.sqrt(5) / (12 * np.pi)),
    "of one size": (1.0, 1.0),
    "rarely large": (0.98 + 0.02 * 36, (0.98 + 0.02 * 6) * np.sqrt(2 / np.pi)),
}
"""The mean square and the mean size of errors of a kind."""


def _heavier(rows: int, what: str, measure: str) -> None:
    """Errors of two models with one mean square, or one mean size, those of the second unlike."""
    evaluation = Evaluation("hold_out", 1, 1, 1, rows, float(rows), test_rows=rows)
    squared = measure == "squared"
    power = 3 / np.sqrt(rows) if what == "normal" else None
    of = "" if squared else ", sizes"

    @situation(
        f"{rows} rows, errors of the second model {what}{of}, where recommended", power=power
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        first, second = _unlike_errors(random, rows, what)
        square, size = MEANS[what]
        second = second * (1 + effect) / (np.sqrt(square) if squared else size / MEANS["normal"][1])
        frame = pl.DataFrame({"truth": np.zeros(rows), "a": first, "b": second})
        records = paired_errors(frame, asked("mean_squared_error"))
        yield where_recommended(records[0 if squared else 1], evaluation)


for _rows in (20, 50, 100, 200, 300, 500):
    for _what in MEANS:
        for _measure in ("squared", "absolute"):
            _heavier(_rows, _what, _measure)


def _at_margin(groups: int, rows: int, of: str, larger: float) -> None:
    """The squared errors of the first model, of heavy tails, are larger by just the margin.

    Tests of a margin are never the recommended ones: what counts is that no reason stands
    against them. One row a group is independent rows.
    """
    size = groups * rows
    alone = rows == 1
    evaluation = Evaluation(
        "hold_out",
        *(1, 1, 1, size, float(size)),
        groups=None if alone else groups,
        test_rows=size,
        test_examples=size,
    )
    name = f"{size} rows" if alone else f"{groups} groups of {rows}"
    tails = f"{of} of heavy tails" if of else "no heavy tails"

    @situation(f"{name}, {tails}, MSE larger by {larger:g}, where nothing is against it")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        code = Groups(np.repeat(np.arange(groups), rows), groups)
        a, b = (
            np.sqrt(0.6) * random.standard_normal(groups)[code.code]
            + np.sqrt(0.4) * random.standard_normal(size)
            for _ in range(2)
        )
        if of:
            scale = np.sqrt(random.chisquare(3, groups if of == "groups" else size))
            a /= scale[code.code] if of == "groups" else scale
        a *= np.sqrt(1 + larger)
        absolute = pl.DataFrame({"first": np.abs(a), "second": np.abs(b)})
        question = asked("mean_squared_error")
        squares = (a**2, b**2)
        mean = (
            mean_difference(absolute.select(pl.all() ** 2))
            if alone
            else mean_difference_in_groups(*squares, code)
        )
        tails = tails_of(squares, None if alone else code)
        records = equivalence_of_errors(mean, tails, question, larger)
        for record in with_recommendation(records, Situation(evaluation)):
            yield record if record.why is None else replace(record, p_value=None)


for _groups, _size in ((40, 15), (400, 3), (600, 1), (1000, 1)):
    for _tails in ("", "rows", "groups"):
        for _larger in (0.3, 1.0):
            if _size > 1 or _tails != "groups":
                _at_margin(_groups, _size, _tails, _larger)


MEASURES: dict[str, tuple[str, Measure]] = {
    "accuracy": ("accuracy", accuracy_at_0),
    "AUC": ("auc", auc),
    "MCC": ("mcc", mcc),
    "kappa": ("cohen_kappa", kappa),
}
"""The measures whose tests over folds are advised against where models only guess.

Those of MCC and kappa are of tables of values, which do not say how many rows there are.
"""

LEARNERS: dict[str, Learner] = {
    "centroids": centroids,
    "least squares": ridge(1.0),
    "neighbours": neighbours,
}


def _advised(
    what: str,
    scheme: str,
    rows: int,
    signal: float,
    share: float,
    learner: str = "centroids",
    prevalence: float = 0.5,
) -> None:
    metric, measure = MEASURES[what]
    of_predictions = metric in ("accuracy", "auc")
    known = {"test_rows": rows, "test_examples": rows} if of_predictions else {}
    evaluation = Evaluation(EVALUATED[scheme], 10, 1, 10, rows, rows / 10, **known)
    classes = Classes(prevalence, 1 - prevalence) if of_predictions else None
    of = "" if learner == "centroids" and prevalence == 0.5 else f", {learner}, {prevalence:g}"

    @situation(
        f"{scheme}, {rows} rows, signal {signal:g}{of}, where {what} is recommended",
        power=0.5 if signal >= 0.5 else None,
        share=share,
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        splits = SCHEMES[scheme](random, rows)
        learn = LEARNERS[learner]
        learned = tested(random, rows, splits, signal, effect, learn, prevalence)
        test = corrected_resampled_t if scheme == "10 folds" else corrected_t_of_repeats
        record = test(measured_by_fold(learned, measure), asked(metric))
        yield where_recommended(replace(record, unit="folds"), evaluation, classes)


for _scheme in EVALUATED:
    _share = 0.25 if "10 × 10" in _scheme else 1.0
    for _rows in (60, 100, 400):
        for _signal in (0.0, 0.15, 0.3, 0.5):
            _advised("AUC", _scheme, _rows, _signal, _share)
    for _what in ("MCC", "kappa"):
        for _signal in (0.0, 0.15, 0.5):
            _advised(_what, _scheme, 200, _signal, _share)
    for _what in ("AUC", "accuracy"):
        _advised(_what, _scheme, 100, 0.4, _share / 2, "neighbours")
        _advised(_what, _scheme, 200, 0.3, _share / 2, "least squares")
        _advised(_what, _scheme, 400, 0.6, _share / 2, "centroids", 0.1)
