"""Look things up in the results, with names ready to be printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from types import MappingProxyType
from typing import TYPE_CHECKING

from reportgen.charts import Figure, labels
from reportgen.metric_names import PINBALL_LOSS, of_parameter, quantile_of
from reportgen.once_per_frame import once_per_frame
from reportgen.records.definitions import TWO_CLASSES, MetricDefinition
from reportgen.records.model import Results
from reportgen.records.rows import ModelRecord, SkippedRecord, quantile_levels, rows_of
from reportgen.sections.averages import averaged, measure_of, plain
from reportgen.tables.comparisons import ComparisonRow
from reportgen.tasks import MeasureAverage, TaskName
from reportgen.text import name_starts
from reportgen.text import numbers as figures
from reportgen.text.words import capitalised, in_sentence, listed

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Number:
    """One number of the results."""

    metric: str
    average: str | None
    model: str
    value: float | None
    low: float | None
    high: float | None
    interval: str | None
    undefined: str | None
    no_interval: str | None = None

    @property
    def measure(self) -> MeasureAverage:
        """The metric and its average."""
        return self.metric, self.average


NOTHING = Number("", None, "", None, None, None, None, None)


def without_interval(number: Number) -> str:
    """The note of a value that has no limits."""
    return sentence(f"No interval: {number.no_interval}")


ModelNumbers = Mapping[tuple[MeasureAverage, str], Number]
"""Numbers by measure and model."""


def task(results: Results) -> TaskName:
    """What the models do: binary, multiclass, multilabel or regression."""
    return results.task.name


def numbers(results: Results) -> ModelNumbers:
    """Numbers of all rows."""
    return _of_all_rows(results.metrics)


def own_numbers(results: Results) -> ModelNumbers:
    """The same without the pinball losses of other quantiles than a model estimates, if any."""
    levels = quantile_levels(results.data["models"])
    own = {name: level for level, models in levels.items() for name in models}
    return {
        (measure, model): number
        for (measure, model), number in numbers(results).items()
        if quantile_of(measure[0]) in (None, own.get(model)) or len(levels) < 2
    }


@once_per_frame
def _of_all_rows(table: pl.DataFrame) -> ModelNumbers:
    return MappingProxyType(_by_slice(table.filter(table["slice"].is_null())).get(None, {}))


def sliced(results: Results) -> dict[str, ModelNumbers]:
    """Numbers of each slice, in the order of the results."""
    by_slice = _by_slice(results.metrics.filter(results.metrics["slice"].is_not_null()))
    return {label: numbers for label, numbers in by_slice.items() if label is not None}


FIELDS = tuple(Number.__dataclass_fields__)


def _by_slice(table: pl.DataFrame) -> Mapping[str | None, ModelNumbers]:
    by_slice: dict[str | None, dict[tuple[MeasureAverage, str], Number]] = {}
    for part, *fields in (
        table.filter(table["class"].is_null()).select("slice", *FIELDS).iter_rows()
    ):
        number = Number(*fields)
        by_slice.setdefault(part, {})[number.measure, number.model] = number
    return by_slice


def by_class(results: Results) -> Mapping[str, ModelNumbers]:
    """Numbers of each class against the rest (or of each label), on all rows."""
    table = results.metrics
    class_rows = table.filter(table["slice"].is_null() & table["class"].is_not_null())
    result: dict[str, dict[tuple[MeasureAverage, str], Number]] = {}
    for row in class_rows.iter_rows(named=True):
        number = Number(**{name: row[name] for name in FIELDS})
        result.setdefault(row["class"], {})[number.measure, number.model] = number
    return result


def has_section(results: Results, name: str) -> bool:
    """Whether the spec lets a section be shown."""
    return name in results.declared.shown_sections


def metrics(results: Results, groups: Iterable[str], *, core: bool = False) -> list[MeasureAverage]:
    """The measures in the results that belong to ``groups``, in the order of the definitions.

    Averages over the classes follow the other measures of their group.
    """
    of_groups = _in_groups(results)
    return [
        measure
        for group in groups
        for measure in of_groups.get(group, ())
        if (not core or is_core(measure, results) or _is_of_order(measure, results))
        and not _trivial(measure, results)
    ]


def _in_groups(results: Results) -> Mapping[str, Sequence[MeasureAverage]]:
    """The measures of all rows by their group, in the order of the definitions."""
    present = dict.fromkeys(measure for measure, _ in _of_all_rows(results.metrics))
    of_task = plain(m.name for m in results.definitions.metrics if m.task == task(results))
    groups: dict[str, list[MeasureAverage]] = {}
    for measure in dict.fromkeys([*(m for m in of_task if m in present), *present]):
        if (metric := metric_info(measure, results)) is not None:
            groups.setdefault(metric.group, []).append(measure)
    return groups


def _trivial(measure: MeasureAverage, results: Results) -> bool:
    """Whether a measure is 1 for every model: the true class is always among all classes."""
    metric = metric_info(measure, results)
    top = metric.top if metric else None
    return top is not None and len(results.data.get("classes") or ()) <= top


def _is_of_order(measure: MeasureAverage, results: Results) -> bool:
    """Whether a measure says how far errors are off, of classes that are ordered."""
    return results.declared.ordered and measure in results.task.of_order


def is_core(measure: MeasureAverage, results: Results) -> bool:
    """Whether a measure is one that reviewers read."""
    metric, (_, average) = metric_info(measure, results), measure
    of_all = metric is not None and metric.core and average is None
    return of_all or measure in results.task.also_core


def unknown(results: Results) -> list[str]:
    """Metrics in the results that have no definition."""
    return sorted({n for n in results.metrics["metric"] if metric_info((n, None), results) is None})


def metric_info(measure: str | MeasureAverage, results: Results) -> MetricDefinition | None:
    """What the results say of a metric; nothing of a name that is none.

    An average is of the measure of each class against the rest, one of two classes.
    """
    name, average = measure_of(measure)
    return results.definitions.metric(name, task(results) if average is None else TWO_CLASSES)


def label(measure: str | MeasureAverage, results: Results) -> str:
    """A metric's printed name; of one without definition its own name."""
    name, average = measure_of(measure)
    metric = metric_info(measure, results)
    text = metric.label if metric else capitalised(name.replace("_", " "))
    ranking = metric is not None and metric.group == "ranking"
    return f"{text}{averaged(average, results.task, ranking=ranking)}"


def phrase(measure: str | MeasureAverage, results: Results) -> str:
    """A metric's name inside a sentence."""
    return in_sentence(label(measure, results))


def of_quantiles(results: Results) -> list[MeasureAverage]:
    """The measures of the quantiles that models estimate: losses and coverage; none of means."""
    levels = sorted({q for m in results.data["models"] if (q := m.get("quantile")) is not None})
    losses = [of_parameter(PINBALL_LOSS, level) for level in levels]
    return plain([*losses, "quantile_coverage"]) if levels else []


def primary(results: Results) -> str | None:
    """The measure that decides by the spec, if that names one."""
    return results.declared.comparisons.primary


def compared(results: Results) -> list[ComparisonRow]:
    """Tests on all rows, those of the main measures first, else in the order of the results."""
    rows = [row for row in rows_of(results.comparisons, ComparisonRow) if row.slice is None]
    deciding = (*results.task.main_measures, *results.task.further_measures)
    first = [*dict.fromkeys([primary(results), *deciding])]
    return sorted(
        rows, key=lambda row: first.index(row.metric) if row.metric in first else len(first)
    )


def conclusion(results: Results) -> str:
    """The sentence of the conclusion; with its headline where the sentence alone misleads."""
    decision = results.decision
    if decision.relation not in ("no conclusion", "at chance"):
        return clean(decision.sentence)
    return clean(f"{decision.headline}. {decision.sentence}")


def corrected(records: Iterable[ComparisonRow]) -> bool:
    """Whether any p is corrected: there are several comparisons of one kind, and a correction."""
    return any(
        row.p_adjusted is not None and (row.family_size or 1) > 1 and row.correction != "none"
        for row in records
    )


MOST_PAIRS = 10
"""Of more pairs of models only those with the baseline, or the leader, are printed."""


def tabulated_pairs(results: Results) -> tuple[Callable[[Sequence[str]], bool], tuple[str, ...]]:
    """Which models stand in the tables of pairs, and a note on the pairs that do not."""
    models, levels = results.models, quantile_levels(results.data["models"])
    tested = [len(alike) for alike in levels.values()] if len(levels) > 1 else [len(models)]
    count = sum(comb(number, 2) for number in tested)
    if count <= MOST_PAIRS:
        return (lambda _: True), ()
    if len(levels) > 1:
        best = {m.model for m in results.decision.models if m.standing == "leader"}
        note = "Only the pairs with the best model of each quantile; results.json has all."
        return (lambda pair: len(pair) != 2 or not best.isdisjoint(pair)), (note,)
    first = results.decision.reference or models[0]
    shown, every = f"the pairs with {printed(results)[first]}", count
    if results.whole is not None:
        shown, every = f"{shown} among the models shown", comb(len(results.whole.models), 2)
    note = f"Only {shown}, of {figures.count(every)}; results.json has all."
    return (lambda pair: len(pair) != 2 or first in pair), (note,)


def several(models: Sequence[str], printed: Mapping[str, str]) -> str:
    """Two models as a difference; of more, that it is about all of them.

    >>> several(["a", "b"], {}), several(["a", "b", "c"], {})
    ('a − b', 'All 3 models')
    """
    if len(models) != 2:
        return f"All {len(models)} models" if len(models) > 2 else "".join(models)
    return " − ".join(printed.get(name, name) for name in models)


def costs(results: Results) -> tuple[float, float, bool]:
    """Cost of a false negative and of a false positive, and whether they were declared."""
    declared = results.declared.costs
    if not declared:
        return 1.0, 1.0, False
    sides = (declared.get("false_negative"), declared.get("false_positive"))
    numbered = [float(cost) if isinstance(cost, int | float) else 1.0 for cost in sides]
    return numbered[0], numbered[1], True


def costs_by_row(results: Results) -> str:
    """What costs the amount in a column; empty where costs are numbers or are not declared."""
    given = results.declared.costs
    nouns = {"false_negative": "a false negative", "false_positive": "a false positive"}
    if not any(isinstance(given.get(kind), Mapping) for kind in nouns):
        return ""
    columns = [
        f"{noun} costs the amount in column {clean(cost['column'])}"
        if isinstance(cost := given[kind], Mapping)
        else f"{noun} costs {figures.threshold(cost)}"
        for kind, noun in nouns.items()
    ]
    return f"Costs differ from row to row: {listed(columns)}."


def gives_labels(model: ModelRecord) -> bool:
    """Whether a model has labels of its own."""
    return not {"label", "labels"}.isdisjoint(model["outputs"])


def gives_labels_only(model: ModelRecord) -> bool:
    """Whether a model has no scores."""
    return set(model["outputs"]) <= {"label", "labels"}


def without_scores(results: Results) -> tuple[str, ...]:
    """A sentence on the models that only give labels, where scores are needed."""
    names = printed(results)
    label_models = [
        names[model["name"]] for model in results.data["models"] if gives_labels_only(model)
    ]
    if not label_models:
        return ()
    verb = "gives labels" if len(label_models) == 1 else "give labels"
    return (f"{listed(label_models)} {verb} and no scores, which this section needs",)


def skipped_text(item: SkippedRecord) -> str:
    """One thing that was left out, and why, as a sentence without its full stop.

    >>> skipped_text({"what": "calibration", "model": "rules", "reason": "it has no scores"})
    'Calibration of rules: it has no scores'
    >>> skipped_text({"what": "curves", "names": ["roc"], "model": None, "reason": "withheld"})
    'Curves (roc): withheld'
    """
    of = f" of {item['model']}" if item.get("model") else ""
    names = f" ({'; '.join(item['names'])})" if item.get("names") else ""
    return clean(f"{capitalised(item['what'])}{names}{of}: {item['reason']}")


def placed(figures: Sequence[Figure], where: str) -> tuple[str, ...]:
    """Ids of the figures that belong to a section, in order."""
    return tuple(figure.id for figure in figures if figure.section == where)


def printed(results: Results) -> dict[str, str]:
    """Printable name of every model: clean, cut in the middle, never the same one twice."""
    every = results.models
    wide = labels.unique((name for name in every if labels.is_wide(name)), name_starts.LONGEST // 2)
    narrow = labels.unique((name for name in every if name not in wide), name_starts.LONGEST)
    return {name: (narrow | wide)[name] for name in every}


def whole(results: Results) -> dict[str, str]:
    """Printable name of every model, as long as any label may be."""
    return labels.unique(results.models)


def clean(text: object, longest: int = 2000) -> str:
    """A text that holds labels from the data, made printable and otherwise unaltered."""
    return labels.clean(str(text), longest) if text else ""


def remark(text: str, names: Iterable[str]) -> str:
    """The same, but a text that begins with one of ``names`` has it as it is.

    >>> remark("every lacks a row of some", ["every", "some"])
    'every lacks a row of some.'
    """
    whole = sentence(text)
    starts = any(text.startswith(f"{name} ") for name in names)
    return f"{text[0]}{whole[1:]}" if starts else whole


def sentence(text: str) -> str:
    """A text as a sentence: a capital first, one full stop last.

    >>> sentence("no predicted positives")
    'No predicted positives.'
    """
    cleaned = clean(text).rstrip(".")
    return f"{capitalised(cleaned)}."
