"""The verdict on the claims of a spec about its one model: how many are refuted, and which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.comparisons.wording import bounded
from reportgen.concluding.untested import named_reason
from reportgen.records.rows import rows_of
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers


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
        decided = [
            next(
                (
                    r
                    for r in tests
                    if r["recommendation"] == "recommended" and r["reject"] is not None
                ),
                None,
            )
            for tests in by_claim.values()
        ]
        untested = [
            t[0] for t, test in zip(by_claim.values(), decided, strict=True) if test is None
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
        if self.untested:
            tested = f"{numbers.count(len(self.tests))} of {numbers.count(count)} claims tested"
            return f"{bounded(self.model)}: {tested}, {refuted or 'none'} refuted"
        claims = f"the {numbers.count(count)} claims"
        if not refuted and count == 2:
            return f"{bounded(self.model)}: neither claim is refuted"
        if not refuted:
            return f"{bounded(self.model)}: none of {claims} is refuted"
        if refuted == count:
            every = "both" if count == 2 else f"all {numbers.count(count)}"
            return f"{bounded(self.model)}: {every} claims are refuted"
        verb = "is" if refuted == 1 else "are"
        return f"{bounded(self.model)}: {refuted} of {claims} {verb} refuted"

    def sentences(self) -> Iterator[str]:
        """What each test shows, those that refute first, and what the limits do not allow for."""
        if len(self.tests) + len(self.untested) > 1:
            yield from (row["verdict"] for row in sorted(self.tests, key=lambda r: not r["reject"]))
        for row in self.untested:
            why = row["undefined"] or "no test of it is recommended"
            if row["undefined"] is None and row["why"]:
                why = named_reason(row["label"], row["why"])
            yield f"The claim that {row['null_hypothesis']} was not tested: {why}."
        if len(self.tests) > 1:
            yield "The limits of the claims are not adjusted for multiplicity."
