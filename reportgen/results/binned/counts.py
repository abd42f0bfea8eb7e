"""The counts of all rows with their meaning: which label is positive, what each model predicts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons import AreaCovariance, Pairs
from reportgen.comparisons.balanced_decisions import areas_of_counts
from reportgen.engines.choice import one_of_many
from reportgen.engines.gather import Gathered
from reportgen.engines.partial import ALL, FITS, SCALE, WEIGHTS, Facts, from_fixed_point
from reportgen.engines.plan import MOST_FITS, Plan
from reportgen.errors import DataError, EmptyError, Problem, SpecError
from reportgen.measuring.cell_effects import CellTable
from reportgen.metric_names import CELLS
from reportgen.metrics.settings import ErrorCosts
from reportgen.predictions import ModelColumns
from reportgen.predictions.abstentions import of_abstentions
from reportgen.predictions.binary_labels import Labels, counts_text, resolve_labels_of_counts
from reportgen.predictions.source import counted, place
from reportgen.results.binned.group_counts import GroupCounts, as_floats, kinds_of
from reportgen.results.binned.part_counts import PartCounts
from reportgen.spec.nearest import listing
from reportgen.tables import Counts


@dataclass(frozen=True)
class EvaluationCounts(PartCounts):
    """Merged counts with a Boolean truth; ``labels`` are the two as the data spells them.

    Beside ``rows`` each table has ``mass`` and ``mass2``, the sums of weights
    and of their squares; they are the rows themselves without weights.
    """

    labels: Labels
    cells: pl.DataFrame
    joint: pl.DataFrame
    by_weight: pl.DataFrame | None = None

    def decided_in_groups(
        self, model: ModelColumns, scope: int = ALL, part: str = "[]"
    ) -> CellTable | None:
        """The decisions of a model by group."""
        lines = self.lines_of(scope, part)
        if lines is None:
            return None
        predicted = lines.frame[str(model.label or model.score)].to_numpy()
        return CellTable.of(lines.frame["positive"].to_numpy(), predicted, lines.groups)

    def cells_of(self, model: int, scope: int = ALL, part: str = "[]") -> pl.DataFrame:
        """Cells of one model's scores: ``key positive low high rows scores cut``, ``squares`` too.

        ``rows`` are sums of weights, ``squares``, with weights only, of their
        squares, ``scores`` of the scores times their weights, of which ``cut``
        at most was cut off.
        """
        cut = pl.col("rows") / SCALE
        chosen = self.cells.filter(model=model, scope=scope, part=part)
        squares = {"squares": "mass2"} if self.weighted else {}
        columns = ("key", "positive", "low", "high", "scores")
        return chosen.select(*columns, cut=cut, rows="mass", **squares)

    def size(self, scope: int = ALL, part: str = "[]") -> tuple[int, int]:
        """How many rows there are, whatever they weigh, and how many of them are positive."""
        rows = self.decisions.filter(scope=scope, part=part)
        positives = rows.filter("positive")
        return int(rows["rows"].sum()), int(positives["rows"].sum())

    def counts(self, model: ModelColumns, scope: int = ALL, part: str = "[]") -> DataFrame[Counts]:
        """Confusion counts of a model's decisions: its own labels where it gives some."""
        column = model.label or model.score
        rows = self.decisions.filter(scope=scope, part=part)
        predicted_positive, positive = pl.col(str(column)), pl.col("positive")
        cells = (
            positive & predicted_positive,
            ~positive & predicted_positive,
            positive & ~predicted_positive,
            ~positive & ~predicted_positive,
        )
        table = rows.select(
            pl.lit(model.name).alias("model"),
            *(
                pl.col(f"mass{power}").filter(cell).sum().alias(name + power)
                for power in ("", "2")
                for name, cell in zip(CELLS, cells, strict=True)
            ),
        )
        return Counts.validate(table)

    def pairs(self, a: ModelColumns, b: ModelColumns) -> Pairs:
        """How many rows both, exactly one, or none of two models got right."""
        correct = [pl.col(str(m.label or m.score)) == pl.col("positive") for m in (a, b)]
        cells = (
            correct[0] & correct[1],
            correct[0] & ~correct[1],
            ~correct[0] & correct[1],
            ~correct[0] & ~correct[1],
        )
        rows = self.decisions.filter(scope=ALL)
        table = rows.select(
            pl.col("rows").filter(cell).sum().alias(str(k)) for k, cell in enumerate(cells)
        )
        return Pairs(*table.row(0))

    def joint_predictions(self, a: ModelColumns, b: ModelColumns) -> pl.DataFrame:
        """Rows by truth and by the decisions of two models: ``truth first second rows squares``."""
        first, second = (pl.col(str(m.label or m.score)) for m in (a, b))
        return (
            self.decisions.filter(scope=ALL)
            .select(truth="positive", first=first, second=second, rows="mass", squares="mass2")
            .group_by("truth", "first", "second", maintain_order=True)
            .sum()
        )

    def decided(self, models: Sequence[ModelColumns]) -> AreaCovariance:
        """The balanced accuracies of the decisions of rows that count once each."""
        decisions = {m.name: pl.col(str(m.label or m.score)) for m in models}
        counts = self.decisions.filter(scope=ALL).select("rows", truth="positive", **decisions)
        return areas_of_counts(counts, list(decisions))

    def losses(self, a: ModelColumns, b: ModelColumns, costs: ErrorCosts) -> pl.DataFrame:
        """What so many ``rows`` cost each under the decisions of two models, and at most.

        Columns ``rows first second costliest``.
        """
        cost_of_error = (
            pl.when("positive").then(costs["false_negative"]).otherwise(costs["false_positive"])
        )
        first, second = (
            cost_of_error * (pl.col(str(m.label or m.score)) != pl.col("positive")).cast(pl.Float64)
            for m in (a, b)
        )
        lines = self.lines_of()
        rows = self.decisions.filter(scope=ALL) if lines is None else lines.frame
        rows = rows if self.by_weight is None else self.by_weight
        return rows.select("rows", first=first, second=second, costliest=cost_of_error)

    def disagreements(self, model: ModelColumns) -> int | None:
        """Rows where a model's own label is not what its score says; None unless it has both."""
        if model.score is None or model.label is None:
            return None
        differs = pl.col(model.score) != pl.col(model.label)
        return int(self.decisions.filter(differs, scope=ALL)["rows"].sum())


def evaluation_counts(
    totals: Gathered, plan: Plan, models: Sequence[ModelColumns], title: str
) -> EvaluationCounts:
    """Return counts with their meaning.

    Raises ``DataError`` or ``SpecError`` where the labels of truth and models
    cannot be distinguished, as for any predictions; ``EmptyError`` where no row is evaluated.
    """
    spec, facts, tables = plan.spec, totals.partial.facts, totals.partial.tables
    refuse_parts(totals, plan, title)
    predicted_labels = [text for texts in facts["labels"].values() for text in texts]
    dtype = dtype_of(facts)
    labels = resolve_labels_of_counts(
        spec, by_frequency(facts["truth"]), dtype, predicted_labels, title
    )
    if isinstance(labels, Problem):
        at_fault = SpecError if labels.code == "unknown-label" else DataError
        raise at_fault(one_of_many(labels, spec))
    refuse_unknown(facts["labels"], (labels.positive, labels.negative), plan, title)
    counted = EvaluationCounts(
        spec,
        tuple(models),
        facts,
        pl.DataFrame(),
        labels,
        with_truth(tables["cells"], labels),
        with_truth(tables["joint"], labels),
    )
    return with_decisions(counted, tables, tables)


def with_decisions(
    counted: EvaluationCounts,
    decided: Mapping[str, pl.DataFrame],
    tables: Mapping[str, pl.DataFrame],
) -> EvaluationCounts:
    """The counts with those of decisions; sums by group are those of ``tables``."""
    raw, labels, models = decided["decisions"], counted.labels, counted.models
    decisions = with_predictions(with_truth(raw, labels), labels, models)
    groups = None
    if "groups" in decided:
        kinds = kinds_of(raw, decisions)
        groups = GroupCounts.of(decided["groups"], as_floats(tables["group_sums"]), kinds)
    by_weight = None
    if "weighted" in decided and decided["weighted"].height:
        lines = with_predictions(with_truth(decided["weighted"], labels), labels, models)
        by_weight = lines.select(pl.exclude("mass", "mass2"))
    return replace(counted, decisions=decisions, groups=groups, by_weight=by_weight)


def refuse_parts(totals: Gathered, plan: Plan, title: str) -> None:
    """Raise where no row is evaluated, or where rows are of too many parts."""
    facts, tables = totals.partial.facts, totals.partial.tables
    if not facts["evaluated"] and plan.weighted and facts.get("roles", {"test": 1}).get("test"):
        _refuse_weightless(plan, title)
    if not facts["evaluated"]:
        hint = (
            "models are evaluated on rows with role test; remove columns.role to evaluate all rows"
        )
        raise EmptyError(Problem("no-test-rows", "no row has the role test", hint=hint))
    if plan.fits and not (facts["few_fits"] and _few_fits(tables["decisions"])):
        columns_text = " and ".join(plan.fits)
        message = (
            f"rows are of more than {MOST_FITS} parts by {columns_text}, which are not counted"
        )
        raise DataError(Problem("many-parts", message, title, "engine: exact"))


def with_predictions(
    decisions: pl.DataFrame, labels: Labels, models: Sequence[ModelColumns]
) -> pl.DataFrame:
    """Decisions with one Boolean column for each that a model made."""
    records = [json.loads(text) for text in decisions["decisions"].to_list()]
    columns = [
        pl.Series(name, [row.get(name) == yes for row in records], dtype=pl.Boolean)
        for m in models
        for name, yes in ((m.score, "true"), (m.label, labels.positive))
        if name is not None
    ]
    return decisions.drop("decisions").with_columns(columns)


def with_truth(table: pl.DataFrame, labels: Labels) -> pl.DataFrame:
    """The table with a Boolean column ``positive`` in place of ``truth``, and sums as Float64."""
    rows = pl.col("rows").cast(pl.Float64)
    masses = {
        f"mass{power}": from_fixed_point(pl.col(f"weight{power}"))
        if "weight" in table.columns
        else rows
        for power in ("", "2")
    }
    masses |= {"scores": from_fixed_point(pl.col("scores"))} if "scores" in table.columns else {}
    positive = pl.col("truth") == labels.positive
    return table.with_columns(positive=positive, **masses).drop("truth", *WEIGHTS, strict=False)


def _refuse_weightless(plan: Plan, title: str) -> None:
    if plan.spec.columns.role is None:
        where, hint = (
            place(title, str(plan.spec.columns.weight)),
            "give some rows a positive weight",
        )
        raise DataError(Problem("no-weight", "all weights are 0", where, hint))
    hint = "give rows with role test a positive weight"
    raise EmptyError(Problem("no-weight", "all evaluated rows have weight 0", hint=hint))


def _few_fits(decisions: pl.DataFrame) -> bool:
    return decisions.filter(scope=FITS)["part"].n_unique() <= MOST_FITS


def dtype_of(facts: Facts) -> pl.DataType:
    """The type of the truth, as text where files have different ones."""
    if len(facts["dtype"]) > 1:
        return pl.String()
    (name,) = facts["dtype"]
    if name == "Boolean":
        return pl.Boolean()
    return pl.Float64() if name.startswith(("Int", "UInt", "Float", "Decimal")) else pl.String()


def by_frequency(label_counts: Mapping[str, int]) -> dict[str, int]:
    """The labels, the most frequent first."""
    return dict(sorted(label_counts.items(), key=lambda pair: (-pair[1], pair[0])))


def refuse_unknown(
    predicted_labels: Mapping[str, Mapping[str, int]],
    truth_labels: Sequence[str],
    plan: Plan,
    title: str,
) -> None:
    """Raise where a model says a label that the truth does not have."""
    columns = {w.name: w.column for w in plan.columns}
    problems = []
    for name, label_counts in predicted_labels.items():
        strange = {
            text: n for text, n in by_frequency(label_counts).items() if text not in truth_labels
        }
        if strange:
            rows = sum(strange.values())
            message = f"{counted(rows, 'unknown label', 'unknown labels')}: {counts_text(strange)}"
            hint = f"the truth has {listing(map(repr, truth_labels))}"
            if abstentions := of_abstentions(strange, truth_labels):
                hint += f"; {abstentions}"
            where = place(title, columns[name])
            problems.append(Problem("unknown-label", message, where, hint, count=rows))
    if problems:
        raise DataError(*problems)
