"""How models err on rows that they were not trained on, beside those that they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import polars as pl

from reportgen.charts import Figure
from reportgen.metric_names import OF_TESTS
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of, rows_of
from reportgen.sections import evaluation_scheme, lookup
from reportgen.sections.averages import OF_COUNTS
from reportgen.sections.registry import section
from reportgen.sections.tables import Cell, Column, Footnotes, Note, Row, Table, valued
from reportgen.tables.results import GeneralisationRow, MetricRow
from reportgen.text import numbers

Values = dict[tuple[str, str], dict[str, GeneralisationRow]]

BOOTSTRAP = {
    "out_of_bag": "Out of bag",
    "point632": ".632",
    "point632_plus": ".632+",
    "no_information": "No information",
}
"""Columns of the bootstrap estimates."""

PARTS = {
    "domingos_bias": ("Bias", "Domingos"),
    "domingos_variance": ("Variance", "Domingos"),
    "domingos_net_variance": ("Net variance", "Domingos"),
    "kohavi_wolpert_bias": ("Bias²", "Kohavi & Wolpert"),
    "kohavi_wolpert_variance": ("Variance", "Kohavi & Wolpert"),
    "squared_bias": ("Bias²", "Squared error"),
    "variance": ("Variance", "Squared error"),
}
"""Columns of the decomposition, under who defined them."""

INTERVALS = {
    "corrected t": "Intervals over fits: t, with a variance corrected for overlapping training "
    "sets (Nadeau & Bengio).",
    "wilson_modified": "Intervals of errors: modified Wilson.",
    "bounded t": "Intervals over data sets: t, within the bounds of the measure.",
    "newcombe": "Intervals of gaps: Newcombe, of two independent shares.",
}


MOST_BESIDE = 2
"""Measures whose test errors stand side by side: limits and deviations of more are too wide."""

UNKNOWN = "The data have no training rows (role: train): training error and gap are unknown."


RULE = (
    "Overfitting: the gap between test and training error is significant and more than half of the "
    "test error. Underfitting: the training error is not significantly below that of a constant "
    "prediction."
)


OVERLAPPING = (
    "Training and test rows overlap: a gap between their errors says nothing about overfitting."
)
SHARED_GROUPS = (
    "Training and test rows share groups: a gap between their errors says little about overfitting."
)


@section(92)
@dataclass(frozen=True)
class GeneralisationSection:
    """Training beside test error, bootstrap estimates, bias and variance."""

    id: ClassVar[str] = "generalisation"
    title: ClassVar[str] = "Generalisation"

    introduction: str
    findings: tuple[str, ...]
    errors: Table
    estimates: Table | None
    parts: Table | None
    averages: Table | None
    figures: tuple[str, ...]

    @classmethod
    def from_results(
        cls, results: Results, figures: Sequence[Figure]
    ) -> GeneralisationSection | None:
        """Fill the section; None where nothing tells one fit, or training rows, from the rest."""
        by_model, evaluation = _values(results), evaluation_of(results.data)
        if not by_model or not evaluation.scheme:
            return None
        return cls(
            f"Evaluation: {evaluation_scheme.name(evaluation)}.",
            tuple(findings(results, by_model)),
            errors(results, by_model),
            estimates(results, by_model),
            parts(results, by_model),
            averages_over_tests(results),
            lookup.placed(figures, "generalisation"),
        )


def _values(results: Results) -> Values:
    by_model: Values = {}
    for row in rows_of(results.generalisation, GeneralisationRow):
        by_model.setdefault((row["metric"], row["model"]), {})[row["quantity"]] = row
    return by_model


def findings(results: Results, by_model: Values) -> Iterator[str]:
    """A sentence for each model whose gap has a verdict, on the first error that it has."""
    printed = lookup.printed(results)
    level = numbers.level(results.confidence)
    evaluation = evaluation_of(results.data)
    if any("gap" in values for values in by_model.values()):
        if evaluation.trained_test_rows:
            yield OVERLAPPING
        elif evaluation.groups_on_both_sides:
            yield SHARED_GROUPS
    models = set()
    for (metric, model), values in by_model.items():
        gap = values.get("gap")
        if gap is None or gap["verdict"] is None or model in models:
            continue
        models.add(model)
        name, error = printed.get(model, model), lookup.phrase(metric, results)
        train, test = (numbers.estimate(values[q]["value"]) for q in ("train_error", "test_error"))
        sides = f"{error} {train} on training rows and {test} on test rows"
        if gap["verdict"] == "underfitting":
            yield (
                f"{name} underfits: its training error is not significantly below that of a "
                f"constant prediction ({sides})."
            )
            continue
        limits = numbers.interval(gap["value"], gap["low"], gap["high"])
        by = numbers.difference(gap["value"], gap["low"], gap["high"])
        size = f"a gap of {by} ({level} interval {limits}{_relative(gap)})"
        starts = {
            "overfitting": f"{name} overfits",
            "gap": f"{name} has a higher error on test rows, by less than half of its test error",
        }
        start = starts.get(gap["verdict"], f"No significant gap for {name}")
        yield f"{start}: {sides}, {size}.{_trained_on(gap)}"


def _relative(gap: GeneralisationRow) -> str:
    """How large the gap is against the test error."""
    share = gap["relative"]
    return "" if share is None else f"; {numbers.percent(share, 0)} of the test error"


def _trained_on(gap: GeneralisationRow) -> str:
    share = gap["trained_on"]
    return (
        ""
        if share is None
        else f" The models were trained on {numbers.percent(share, 0)} of the examples."
    )


def errors(results: Results, by_model: Values) -> Table:
    """Test error of every model; training error and gap too, by error, where they are known."""
    if not any(_trained(values) for values in by_model.values()):
        return _test_errors(results, by_model)
    footnotes, printed = Footnotes(), lookup.printed(results)
    kind = _kind(results, by_model)
    spread = any("spread" in values for values in by_model.values())
    heads = [
        Column("model", "Model"),
        Column("train", f"Training {kind}"),
        Column("test", f"Test {kind}"),
        *([Column("spread", f"SD over {_parts(results)}")] if spread else []),
        Column("gap", "Gap"),
        Column("shown", "Conclusion", "left"),
    ]
    lines = []
    for (metric, model), values in by_model.items():
        if "test_error" not in values:
            continue
        cells: dict[str, Cell | str] = {
            "model": printed.get(model, model),
            "train": _cell(values["train_error"], footnotes),
            "test": _cell(values["test_error"], footnotes),
            "gap": _cell(values["gap"], footnotes),
            "shown": values["gap"]["verdict"] or Cell("not known", kind="muted"),
        }
        if spread:
            cells["spread"] = _cell(values.get("spread"), footnotes)
        lines.append(Row(cells, lookup.label(metric, results)))
    notes: tuple[Note | str, ...] = (*footnotes.all(), *_interval_notes(by_model), RULE)
    caption = f"Training and test {kind}"
    errors = tuple(lines)
    return Table("generalisation_errors", caption, tuple(heads), errors, notes, by_measure=True)


def _test_errors(results: Results, by_model: Values) -> Table:
    footnotes = Footnotes()
    tested = {key: values for key, values in by_model.items() if "test_error" in values}
    is_beside = len({metric for metric, _ in tested}) <= MOST_BESIDE
    heads, rows = (_beside if is_beside else _below)(results, tested, footnotes)
    notes: tuple[Note | str, ...] = (*footnotes.all(), *_interval_notes(by_model), UNKNOWN)
    caption = f"Test {_kind(results, tested)} over {_parts(results)}"
    model = Column("model", "Model")
    name = "generalisation_errors"
    return Table(name, caption, (model, *heads), tuple(rows), notes, by_measure=not is_beside)


def _beside(
    results: Results, tested: Values, footnotes: Footnotes
) -> tuple[list[Column], list[Row]]:
    """A row for each model, and columns for each of a few measures."""
    printed, heads = lookup.printed(results), []
    for metric in dict.fromkeys(metric for metric, _ in tested):
        of = [values for (name, _), values in tested.items() if name == metric]
        label = lookup.label(metric, results)
        heads += [
            replace(head, key=f"{metric}_{head.key}", spanner=label)
            for head in _heads(results, tested, spread=any("spread" in values for values in of))
        ]
    lines: dict[str, dict[str, Cell | str]] = {}
    for (metric, model), values in tested.items():
        cells = lines.setdefault(model, {"model": printed.get(model, model)})
        cells[f"{metric}_test"] = _cell(values["test_error"], footnotes)
        cells[f"{metric}_spread"] = _cell(values.get("spread"), footnotes)
    return heads, list(map(Row, lines.values()))


def _below(
    results: Results, tested: Values, footnotes: Footnotes
) -> tuple[list[Column], list[Row]]:
    """The rows of each model under each measure: beside each other they would not fit the page."""
    printed = lookup.printed(results)
    rows = []
    for (metric, model), values in tested.items():
        cells: dict[str, Cell | str] = {
            "model": printed.get(model, model),
            "test": _cell(values["test_error"], footnotes),
            "spread": _cell(values.get("spread"), footnotes),
        }
        rows.append(Row(cells, lookup.label(metric, results)))
    return _heads(results, tested, spread=any("spread" in v for v in tested.values())), rows


def _heads(results: Results, tested: Values, *, spread: bool) -> list[Column]:
    test = Column("test", f"Test {_kind(results, tested)}")
    return [test, *([Column("spread", f"SD over {_parts(results)}")] if spread else [])]


def _kind(results: Results, by_model: Values) -> str:
    """What a number is: of measures of which more is better, such as recall, not an error."""
    known = (lookup.metric_info(metric, results) for metric, _ in by_model)
    return "value" if any(one is not None and one.better == "higher" for one in known) else "error"


def _parts(results: Results) -> str:
    """What errors are means over: fits, or data sets that one model is tested on."""
    return "data sets" if evaluation_of(results.data).scheme == "data_sets" else "fits"


def _interval_notes(by_model: Values) -> Iterator[str]:
    """What the intervals of these errors are, each kind once."""
    kinds = dict.fromkeys(row["interval"] for v in by_model.values() for row in v.values())
    return (INTERVALS[kind] for kind in kinds if kind in INTERVALS)


def estimates(results: Results, by_model: Values) -> Table | None:
    """The bootstrap's estimates of the error of a model that is trained on all rows."""
    return _table(
        results,
        by_model,
        {name: (label, None) for name, label in BOOTSTRAP.items()},
        "bootstrap_estimates",
        "Bootstrap estimates of the error of a model trained on all rows",
        (
            "Out of bag: mean error on rows outside a model's bootstrap sample. .632 averages it "
            "with the training error; .632+ weights it more, the more a model overfits (Efron & "
            "Tibshirani 1997). No information: the error if truth and prediction were independent.",
        ),
    )


def parts(results: Results, by_model: Values) -> Table | None:
    """Bias and variance over repeats."""
    return _table(
        results,
        by_model,
        PARTS,
        "bias_variance",
        "Bias and variance of the error over repeats",
        (
            "The truth is assumed noise-free; any noise is part of the bias. Domingos (2000): "
            "bias is the error of the most frequent prediction, net variance the remaining error. "
            "Kohavi & Wolpert (1996) and squared error: bias and variance add up to the error.",
        ),
    )


def _table(
    results: Results,
    by_model: Values,
    quantities: Mapping[str, tuple[str, str | None]],
    name: str,
    caption: str,
    notes: tuple[str, ...],
) -> Table | None:
    there = [q for q in quantities if any(q in values for values in by_model.values())]
    if not there:
        return None
    footnotes, printed = Footnotes(), lookup.printed(results)
    heads = (
        Column("model", "Model"),
        *(Column(q, quantities[q][0], None, quantities[q][1]) for q in there),
    )
    lines = []
    for (metric, model), values in by_model.items():
        if not any(q in values for q in there):
            continue
        cells: dict[str, Cell | str] = {"model": printed.get(model, model)}
        cells |= {q: _cell(values.get(q), footnotes) for q in there}
        lines.append(Row(cells, lookup.label(metric, results)))
    under: tuple[Note | str, ...] = (*footnotes.all(), *notes)
    return Table(name, caption, heads, tuple(lines), under, by_measure=True)


def _cell(row: GeneralisationRow | MetricRow | None, footnotes: Footnotes) -> Cell:
    if row is None:
        return Cell("–", kind="muted")
    note = footnotes.mark(lookup.sentence(row["undefined"])) if row["undefined"] else None
    return valued(row["value"], row["low"], row["high"], note=note)


def averages_over_tests(results: Results) -> Table | None:
    """Macro and micro averages of precision, recall and F1 over the tests, by model."""
    rows = results.metrics.filter(pl.col("average").is_in(OF_TESTS))
    if rows.is_empty():
        return None
    by_key = {(r["model"], r["average"], r["metric"]): r for r in rows_of(rows, MetricRow)}
    averages = list(dict.fromkeys(rows["average"].to_list()))
    measures = list(dict.fromkeys(rows["metric"].to_list()))
    footnotes, printed = Footnotes(), lookup.printed(results)
    there = {(average, name) for _, average, name in by_key}
    pairs = [(a, name) for a in averages for name in measures if (a, name) in there]
    heads = (
        Column("model", "Model"),
        *(
            Column(
                f"{average}_{name}",
                _over_tests(name, results),
                spanner=OF_COUNTS[average].capitalize(),
            )
            for average, name in pairs
        ),
    )
    lines = [
        Row(
            {"model": printed.get(model, model)}
            | {f"{a}_{m}": _cell(by_key.get((model, a, m)), footnotes) for a, m in pairs}
        )
        for model in dict.fromkeys(rows["model"].to_list())
    ]
    notes = (
        "Macro: mean of the measure over the test sets; its F1 of means is computed from "
        "macro-precision and macro-recall. Micro: the measure from counts summed over the test "
        "sets.",
    )
    caption = "Macro and micro averages over the test sets"
    return Table("test_averages", caption, heads, tuple(lines), (*footnotes.all(), *notes))


def _over_tests(metric: str, results: Results) -> str:
    return "F1 of means" if metric == "f1_of_macro" else lookup.label(metric, results)


def _trained(values: Mapping[str, GeneralisationRow]) -> bool:
    return "train_error" in values and values["train_error"]["value"] is not None
