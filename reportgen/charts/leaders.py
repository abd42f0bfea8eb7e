"""Page one: the models by the deciding measure, and their differences to the reference model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import altair as alt
import polars as pl

from reportgen.charts import captions, chart_layers, class_names, labels, panels, scales, style
from reportgen.charts.channels import Position
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.style import ModelStyle
from reportgen.metric_names import COST
from reportgen.records import basis
from reportgen.records.decision import Decision, RankedModel, guessing
from reportgen.records.model import Results
from reportgen.tables.comparisons import RANKS
from reportgen.tasks import TASKS
from reportgen.text import numbers
from reportgen.text.words import capitalised, in_sentence

SECTION = "verdict"

WIDEST = 170
"""Most room for the names of the models."""

ROW, TIGHT = 24, 16
"""Height of a model's row, and where there are more than ``FEW`` of them."""

FEW = 4
GAP = 34

HEAD_SCALE = 1.2
"""Width of a panel's head, bold, over that of a label with the same text."""

VALUE, DIFFERENCE = ("value", "low", "high"), ("difference", "difference_low", "difference_high")
"""Estimate and limits of each panel, as the decision names them."""


def draw(
    decision: Decision, model_styles: Mapping[str, ModelStyle], label: str
) -> alt.ConcatChart | None:
    """The value of each model with its interval; beside it the difference to the reference.

    None where fewer than two models have an interval of either.
    """
    shown = _shown(decision)
    measured = _panels(shown)
    if not measured:
        return None
    names = class_names.fitted([model_styles[model.model].label for model in shown], WIDEST - 12)
    margin = 12 + max(labels.text_width(name) for name in names)
    width = (style.FULL - margin - 8 - GAP * (len(measured) - 1)) / len(measured)
    titles = {VALUE: label, DIFFERENCE: _versus(decision, model_styles, width)}
    parts = [
        panels.headed(
            _panel(decision, shown, names, model_styles, fields, margin if place == 0 else 0),
            titles[fields],
            width,
            (ROW if len(shown) <= FEW else TIGHT) * len(shown),
        )
        for place, fields in enumerate(measured)
    ]
    return panels.arranged(parts, len(parts), row=0, gap=GAP)


def _shown(decision: Decision) -> list[RankedModel]:
    """The models with a row: of differences alone, the reference has none."""
    valued = [model for model in decision.on_page_one if model.value is not None]
    if len(valued) < 2 or _limited(valued, VALUE):
        return valued
    return [model for model in valued if model.difference is not None]


def _panels(shown: Sequence[RankedModel]) -> list[tuple[str, str, str]]:
    """The panels that have limits: values, differences, both or none."""
    several = len(shown) > 1 or not _limited(shown, VALUE)
    return [part for part in (VALUE, DIFFERENCE) if several and _limited(shown, part)]


def _limited(models: Sequence[RankedModel], fields: Sequence[str]) -> bool:
    return any(None not in _numbers(model, fields) for model in models)


def _numbers(model: RankedModel, fields: Sequence[str]) -> list[float | None]:
    return [getattr(model, field) for field in fields]


def _versus(decision: Decision, model_styles: Mapping[str, ModelStyle], room: float = inf) -> str:
    """What the differences are of, the name cut so that all of it has room."""
    reference = decision.reference
    if reference is None:
        return "Difference"
    other = "other model" if reference.casefold() == "model" else "model"
    room -= HEAD_SCALE * labels.text_width(f"{other} − ")
    name = labels.squeeze(captions.short(model_styles[reference]), room / HEAD_SCALE)
    if reference == decision.baseline:
        return f"{capitalised(other)} − {name}"
    return f"{name} − {other}"


def _panel(
    decision: Decision,
    models: Sequence[RankedModel],
    names: Sequence[str],
    model_styles: Mapping[str, ModelStyle],
    fields: Sequence[str],
    margin: float,
) -> list[alt.Chart]:
    records = [
        _record(
            name, model_styles[model.model], *_numbers(model, fields), filled=_filled(model, fields)
        )
        for name, model in zip(names, models, strict=True)
        if getattr(model, fields[0]) is not None
    ]
    null_value = 0.0 if fields == DIFFERENCE else _chance(decision)
    marked = [record[field] for record in records for field in VALUE if field in record]
    marked += [] if null_value is None else [null_value]
    padding = 0.06 * (max(marked) - min(marked)) or 0.01
    across = scales.x("value", None, [min(marked) - padding, max(marked) + padding], number=4)
    y = panels.names_axis("model:N", names, margin, WIDEST)
    limited = chart_layers.inline([record for record in records if "low" in record])
    layers = [
        limited.mark_rule(strokeWidth=1.8).encode(
            y=y,
            color=alt.Color("color:N", scale=None),
            x=alt.X("low:Q", **_plain(across)),
            x2=alt.X2("high:Q"),
        ),
        chart_layers.inline(records)
        .mark_point(opacity=1, size=62 if len(models) <= FEW else 45, strokeWidth=1.8)
        .encode(
            y=y,
            x=across,
            shape=alt.Shape("shape:N", scale=None),
            stroke=alt.Stroke("color:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            tooltip=chart_layers.tooltips(model="Model", value="Value", low="Low", high="High"),
        ),
    ]
    if null_value is not None:
        line = chart_layers.inline([{"value": null_value}]).mark_rule(
            color=style.QUIET, strokeDash=[4, 3]
        )
        layers.insert(0, line.encode(x=across))
    return layers


def _plain(across: alt.X) -> Position:
    """The scale and the axis of a position, for another field."""
    return {"scale": across["scale"], "axis": across["axis"], "title": None}


def _filled(model: RankedModel, fields: Sequence[str]) -> bool:
    """Whether a mark is filled: of a difference only where the adjusted test rejects."""
    return fields == VALUE or bool(model.significant)


def _record(
    name: str,
    model_style: ModelStyle,
    value: float | None,
    low: float | None,
    high: float | None,
    *,
    filled: bool,
) -> chart_layers.Datum:
    record: chart_layers.Datum = {
        "model": name,
        "value": value,
        "color": model_style.color,
        "shape": model_style.shape,
    }
    if low is not None and high is not None:
        record |= {"low": low, "high": high}
    return record | {"fill": model_style.color if filled else "white"}


def _chance(decision: Decision) -> float | None:
    """The value of guessing, where a model is at it."""
    rows = [r for r in decision.at_chance if r.measure == decision.measure and r.class_ is None]
    values = {round(row.chance, 12) for row in rows}
    return values.pop() if len(values) == 1 else None


@report_chart(0, *TASKS)
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where page one has no two models with intervals."""
    decision = results.decision
    model_styles = {
        model_style.model: model_style for model_style in captions.model_styles(results)
    }
    measure = decision.measure or ""
    label = results.definitions.label(measure, results.task.name)
    if measure == COST:
        label = "Cost per row"
    chart = draw(decision, model_styles, label)
    if chart is None:
        return []
    shown = _shown(decision)
    descriptions = [f"{model_styles[m.model].label} {_value_text(m, VALUE)}" for m in shown]
    versus = [
        f"{model_styles[m.model].label} {_value_text(m, DIFFERENCE)}"
        for m in shown
        if m.difference is not None
    ]
    more = f" {_versus(decision, model_styles)}: {'; '.join(versus)}." if versus else ""
    return [
        Figure(
            id="leaders",
            title=_title(
                decision, shown, label, basis.parts(results.data), of_ranks=of_ranks(results)
            ),
            subtitle=_subtitle(results, shown),
            alt=f"{label} of each model: {'; '.join(descriptions)}.{more}",
            chart=chart_layers.specification(chart),
            table=_table(shown, model_styles),
            width="full",
            section=SECTION,
        )
    ]


def of_ranks(results: Results) -> bool:
    """Whether the differences of page one are those of mean ranks."""
    deciding = results.comparisons.filter(comparison=results.decision.test or "")
    return RANKS in deciding["effect"].to_list()


def _title(
    decision: Decision,
    shown: Sequence[RankedModel],
    label: str,
    parts_of: str,
    *,
    of_ranks: bool,
) -> str:
    units = {"mean over folds": parts_of, "data sets": "data sets"}.get(str(decision.basis))
    if VALUE not in _panels(shown):
        over, what = f" over {units}" if units else "", in_sentence(label)
        return f"Differences in {'mean rank' if of_ranks else what} between models{over}"
    parts = [label, *([f"(means over {units})"] if units else [])]
    if _limited(shown, DIFFERENCE):
        parts.append(f"and differences {'in mean rank ' if of_ranks else ''}between models")
    return " ".join(parts)


def _subtitle(results: Results, shown: Sequence[RankedModel]) -> str:
    decision = results.decision
    interval_level = numbers.level(results.confidence)
    parts = [f"{interval_level} confidence intervals"] if _limited(shown, VALUE) else []
    if _limited(shown, DIFFERENCE):
        family = decision.family
        kind = "simultaneous " if family and family.size > 1 else ""
        level = numbers.level(1 - decision.alpha)
        parts.append(f"for differences, {kind}{level} limits of the test")
    text = f"Bars: {'; '.join(parts)}."
    if _limited(shown, DIFFERENCE):
        text += " Filled marker: significant difference."
    if _chance(decision) is not None and VALUE in _panels(shown):
        place = " in the left panel" if len(_panels(shown)) > 1 else ""
        text += f" Dashed line{place}: {guessing(decision.measure or '')}."
    return text


def _value_text(model: RankedModel, fields: Sequence[str]) -> str:
    value, low, high = _numbers(model, fields)
    text = numbers.estimate(value, low, high)
    limits = numbers.interval(value, low, high)
    return f"{text} ({limits})" if limits else text


def _table(shown: Sequence[RankedModel], model_styles: Mapping[str, ModelStyle]) -> pl.DataFrame:
    rows = [
        (model_styles[m.model].label, *_numbers(m, VALUE), *_numbers(m, DIFFERENCE), m.p_adjusted)
        for m in shown
    ]
    heads = ["Model", "Value", "Low", "High", "Difference", "Low of difference"]
    heads += ["High of difference", "Adjusted p"]
    return pl.DataFrame(rows, schema=heads, orient="row", infer_schema_length=None)
