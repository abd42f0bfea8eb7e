"""Labels with which a model says nothing, such as abstain, and what can be done about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reportgen.spec.nearest import listing

_ABSTAINS = frozenset(
    {
        *("abstain", "abstains", "abstained", "abstention", "defer", "deferred", "no answer"),
        *("no decision", "none", "refer", "refused", "refusal", "reject", "rejected"),
        *("?", "unsure", "unknown", "uncertain", "undecided", "not sure", "inconclusive"),
        *("弃权", "拒绝回答", "不确定", "未知"),
    }
)


def abstentions(labels: Iterable[str]) -> list[str]:
    """Those of the labels by which a model says nothing."""
    return [one for one in labels if re.sub(r"[\s_]+", " ", one.strip().casefold()) in _ABSTAINS]


def of_abstentions(labels: Iterable[str], classes: Sequence[str]) -> str | None:
    """What to do where a model abstains by a label that the truth lacks; None where none does.

    >>> of_abstentions(["abstain", "cat"], ["no", "yes"])
    "where a model abstains, list 'no', 'yes', 'abstain' under classes:, in place of positive:, to \
count it as an error, or leave those rows out in the long form"
    >>> of_abstentions(["cat"], ["no", "yes"])
    """
    abstains = abstentions(labels)
    if not abstains:
        return None
    place = ", in place of positive:," if len(classes) == 2 else ""
    named = listing(map(repr, [*classes, *abstains]))
    return (
        f"where a model abstains, list {named} under classes:{place} to count it as an error, or "
        "leave those rows out in the long form"
    )
