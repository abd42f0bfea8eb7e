"""The rows of two builds, matched: which examples are in both, and how far a model differs on them.

Ids are keyed hashes, the same in all builds of a folder. Without ids rows are matched by
their order, where both builds have the same truths in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import polars as pl

from reportgen.predictions.column_names import columns_of, output_column, slice_column, truth_column
from reportgen.results import Results
from reportgen.spec.document import SpecKeys
from reportgen.tasks import TASKS

NOW, THEN = "now", "then"

LEAST_SHARE = 0.5
"""Share of the rows of either build that the other must have for them to be compared in pairs."""

LEAST_AGREEMENT = 0.9
"""Cohen's kappa of the truths of common rows from which they are compared in pairs.

Rows whose truth changed are left out, and they are not like the others: kappa, other than the
share of such rows, counts what that means for a rare class.
"""

OTHER_ROWS = 0.5
"""Kappa below which truths that agree no more than by chance are those of other rows."""

REASSIGNED = "the ids may have been reassigned to other rows"

_KEYS = ("id", "dataset", "repeat")


@dataclass(frozen=True)
class NotPaired:
    """Why the rows of two builds are not compared in pairs, and whether ids may have moved."""

    why: str
    reassigned: bool = False


@dataclass(frozen=True)
class Paired:
    """The rows of both builds, one beside the other; columns of the earlier one end in ``:then``.

    ``added`` and ``removed`` rows are in one build only, ``relabelled`` ones have another
    truth and are left out of ``rows``; ``agreement`` is that of the truths of common rows.
    ``by_order``: there are no ids.
    """

    rows: pl.DataFrame
    now: int
    then: int
    added: int
    removed: int
    relabelled: int
    agreement: Agreement
    by_order: bool = False

    @property
    def common(self) -> int:
        """The rows that both builds have."""
        return self.rows.height + self.relabelled

    @property
    def unlike(self) -> NotPaired | None:
        """Why the rows are not compared in pairs; null where they are."""
        share = self.common / max(self.now, self.then, 1)
        if share < LEAST_SHARE or not self.common:
            return NotPaired(f"{share:.0%} in both builds")
        if self.agreement.kappa >= LEAST_AGREEMENT:
            return None
        truths = f"{self.relabelled:,} of {self.common:,} common ids have a different truth"
        if self.agreement.by_chance:
            return NotPaired(f"{truths}, as if by chance; {REASSIGNED}", reassigned=True)
        return NotPaired(f"{truths}, too many to leave out")

    @property
    def basis(self) -> str:
        """What a difference is computed from, in words."""
        if self.by_order:
            return f"{self.rows.height:,} paired rows, in order"
        if self.rows.height == self.now == self.then:
            return f"{self.now:,} paired rows"
        share = self.rows.height / max(self.now, self.then)
        return f"{self.rows.height:,} paired rows ({share:.0%} of the larger build)"


@dataclass(frozen=True)
class Agreement:
    """How far the truths of common rows agree.

    Cohen's kappa and its standard error where they do by chance only (Fleiss, Cohen & Everitt
    1969, doi:10.1037/h0028106). Where all truths are one and the same kappa is 1.
    """

    kappa: float
    error: float

    @property
    def by_chance(self) -> bool:
        """Whether truths agree no more than those of other rows would."""
        return self.kappa < OTHER_ROWS and self.kappa <= 3 * self.error


def agreement(now: pl.Series, then: pl.Series) -> Agreement:
    """The agreement of two truths of each row.

    >>> agreement(pl.Series([0, 0, 1, 1]), pl.Series([0, 1, 0, 1])).kappa
    0.0
    """
    counts = [
        truths.alias("truth").value_counts(name=name)
        for name, truths in (("now", now), ("then", then))
    ]
    rows = max(len(now), 1)
    shares = (
        counts[0].join(counts[1], on="truth", nulls_equal=True).select(pl.col("now", "then") / rows)
    )
    product, total = pl.col("now") * pl.col("then"), pl.col("now") + pl.col("then")
    chance, spread = shares.select(product.sum(), (product * total).sum().alias("spread")).row(0)
    if chance >= 1:
        return Agreement(1.0, 0.0)
    observed = now.eq_missing(then).sum() / rows
    variance = max(chance + chance**2 - spread, 0.0) / rows
    return Agreement((observed - chance) / (1 - chance), sqrt(variance) / (1 - chance))


def in_slice(
    rows: pl.DataFrame | None, column: str | None, slice_name: str | None
) -> pl.DataFrame | None:
    """The rows of one slice of a column; all where none is named, nothing where it is not kept."""
    if rows is None or column is None:
        return rows
    if slice_column(column) not in rows.columns:
        return None
    return rows.filter(pl.format("{} = {}", pl.lit(column), slice_column(column)) == slice_name)


def pair(now: pl.DataFrame | None, then: pl.DataFrame | None) -> Paired | NotPaired:
    """Match the rows of two builds, or say why they cannot be."""
    if now is None or then is None:
        return NotPaired("a build has no row file")
    truths = columns_of(now.columns, "truth")
    if set(truths) != set(columns_of(then.columns, "truth")):
        return NotPaired("the truths differ")
    if "id" not in now.columns or "id" not in then.columns:
        if now.height != then.height or not now.select(truths).equals(then.select(truths)):
            return NotPaired("the rows have no ids, and the truths differ")
        both = pl.concat([now, _suffixed(then)], how="horizontal")
        return Paired(both, now.height, then.height, 0, 0, 0, Agreement(1.0, 0.0), by_order=True)
    keys = [key for key in _KEYS if key in now.columns and key in then.columns]
    both = now.join(_suffixed(then, keys), on=keys, how="inner")
    if both.height > min(now.height, then.height):
        return NotPaired("ids recur")
    same = both.filter(pl.all_horizontal(pl.col(t) == pl.col(f"{t}:{THEN}") for t in truths))
    sides = both.select(
        now=pl.struct(pl.col(t).alias(t) for t in truths),
        then=pl.struct(pl.col(f"{t}:{THEN}").alias(t) for t in truths),
    )
    return Paired(
        same,
        now.height,
        then.height,
        now.height - both.height,
        then.height - both.height,
        both.height - same.height,
        agreement(sides["now"], sides["then"]),
    )


def _suffixed(rows: pl.DataFrame, but: Sequence[str] = ()) -> pl.DataFrame:
    return rows.rename({name: f"{name}:{THEN}" for name in rows.columns if name not in but})


def same_outputs(paired: Paired, places: tuple[int, int]) -> bool:
    """Whether a model gives the same outputs in both builds, on rows that are all in both."""
    rows = paired.rows
    if not rows.height == paired.now == paired.then:
        return False
    for kind in ("score", "label", "estimate", "decision"):
        now, then = (output_column(kind, place) for place in places)
        for name in rows.columns:
            if name != now and not (name.startswith(f"{now}:") and not name.endswith(THEN)):
                continue
            other = f"{then}{name.removeprefix(now)}:{THEN}"
            if other not in rows.columns or not rows[name].equals(rows[other]):
                return False
    return True


def differences(
    paired: Paired,
    data: Mapping[str, Any],
    spec: Mapping[str, Any],
    places: tuple[int, int],
    *,
    confidence: float,
    gates: Sequence[str] = (),
) -> Results:
    """Evaluate one model in both builds on the same rows, as the models ``now`` and ``then``.

    The report's own evaluation gives differences, intervals and tests, for weights and
    groups too. ``places`` are those of the model in the two row files, ``gates`` differences
    that are asked for, such as ``now.brier_score - then.brier_score <= 0``.
    """
    from reportgen.results import evaluate

    frame, declared = _declared(paired.rows, data, places)
    return evaluate(
        {
            "task": data["task"],
            **_of_decisions(data["task"], spec),
            **declared,
            "baseline": THEN,
            "confidence": confidence,
            "bootstrap": {
                **spec["bootstrap"],
                "replicates": min(spec["bootstrap"]["replicates"], 500),
            },
            "intervals": spec["intervals"],
            "comparisons": {"alpha": 1 - confidence},
            "gates": list(gates),
            "keep_rows": False,
        },
        frame,
    )


def _of_decisions(task: str, spec: Mapping[str, Any]) -> SpecKeys:
    """What decisions are made and weighed by, where the rows do not hold it themselves."""
    threshold, costs = spec.get("threshold"), spec.get("costs")
    result = {}
    if TASKS[task].several_labels and isinstance(threshold, int | float):
        result["threshold"] = threshold
    if costs and TASKS[task].has_decisions and "column" not in str(costs):
        result["costs"] = costs
    return result


def class_names(data: Mapping[str, Any]) -> list[str]:
    """The classes or labels of results, in the order that columns are numbered by."""
    return [str(one["class"]) for one in data.get("classes") or ()]


def _declared(
    rows: pl.DataFrame, data: Mapping[str, Any], places: tuple[int, int]
) -> tuple[pl.DataFrame, SpecKeys]:
    """The rows as predictions of two models, and the part of a spec that declares them."""
    names = class_names(data)
    columns: dict[str, pl.Expr] = {}
    models: SpecKeys = {}
    for model, place, end in ((NOW, places[0], ""), (THEN, places[1], f":{THEN}")):
        models[model] = _model(rows, model, f"{place}", end, names, columns)
    truth: Any = "truth"
    declared: SpecKeys = {}
    task = TASKS[data["task"]]
    if task.several_classes:
        columns["truth"] = _named(pl.col("truth"), names)
        declared["classes"] = names
    elif task.several_labels:
        truth = {name: f"truth {k}" for k, name in enumerate(names)}
        columns |= {f"truth {k}": pl.col(truth_column(k)) for k in range(len(names))}
    else:
        columns["truth"] = pl.col("truth")
    special = {}
    if "weight" in rows.columns:
        columns["weight"], special["weight"] = pl.col("weight"), "weight"
    group = "group" if "group" in rows.columns else "id"
    if group in rows.columns and (group == "group" or rows["id"].is_duplicated().any()):
        columns["group"], special["group"] = pl.col(group).bin.encode("hex"), "group"
    frame = rows.select(expression.alias(name) for name, expression in columns.items())
    return frame, {"truth": truth, "models": models, "columns": special, **declared}


def _model(
    rows: pl.DataFrame,
    model: str,
    place: str,
    end: str,
    names: Sequence[str],
    columns: dict[str, pl.Expr],
) -> SpecKeys:
    """One model's columns, added to ``columns``, and how a spec names them."""
    result: SpecKeys = {}
    for kind, key in (("score", "score"), ("decision", "label"), ("estimate", "estimate")):
        source = f"{kind}:{place}{end}"
        if source in rows.columns:
            columns[f"{model} {key}"] = (
                _named(pl.col(source), names)
                if kind == "decision" and rows[source].dtype != pl.Boolean
                else pl.col(source)
            )
            result[key] = f"{model} {key}"
    for kind, key in (("score", "scores"), ("label", "labels")):
        by_class = {}
        for k, name in enumerate(names):
            source = f"{kind}:{place}:{k}{end}"
            if source in rows.columns:
                columns[f"{model} {key} {k}"] = pl.col(source)
                by_class[name] = f"{model} {key} {k}"
        if by_class:
            result[key] = by_class
    return result


def _named(index: pl.Expr, names: Sequence[str]) -> pl.Expr:
    return index.cast(pl.Int64).replace_strict(dict(enumerate(names)), return_dtype=pl.String)
