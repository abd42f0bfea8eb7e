"""The test of a difference in a sentence, and what stands below estimates of mean and quantiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reportgen.comparisons.corrections import CORRECTION_NAMES
from reportgen.comparisons.wording import bounded
from reportgen.concluding import headline_numbers as form
from reportgen.concluding import list_headline
from reportgen.concluding.contest import Contest, Difference
from reportgen.records.decision import OF_ERRORS
from reportgen.records.model import Results
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers
from reportgen.text.words import capitalised, without_article


def evidence(results: Results, contest: Contest, difference: Difference) -> str:
    """The difference with its limits and the test: of one method at one level."""
    row = difference.row
    difference = contest.difference(*row.models) or difference
    who = " − ".join(form.names(row.models))
    by_constant = results.decision.relation == "at chance" and contest.measure in OF_ERRORS
    of_another = by_constant or list_headline.leads(results, contest)
    if of_another or results.decision.relation == "no conclusion":  # which has another measure too
        who = f"{who} in {contest.what}"
    if row.effect != "difference":
        who = f"{capitalised(row.effect)} of {who}"
    parts = []
    if difference.low is not None and difference.high is not None:
        size = row.family_size or 1
        kind = "simultaneous CI" if size > 1 else "CI"
        limits = form.between(difference)
        parts.append(f"{numbers.level(1 - results.decision.alpha)} {kind} {limits}")
    parts.append(without_article(row.label))
    parts.append(numbers.p_value(row.p_adjusted, results.decision.alpha) + adjusted(row))
    if row.correction == "none" and len(contest.values) > 2:
        parts.append("not corrected for the number of comparisons")
    signed = "" if difference.estimate is None else form.signed(difference)
    return f"{who}: {signed} ({', '.join(parts)})" if signed else f"{who} ({', '.join(parts)})"


def adjusted(row: ComparisonRow) -> str:
    """How p was corrected, in brackets' words; nothing where there is nothing to correct for."""
    size = row.family_size or 1
    if size < 2 or row.correction in (None, "none"):
        return ""
    name = CORRECTION_NAMES.get(row.correction, row.correction)
    return f", {name}-adjusted over {numbers.count(size)} comparisons"


def of_means_alone(results: Results, contest: Contest) -> Iterator[str]:
    """The estimates of the mean, where others are of quantiles, which their errors do not rank."""
    means = [m["name"] for m in results.data["models"] if m.get("quantile") is None]
    alone = replace(contest, values={n: contest.values[n] for n in means if n in contest.values})
    if not alone.values:
        return
    who, value = bounded(alone.leader), form.of_leader(results, alone)
    if len(alone.values) == 1:
        yield f"Only {who} estimates the mean: its {alone.what} is {value}."
        return
    yield f"Of the estimates of the mean {who} has the {alone.extreme} {alone.what}, {value}."
    others = [name for name in alone.order if name != alone.leader]
    difference = alone.difference(alone.leader, others[0])
    if difference is not None:
        yield f"{evidence(results, alone, difference)}."
