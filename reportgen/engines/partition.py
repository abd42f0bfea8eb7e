"""Count one leaf: batch after batch is read, checked like any predictions, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from reportgen import interrupts
from reportgen.engines.choice import one_of_many
from reportgen.engines.class_counting import count_classes
from reportgen.engines.counting import count_rows
from reportgen.engines.estimate_counting import count_estimates
from reportgen.engines.group_counting import group_codes, refuse_many
from reportgen.engines.label_counting import count_labels
from reportgen.engines.long_form import examples, rows_of_bucket, selected
from reportgen.engines.partial import LARGEST, SMALLEST, Facts, Partial, in_order, merged
from reportgen.engines.plan import Partition, Plan
from reportgen.errors import DataError, Problem
from reportgen.predictions import binary_labels, checks, json_lines
from reportgen.predictions.files import DataFile
from reportgen.predictions.input_tables import TABLES
from reportgen.predictions.label_encoding import crossed, flags
from reportgen.predictions.load import miscounted, together, typed
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import Source, row_problems
from reportgen.predictions.source import counted as counted_rows
from reportgen.predictions.text_values import as_text
from reportgen.predictions.truth_left_out import divided
from reportgen.predictions.unreadable import UNREADABLE, unreadable
from reportgen.tasks.record import TruthKind

BATCH = 500_000
"""Rows that are in memory at once."""

COUNTERS: Mapping[TruthKind, Callable[[pl.DataFrame, Plan], Partial]] = {
    "two classes": count_rows,
    "classes": count_classes,
    "labels": count_labels,
    "number": count_estimates,
}
"""What counts rows, by what their truth is."""

_KEPT = 4
"""After so many batches their counts are added up."""


def count_partition(partition: Partition, plan: Plan) -> Partial:
    """Return the counts of a leaf.

    Raises ``DataError`` with the faults of the first batch that has any, each
    with its rows in the file; the rest is then not read.
    """
    parts: list[Partial] = []
    ids, tally = Ids(), Counter[str]()
    batches = (_batches if plan.long is None else _examples)(partition, plan, tally)
    for batch in batches:
        interrupts.check()
        if not batch.height and tally:  # all of its rows are left out
            continue
        if plan.long is None:  # else no id returns: that is checked
            ids.see(batch)
        parts.append(COUNTERS[plan.task.truth](batch, plan))
        if len(parts) == _KEPT:
            parts = [merged(parts)]
            refuse_many(parts[0].tables, partition.file.name)
    total = merged(parts) if parts else Partial({}, {"rows": 0, "evaluated": 0})
    facts: Facts = {**total.facts, "ids": ids.span}
    if plan.spec.leave_out:
        facts["left_out"] = dict(tally)
    return replace(total, facts=in_order(facts))


def _batches(partition: Partition, plan: Plan, tally: Counter[str]) -> Iterator[pl.DataFrame]:
    """Yield batches of validated rows under canonical names, labels as the data spells them."""
    file, columns = partition.file, plan.columns
    _refuse_absent(file)
    start = partition.first
    lazy = selected(file, columns, plan.spec)
    if file.format == "ndjson":
        lazy = _json_lines(file, lazy, columns)
    size = BATCH if plan.task.two_classes else BATCH // 4  # of whose rows more columns are made
    batches = lazy.slice(partition.first, partition.rows).collect_batches(chunk_size=size)
    while True:
        try:
            batch = next(batches, None)
        except UNREADABLE as fault:
            raise DataError(unreadable(file, fault)) from None
        if batch is None:
            lost = miscounted(file, start) if partition.rows is None else None
            if lost is not None:
                raise DataError(lost)
            return
        source = Source((file.name,), (batch.height,), before=start)
        part = divided(batch, columns, source, plan.spec)
        tally.update(part.tally)
        frame, problems = _checked(part.frame, columns, part.source, file, plan)
        if problems:
            raise DataError(*(_partly(p, source) for p in problems))
        yield _with_codes(frame, partition, start)
        start += batch.height


def _refuse_absent(file: DataFile) -> None:
    if not file.path.exists():
        hint = "a worker reads files under the same path as the machine that builds the report"
        raise DataError(Problem("unreadable", f"{file.path} does not exist here", file.name, hint))


def _examples(partition: Partition, plan: Plan, tally: Counter[str]) -> Iterator[pl.DataFrame]:
    """Yield batches of the examples of a part of models in long form, validated."""
    columns, frames, problems, places = plan.columns, [], [], []
    for file in partition.files:
        interrupts.check()
        _refuse_absent(file)
        rows = rows_of_bucket(file, partition, plan)
        source = Source((file.name,), (rows.height,), places=rows["row"])
        part = divided(rows.drop("row"), columns, source, plan.spec)
        tally.update(part.tally)
        frame, of_file = _checked(part.frame, columns, part.source, file, plan)
        problems += of_file
        frames.append(frame)
        places.append(rows["row"] if part.source.places is None else part.source.places)
    if problems:
        raise DataError(*problems)
    names, heights = (f.name for f in partition.files), (f.height for f in frames)
    source = Source(tuple(names), tuple(heights), places=pl.concat(places))
    whole = _with_codes(examples(together(frames), plan, source), partition, 0)
    yield from whole.iter_slices(BATCH if plan.task.two_classes else BATCH // 4)


def _with_codes(frame: pl.DataFrame, partition: Partition, first: int) -> pl.DataFrame:
    """The rows with hashes for the names of their groups."""
    if "group" not in frame.columns:
        return frame
    rows_of = f"{partition.sha256} {partition.bucket}"
    return frame.with_columns(group_codes(frame["group"], rows_of, first).alias("group"))


def _json_lines(file: DataFile, lazy: pl.LazyFrame, columns: list[RequiredColumn]) -> pl.LazyFrame:
    """All rows of a file at once: whether a key is given twice is seen in its text."""
    try:
        frame, repeated = json_lines.exact(file, lazy.collect(), columns)
    except UNREADABLE as fault:
        raise DataError(unreadable(file, fault)) from None
    if repeated:
        raise DataError(*repeated)
    return frame.lazy()


def _checked(
    batch: pl.DataFrame,
    columns: list[RequiredColumn],
    source: Source,
    file: DataFile,
    plan: Plan,
) -> tuple[pl.DataFrame, list[Problem]]:
    """The rows under their types, and what is wrong with them."""
    loaded = typed(batch, columns, source, parse=not file.typed, decimal=file.decimal)
    texts = [w.name for w in columns if w.kind == "text" and w.name in loaded.frame.columns]
    texts = [n for n in texts if n != "id" or not loaded.frame[n].dtype.is_integer()]
    frame = loaded.frame.with_columns(as_text(loaded.frame[name]) for name in texts)
    broken, zeros = checks.problems(frame, columns, source, TABLES[plan.task.truth])
    problems = loaded.problems + broken
    if "weight" in frame.columns:
        problems += _weights(frame["weight"], columns, source)
    if not problems and plan.task.of_numbers:
        problems = crossed(frame, columns, source)
    if not problems and plan.task.several_labels:
        problems = flags(frame, [w for w in columns if w.role in ("truth", "label")], source)
    if not problems and plan.task.two_classes:
        problems = _labels(frame, columns, source, plan)
    if problems:
        return frame, problems
    return frame.with_columns(
        pl.when(pl.col(n) == 0).then(0.0).otherwise(pl.col(n)).alias(n) for n in zeros
    ), []


def _labels(
    frame: pl.DataFrame, columns: list[RequiredColumn], source: Source, plan: Plan
) -> list[Problem]:
    """Labels that are not among two of the truth, as far as these rows tell."""
    label_columns = [w for w in columns if w.role == "label"]
    truth_labels = as_text(frame["truth"].unique().sort()).to_list()
    if len(truth_labels) > 2:
        outcome = binary_labels.resolve_labels(plan.spec, frame["truth"], [], source)
        return [one_of_many(outcome, plan.spec)] if isinstance(outcome, Problem) else []
    if len(truth_labels) < 2:
        return []
    hint = f"the truth has {truth_labels[0]!r} and {truth_labels[1]!r}"
    return [
        p
        for w in label_columns
        for p in binary_labels.unknown(frame[w.name], w, truth_labels, hint, source)
    ]


def _weights(weights: pl.Series, columns: list[RequiredColumn], source: Source) -> list[Problem]:
    """Weights that cannot be added up as whole numbers."""
    outside = (weights > LARGEST) | ((weights > 0) & (weights < SMALLEST))
    condition = f"neither 0 nor from {SMALLEST:.3g} to {LARGEST:,.0f}, as counting in parts needs"
    return row_problems(
        "out-of-range",
        lambda n: counted_rows(n, f"value is {condition}", f"values are {condition}"),
        "scale them, so that 1 is usual, or take engine: exact",
        column=next(w.column for w in columns if w.name == "weight"),
        wrong=outside.fill_null(value=False),
        source=source,
        values=weights,
    )


def _partly(problem: Problem, source: Source) -> Problem:
    """Say which rows were looked at, where they are not all of the file."""
    if not problem.rows:
        return problem
    first, last = source.before + 1, source.before + source.rows[0]
    message = f"{problem.message} in rows {first:,} to {last:,}, which were read last"
    return replace(problem, message=message)


@dataclass
class Ids:
    """Whether ids increase strictly, so that none returns: then their first and last one.

    ``span`` is empty without ids, and null where they do not increase.
    """

    span: list[str | int] | None = field(default_factory=list)

    def see(self, batch: pl.DataFrame) -> None:
        """Go on with the ids of the next rows."""
        if "id" not in batch.columns or self.span is None or not batch.height:
            return
        ids = batch["id"]
        rise = bool((ids.slice(1) > ids.slice(0, len(ids) - 1)).all())
        if not rise or (self.span and not self.span[1] < ids[0]):
            self.span = None
        else:
            self.span = [self.span[0] if self.span else ids[0], ids[-1]]
