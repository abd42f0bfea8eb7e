"""The models, best first, as a table: those of page one, or all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose
from typing import TypedDict

import polars as pl

from reportgen.charts.leaders import of_ranks
from reportgen.metric_names import COST, COST_PER_ROW, WINKLER_SCORE
from reportgen.records import basis, shown_models
from reportgen.records.decision import Decision, FamilyOfTests, RankedModel
from reportgen.records.model import Results
from reportgen.records.rows import one_quantile, quantile_levels
from reportgen.sections import correction_notes, interval_columns, lookup
from reportgen.sections.metric_table import OF_CAVEATS, unit_of
from reportgen.sections.tables import Cell, Column, Row, Table, effect, opened, valued
from reportgen.tables.comparisons import MEDIAN, PSEUDOMEDIAN
from reportgen.tasks import MeasureAverage
from reportgen.text import decimals, numbers
from reportgen.text.words import capitalised

ROOT = ("root_mean_squared_error", None)
AVERAGE_PRECISION: MeasureAverage = ("average_precision", None)
QUANTILE_COVERAGE: MeasureAverage = ("quantile_coverage", None)

OF_COMMON_SETS = (
    "Mean ranks and means use the data sets that have a value for every model. A median difference "
    "uses those that have a value for both models, without ties, and need not equal the difference "
    "of the means."
)

OF_MEANS = (
    "Each group counts once, with the mean of its values. A median difference leaves out ties and "
    "need not equal the difference of the means."
)


def leaderboard(results: Results) -> Table | None:
    """The models that page one leaves out, best first, where the sections show a part of them.

    All of them in a report without page one; None where page one has them all.
    """
    decision = results.decision
    has_page_one = lookup.has_section(results, "verdict")
    above = decision.on_page_one if has_page_one else ()
    models = [model for model in decision.models if model not in above]
    if not models or not shown_models.note(results):
        return None
    table = models_table(results, models)
    caption = f"Further {table.caption[:1].lower()}{table.caption[1:]}" if above else table.caption
    return replace(table, id="leaderboard", caption=caption)


def models_table(results: Results, models: Sequence[RankedModel] = ()) -> Table:
    """The models, best first: measure, difference to the baseline or the leader, cost.

    Those of page one, or ``models``. The leader stands out where it is ahead of every other one.
    """
    decision = results.decision
    shown = models or decision.on_page_one
    has = _optional_columns(results, shown)
    ahead = decision.relation in ("ahead", "mixed") and all(
        m.standing in ("leader", "behind") for m in decision.models if m.value is not None
    )
    lines = tuple(
        Row(line, emphasis=ahead and model.standing == "leader")
        for model, line in zip(shown, _lines(results, shown, has), strict=True)
    )
    notes = tuple(_notes(results, decision, shown, has))
    return Table("leaders", _caption(results, decision), _heads(results, shown, has), lines, notes)


class OptionalColumns(TypedDict):
    """Which columns the table has, beside the model and the measure."""

    rank: bool
    difference: bool
    cost: bool
    unit: bool
    group: bool
    precision: bool
    quantile: bool
    coverage: bool


def _optional_columns(results: Results, shown: Sequence[RankedModel]) -> OptionalColumns:
    return {
        "rank": any(model.mean_rank is not None for model in shown),
        "difference": any(model.difference is not None for model in shown),
        "cost": results.decision.measure != COST and any(m.cost is not None for m in shown),
        "unit": not interval_columns.decide(results)
        and any(model.unit_value is not None for model in shown),
        "group": any(model.group for model in shown),
        "precision": _reads_precision(results),
        "quantile": len(quantile_levels(results.data["models"])) > 1,
        "coverage": bool(quantile_levels(results.data["models"])),
    }


def _heads(
    results: Results, shown: Sequence[RankedModel], has: OptionalColumns
) -> tuple[Column, ...]:
    decision, reference = results.decision, results.decision.reference
    level = numbers.level(1 - decision.alpha)
    value_level = numbers.level(results.confidence)
    what = _measure_label(results, decision)
    limited = any(model.low is not None for model in shown)
    heads = [Column("model", "Model")]
    if has["rank"]:
        heads.append(Column("rank", "Mean rank"))
    if has["precision"]:
        of_list = any(
            number.low is not None for number in _of_models(results, shown, AVERAGE_PRECISION)
        )
        label = lookup.label(AVERAGE_PRECISION, results)
        heads.append(Column("precision", f"{label} ({value_level} CI)" if of_list else label))
    if has["quantile"]:
        heads.append(Column("quantile", "Quantile"))
    heads.append(Column("value", f"{what} ({value_level} CI)" if limited else what))
    if has["unit"]:
        heads.append(Column("unit", "RMSE"))
    if has["coverage"]:
        of_all = one_quantile(results.data["models"])
        nominal = "" if of_all is None else f", nominal {numbers.level(of_all)}"
        heads.append(Column("coverage", f"At or below{nominal} ({value_level} CI)"))
    heads += interval_columns.heads(results)
    if has["difference"]:
        of = lookup.clean(lookup.printed(results).get(reference or "", reference or ""))
        other = "other model" if of.casefold() == "model" else "model"
        pair = (
            f"{other.capitalize()} − {of}" if reference == decision.baseline else f"{of} − {other}"
        )
        if has["quantile"]:
            pair = "Best − model"
        heads += [
            Column("difference", f"{pair}{', mean rank' * of_ranks(results)} ({level} CI)"),
            Column("p", correction_notes.p_head(_family(results))),
        ]
    if has["cost"]:
        heads.append(Column("cost", _cost_head(results, value_level)))
    if has["group"]:
        heads.append(Column("group", "Group", "left"))
    return tuple(heads)


def _lines(
    results: Results, shown: Sequence[RankedModel], has: OptionalColumns
) -> list[dict[str, Cell | str]]:
    decision, printed = results.decision, lookup.printed(results)
    of_values = decimals.shared((m.value, m.low, m.high) for m in decision.models)
    of_effects = results.reading.effect_decimals
    cells = [_model(decision, model, printed, of_values, of_effects) for model in shown]
    if has["unit"]:
        for line, text in zip(cells, _in_unit(results, shown), strict=True):
            line["unit"] = text
    if has["quantile"]:
        of = {model["name"]: model["quantile"] for model in results.data["models"]}
        for line, model in zip(cells, shown, strict=True):
            line["quantile"] = f"{of[model.model]:g}"
    beside = {"precision": AVERAGE_PRECISION} if has["precision"] else {}
    beside |= {"coverage": QUANTILE_COVERAGE} if has["coverage"] else {}
    for key, measure in beside.items():
        for line, number in zip(cells, _of_models(results, shown, measure), strict=True):
            line[key] = valued(number.value, number.low, number.high)
    interval_columns.fill(results, [model.model for model in shown], cells)
    if has["cost"]:
        for line, model in zip(cells, shown, strict=True):
            line["cost"] = valued(model.cost, model.cost_low, model.cost_high)
    return cells


def _cost_head(results: Results, level: str) -> str:
    """The head of the cost per row: with the prevalence that it is for, if the spec states one."""
    stated = results.reading.stated_prevalence
    at = "" if stated is None else f" at {numbers.prevalence(stated)}"
    over = ""
    if results.decision.basis == "mean over folds":
        over = f", mean over {basis.parts(results.data)}"
    return f"Cost per row{at}{over}{f' ({level} CI)' if _costs_have_limits(results) else ''}"


def _costs_have_limits(results: Results) -> bool:
    return any(model.cost_low is not None for model in results.decision.models)


def _reads_precision(results: Results) -> bool:
    """Whether average precision stands beside the measure: of rare positives, on the same basis."""
    decision, every = results.decision, lookup.numbers(results)

    def precision(model: RankedModel) -> lookup.Number:
        return every.get((AVERAGE_PRECISION, model.model), lookup.NOTHING)

    return (
        results.reading.positives_are_rare
        and decision.basis in ("pooled rows", "groups")
        and decision.measure != "average_precision"
        and any(precision(m).value is not None for m in decision.models)
    )


def _in_unit(results: Results, shown: Sequence[RankedModel]) -> list[Cell]:
    """The RMSE of each model, with the decimals that the key numbers have."""
    every = lookup.numbers(results)
    limits = [every.get((ROOT, m.model), lookup.NOTHING) for m in shown]
    values = [(m.unit_value, n.low, n.high) for m, n in zip(shown, limits, strict=True)]
    return [valued(m.unit_value, digits=decimals.shared(values)) for m in shown]


def _of_models(
    results: Results, shown: Sequence[RankedModel], measure: MeasureAverage
) -> list[lookup.Number]:
    """A measure of each model."""
    every = lookup.numbers(results)
    return [every.get((measure, m.model), lookup.NOTHING) for m in shown]


def _family(results: Results) -> FamilyOfTests | None:
    """The tests that p and limits of the column are corrected for: the pairs with its reference.

    Those of the headline are others where the leader is not compared with a declared baseline.
    """
    decision = results.decision
    family = decision.family
    if family is None or decision.reference is None:
        return family
    rows = results.comparisons.filter(
        pl.col("models").list.contains(decision.reference),
        pl.col("models").list.len() == 2,
        pl.col("p_adjusted").is_not_null(),
        comparison=decision.test or "",
        metric=decision.measure or "",
    )
    size = rows["family_size"].max()
    return replace(family, size=int(size)) if isinstance(size, int | float) else family


def _measure_label(results: Results, decision: Decision) -> str:
    name = decision.measure or ""
    label = lookup.label(name, results) if name else "Value"
    if name == COST:
        label = "Cost per row"
    if decision.basis == "mean over folds" and not results.task.of_values:
        label = f"{label}, mean over {basis.parts(results.data)}"
    return lookup.clean(f"Mean {lookup.phrase(name, results)}" if _over_sets(decision) else label)


def _over_sets(decision: Decision) -> bool:
    return any(model.mean_rank is not None for model in decision.models)


def _model(
    decision: Decision,
    model: RankedModel,
    printed: dict[str, str],
    of_values: int,
    of_effects: int,
) -> dict[str, Cell | str]:
    name = printed.get(model.model, model.model)
    if model.model == decision.baseline:
        name += " (baseline)"
    p = numbers.p_number(model.p_adjusted, decision.alpha)
    return {
        "model": name,
        "rank": numbers.fixed(model.mean_rank, 2),
        "value": valued(model.value, model.low, model.high, digits=of_values),
        "difference": Cell("–", kind="muted")
        if model.difference is None
        else opened(
            effect(model.difference, model.difference_low, model.difference_high, of_effects),
            model.difference_low,
            model.difference_high,
            rejected=bool(model.significant),
        ),
        "p": Cell("–", kind="muted") if model.p_adjusted is None else p,
        "group": model.group or "",
    }


def _caption(results: Results, decision: Decision) -> str:
    what = lookup.phrase(decision.measure or "", results)
    what = COST_PER_ROW if decision.measure == COST else what
    if decision.measure is None:
        return "Models"
    of_values = basis.words(decision.basis or "pooled rows", results.data)
    one = len(decision.models) == 1
    named = f"{capitalised(what)}" if one else f"Models by {what}"
    return lookup.clean(f"{named}: {of_values}")


def _notes(
    results: Results, decision: Decision, shown: Sequence[RankedModel], has: OptionalColumns
) -> list[str]:
    notes = []
    left = len(decision.models) - len(shown)
    if left and shown == decision.on_page_one:
        notes.append(f"{numbers.plural(left, 'more model')} in the sections.")
    if has["difference"]:
        notes += _notes_of_differences(results, decision, shown)
    if has["cost"] and not _costs_have_limits(results):
        of_values = basis.words(decision.basis or "pooled rows", results.data)
        notes.append(f"Cost per row: no interval on this basis ({of_values}).")
    if has["group"]:
        notes.append("Models that share a letter do not differ significantly.")
    if has["precision"] and has["difference"]:
        what = lookup.phrase(decision.measure or "", results)
        what = COST_PER_ROW if decision.measure == COST else what
        notes.append(
            "Positives are rare: average precision, which weighs the top of the list, comes "
            f"first. The verdict rests on {what}, for which a test is recommended."
        )
    if has["precision"]:
        reasons = dict.fromkeys(
            n.no_interval for n in _of_models(results, shown, AVERAGE_PRECISION)
        )
        label = lookup.label(AVERAGE_PRECISION, results)
        notes += [f"{label}: no interval; {reason}." for reason in reasons if reason is not None]
    if has["quantile"]:
        notes.append(
            "Each model's pinball loss is that at the quantile it estimates; “best” compares the "
            "models of one quantile."
        )
    if has["unit"]:
        notes.append("RMSE: root mean squared error, in the unit of the truth.")
    notes += _of_scale(results, decision, shown)
    about = decision.about(decision.measure or "")
    notes += [OF_CAVEATS[caveat.code] for caveat in about if caveat.code in OF_CAVEATS]
    return notes


def _of_scale(results: Results, decision: Decision, shown: Sequence[RankedModel]) -> Iterator[str]:
    """What the values of the deciding measure are, where its name does not tell."""
    if decision.measure == WINKLER_SCORE:
        yield (
            "Winkler score: the width of the interval, plus a penalty where the true value lies "
            "outside."
        )
        if None in interval_columns.nominal_levels(results).values():
            level = numbers.level(results.confidence)
            yield f"Where the spec declares no level, the Winkler score takes {level}."
    value = next((one.value for one in shown if one.value is not None), None)
    if unit_of(decision.measure or "", results) == "%" and value is not None:
        what = lookup.label(decision.measure or "", results)
        yield f"{what} as a share: {numbers.estimate(value)} is {numbers.percent(value)}."


def _notes_of_differences(
    results: Results, decision: Decision, shown: Sequence[RankedModel]
) -> Iterator[str]:
    """What the differences and their limits are."""
    family = _family(results)
    yield correction_notes.limits(
        family, decision.alpha, results.definitions, pairs=len(decision.models) > 2
    )
    if family is not None and family.size > 1 and any(map(_is_held_at_0, shown)):
        names = [family.correction or "none"]
        yield correction_notes.note(names, decision.alpha, results.definitions)
    tests = results.comparisons.filter(comparison=decision.test or "")
    if tests.height and tests["effect"][0] != "difference":
        yield f"Differences between models: {tests['effect'][0]}."
    test = results.definitions.test(decision.test or "")
    if (
        test is not None
        and test.by_point
        and any(_differs(model, shown, decision) for model in shown)
    ):
        yield (
            "Differences are means over time points, of which each counts once; values are means "
            "over rows."
        )
    if decision.basis == "data sets" and tests["effect"].first() in (MEDIAN, PSEUDOMEDIAN):
        yield OF_MEANS if "averaged" in results.data else OF_COMMON_SETS


def _differs(model: RankedModel, shown: Sequence[RankedModel], decision: Decision) -> bool:
    """Whether a difference is not that of the two values, beyond rounding."""
    other = {one.model: one.value for one in shown}.get(decision.reference or "")
    if other is None or model.difference is None or model.value is None:
        return False
    size = abs(model.value - other)
    return not isclose(abs(model.difference), size, rel_tol=1e-6, abs_tol=1e-12 * abs(other))


def _is_held_at_0(model: RankedModel) -> bool:
    return bool(model.significant) and 0 in (model.difference_low, model.difference_high)
