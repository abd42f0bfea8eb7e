"""What a headline says first where positives are rare: how good the top of the list is."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.concluding.headline_numbers import MOST_IN_HEADLINE, of_value
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.concluding.rare_class import is_rare
from reportgen.records.model import Results
from reportgen.text import decimals, numbers
from reportgen.text.words import capitalised

OF_ROWS = ("pooled rows", "groups")
"""What a value that decides is of, where it is of all rows."""


def with_list(headline: str, results: Results, contest: Contest) -> str:
    """The headline with the average precisions and their limits before what it says of the AUC.

    As it is unless positives are rare and the AUC decides. Where that is a mean over folds, the
    average precision is of all rows, pooled.
    """
    precisions = _average_precisions(results, contest)
    if not precisions:
        return headline
    if results.decision.relation != "single":
        return f"{_in_words(precisions, results, contest)}; {headline}"
    level = f"{numbers.level(results.confidence)} CI "
    best, leader = next(iter(precisions)), bounded(contest.leader)
    of_list = f"{leader}: {_name(contest)} {of_value(precisions[best], level)}, "
    once = headline.replace(f"({level}", "(") if level in of_list else headline
    return once.replace(f"{leader}: ", of_list, 1)


def sentences(results: Results, contest: Contest) -> Iterator[str]:
    """The same below a headline that has more to say."""
    if precisions := _average_precisions(results, contest):
        yield f"{_in_words(precisions, results, contest)}."


def _in_words(precisions: dict[str, ModelValue], results: Results, contest: Contest) -> str:
    """The average precisions of the models, or of the best one and the leader of many."""
    best, of_all = next(iter(precisions)), len(precisions) <= MOST_IN_HEADLINE
    level = f"{numbers.level(results.confidence)} CI "
    named = [name for name in precisions if of_all or name in (best, contest.leader)]
    digits = decimals.shared((v.value, v.low, v.high) for v in map(precisions.__getitem__, named))
    values = [
        f"{bounded(name)} {of_value(precisions[name], '' if place else level, digits)}"
        for place, name in enumerate(named)
    ]
    return f"{capitalised(_name(contest))}: {', '.join(values)}"


def leads(results: Results, contest: Contest) -> bool:
    """Whether the headline begins with average precisions."""
    return bool(_average_precisions(results, contest))


def _name(contest: Contest) -> str:
    return "average precision" if contest.basis in OF_ROWS else "pooled average precision"


def _average_precisions(results: Results, contest: Contest) -> dict[str, ModelValue]:
    """Average precision by model, best first."""
    concluded = results.decision.relation not in ("no conclusion", "at chance")
    on_rows = contest.basis in (*OF_ROWS, "mean over folds")
    if not (concluded and on_rows and contest.measure == "auc" and is_rare(results.data)):
        return {}
    values = on_all_rows(results.metrics, "average_precision")
    return {name: values[name] for name in sorted(values, key=lambda n: -values[n].value)}
