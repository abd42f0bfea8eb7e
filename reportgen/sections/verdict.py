"""Page one: the state of the build, who leads and by how much, the gates, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.records.decision import Decision
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord, evaluation_of
from reportgen.sections import gates, lookup, models_by_rank, rows_in_words
from reportgen.sections.registry import PREDICTIONS, SCORES, section
from reportgen.sections.score_data import unit
from reportgen.sections.tables import Table
from reportgen.text import numbers
from reportgen.text.words import listed

COLOURS = {"pass": "good", "fail": "bad", "inconclusive": "caution"}
"""Kind of box for each state of a build that has gates or no conclusion; any other is a note."""

PLAIN_LABELS = ("true", "yes", "y", "t")
"""Labels of the positive class that name nothing."""


MOST_THRESHOLDS = 3
"""Thresholds that page one lists."""


@dataclass(frozen=True)
class Remark:
    """A caveat; a severe one is set apart."""

    text: str
    severe: bool


@section(10, PREDICTIONS, SCORES)
@dataclass(frozen=True)
class Verdict:
    """What a reviewer reads first."""

    id: ClassVar[str] = "verdict"
    title: ClassVar[str] = "Verdict"

    state: str
    kind: str
    headline: str
    sentence: str
    facts: str
    models: Table
    gates: Table | None
    lowest_of: str
    lowest: str
    action: str
    caveats: tuple[Remark, ...]
    figures: tuple[str, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> Verdict:
        """Fill the section; it always applies."""
        decision = results.decision
        return cls(
            state_text(results),
            kind(decision),
            lookup.clean(decision.headline),
            lookup.clean(decision.sentence),
            facts(results),
            models_by_rank.models_table(results),
            gates.gates_table(results),
            *lowest(results),
            "" if decision.action is None else lookup.clean(decision.action.text),
            tuple(
                Remark(lookup.clean(caveat.text), caveat.severity == "severe")
                for caveat in decision.with_care
            ),
            lookup.placed(figures, cls.id),
        )


def kind(decision: Decision) -> str:
    """The colour of the box: that of the state; none where nothing was asked of the build."""
    return COLOURS.get(decision.state, "note")


def state_text(results: Results) -> str:
    """The state, and why gates may be inconclusive where a test of the margin is met."""
    return "; ".join(filter(None, (results.decision.state_text, results.reading.interval_widths)))


def facts(results: Results) -> str:
    """Rows, truth and evaluation in a line."""
    data = results.data
    if results.task.of_values:
        sets = numbers.plural(data["datasets"], unit(data))
        what = lookup.clean(lookup.phrase(data["measure"], results))
        models = numbers.plural(len(data["models"]), "model")
        return f"{models} on {sets} · {what}, {data['better']} is better"
    truth = rows_in_words.truth(results)
    if "positive" in data and not results.task.graded:
        label = lookup.clean(data["positive"])
        named = label if label.isalpha() and label.lower() not in PLAIN_LABELS else "positive"
        share = rows_in_words.share_of_positives(results)
        truth = f"{numbers.count(data['positives'])} {named} ({share})"
    return " · ".join([rows_in_words.rows(results), truth, *evaluated(data)])


def evaluated(data: DataRecord) -> list[str]:
    """How the models were tested, where there is more than one test part; the groups of rows."""
    evaluation = evaluation_of(data)
    fits, folds, repeats = evaluation.fits, evaluation.folds, evaluation.repeats
    blocks = " in blocks of time" if evaluation.time_blocks else ""
    named = {
        "k_fold": f"{folds}-fold cross-validation{blocks}",
        "repeated_k_fold": f"{repeats} × {folds}-fold cross-validation{blocks}",
        "repeated_hold_out": f"{fits} hold-out splits",
        "leave_one_out": "leave-one-out",
        "five_by_two": "5 × 2-fold cross-validation",
        "bootstrap": f"{fits} bootstrap samples",
        "time_ordered": f"{folds} folds in order of time",
        "data_sets": numbers.plural(evaluation.datasets, "data set"),
    }
    scheme = named.get(evaluation.scheme)
    of_rows = data.get("groups")
    dependent = of_rows["number"] if of_rows and of_rows["largest"] > 1 else 0
    groups = evaluation.groups or dependent
    text = numbers.plural(groups, "group") if groups else ""
    if of_rows and groups == dependent and of_rows["mean_rows"] == of_rows["largest"]:
        text += f" of {numbers.plural(of_rows['largest'], 'row')}" if groups else ""
    return [part for part in (scheme, text, _points(data), *_thresholds(data)) if part]


def _points(data: DataRecord) -> str:
    """That rows are in time order; how many there are at each time point, if equally many."""
    points, rows = data.get("points_of_time") or 0, data["rows_evaluated"]
    if rows == points > 1:
        return "in time order"
    if not points or rows % points:
        return ""
    each = numbers.plural(rows // points, "row")
    return f"{numbers.plural(points, 'time point')} of {each}"


def _thresholds(data: DataRecord) -> list[str]:
    """The thresholds that validation rows chose; of many models only that they did."""
    chosen = [model for model in data["models"] if model.get("threshold_role") == "validation"]
    if not chosen:
        return []
    values = [
        f"{numbers.threshold(model['threshold'])} ({lookup.clean(model['name'])})"
        for model in chosen
        if model["threshold"] is not None
    ]
    listed_values = f": {listed(values)}" if 0 < len(values) <= MOST_THRESHOLDS else ""
    word = "threshold" if len(chosen) == 1 and listed_values else "thresholds"
    return [f"{word} chosen on validation rows{listed_values}"]


def lowest(results: Results) -> tuple[str, str]:
    """The measure that the leader is worst at by class, and of which class; both may be empty."""
    row = results.decision.lowest
    if row is None:
        return "", ""
    limits = numbers.interval(row.value, row.low, row.high)
    level = numbers.level(results.confidence)
    interval = f" ({level} simultaneous CI {limits})" if limits else ""
    value = numbers.estimate(row.value, row.low, row.high)
    who = f"of {lookup.clean(row.model)} in {results.task.noun} {lookup.clean(row.class_)}"
    least = row.least_rows
    among = f", among {results.task.nouns} with at least {least} rows" if least else ""
    return (
        f"Lowest {lookup.phrase(row.measure, results)}",
        f"{who}: {value}{interval}, all rows{among}.",
    )
