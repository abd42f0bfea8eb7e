"""Page one: the state of the build, who leads and by how much, the gates, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from reportgen.comparisons.corrections import CORRECTION_NAMES
from reportgen.records import basis
from reportgen.records.rows import DataRecord
from reportgen.sections import gates, lookup
from reportgen.sections.registry import PREDICTIONS, SCORES, section
from reportgen.sections.score_data import unit
from reportgen.sections.tables import Cell, Column, Row, Table, effect, opened, valued
from reportgen.text import numbers

if TYPE_CHECKING:
    from reportgen.charts import Figure
    from reportgen.records.decision import Decision, RankedModel
    from reportgen.results import Results

COLOURS = {"pass": "good", "fail": "bad", "inconclusive": "caution"}
"""Kind of box for each state of a build that has gates or no conclusion; any other is a note."""

PLAIN_LABELS = ("true", "yes", "y", "t")
"""Labels of the positive class that name nothing."""


@dataclass(frozen=True)
class Remark:
    """A caveat; a severe one is set apart."""

    text: str
    severe: bool


@section(10, PREDICTIONS, SCORES)
@dataclass(frozen=True)
class Verdict:
    """What a reviewer reads first."""

    template: ClassVar[str] = "sections/verdict.html.j2"
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
            decision.state_text,
            kind(decision),
            lookup.clean(decision.headline),
            lookup.clean(decision.sentence),
            facts(results),
            models_table(results),
            gates.gates_table(results),
            *lowest(results),
            "" if decision.action is None else lookup.clean(decision.action.text),
            tuple(
                Remark(lookup.clean(caveat.text), caveat.severity == "severe")
                for caveat in decision.caveats
            ),
            lookup.placed(figures, cls.id),
        )


def kind(decision: Decision) -> str:
    """The colour of the box: that of the state; none where nothing was asked of the build."""
    return COLOURS.get(decision.state, "note")


def facts(results: Results) -> str:
    """Rows, truth and evaluation in a line."""
    data = results.data
    if results.task.of_values:
        sets = numbers.plural(data["datasets"], unit(data))
        what = lookup.clean(lookup.phrase(data["measure"]))
        models = numbers.plural(len(data["models"]), "model")
        return f"{models} on {sets} · {what}, {data['better']} is better"
    truth = lookup.truth(results)
    if "positive" in data:
        label = lookup.clean(data["positive"])
        named = label if label.isalpha() and label.lower() not in PLAIN_LABELS else "positive"
        share = numbers.percent(data["prevalence"])
        truth = f"{numbers.count(data['positives'])} {named} ({share})"
    return " · ".join([lookup.rows(results), truth, *_evaluated(data)])


def _evaluated(data: DataRecord) -> list[str]:
    """How the models were tested, where there is more than one test part."""
    evaluation = data.get("evaluation")
    if not evaluation:
        return []
    fits, folds, repeats = (evaluation.get(key) or 0 for key in ("fits", "folds", "repeats"))
    named = {
        "k_fold": f"{folds}-fold cross-validation",
        "repeated_k_fold": f"{repeats} × {folds}-fold cross-validation",
        "repeated_hold_out": f"{fits} hold-out splits",
        "leave_one_out": "leave-one-out",
        "five_by_two": "5 × 2-fold cross-validation",
        "bootstrap": f"{fits} bootstrap samples",
        "time_ordered": f"{folds} folds in order of time",
        "data_sets": numbers.plural(evaluation.get("datasets"), "data set"),
    }
    scheme = named.get(str(evaluation.get("scheme")))
    groups = evaluation.get("groups")
    return [*([scheme] if scheme else []), *([numbers.plural(groups, "group")] if groups else [])]


def lowest(results: Results) -> tuple[str, str]:
    """The measure that the leader is worst at by class, and of which class; both may be empty."""
    row = results.decision.lowest
    if row is None:
        return "", ""
    limits = numbers.interval(row.value, row.low, row.high)
    level = numbers.level(lookup.confidence(results))
    interval = f" ({level} CI {limits})" if limits else ""
    value = numbers.estimate(row.value, row.low, row.high)
    who = f"{results.task.noun} {lookup.clean(row.class_)}, model {lookup.clean(row.model)}"
    return f"Lowest {lookup.phrase(row.measure)}", f"{who}: {value}{interval}, all rows."


def models_table(results: Results) -> Table:
    """The models, best first: measure, difference to the baseline or the leader, cost."""
    decision = results.decision
    printed = lookup.printed(results)
    shown = decision.on_page_one
    reference = decision.reference
    level = numbers.level(1 - decision.alpha)
    has = {
        "rank": any(model.mean_rank is not None for model in shown),
        "difference": any(model.difference is not None for model in shown),
        "cost": any(model.cost is not None for model in shown),
        "unit": any(model.unit_value is not None for model in shown),
        "group": any(model.group for model in shown),
    }
    value_level = numbers.level(lookup.confidence(results))
    what = _measure_label(results, decision)
    limited = any(model.low is not None for model in shown)
    heads = [Column("model", "Model")]
    if has["rank"]:
        heads.append(Column("rank", "Mean rank"))
    heads.append(Column("value", f"{what} ({value_level} CI)" if limited else what))
    if has["unit"]:
        heads.append(Column("unit", "RMSE"))
    if has["difference"]:
        of = lookup.clean(printed.get(reference or "", reference or ""))
        pair = f"Model − {of}" if reference == decision.baseline else f"{of} − model"
        heads += [Column("difference", f"{pair} ({level} CI)"), Column("p", _p_head(decision))]
    if has["cost"]:
        heads.append(Column("cost", "Cost per row"))
    if has["group"]:
        heads.append(Column("group", "Group", "left"))
    digits = max(
        (numbers.decimals(m.value, m.low, m.high) for m in shown if m.value is not None), default=3
    )
    lines = tuple(
        Row(_model(decision, model, printed, digits), emphasis=model.standing == "leader")
        for model in shown
    )
    caption = _caption(results, decision)
    return Table(
        "leaders", caption, tuple(heads), lines, tuple(_notes(results, decision, shown, has))
    )


def _p_head(decision: Decision) -> str:
    """The head of p, which is adjusted where there are several comparisons to correct for."""
    return "p adjusted" if decision.family is not None and decision.family.is_corrected else "p"


def _measure_label(results: Results, decision: Decision) -> str:
    name = decision.measure or ""
    label = lookup.label(name, lookup.task(results)) if name else "Value"
    return lookup.clean(f"Mean {lookup.phrase(name)}" if _over_sets(decision) else label)


def _over_sets(decision: Decision) -> bool:
    return any(model.mean_rank is not None for model in decision.models)


def _model(
    decision: Decision, model: RankedModel, printed: dict[str, str], digits: int
) -> dict[str, Cell | str]:
    name = printed.get(model.model, model.model)
    if model.model == decision.baseline:
        name += " (baseline)"
    p = numbers.p_number(model.p_adjusted, decision.alpha)
    return {
        "model": name,
        "rank": numbers.fixed(model.mean_rank, 2),
        "value": valued(model.value, model.low, model.high, default=digits),
        "unit": numbers.estimate(model.unit_value),
        "difference": Cell("–", kind="muted")
        if model.difference is None
        else opened(
            effect(model.difference, model.difference_low, model.difference_high),
            model.difference_low,
            model.difference_high,
            rejected=bool(model.significant),
        ),
        "p": Cell("–", kind="muted") if model.p_adjusted is None else p,
        "cost": numbers.estimate(model.cost),
        "group": model.group or "",
    }


def _caption(results: Results, decision: Decision) -> str:
    what = lookup.phrase(decision.measure or "", lookup.task(results))
    if decision.measure is None:
        return "Models"
    of_values = basis.words(decision.basis or "pooled rows", results.data)
    one = len(decision.models) == 1
    named = f"{what[:1].upper()}{what[1:]}" if one else f"Models by {what}"
    return lookup.clean(f"{named}: {of_values}")


def _notes(
    results: Results, decision: Decision, shown: Sequence[RankedModel], has: dict[str, bool]
) -> list[str]:
    notes = []
    left = len(decision.models) - len(shown)
    if left:
        notes.append(f"{numbers.plural(left, 'more model')} in the sections.")
    if has["difference"]:
        notes.append(_family_note(decision))
        tests = results.comparisons.filter(comparison=decision.test or "")
        if tests.height and tests["effect"][0] != "difference":
            notes.append(f"Differences between models: {tests['effect'][0]}.")
    if has["group"]:
        notes.append("Models that share a letter do not differ significantly.")
    if has["unit"]:
        notes.append("RMSE: root mean squared error, in the unit of the truth.")
    return notes


def _family_note(decision: Decision) -> str:
    """What the limits of the differences hold for."""
    family = decision.family
    if family is None or family.size < 2:  # one comparison needs no correction
        return "Limits of a difference and p are of one test at one level."
    name = CORRECTION_NAMES.get(family.correction or "", "")
    how = f"{name}-adjusted p" if name else "p"
    count = numbers.plural(family.size, "comparison")
    level = numbers.level(1 - decision.alpha)
    return f"{how} and simultaneous {level} limits (Bonferroni) over {count}."
