"""The verdict on the claims of a spec about its one model: how many are refuted, and which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.comparisons.wording import between, bounded, measure, plain
from reportgen.concluding.untested import named_reason
from reportgen.records.rows import rows_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import decimals, numbers

FAR = 2
"""A value is far from a claim at so many times the distance of its limit on that side."""


@dataclass(frozen=True, slots=True)
class ClaimVerdicts:
    """The claims about a model: the recommended test of each, and those that have none."""

    model: str
    tests: Sequence[ComparisonRow]
    untested: Sequence[ComparisonRow]

    @classmethod
    def of(cls, comparisons: pl.DataFrame, models: Sequence[str]) -> ClaimVerdicts | None:
        """The verdicts of a report on one model; None with several, or without a claim."""
        rows = comparisons.filter(pl.col("slice").is_null(), pl.col("models").list.len() == 1)
        if len(models) != 1 or rows.is_empty():
            return None
        by_claim: dict[tuple[object, ...], list[ComparisonRow]] = {}
        for row in rows_of(rows, ComparisonRow):
            claim = (row["metric"], row["against"], row["side"])
            by_claim.setdefault(claim, []).append(row)
        decided = [next(filter(decides, tests), None) for tests in by_claim.values()]
        untested = [
            next((row for row in tests if row["estimate"] is not None), tests[0])
            for tests, test in zip(by_claim.values(), decided, strict=True)
            if test is None
        ]
        return cls(models[0], [test for test in decided if test is not None], untested)

    def headline(self) -> str:
        """How many of the claims are refuted; of a single one what its test shows.

        Some of the claims have a test.
        """
        refuted = sum(bool(row["reject"]) for row in self.tests)
        count = len(self.tests) + len(self.untested)
        if count == 1:
            return str(self.tests[0]["verdict"]).rstrip(".")
        claims = f"the {numbers.count(count)} claims"
        if self.untested:
            verb = "is" if refuted < 2 else "are"
            has = "has" if len(self.untested) == 1 else "have"
            others = f"{numbers.count(len(self.untested))} {has} no recommended test"
            outside = [row for row in self.untested if _is_outside(row)]
            if outside and len(self.untested) == 1:
                others += f": its {plain(outside[0]['against'] or 0.0)} lies outside the limits"
            return (
                f"{bounded(self.model)}: {refuted or 'none'} of {claims} {verb} refuted, {others}"
            )
        every = "both" if count == 2 else f"all {numbers.count(count)}"
        if sum(map(_supports, self.tests)) == count:
            shown = f"{every} claims are supported"
        elif not refuted:
            shown = "neither claim" if count == 2 else f"none of {claims}"
            shown += " is refuted"
        elif refuted == count:
            shown = f"{every} claims are refuted"
        else:
            shown = f"{refuted} of {claims} {'is' if refuted == 1 else 'are'} refuted"
        return f"{bounded(self.model)}: {shown}"

    def sentences(self) -> Iterator[str]:
        """What each test shows, those that refute first, and what the limits do not allow for."""
        if len(self.tests) + len(self.untested) > 1:
            yield from (row["verdict"] for row in sorted(self.tests, key=lambda r: not r["reject"]))
        yield from map(_without_test, self.untested)
        if len(self.tests) > 1:
            yield "The limits of the claims are not adjusted for multiplicity."


def decides(row: ComparisonRow) -> bool:
    """Whether a test says if its claim is refuted: here and in the table of all tests."""
    return row["recommendation"] == "recommended" and row["reject"] is not None


def _supports(row: ComparisonRow) -> bool:
    """Whether the limits of a measure lie wholly on the side that is claimed."""
    claim, low, high = row["against"], row["low"], row["high"]
    if claim is None or low is None or high is None or row["side"] is None:
        return False
    return low >= claim if row["side"] == "below" else high <= claim


def _is_outside(row: ComparisonRow) -> bool:
    """Whether the limits of a measure leave its claimed value out, on the side that refutes it."""
    value, claim, low, high = row["estimate"], row["against"], row["low"], row["high"]
    if value is None or claim is None or low is None or high is None or low < claim < high:
        return False
    return not _in_line(value, claim, row["side"])


def _without_test(row: ComparisonRow) -> str:
    """A claim that has no recommended test: what was observed all the same, and the reason."""
    why = row["undefined"] or "no test of it is recommended"
    if row["undefined"] is None and row["why"]:
        why = named_reason(row["label"], row["why"])
    value, claim, low, high = row["estimate"], row["against"], row["low"], row["high"]
    if value is None or claim is None or low is None or high is None:
        return f"The claim that {row['null_hypothesis']} was not tested: {why}."
    digits = decimals.of_value(value, low, high)
    ends = between(low, high, digits, sign=False, open_at_0=False)
    interval = f"{numbers.level(1 - row['alpha'])} interval {ends}"
    observed = f"{numbers.aligned(value, digits)} ({interval})"
    where = _beside(value, claim, low, high, row["side"])
    of = f"The {measure(row['metric'])} of {bounded(row['models'][0])}"
    return f"{of} is {observed}, {where} {plain(claim)}; no test of it is recommended: {why}."


def _in_line(value: float, claim: float, side: str | None) -> bool:
    """Whether a value is the claimed one, or lies on the side that does not refute it."""
    return value == claim or side == ("above" if value < claim else "below")


def _beside(value: float, claim: float, low: float, high: float, side: str | None) -> str:
    """Where a value lies beside the claimed one; far is twice as far as the interval goes."""
    if low < claim < high:
        return "an interval that includes the claimed"
    if _in_line(value, claim, side):
        return "in line with the claimed"
    below = value < claim
    reach = high - value if below else value - low
    far = "far " if abs(claim - value) > FAR * reach else ""
    return f"{far}{'below' if below else 'above'} the claimed"
