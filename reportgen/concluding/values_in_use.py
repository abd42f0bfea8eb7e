"""Measures of models where positives are as frequent as the spec states, not as in the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from reportgen.concluding.cost_headline import shares_of
from reportgen.concluding.costs_in_use import cost_of_rates, costs_per_row
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.metric_names import COST
from reportgen.once_per_frame import once_per_frame
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of

InUse = Mapping[tuple[str, str], ModelValue]
"""Values by measure and model."""


@once_per_frame
def values_in_use(results: Results) -> InUse:
    """Values at the stated prevalence, with limits, of measures that follow from both rates.

    Cost per row, accuracy, error rate and predictive values. Empty where the share of positives of
    the rows is that of the spec, in order of time, and over data sets, whose pooled rows pass no
    gate. Of several fits they are of pooled rows, as gates on one model are elsewhere.
    """
    shares, data = shares_of(results), results.data
    if shares is None or data.get("timed") or evaluation_of(data).scheme == "data_sets":
        return MappingProxyType({})
    values = dict(_predictive(results))
    values |= {(COST, model): value for model, value in costs_per_row(results).items()}
    if data.get("groups") is None:
        values |= _accuracies(results, shares[1])
    limited = {
        key: value
        for key, value in values.items()
        if value.low is not None and value.high is not None and value.low < value.high
    }
    return MappingProxyType(limited)


def _predictive(results: Results) -> Iterator[tuple[tuple[str, str], ModelValue]]:
    curve = results.curves.get("predictive_values")
    for row in [] if curve is None else curve.iter_rows(named=True):
        of_classes = {"precision": "positive", "negative_predictive_value": "negative"}
        for measure, name in of_classes.items():
            if row["slice"] is None and row[name] is not None:
                ends = row[f"{name}_low"], row[f"{name}_high"]
                yield (measure, row["model"]), ModelValue(row[name], *ends)


def _accuracies(results: Results, share: float) -> dict[tuple[str, str], ModelValue]:
    recall, specificity = (on_all_rows(results.metrics, name) for name in ("recall", "specificity"))
    values = {}
    for model in recall.keys() & specificity.keys():
        error = cost_of_rates((share, recall[model]), (1 - share, specificity[model]), limited=True)
        values["error_rate", model] = error
        if error.low is not None and error.high is not None:
            ends = max(1 - error.high, 0.0), 1 - error.low
            values["accuracy", model] = ModelValue(1 - error.value, *ends)
    return values
