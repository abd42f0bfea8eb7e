"""The evaluated rows in a few words: how many, of which classes, around which mean."""

from __future__ import annotations

from reportgen.records.model import Results
from reportgen.records.rows import DataRecord, evaluation_of
from reportgen.text import numbers
from reportgen.text.decimals import (
    MOST_DECIMALS,
    PLAIN_BELOW,
    PLAIN_FROM,
    POWERS,
    two_significant,
)

SMALL = 0.001
"""A deviation below it leaves plain decimals no digit."""


def truth(results: Results) -> str:
    """What the rows truly are, in a few words."""
    data = results.data
    if results.task.graded:
        return "answers graded right or wrong"
    if "positives" in data:
        count = numbers.count(data["positives"])
        return f"{count} positive ({share_of_positives(results)})"
    if "classes" in data:
        sizes = [record["rows"] for record in data["classes"]]
        ends = " to ".join(numbers.count(n) for n in sorted({min(sizes), max(sizes)}))
        rows = "row" if ends == "1" else "rows"
        return f"{numbers.count(len(sizes))} {results.task.nouns} of {ends} {rows}"
    spread = data.get("distribution") or {}
    if spread.get("standard_deviation") == 0:
        return f"truth {of_truth(spread.get('mean'), None)} in every row"
    mean, deviation = _of_one_precision(spread.get("mean"), spread.get("standard_deviation"))
    unweighted = " (both unweighted)" if data.get("weighted") else ""
    return f"truth {mean} on average, standard deviation {deviation}{unweighted}"


def _of_one_precision(mean: float | None, deviation: float | None) -> tuple[str, str]:
    """A mean and its standard deviation, with three digits of the latter where these are plain.

    >>> _of_one_precision(363.04, 4.943), _of_one_precision(55.43, 43.9)
    (('363.04', '4.94'), ('55.4', '43.9'))
    """
    if mean is None or deviation is None or not PLAIN_FROM < deviation <= abs(mean) < PLAIN_BELOW:
        return of_truth(mean, deviation), of_truth(deviation, deviation)
    digits = min(two_significant(deviation) + 1, MOST_DECIMALS) if deviation < 100 else 0
    return numbers.fixed(mean, digits), numbers.fixed(deviation, digits)


def of_truth(value: float | None, deviation: float | None) -> str:
    """A number on the scale of the truth, in powers of ten where its deviation is small.

    >>> of_truth(-1.2e-11, 9.83e-10), of_truth(9.83e-10, 9.83e-10), of_truth(0.0, 0.4)
    ('−1.20 × 10⁻¹¹', '9.83 × 10⁻¹⁰', '0.000')
    """
    if value and deviation and deviation < SMALL:
        return numbers.number(value, POWERS)
    return numbers.estimate(value)


def share_of_positives(results: Results) -> str:
    """The percentage of positives; of weighted rows that of rows, and that of their weights."""
    share = numbers.prevalence(results.data["prevalence"])
    if not results.data.get("weighted"):
        return share
    by_weight = share_by_weight(results)
    return f"{share} of rows" + ("" if by_weight is None else f", {by_weight} of weight")


def share_by_weight(results: Results) -> str | None:
    """The percentage of the weights that positives have; None where rows have no weights."""
    if not results.data.get("weighted"):
        return None
    rows = results.metrics.filter(results.metrics["slice"].is_null(), metric="prevalence")
    values = rows["value"].drop_nulls().to_list()
    return numbers.prevalence(values[0]) if values else None


def row_noun(data: DataRecord) -> str:
    """The word for rows: weighted rows are named as such, predictions where models have others."""
    noun = "prediction" if data.get("unpaired") else "row"
    return f"weighted {noun}" if data.get("weighted") else noun


UNDECLARED = "with no declaration of which rows belong together"


def undeclared(results: Results) -> bool:
    """Whether models have rows that no id says which belong together."""
    return bool(results.data.get("unpaired")) and results.declared.columns.id is None


def rows(results: Results) -> str:
    """How many rows are evaluated, of how many examples, and whether they are weighted."""
    data = results.data
    evaluation = evaluation_of(data)
    examples, tested = evaluation.test_examples or 0, evaluation.test_rows or 0
    text = numbers.plural(data["rows_evaluated"], row_noun(data))
    if data.get("unpaired"):
        text += f" of {numbers.count(len(data['models']))} models, "
        text += UNDECLARED if undeclared(results) else _of_own(data)
    elif 0 < examples < tested:
        text += f" of {numbers.plural(examples, 'example')}"
    return text


def _of_own(data: DataRecord) -> str:
    """How many rows models share that have rows of their own."""
    common = data.get("on_common_rows")
    if common is None:
        return "each on its own rows"
    return f"which share {numbers.plural(common['rows'], 'row')}"


def without_weight(data: DataRecord) -> int:
    """How many rows have a weight of 0; 0 where other rows may be left out, too."""
    if data["rows"] is None or data.get("roles") or not data.get("weighted"):
        return 0
    return data["rows"] - data["rows_evaluated"]
