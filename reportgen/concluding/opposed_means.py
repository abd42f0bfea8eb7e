"""Over data sets the order of the means may be another one than that of the ranks."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.concluding.contest import Contest
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers
from reportgen.text.words import without_article


def opposed_means(results: Results, contest: Contest) -> Iterator[Caveat]:
    """The models that the leader ranks before, and is significantly behind by the mean."""
    if not contest.by_rank:
        return
    behind = contest.others("behind", "level", "equivalent")
    for row in rows_of(results.comparisons, ComparisonRow):
        leader, other = contest.leader, row.better
        if row.effect != "difference" or other not in behind:
            continue
        if row.slice is not None or {*row.models} != {leader, other}:
            continue
        if row.metric != contest.measure or row.estimate is None:
            continue
        size = numbers.number(abs(row.estimate))
        far = "lower" if contest.less_is_better else "higher"
        text = (
            f"On average {bounded(str(other))} is better: {contest.what} {size} {far} "
            f"({without_article(row.label)}, {numbers.p_value(row.p_adjusted, row.alpha)}"
            f"). {bounded(leader)} ranks ahead in more data sets, and loses more in the others."
        )
        yield Caveat("opposed_means", "moderate", text)
        return
