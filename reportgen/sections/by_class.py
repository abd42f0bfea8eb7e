"""Tables by class (or by label): what each one gets, its areas, and the averages over all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reportgen.records.model import Results
from reportgen.sections import lookup, metric_table
from reportgen.sections.tables import Cell, Column, Footnotes, Note, Row, Table, valued
from reportgen.tasks import MeasureAverage
from reportgen.text import numbers
from reportgen.text.words import in_sentence, listed

MOST, LOWEST = 15, 12
"""Up to so many classes are all shown; of more, so many with the lowest values."""

DECIDED = ("precision", "recall", "f1")
AREAS = ("auc", "average_precision")
AVERAGES = {"macro": "Macro", "weighted": "Weighted", "micro": "Micro"}


def averages(results: Results) -> tuple[Table, ...]:
    """Precision, recall and F1 averaged over the classes, by model: a column per average."""
    values, names = lookup.numbers(results), results.models
    if not any((("f1", "macro"), name) in values for name in names):
        return ()
    printed, footnotes = lookup.printed(results), Footnotes()
    several = results.task.nouns
    level = numbers.level(results.confidence)
    columns = [Column("measure", "Measure")]
    columns += [
        Column(average, heading, None, f"Value, {level} interval")
        for average, heading in AVERAGES.items()
    ]
    lines = tuple(
        Row({"measure": measure, **cells}, printed[name])
        for name in names
        for measure, cells in _averages(results, name, footnotes).items()
    )
    notes: list[Note | str] = [
        *footnotes.all(),
        *_methods(results, _average_labels(results)),
        f"Macro: mean over the {several}; weighted: mean weighted by their rows; micro: from "
        "pooled counts.",
    ]
    if results.task.averages:
        notes.append(results.task.averages)
    caption = f"Precision, recall and F1, averaged over the {several}"
    return (Table("averages", caption, tuple(columns), lines, tuple(notes)),)


def _average_labels(results: Results) -> Iterator[tuple[str, lookup.Number]]:
    """Every average of the table by what a note calls it, measure by measure."""
    values = lookup.numbers(results)
    for measure in DECIDED:
        named: dict[MeasureAverage, str] = {
            (measure, kind): f"{kind} {lookup.phrase(measure, results)}" for kind in AVERAGES
        }
        yield from ((named[n], number) for (n, _), number in values.items() if n in named)
    label = lookup.label("f1_of_macro", results)
    of_means = ("f1_of_macro", None)
    yield from ((label, number) for (n, _), number in values.items() if n == of_means)


def _averages(results: Results, model: str, footnotes: Footnotes) -> dict[str, dict[str, Cell]]:
    """The averages of one model by measure; both forms of macro-F1 where there are two."""
    values = lookup.numbers(results)
    cells = {
        lookup.label(name, results): {
            average: cell(values.get(((name, average), model)), footnotes) for average in AVERAGES
        }
        for name in DECIDED
    }
    cells[f"F1 (macro: mean over the {results.task.nouns})"] = cells.pop(
        lookup.label("f1", results)
    )
    if number := values.get((("f1_of_macro", None), model)):
        cells[lookup.label("f1_of_macro", results)] = {"macro": cell(number, footnotes)}
    return cells


def decided(results: Results) -> Table | None:
    """Rows, precision, recall and F1 of each class, by model."""
    of_class = lookup.by_class(results)
    if not of_class:
        return None
    printed, footnotes = lookup.printed(results), Footnotes()
    columns = _columns(results, {name: lookup.label(name, results) for name in DECIDED})
    rows = tuple(
        Row(
            {
                "class": lookup.clean(label, 60),
                "rows": numbers.count(_size(results, of_class, label, name)),
                **{m: cell(of_class[label].get(((m, None), name)), footnotes) for m in DECIDED},
            },
            printed[name],
        )
        for name in results.models
        for label in lowest(of_class, [name], "recall")
    )
    intervals = interval_notes(of_class, DECIDED, results)
    caption = (
        f"Each {results.task.noun} against the rest"
        if results.task.several_classes
        else "Each label"
    )
    notes: tuple[Note | str, ...] = (*footnotes.all(), *intervals, *_cut(of_class, "recall"))
    return Table("by_class", caption, columns, rows, notes)


def _columns(results: Results, values: Mapping[str, str]) -> tuple[Column, ...]:
    """The class, its rows, and the columns of ``values`` by key with their heads."""
    level = numbers.level(results.confidence)
    return (
        Column("class", results.task.noun.capitalize()),
        Column("rows", _head_of_sizes(results)),
        *(Column(key, head, None, f"Value, {level} interval") for key, head in values.items()),
    )


def areas(results: Results) -> tuple[Table, ...]:
    """AUC and average precision of each class against the rest: a column per model."""
    of_class = lookup.by_class(results)
    scored = [
        name
        for name in results.models
        if any(_value(class_values, "auc", name) is not None for class_values in of_class.values())
    ]
    if not scored:
        return ()
    parts = metric_table.parted(scored, metric_table.MODELS_ACROSS)
    return tuple(_areas(results, of_class, part, place) for place, part in enumerate(parts))


def _areas(
    results: Results,
    of_class: Mapping[str, lookup.ModelNumbers],
    models: Sequence[str],
    place: int,
) -> Table:
    printed, footnotes = lookup.printed(results), Footnotes()
    columns = _columns(results, {f"model{i}": printed[name] for i, name in enumerate(models)})
    rows = tuple(
        Row(
            {
                "class": lookup.clean(label, 60),
                "rows": numbers.count(_size(results, of_class, label, models[0])),
                **{
                    f"model{i}": cell(of_class[label].get(((metric, None), name)), footnotes)
                    for i, name in enumerate(models)
                },
            },
            lookup.label(metric, results),
        )
        for metric in AREAS
        for label in lowest(of_class, models, metric)
    )
    against = "each class against the rest" if results.task.several_classes else "each label"
    caption = f"AUC and average precision of {against}"
    notes: tuple[Note | str, ...] = (
        *footnotes.all(),
        *interval_notes(of_class, AREAS, results),
        *_cut(of_class, "value"),
    )
    return Table(f"areas_{place}", caption, columns, rows, notes)


def _sizes(results: Results) -> dict[str, int]:
    """The rows of each class that all models share; empty where each has its own."""
    classes = () if results.data.get("unpaired") else results.data.get("classes") or ()
    return {record["class"]: record["rows"] for record in classes}


def _head_of_sizes(results: Results) -> str:
    return "Weight" if results.data.get("weighted") and not _sizes(results) else "Rows"


def _size(
    results: Results, of_class: Mapping[str, lookup.ModelNumbers], label: str, model: str
) -> float:
    """Rows that truly are of a class; their weight where models have rows of their own."""
    sizes = _sizes(results)
    if label in sizes:
        return sizes[label]
    return sum(_value(of_class[label], cell, model) or 0 for cell in ("tp", "fn"))


def lowest(
    of_class: Mapping[str, lookup.ModelNumbers], models: Sequence[str], metric: str
) -> list[str]:
    """All classes in order; of too many those with the lowest mean of the models, lowest first."""
    labels = list(of_class)
    if len(labels) <= MOST:
        return labels
    means = {label: _mean(of_class[label], metric, models) for label in labels}
    ordered = sorted(labels, key=lambda label: (means[label] is None, means[label] or 0.0))
    return ordered[:LOWEST]


def _mean(class_values: lookup.ModelNumbers, metric: str, models: Sequence[str]) -> float | None:
    values = [_value(class_values, metric, model) for model in models]
    valued = [value for value in values if value is not None]
    return sum(valued) / len(valued) if valued else None


def _cut(of_class: Mapping[str, lookup.ModelNumbers], what: str) -> tuple[str, ...]:
    if len(of_class) <= MOST:
        return ()
    return (
        f"The {LOWEST} of {len(of_class)} with the lowest {what} are shown; results.json has all.",
    )


def interval_notes(
    of_class: Mapping[str, lookup.ModelNumbers], metrics: Sequence[str], results: Results
) -> tuple[str, ...]:
    """Which intervals the measures have."""
    numbers_of_metrics = (
        (lookup.label(metric, results), number)
        for class_values in of_class.values()
        for ((metric, _), _), number in class_values.items()
        if metric in metrics
    )
    return _methods(results, numbers_of_metrics)


def _methods(results: Results, shown: Iterable[tuple[str, lookup.Number]]) -> tuple[str, ...]:
    """Which interval belongs to which label; nothing where there is none."""
    methods: dict[str, list[str]] = {}
    for label, number in shown:
        if number.interval:
            labels = methods.setdefault(results.definitions.interval(number.interval).label, [])
            name = in_sentence(label)
            labels += [] if name in labels else [name]
    if not methods:
        return ()
    texts = [f"{name} for {listed(labels)}" for name, labels in methods.items()]
    return (f"Intervals: {'; '.join(texts)}.",)


def _value(class_values: lookup.ModelNumbers, metric: str, model: str) -> float | None:
    return class_values.get(((metric, None), model), lookup.NOTHING).value


def cell(number: lookup.Number | None, footnotes: Footnotes) -> Cell:
    """A value with its interval, or n/a with a mark that leads to the reason."""
    if number is None:
        return Cell("–", kind="muted")
    if number.value is None:
        return valued(None, note=footnotes.mark(lookup.sentence(number.undefined or "undefined")))
    note = footnotes.mark(lookup.without_interval(number)) if number.no_interval else None
    return valued(number.value, number.low, number.high, note=note)
