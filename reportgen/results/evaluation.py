"""From a spec to results: read, evaluate every model, compare, decide."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from reportgen import engines
from reportgen import predictions as reading
from reportgen.clusters import Groups
from reportgen.comparing.pairs_by_slice import pairs_by_slice
from reportgen.comparing.periods_compared import compared_over_time, compared_with_reference
from reportgen.comparing.slice_contrasts import Contrasts
from reportgen.comparing.slice_levels import slice_levels
from reportgen.comparing.time_ordered_tests import compared_in_time
from reportgen.errors import EmptyError
from reportgen.frames import FrameLike, digest, polars_frame
from reportgen.freed_memory import give_back
from reportgen.measuring import slices
from reportgen.measuring.common_rows import of_every_row
from reportgen.measuring.context import EvaluationContext, Losses, TaskResults
from reportgen.measuring.fold_means import counts_by_test, fold_averages, fold_means
from reportgen.measuring.fold_metrics import fold_metrics
from reportgen.measuring.generalisation import generalised
from reportgen.measuring.one_vs_rest import with_highest
from reportgen.measuring.score_quantiles import data_summary
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.measuring.time_blocks import in_blocks
from reportgen.predictions import InputFile, Predictions, undeclared
from reportgen.progress import OnStep, silent
from reportgen.records.build_identity import dated, inputs_digest
from reportgen.records.model import Results
from reportgen.records.rows import too_unequal
from reportgen.records.shift import Shift
from reportgen.results.assembler import EvaluationParts, SliceTests, assemble
from reportgen.results.evaluated_rows import evaluated_rows
from reportgen.results.evaluators import evaluator
from reportgen.results.notable_rows import left_out, notable_rows
from reportgen.results.privacy import of_rows, score_levels
from reportgen.results.provenance import data_record, engine_record, file_records
from reportgen.results.score_table import of_scores
from reportgen.spec import ScoresSpec, Spec, from_dict, read
from reportgen.tables.results import MetricRow
from reportgen.text.reasons import EVALUATED_AGAIN, WEIGHTED


def evaluate(
    spec: Spec | Mapping[str, Any] | Path | str,
    frame: FrameLike | None = None,
    *,
    on_step: OnStep = silent,
    allowed_roots: Iterable[Path | str] | None = (),
) -> Results:
    """Evaluate the predictions that a spec names, or a frame that holds its columns.

    With ``task: comparison`` the data are a long table of values instead.

    Args:
        spec: a file, its content as a mapping (paths relative to the working folder), or a
            ``Spec``; its ``engine`` says how the numbers are made, of a frame always exactly.
        frame: the predictions in place of the files under ``data``: a Polars frame (eager or
            lazy), a pandas or PyArrow table, or a mapping of columns.
        on_step: receives how far long work is.
        allowed_roots: folders whose files a spec may read beside its own; None: anywhere.

    Returns:
        Typed tables of all numbers. What is undefined is null, with its reason.

    Raises:
        SpecError, DataError: the spec or the data cannot be used.
        EmptyError: no row is left to evaluate.
        UndefinedError: a threshold was to be chosen and none qualifies, or a gate
            needs a number that has no value.

    >>> from reportgen import evaluate
    >>> frame = {"truth": [0, 1, 0, 1], "score": [0.1, 0.9, 0.4, 0.3]}
    >>> spec = {"name": "x", "data": [], "truth": "truth", "models": {"a": {"score": "score"}}}
    >>> evaluate({**spec, "bootstrap": {"replicates": 0}}, frame).numbers("a")["auc"]
    0.75
    """
    if isinstance(spec, Mapping):
        spec = from_dict(spec)
    spec = spec if isinstance(spec, Spec) else read(Path(spec), allowed_roots=allowed_roots)
    rows = None if frame is None else polars_frame(frame, "data frame")
    if isinstance(spec, ScoresSpec):
        results = of_scores(reading.read_scores(spec, rows), spec)
        return results if rows is None else _of_frame(results, spec, rows)
    if rows is not None:
        predictions = reading.from_frame(rows, spec)
        predictions = replace(predictions, undeclared=undeclared.of_frame(spec, rows, predictions))
        earlier = reading.read_reference(spec, predictions)
        results = of_predictions(predictions, spec, earlier=earlier)
        return _of_frame(results, spec, rows, () if earlier is None else earlier.files)
    files, hashes = reading.inputs(spec)
    engine = engines.chosen(spec, files)
    if engine.kind == "exact":
        predictions = reading.read(spec, files, hashes)
        others = undeclared.of_files(spec, files, predictions)
        predictions = replace(predictions, undeclared=others)
        earlier = reading.read_reference(spec, predictions, files)
        return of_predictions(predictions, spec, engine, earlier)
    from reportgen.results import binned  # only where rows are not held

    return binned.evaluate_counts(spec, engine, files, hashes, on_step)


def _of_frame(
    results: Results, spec: Spec, rows: pl.DataFrame, files: Iterable[InputFile] = ()
) -> Results:
    """The results with an id that tells the rows of one frame from those of another."""
    date = dt.date.fromisoformat(results.build["date"])
    return results.with_build(
        **dated(date, inputs_digest(spec, [digest(rows), *(file.sha256 for file in files)]))
    )


def of_predictions(
    predictions: Predictions,
    spec: Spec,
    engine: engines.EngineChoice | None = None,
    earlier: Predictions | None = None,
) -> Results:
    """Evaluate predictions that are already read, and how they differ from ``earlier`` ones."""
    parts = _parts(predictions, spec, engine, earlier)
    complete = None if spec.privacy.small_cells else of_every_row(predictions)
    if complete is not None:
        parts.data["paired_models"] = [model.name for model in complete.models]
        among = _among(spec, complete)
        parts = replace(parts, complete=_parts(complete, among, engine, None, only_compared=True))
    return assemble(spec, parts)


def _among(spec: Spec, predictions: Predictions) -> Spec:
    """The spec for some of its models: without a baseline that is none of them."""
    named = spec.baseline in {model.name for model in predictions.models}
    return spec if named else spec.model_copy(update={"baseline": None})


def _parts(
    predictions: Predictions,
    spec: Spec,
    engine: engines.EngineChoice | None,
    earlier: Predictions | None,
    *,
    only_compared: bool = False,
) -> EvaluationParts:
    """What is computed of predictions in memory."""
    predictions = with_highest(predictions)
    context = EvaluationContext(predictions, spec, only_compared)
    give_back(context.rows)
    task_results = evaluator(predictions.task)(context)
    give_back(context.rows)
    losses = task_results.losses
    folds = fold_metrics(context, losses, task_results.of_parts)
    data = data_record(context, task_results)
    data["engine"] = engine_record(engine)
    data["slice_levels"] = slice_levels(context, task_results.models)
    if earlier is not None:
        data["reference"] = file_records(earlier.files)
    evaluation = predictions.evaluation
    both = context.task.two_classes and not context.task.graded
    sliced = slices.of_rows(context.rows, context.slicings, binary=both)
    blocks = _in_blocks(context, losses)
    why = EVALUATED_AGAIN if context.repeats > 1 else _weights_in_time(context)
    why = why or context.test_settings.unpaired or too_unequal(data)
    of_pairs = replace(blocks, weight=context.weight)
    data["pairs_by_slice"] = pairs_by_slice(context, losses, of_pairs, sliced, why)
    return EvaluationParts(
        task_results=task_results,
        data=data,
        engine=engine,
        hashes=[f.sha256 for one in (predictions, earlier) if one for f in one.files],
        settings=context.test_settings,
        evaluation=evaluation,
        folds=folds,
        averages=[
            *fold_means(folds, evaluation, predictions.task, spec),
            *_averages(context, task_results),
        ],
        generalisation=generalised(context, losses, folds),
        slices=sliced,
        slice_tests=SliceTests(
            untested=_untested(context),
            shares=blocks if {"group", "time"} & set(context.rows.columns) else None,
            contrasts=Contrasts(blocks),
        ),
        in_time=compared_in_time(
            context.rows, losses, context.test_settings, spec.comparisons.horizon
        ),
        shares=_shares(context, losses),
        cells=partial(of_rows, context, losses) if context.weight else None,
        levels=partial(score_levels, context),
        skipped=left_out(spec),
        rows=evaluated_rows(context, task_results),
        notable=notable_rows(context, task_results, sliced),
        data_summary=data_summary(context, task_results),
        shift=_shift(context, task_results, earlier),
    )


def _shift(
    context: EvaluationContext, task_results: TaskResults, earlier: Predictions | None
) -> Shift | None:
    """How the rows differ from those of the reference, else from the earlier half of their own."""
    if earlier is None:
        return compared_over_time(context, task_results)
    reference = EvaluationContext(with_highest(earlier), context.spec)
    try:
        return compared_with_reference(context, task_results, reference)
    except EmptyError as error:
        place = ", ".join(file.path for file in earlier.files)
        raise EmptyError(*(replace(problem, place=place) for problem in error.problems)) from None


def _shares(context: EvaluationContext, losses: Losses) -> GroupedShares | None:
    """Shares of rows that have weights, or depend on each other: in groups, or blocks of time."""
    measured, weight = in_blocks(context), context.weight
    rows, groups = measured.rows, measured.groups
    timed = groups is not None and context.groups is None
    if (groups is None and weight is None) or (timed and weight is not None):
        return None
    points = rows["point"].n_unique() if timed else None
    groups = groups or Groups(np.arange(rows.height), rows.height)
    return GroupedShares(rows, losses, groups, points, weight)


def _in_blocks(context: EvaluationContext, losses: Losses) -> GroupedShares:
    """The rows whose slices are compared; in order of time those of a block depend."""
    measured = in_blocks(context)
    rows, groups = measured.rows, measured.groups
    groups = groups or Groups(np.arange(rows.height), rows.height)
    return GroupedShares(rows, losses, groups)


def _averages(context: EvaluationContext, task_results: TaskResults) -> list[MetricRow]:
    """Macro and micro averages over several tests of two classes."""
    evaluation = context.predictions.evaluation
    several = evaluation.pooled_fits and evaluation.scheme != "leave_one_out"
    if not context.task.two_classes or not several or context.test_settings.unpaired:
        return []
    counts = counts_by_test(context.rows, task_results.losses.predicted, evaluation, context.weight)
    return fold_averages(counts, evaluation)


def _weights_in_time(context: EvaluationContext) -> str | None:
    """Why differences by slice are not tested where blocks of time points have weights."""
    timed = "time" in context.rows.columns and context.groups is None
    return WEIGHTED if timed and context.weight is not None else None


def _untested(context: EvaluationContext) -> str | None:
    """Why shares of slices are not tested; the test takes rows that count once, for one each."""
    if context.weight is not None:
        return WEIGHTED
    return EVALUATED_AGAIN if context.repeats > 1 else None
