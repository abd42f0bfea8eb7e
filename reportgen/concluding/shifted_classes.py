"""What shifted: since the reference, or the classes within the rows of the report."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded, joined
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers
from reportgen.text.words import listed

MOST_NAMES = 4
"""More slice columns than this are counted."""


def shifted_classes(results: Results) -> Iterator[Caveat]:
    """What page one says where the share of positives shifted in time; nothing of a reference.

    A threshold of least cost depends on that share. The comparison of the models on the evaluated
    rows stands, as it does against a reference.
    """
    shift = results.shift
    if shift is None or shift.basis != "time" or not results.task.two_classes:
        return
    for one in shift.quantities:
        if one.kind == "truth" and one.reject and one.category is not None:
            p = numbers.p_value(one.p_adjusted, shift.alpha)
            text = (
                f"The share of {bounded(one.category)} shifted in time: "
                f"{numbers.percent(one.before)} before, {numbers.percent(one.now)} now ({p}). The "
                "threshold of least cost is that of all rows, not of the latest."
            )
            yield Caveat("shifted_classes", "moderate", text)


def since_reference(results: Results) -> Iterator[Caveat]:
    """What the tests show to have shifted since the declared reference, in one sentence."""
    shift = results.shift
    if shift is None or shift.basis != "reference":
        return
    shifted = [one for one in shift.quantities if one.reject]
    models = [bounded(str(one.model)) for one in shifted if one.kind == "score"]
    slices = [bounded(one.name) for one in shifted if one.kind == "slices"]
    parts = []
    if any(one.kind == "truth" for one in shifted):
        parts.append(
            "the truth" if results.task.of_numbers else f"the shares of the {results.task.nouns}"
        )
    if models:
        noun = "estimates" if results.task.of_numbers else "scores"
        parts.append(f"the {noun} of {joined(models)}")
    if slices:
        of = f"{len(slices)} columns" if len(slices) > MOST_NAMES else listed(slices)
        parts.append(f"the slices of {of}")
    if parts:
        text = f"Since the reference {listed(parts)} shifted: these rows are not like those before."
        yield Caveat("shifted_since_reference", "moderate", text)
