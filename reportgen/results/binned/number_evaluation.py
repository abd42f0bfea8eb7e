"""The evaluation of estimates of a number from sums and cells of parts."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.comparisons.paired_losses import SQUARED
from reportgen.engines.choice import Engine
from reportgen.engines.fixed_point import from_fixed_point
from reportgen.engines.gather import Gathered
from reportgen.engines.plan import Plan
from reportgen.measuring.context import TaskResults
from reportgen.measuring.fold_means import fold_means
from reportgen.measuring.generalisation import errors
from reportgen.measuring.significance_settings import WEIGHTED
from reportgen.predictions import Check, InputFile, ModelColumns
from reportgen.predictions.column_names import output_column
from reportgen.predictions.evaluation import facts as evaluation_facts
from reportgen.predictions.files import DataFile
from reportgen.predictions.inputs import file_checks, listed
from reportgen.predictions.passed_checks import unchanged
from reportgen.predictions.required_columns import required_columns
from reportgen.predictions.source import counted as count_text
from reportgen.records.model import typed
from reportgen.records.rows import DataRecord
from reportgen.results.assembler import EvaluationParts, SliceTests
from reportgen.results.binned.counts import refuse_parts
from reportgen.results.binned.estimates import (
    errors_of_parts,
    estimate_results,
    slice_sizes,
)
from reportgen.results.binned.fold_metrics import Folds
from reportgen.results.binned.number_sums import NumberCounts, as_float
from reportgen.results.binned.shared import (
    counted_checks,
    distinct,
    slice_records,
    terms_of,
    title_of,
    untested,
)
from reportgen.results.notable_rows import left_out
from reportgen.results.provenance import check_records, engine_record, file_records
from reportgen.spec import Spec
from reportgen.spec.tasks import entries
from reportgen.tables import Generalisation, Slices

CELLS_PER_FACTOR = 512


def number_parts(
    plan: Plan, engine: Engine, files: Sequence[DataFile], hashes: Sequence[str], totals: Gathered
) -> EvaluationParts:
    """What the counts of all parts say."""
    spec = plan.spec
    refuse_parts(totals, plan, title_of(files))
    counted = _counts(plan, totals)
    folds = Folds(counted, plan, distinct=distinct(spec, totals))
    settings = terms_of(spec, spec.baseline or counted.models[0].name, folds)
    results = estimate_results(counted, settings)
    values = errors_of_parts(counted, folds.names) if folds.several else {}
    fold_table = folds.table({(SQUARED, name): v for name, v in values.items()})
    evaluation = folds.evaluation
    inputs = listed(files, hashes, [totals.rows.get(file.name, 0) for file in files])
    rows = counted.facts["evaluated"]
    trivial = {SQUARED: as_float(counted.spread_of_truth()[1] / rows)}
    task = plan.task.name
    return EvaluationParts(
        task_results=results,
        data=_data(counted, results, inputs, engine, totals, folds)
        | {
            "checks": check_records(
                [
                    *unchanged(inputs),
                    *_checks(counted, totals, engine),
                    *file_checks(files, required_columns(spec)),
                ]
            )
        },
        engine=engine,
        hashes=hashes,
        settings=settings,
        evaluation=evaluation,
        folds=fold_table,
        averages=fold_means(fold_table, evaluation, task, spec.confidence),
        generalisation=typed(
            Generalisation,
            errors(
                fold_table,
                evaluation,
                trivial,
                spec.confidence,
                task=task,
                weighted=counted.weighted,
            ),
        ),
        slices=typed(Slices, slice_sizes(counted)),
        slice_tests=SliceTests(untested=WEIGHTED if counted.weighted else None),
        skipped=[*untested(spec), *left_out(spec, counted=True)],
    )


def _counts(plan: Plan, totals: Gathered) -> NumberCounts:
    tables, weighted = totals.partial.tables, plan.weighted
    mass = from_fixed_point(pl.col("weight")) if weighted else pl.col("rows").cast(pl.Float64)
    return NumberCounts(
        plan.spec,
        _models(plan.spec),
        totals.partial.facts,
        tables["decisions"].with_columns(mass=mass),
        tables["cells"],
        tables["sums"],
        tables["ranges"],
    )


def _models(spec: Spec) -> tuple[ModelColumns, ...]:
    def columns(output: str, index: int, model: object) -> str | None:
        return output_column(output, index) if getattr(model, output, None) else None

    return tuple(
        ModelColumns(
            str(steps[-1]),
            estimate=output_column("estimate", k),
            low=columns("low", k, model),
            high=columns("high", k, model),
            quantile=getattr(model, "quantile", None),
            level=getattr(model, "level", None),
        )
        for k, (steps, model) in enumerate(entries(spec))
    )


def _data(
    counted: NumberCounts,
    results: TaskResults,
    files: Sequence[InputFile],
    engine: Engine,
    totals: Gathered,
    folds: Folds,
) -> DataRecord:
    facts = counted.facts
    return {
        "task": "regression",
        "files": file_records(files),
        "rows": facts["rows"],
        "rows_evaluated": facts["evaluated"],
        "roles": facts.get("roles"),
        "truth": counted.spec.truth,
        **results.truth,
        "weighted": counted.weighted,
        "weight_total": counted.weight_total,
        "evaluation": evaluation_facts(folds.evaluation),
        "folds": folds.folds,
        "repeats": None,
        "timed": False,
        "slices": slice_records(facts["slices"]),
        "groups": None,
        "identical_rows": None,
        "checks": [],
        "unpaired": None,
        "models": list(results.models),
        "engine": engine_record(
            engine, cells=CELLS_PER_FACTOR, leaves=totals.partitions, counted=totals.counted
        ),
    }


def _checks(counted: NumberCounts, totals: Gathered, engine: Engine) -> list[Check]:
    """The checks that were made, with what they found."""
    spec, models = counted.spec, counted.models
    rows = count_text(counted.facts["rows"], "row", "rows")
    numbers = count_text(len(models), "column", "columns")
    made = [
        (True, "complete", f"no truth or estimate missing in {rows}"),
        (True, "estimates", f"{numbers} of finite numbers"),
        (any(m.low for m in models), "intervals", "no low above its high"),
        (spec.columns.id and totals.ids_once, "ids", "no example twice"),
        (spec.columns.weight, "weights", "finite, none negative, not all zero"),
        (spec.columns.role, "roles", "train, validation or test in every row"),
    ]
    checks = [Check(name, detail) for applies, name, detail in made if applies]
    return [*checks, *counted_checks(spec, totals, engine, "estimates")]
