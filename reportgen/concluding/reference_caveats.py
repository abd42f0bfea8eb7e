"""What page one says of a shift since the declared reference."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import MOST_NAMES, bounded, joined
from reportgen.concluding.model_values import RELEVANT_RATIO
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.shift import Shift
from reportgen.text import numbers
from reportgen.text.words import capitalised, listed


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
        text = f"{listed(parts)} shifted since the reference period."
        drifted = " ".join(_drifted(results, shift))
        text = f"{capitalised(text)} {drifted}".rstrip()
        yield Caveat("shifted_since_reference", "moderate", text)


def _drifted(results: Results, shift: Shift) -> Iterator[str]:
    """The models whose observed/expected positives changed by a quarter or more."""
    if not results.task.two_classes or results.task.graded:
        return
    probable = {model["name"] for model in results.data["models"] if model.get("probability")}
    truth = next((one for one in shift.quantities if one.kind == "truth"), None)
    if truth is None or truth.before is None or truth.now is None:
        return
    is_positive = truth.category in (None, results.data["positive"])
    shares = [share if is_positive else 1 - share for share in (truth.before, truth.now)]
    for score in shift.quantities:
        means = score.before, score.now
        if score.kind != "score" or score.model not in probable or not (means[0] and means[1]):
            continue
        then, now = (share / mean for share, mean in zip(shares, means, strict=True) if mean)
        if then > 0 and not 1 / RELEVANT_RATIO < now / then < RELEVANT_RATIO:
            yield (
                f"Observed/expected of {bounded(str(score.model))}: "
                f"{numbers.fixed(then, 2)} in the reference, {numbers.fixed(now, 2)} now."
            )
