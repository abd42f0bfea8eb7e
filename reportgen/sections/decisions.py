"""What each model decides at its threshold: confusion counts and how the threshold was set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.model import Results
from reportgen.records.rows import (
    SAME_ROWS,
    ModelRecord,
    chosen_on_tested_rows,
    evaluation_of,
)
from reportgen.records.threshold_choice import ThresholdRecord
from reportgen.sections import by_class, confusions, headings, lookup
from reportgen.sections.registry import section
from reportgen.sections.tables import Cell, Column, Row, Table
from reportgen.sections.threshold_explorer import ThresholdExplorer, explorer
from reportgen.sections.top_of_list import predictive_values
from reportgen.text import numbers
from reportgen.text.words import listed


@section(50)
@dataclass(frozen=True)
class Decisions:
    """Confusion counts per model at its threshold, or what each class gets."""

    id: ClassVar[str] = "decisions"

    title: str
    rules: tuple[str, ...]
    warnings: tuple[str, ...]
    tables: tuple[Table, ...]
    figures: tuple[str, ...]
    curves: tuple[str, ...]
    confusions: tuple[Table, ...]
    explorer: ThresholdExplorer | None

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> Decisions | None:
        """Fill the section; None where the models estimate a number."""
        if results.task.of_numbers:
            return None
        printed = lookup.printed(results)
        models = results.data["models"]
        table = counts(results) if results.task.two_classes else by_class.decided(results)
        candidates = (table, *predictive_values(results), choices(results))
        return cls(
            _title(results),
            (*rules(results), *confusions.distances(results)),
            tuple(warnings(printed, models)),
            tuple(one for one in candidates if one is not None),
            lookup.placed([figure for figure in figures if figure.first], cls.id),
            lookup.placed([figure for figure in figures if not figure.first], cls.id),
            confusions.tables(results) if results.task.several_classes else (),
            explorer(results) if results.task.two_classes else None,
        )


def _title(results: Results) -> str:
    of_labels = results.task.two_classes and not headings.has_thresholds(results)
    return "Decisions" if of_labels else results.task.decisions


def rules(results: Results) -> tuple[str, ...]:
    """The decision rules, one sentence for all models with the same rule."""
    printed = lookup.printed(results)
    models_of: dict[str, list[str]] = {}
    for model in results.data["models"]:
        models_of.setdefault(rule(model), []).append(printed[model["name"]])
    return tuple(f"{listed(names)}: {rule_text}." for rule_text, names in models_of.items())


def rule(model: ModelRecord) -> str:
    """How a model's decision is made, as the end of a sentence."""
    if model.get("thresholds"):
        rule_text = lookup.clean(model["threshold_rule"])
        return (
            f"a label is predicted where its score is at least its own threshold, which {rule_text}"
        )
    if model["threshold"] is None:
        return (
            "the model supplies its labels"
            if lookup.gives_labels(model)
            else f"{model['threshold_rule']} is predicted"
        )
    if lookup.gives_labels(model):
        return "the supplied labels decide, not the threshold"
    if "scores" in model["outputs"]:
        threshold = numbers.threshold(model["threshold"])
        return f"a label is predicted where its score is at least {threshold}"
    at = f"positive when the score is at least {numbers.threshold(model['threshold'])}"
    rule_text = lookup.clean(model["threshold_rule"] or "")
    return (
        f"{at}; this threshold {rule_text}"
        if model.get("threshold_choice")
        else f"{at} ({rule_text})"
    )


def warnings(printed: dict[str, str], models: Sequence[ModelRecord]) -> Iterator[str]:
    """What weakens the models' counts: optimistic thresholds, labels that disagree."""
    here = chosen_on_tested_rows(models)
    chosen = [model for model in models if model["name"] in here]
    if chosen:
        one = len(chosen) == 1 and not chosen[0].get("thresholds")
        names = listed([printed[model["name"]] for model in chosen])
        here_alone = chosen[0].get("threshold_role") == SAME_ROWS
        advice = "; use validation rows for narrower ones" if here_alone else ""
        yield (
            f"The {'threshold' if one else 'thresholds'} of {names} {'was' if one else 'were'} "
            "chosen on the evaluation data, so measures at the threshold are optimistic. Their "
            f"limits hold for every threshold{advice}."
        )
    for model in models:
        if model.get("disagreements"):
            rows = numbers.plural(model["disagreements"], "supplied label")
            verb = "disagrees" if model["disagreements"] == 1 else "disagree"
            score = "highest score" if model["threshold"] is None else "score at the threshold"
            yield (
                f"{rows} of {printed[model['name']]} {verb} with its {score}. The supplied labels "
                "are used here."
            )


def counts(results: Results) -> Table:
    """Confusion counts, one row per model."""
    values, printed = lookup.numbers(results), lookup.printed(results)
    data = results.data
    columns = (
        Column("model", "Model"),
        Column("threshold", "Threshold"),
        Column("tp", "Predicted positive (TP)", spanner=_class(data["positive"])),
        Column("fn", "Predicted negative (FN)", spanner=_class(data["positive"])),
        Column("fp", "Predicted positive (FP)", spanner=_class(data["negative"])),
        Column("tn", "Predicted negative (TN)", spanner=_class(data["negative"])),
        Column("predicted_positive", "Share predicted positive"),
    )
    rows = []
    for model in data["models"]:
        cells: dict[str, Cell | str] = {
            "model": printed[model["name"]],
            "threshold": "–"
            if model["threshold"] is None or lookup.gives_labels(model)
            else numbers.threshold(model["threshold"]),
        }
        for name in ("tp", "fn", "fp", "tn"):
            number = values.get(((name, None), model["name"]), lookup.NOTHING)
            cells[name] = numbers.count(number.value)
        share = values.get((("detection_prevalence", None), model["name"]), lookup.NOTHING).value
        cells["predicted_positive"] = numbers.percent(share)
        rows.append(Row(cells))
    unit = "Sums of weights" if data.get("weighted") else "Rows"
    repeats = evaluation_of(data).repeats or 1
    over = f", summed over {numbers.count(repeats)} repeats" if repeats > 1 else ""
    caption = f"{unit} by truth and decision{over}"
    return Table("confusion", caption, columns, tuple(rows))


def choices(results: Results) -> Table | None:
    """How sure each chosen threshold is; None where none was chosen or resampled."""
    level = numbers.level(results.confidence)
    columns = (
        Column("model", "Model" if results.task.two_classes else "Label"),
        Column("measure", "Chosen by", "left"),
        Column("threshold", "Threshold"),
        Column("limits", f"{level} interval"),
        Column("best", "Best value"),
        Column("optimism", "Optimism"),
        Column("corrected", "Corrected"),
    )
    printed = lookup.printed(results)
    rows = tuple(
        Row(_choice(name, one, results), group)
        for model in results.data["models"]
        for name, group, one in _chosen(printed[model["name"]], model)
        if one.get("threshold_choice")
    )
    if not rows:
        return None
    reasons = dict.fromkeys(
        why
        for model in results.data["models"]
        for *_, one in _chosen("", model)
        if (choice := one["threshold_choice"]) and (why := choice["uncertain"])
    )
    notes = (
        f"The threshold was chosen again in {_samples(results)}. Interval: limits of these "
        "thresholds, open upwards where predicting no positives was best. Optimism: by how much "
        "the value at the threshold is better on the rows that it was chosen on than on all "
        "rows; corrected: the best value minus the optimism.",
        *(f"n/a: {reason}." for reason in reasons),
    )
    return Table("threshold_choice", "Uncertainty of the chosen threshold", columns, rows, notes)


def _samples(results: Results) -> str:
    counts = [
        sure["replicates"]
        for model in results.data["models"]
        for *_, one in _chosen("", model)
        if (choice := one["threshold_choice"]) and (sure := choice["certainty"])
    ]
    return f"{numbers.count(counts[0])} bootstrap samples" if counts else "bootstrap samples"


def _chosen(name: str, model: ModelRecord) -> list[tuple[str, str | None, ThresholdRecord]]:
    """What is named in a row, the group that it stands in, and what was chosen."""
    of_labels = model.get("thresholds")
    if not of_labels:
        one = model["threshold"], model.get("threshold_choice")
        return [(name, None, {"class": "", "threshold": one[0], "threshold_choice": one[1]})]
    return [(lookup.clean(one["class"], 60), name, one) for one in of_labels]


def _choice(name: str, model: ThresholdRecord, results: Results) -> dict[str, Cell | str]:
    choice = model["threshold_choice"]
    if choice is None:
        return {}
    sure = choice["certainty"]
    cells: dict[str, Cell | str] = {
        "model": name,
        "measure": lookup.label(choice["metric"], results),
        "threshold": numbers.threshold(model["threshold"]),
        "best": numbers.fixed(choice["value"], 3),
    }
    if sure is None:
        return cells | dict.fromkeys(("limits", "optimism", "corrected"), "n/a")
    loosest, strictest = (
        "∞" if sure[end] is None else numbers.threshold(sure[end])
        for end in ("loosest", "strictest")
    )
    return cells | {
        "limits": f"{loosest} to {strictest}",
        "optimism": numbers.fixed(sure["optimism"], 3),
        "corrected": numbers.fixed(sure["corrected"], 3),
    }


def _class(name: str) -> str:
    return f"Truth: {lookup.clean(name, 30)}"
