"""What was evaluated: files, rows, classes, models, and what was checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from reportgen.charts import Figure
from reportgen.metric_names import quantile_in_words
from reportgen.records.model import Results
from reportgen.records.rows import (
    CheckRecord,
    DataRecord,
    FileRecord,
    ModelRecord,
    PartLeftOut,
    evaluation_of,
)
from reportgen.sections import (
    dependence,
    evaluation_scheme,
    lookup,
    rows_in_words,
    slice_sizes,
)
from reportgen.sections.registry import section
from reportgen.sections.tables import Cell, Fact, Table, code, columns, rows
from reportgen.text import numbers
from reportgen.text.words import listed

MOST_FILES, MOST_CLASSES, MOST_MISSING = 5, 20, 6
"""Files, classes and columns with missing values that are listed."""

MOST_LEFT_OUT = 3
"""Slices whose rows are left out that are listed."""

MOST_ALIKE = 3
"""Of more models with the same output and rule one row of the table names all."""


@section(30)
@dataclass(frozen=True)
class Data:
    """The data and its checks."""

    id: ClassVar[str] = "data"
    title: ClassVar[str] = "Data"

    facts: tuple[Fact, ...]
    unpaired: str
    leaks: tuple[evaluation_scheme.Caution, ...]
    warnings: tuple[evaluation_scheme.Caution, ...]
    models: Table | None
    classes: Table | None
    slices: Table | None
    groups: Table | None
    figures: tuple[str, ...]

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> Data:
        """Fill the section; it always applies."""
        sizes = slice_sizes.table(results)
        return cls(
            (
                *facts(results.data, listed=sizes is not None),
                *missing(results),
                *checks(results.data),
                *(models_alike(results) or ()),
            ),
            lookup.clean(results.data.get("unpaired") or ""),
            tuple(
                replace(leak, text=lookup.sentence(leak.text))
                for leak in evaluation_scheme.leaks(evaluation_of(results.data))
            ),
            tuple(warnings(results.data)),
            None if models_alike(results) else models(results),
            classes(results.data),
            sizes,
            dependence.design_effects(results),
            lookup.placed(figures, "data"),
        )


def facts(data: DataRecord, *, listed: bool = False) -> list[Fact]:
    """Rows, truth, weights, folds: what the models were evaluated on.

    ``listed``: a table has the slices.
    """
    result = [*files(data), Fact("Rows", _rows(data)), *_left_out(data), *_truth(data)]
    if data.get("weighted"):
        worth = data.get("weights")
        text = f"sum {numbers.count(data.get('weight_total'))}"
        if worth is not None:
            text += f"; worth {numbers.plural(round(worth['effective']), 'row')} of equal weight"
        result.append(Fact("Weights", text))
    for column in () if listed else data.get("slices") or ():
        values = column["values"]  # none where small counts are withheld
        count_text = numbers.plural(len(values), "value") if values else "withheld for privacy"
        result.append(Fact("Slices", f"{lookup.clean(column['name'])}, {count_text}"))
    if roles := data.get("roles"):
        sizes = [f"{lookup.clean(k)} {numbers.count(n)}" for k, n in roles.items()]
        result.append(Fact("Rows by role", ", ".join(sizes)))
    if groups := data.get("groups"):
        result += dependence.facts(groups)
    evaluation = evaluation_of(data)
    if evaluation.scheme:
        how = [evaluation_scheme.name(evaluation), *evaluation_scheme.remarks(evaluation)]
        points = data.get("points_of_time")
        how += [f"rows in time order, {numbers.plural(points, 'time point')}"] if points else []
        result.append(Fact("Evaluation", "; ".join(how)))
    return result


def _left_out(data: DataRecord) -> Iterator[Fact]:
    """The rows whose truth is no class, by label, and the slices and models with the most."""
    left = data.get("rows_left_out")
    if left is None:
        return
    of_all = f"none of {numbers.plural(left['of'], 'row')}"
    if left["rows"]:
        share = numbers.percent(left["rows"] / left["of"])
        of_all = f"{numbers.count(left['rows'])} of {numbers.plural(left['of'], 'row')} ({share})"
        of_all += ", whose truth is none of the classes"
    labels = [
        f"{lookup.clean(one['label'])} ({numbers.count(one['rows'])})" for one in left["labels"]
    ]
    texts = [f"{of_all}: {', '.join(labels)}"]
    texts += _most_left_out("slices", left["slices"])
    texts += _most_left_out("models", left["models"])
    yield Fact("Rows left out", "; ".join(texts))


def _most_left_out(what: str, parts: Sequence[PartLeftOut]) -> Iterator[str]:
    """The parts that the largest shares of rows are left out of."""
    with_any = [one for one in parts if one["rows"]]
    shown = sorted(with_any, key=lambda one: -one["rows"] / one["of"])[:MOST_LEFT_OUT]
    texts = [
        f"{lookup.clean(one['part'])} ({numbers.count(one['rows'])} of {numbers.count(one['of'])})"
        for one in shown
    ]
    if texts:
        yield f"of {what}{', most' if len(with_any) > len(shown) else ''}: {', '.join(texts)}"


def missing(results: Results) -> Iterator[Fact]:
    """The columns with missing values, those with the most first, and how many have none."""
    summary = results.data_summary
    if summary is None or not summary.missing:
        return
    whole = results.data["rows"]
    gaps = sorted((m for m in summary.missing if m.rows), key=lambda m: -m.rows)
    texts = [
        f"{lookup.clean(one.column)}: {numbers.plural(one.rows, 'row')}"
        + (f" ({numbers.percent(one.rows / whole)})" if whole else "")
        for one in gaps[:MOST_MISSING]
    ]
    if len(gaps) > MOST_MISSING:
        texts.append(f"some in {numbers.plural(len(gaps) - MOST_MISSING, 'more column')}")
    if complete := len(summary.missing) - len(gaps):
        texts.append(f"none in {numbers.plural(complete, 'other column' if gaps else 'column')}")
    yield Fact("Missing values", "; ".join(texts))


def _truth(data: DataRecord) -> Iterator[Fact]:
    column = data["truth"]
    if not column:
        yield Fact("Answers", f"graded: {lookup.clean(data['positive'])} is right")
        return
    if isinstance(column, Mapping):
        yield Fact("Truth", f"{numbers.count(len(column))} columns, one per label")
    else:
        name = "True value" if "distribution" in data else "Truth"
        yield Fact(name, code(lookup.clean(column)))
    if "positive" in data:
        share = data.get("prevalence")
        positives = _share(data["positives"], share)
        yield Fact("Positive class", f"{lookup.clean(data['positive'])}: {positives}")
        negatives = _share(data["negatives"], None if share is None else 1 - share)
        yield Fact("Negative class", f"{lookup.clean(data['negative'])}: {negatives}")
    if "classes" in data and not isinstance(column, Mapping):
        yield Fact("Classes", numbers.count(len(data["classes"])))
    if "distribution" in data:
        spread = data["distribution"]
        deviation = spread["standard_deviation"]
        summary = {name: rows_in_words.of_truth(one, deviation) for name, one in spread.items()}
        text = f"mean {summary['mean']}, standard deviation {summary['standard_deviation']}"
        if data["distribution"]["median"] is not None:
            ends = f"from {summary['minimum']} to {summary['maximum']}"
            text = f"{text}; {ends}, median {summary['median']}"
        yield Fact("Distribution", text)


def _rows(data: DataRecord) -> str:
    total, used = data["rows"], data["rows_evaluated"]
    if total is None:
        return f"{numbers.count(used)} evaluated"
    if total == used:
        return f"{numbers.count(total)}, all evaluated"
    weights = data.get("weights")
    zero = weights["rows_of_zero"] if weights else rows_in_words.without_weight(data)
    why = f"; {numbers.plural(zero, 'row')} of weight 0 left out" if zero else ""
    return f"{numbers.count(total)}, of which {numbers.count(used)} evaluated{why}"


def _share(rows: int, share: float | None) -> str:
    if share is None:
        return numbers.count(rows)
    return f"{numbers.count(rows)} ({numbers.prevalence(share)})"


def files(data: DataRecord) -> Iterator[Fact]:
    """Each input file with its size; of many their number. Provenance has the hashes."""
    files = data["files"]
    sizes = [file["bytes"] for file in files if file["bytes"] is not None]
    if len(files) > MOST_FILES:
        together = f", together {numbers.size(sum(sizes))}" if sizes else ""
        yield Fact("Files", f"{numbers.count(len(files))}{together}")
        return
    for file in files:
        yield Fact("File", f"{lookup.clean(file['path'])}{_size(file)}")


def _size(file: FileRecord) -> str:
    """Rows and bytes of a file in brackets, where these are published."""
    rows, size = file["rows"], file["bytes"]
    if rows is None or size is None:
        return ""
    return f" ({numbers.plural(rows, 'row')}, {numbers.size(size)})"


def models_alike(results: Results) -> tuple[Fact, ...]:
    """Models that have one output and one rule; nothing where they differ."""
    alike = _models_by_output(results)
    if len(alike) != 1:
        return ()
    [((output, *rule), names)] = alike.items()
    if results.task.graded:  # labels alone
        return (Fact("Models", listed(names)),)
    return (
        Fact("Models", listed(names)),
        Fact("Output", output),
        *(Fact("Decision rule", text) for text in rule),
    )


def models(results: Results) -> Table:
    """Every model with what it gives and how its decision is made."""
    alike = _models_by_output(results)
    heads = columns("Model", ("Output", "left"), ("Decision rule", "left"))
    heads = heads[: 1 + len(next(iter(alike), ()))]
    lines: list[list[Cell | str]] = [
        [name, *key]
        for key, names in alike.items()
        for name in ([listed(names)] if len(names) > MOST_ALIKE else names)
    ]
    return Table("models", "Models", heads, rows(heads, lines))


def _models_by_output(results: Results) -> dict[tuple[str, ...], list[str]]:
    """The models of each output and, but for numbers, rule of decision."""
    printed = lookup.whole(results)
    width = 1 if results.task.of_numbers else 2
    alike: dict[tuple[str, ...], list[str]] = {}
    for model in results.data["models"]:
        key = (_kind(model), _decides(model))[:width]
        alike.setdefault(key, []).append(printed[model["name"]])
    return alike


def _decides(model: ModelRecord) -> str:
    if lookup.gives_labels(model):
        return "its labels"
    if model["threshold"] is None:
        return lookup.clean(model["threshold_rule"])
    return f"score ≥ {numbers.threshold(model['threshold'])}"


def _kind(model: ModelRecord) -> str:
    """What a model gives, and whether its scores are probabilities."""
    outputs = model["outputs"]
    if "estimate" in outputs:
        quantile = model["quantile"]
        of = "" if quantile is None else f" of the {quantile_in_words(quantile)}"
        return f"estimate{of}{' with interval' if 'interval' in outputs else ''}"
    kind, several = " and ".join(outputs), "scores" in outputs
    if not several and "score" not in outputs:
        return kind
    if model.get("probability"):
        return f"{kind} ({'probabilities' if several else 'probability'})"
    # Scores of several labels are not looked at as probabilities.
    unknown = several and model["threshold"] is not None
    description = "not probabilities" if several else "not a probability"
    return kind if unknown else f"{kind} ({description})"


def classes(data: DataRecord) -> Table | None:
    """Rows of each class, or with each label, the most frequent first where there are many."""
    records, whole = data.get("classes"), data["rows_evaluated"]
    if not records:
        return None
    noun = "Label" if isinstance(data["truth"], Mapping) else "Class"
    many = len(records) > MOST_CLASSES
    shown = sorted(records, key=lambda record: -record["rows"]) if many else records
    heads = columns(noun, "Rows", "Share")
    lines: list[list[Cell | str]] = [
        [
            lookup.clean(record["class"], 60),
            numbers.count(record["rows"]),
            numbers.percent(record["rows"] / whole),
        ]
        for record in shown[:MOST_CLASSES]
    ]
    smallest = min(record["rows"] for record in records)
    left = f"{len(records) - MOST_CLASSES} more have between {numbers.count(smallest)} and "
    notes = (f"{left}{numbers.count(shown[MOST_CLASSES]['rows'])} rows.",) if many else ()
    caption = "Rows with each label" if noun == "Label" else "Rows of each class"
    return Table("classes", caption, heads, rows(heads, lines), notes)


def warnings(data: DataRecord) -> Iterator[evaluation_scheme.Caution]:
    """What was allowed in the data but is not usual."""
    for check in data.get("checks") or ():
        if check.get("warning"):
            name, detail = lookup.clean(check["name"]), check["detail"]
            of_model = "model" in check  # whose name begins the sentence, as it is spelled
            text = f"{lookup.clean(detail)}." if of_model else lookup.sentence(detail)
            yield evaluation_scheme.Caution(f"Data check: {name}", text)


def _without_sizes(check: CheckRecord, data: DataRecord) -> str:
    of_labels = check["name"] == "labels" and "classes" in data
    return check.get("uncounted", check["detail"]) if of_labels else check["detail"]


def checks(data: DataRecord) -> Iterator[Fact]:
    """Data checks passed; how many rows classes have stands in their own table."""
    passed = [
        f"{lookup.clean(check['name'])}: {lookup.clean(_without_sizes(check, data))}"
        for check in data.get("checks") or ()
        if not check.get("warning")
    ]
    if passed:
        yield Fact("Data checks passed", "; ".join(passed))
