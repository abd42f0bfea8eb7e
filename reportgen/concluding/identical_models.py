"""Models under several names with the same outputs in every row: on these data they are one."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.comparisons.wording import bounded
from reportgen.concluding import headline_numbers as form
from reportgen.concluding.contest import Contest
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord
from reportgen.text.words import listed


def are_identical(results: Results, first: str, second: str) -> bool:
    """Whether two models give the same outputs for every row."""
    return any({first, second} <= {*alike} for alike in results.data.get("same_outputs") or ())


def are_one_model(results: Results, contest: Contest) -> bool:
    """Whether all models that page one compares give the same outputs."""
    leader, *others = contest.order
    return bool(others) and all(are_identical(results, leader, name) for name in others)


def headline(contest: Contest) -> str:
    """That all models give the same outputs, and their value of the deciding measure."""
    who = listed([bounded(name) for name in contest.order])
    value = contest.values[contest.leader]
    written, ends = form.estimate_and_limits(value.value, value.low, value.high)
    shown = ", ".join(filter(None, (written, ends)))
    return f"{who} give the same outputs for every row ({contest.what} {shown})"


def of_scores(data: DataRecord) -> list[Sequence[str]]:
    """Models that give the same scores or estimates: no further rows can set these apart.

    Models that decide alike on these rows may decide otherwise on others.

    >>> models = [{"name": name, "outputs": ["score"]} for name in "ab"]
    >>> of_scores({"models": models, "same_outputs": [["a", "b"]]})
    [['a', 'b']]
    """
    outputs = {model["name"]: {*model["outputs"]} for model in data["models"]}
    return [
        alike
        for alike in data.get("same_outputs") or ()
        if outputs[alike[0]] & {"score", "scores", "estimate"}
    ]


def without_test(results: Results, contest: Contest) -> Caveat:
    """Why no test of such models is needed, and what that means for a declared margin."""
    margin, names = results.declared.comparisons.margin, {*contest.order}
    others = names - {contest.leader}
    if any(names <= {*alike} for alike in of_scores(results.data)):
        text = "No test is needed: on these data they are one model"
        if margin is not None:
            text += f", and their difference of 0 is within the margin of {form.plain(margin)}"
    else:
        text = "On these rows they are one model, on others they may differ"
        if margin is not None and all(
            frozenset((contest.leader, n)) in contest.within for n in others
        ):
            text += f", by less than the margin of {form.plain(margin)} (test of equivalence)"
    return Caveat("needs_no_test", "moderate", f"{text}.")
