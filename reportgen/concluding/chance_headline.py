"""What a headline says of models that are not better than guessing."""

from __future__ import annotations

from reportgen.comparisons.wording import bounded, measure
from reportgen.concluding import headline_numbers as form
from reportgen.concluding.caveats import chance_text, than_guessing
from reportgen.concluding.chance import of_headline
from reportgen.concluding.leading import Contest
from reportgen.metric_names import COST
from reportgen.records.decision import AtChance
from reportgen.records.model import Results
from reportgen.text import decimals, numbers
from reportgen.text.words import listed


def of_guessing(results: Results, contest: Contest) -> str:
    """The headline where no model, or class, is significantly better than guessing."""
    shown = in_headline(results, contest)
    if shown[0].class_ is not None:
        return chance_text("auc", shown, results.data, worse=False).rstrip(".")
    what = measure(shown[0].measure)
    if contest.basis == "mean over folds" and shown[0].measure == "r2":
        what = f"pooled {what}"
    digits = decimals.shared((row.value, row.low, row.high) for row in shown)
    values = [_in_brackets(row, digits) for row in shown[: form.MOST_IN_HEADLINE]]
    worse = all(row.worse for row in shown)
    how = than_guessing(shown[0].measure, results.data, worse=worse)
    of_guess = shown[0].measure in ("accuracy", COST)
    against = numbers.estimate(shown[0].chance)
    if len(shown) == 1:
        beside = f" against {against}" if of_guess else ""
        verb = "is" if worse else "is not"
        return f"{bounded(shown[0].model)} {verb} {how}: {what} {values[0]}{beside}"
    if worse:
        who = "Both models are" if len(shown) == 2 else f"All {len(shown)} models are"
    else:
        who = "Neither model is" if len(shown) == 2 else "No model is"
    with_values = [
        f"{bounded(row.model)} {v}"
        for row, v in zip(shown[: form.MOST_IN_HEADLINE], values, strict=True)
    ]
    of_all = listed(with_values)
    if len(shown) > form.MOST_IN_HEADLINE:
        of_all = f"the best is {bounded(shown[0].model)}, {values[0]}"
    of_what = f"({what} {against})" if of_guess else f"in {what}"
    return f"{who} {how} {of_what}: {of_all}"


def in_headline(results: Results, contest: Contest) -> list[AtChance]:
    """The models that are not better than guessing, best first."""
    order = contest.order
    rows = of_headline(results.decision.at_chance, contest.measure, results.data)
    return sorted(
        rows, key=lambda row: order.index(row.model) if row.model in order else len(order)
    )


def _in_brackets(row: AtChance, digits: int) -> str:
    written, ends = form.of_guess(row, digits)
    return f"{written} ({ends})" if ends else written
