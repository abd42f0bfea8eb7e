"""The verdict on the claims of a spec about its models: how many are refuted, and which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from reportgen.comparing.recommendation import CHOSEN_HERE
from reportgen.comparing.stated_share import against_shares
from reportgen.comparing.unseen_costs import UnseenCost
from reportgen.comparisons.verdicts import EXACT
from reportgen.comparisons.wording import (
    MOST_NAMES,
    between,
    bounded,
    end_claimed,
    measure,
    plain,
)
from reportgen.concluding.caveats import takes_away
from reportgen.concluding.cost_headline import shares_of
from reportgen.concluding.untested import named_reason
from reportgen.concluding.values_in_use import values_in_use
from reportgen.intervals.method_names import MethodName
from reportgen.metric_names import COST, parted
from reportgen.metrics import follows_prevalence
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.records.rows import evaluation_of, rows_of, too_unequal
from reportgen.tables.comparisons import ComparisonRow, is_decided
from reportgen.text import decimals, numbers
from reportgen.text.reasons import NO_PROPORTION, WEIGHTED
from reportgen.text.words import capitalised, listed

FEW = 2
"""Of more claims the headline counts those that are refuted."""

WORTH = 50
"""Of so many rows of equal weight the limits of a mean loss of forecasts hold true claims."""

OF_FORECASTS = "mean loss"
"""The method of these limits."""

FAR = 2
"""A value is far from a claim at so many times the distance of its limit on that side."""


@dataclass(frozen=True, slots=True)
class ClaimVerdicts:
    """The claims about a model: the recommended test of each, and those that have none.

    ``by_limits`` are those of measures that have no test, which their limits refute or support;
    ``prevalence`` is the stated one that values of the ``moved`` measures are for, if not that of
    the rows; ``confidence`` is the level of all limits.
    """

    model: str
    confidence: float
    tests: Sequence[ComparisonRow]
    untested: Sequence[ComparisonRow]
    by_limits: Sequence[ComparisonRow] = ()
    prevalence: float | None = None
    moved: Sequence[str] = ()

    @classmethod
    def of(cls, results: Results) -> ClaimVerdicts | None:
        """The verdicts of a report on one model; None with several, or without a claim."""
        models = results.models
        return cls._about(models[0], results) if len(models) == 1 else None

    @classmethod
    def of_each(cls, results: Results) -> list[ClaimVerdicts]:
        """The verdicts on every model that the spec makes claims about."""
        models = results.models
        return [one for name in models if (one := cls._about(name, results)) is not None]

    @classmethod
    def _about(cls, model: str, results: Results) -> ClaimVerdicts | None:
        rows = results.comparisons.filter(
            pl.col("slice").is_null(),
            pl.col("models").list.len() == 1,
            pl.col("models").list.first() == model,
        )
        if rows.is_empty():
            return None
        by_claim: dict[tuple[object, ...], list[ComparisonRow]] = {}
        for row in rows_of(rows, ComparisonRow):
            claim = (row.metric, row.against, row.side)
            by_claim.setdefault(claim, []).append(row)
        decided = [next(filter(is_decided, tests), None) for tests in by_claim.values()]
        untested = [
            next((row for row in tests if row.estimate is not None), tests[0])
            for tests, test in zip(by_claim.values(), decided, strict=True)
            if test is None
        ]
        decided_by = [row for row in untested if of_limits(row, results) is not None]
        of_rows = [row for row in untested if row not in decided_by]
        untested = [_with_reason(row, results) for row in of_rows]
        by_limits = [in_use(row, results) or row for row in decided_by]
        tests = [test for test in decided if test is not None]
        shares = shares_of(results)
        moved = [row.metric for row in (*decided_by, *of_rows) if in_use(row, results)]
        stated = shares[1] if shares and moved else None
        return cls(model, results.confidence, tests, untested, by_limits, stated, moved)

    @property
    def decide(self) -> bool:
        """Whether any of the claims is refuted or supported by a test, or by limits."""
        return bool(self.tests or self.by_limits)

    def headline(self) -> str:
        """How many of the claims are refuted; of a single one what its test, or limits, show.

        Some of the claims are decided. What rests on limits alone says so.
        """
        if not self.untested and self.by_limits and len(self.tests) + len(self.by_limits) <= FEW:
            return self._each()
        if len(self.tests) + len(self.untested) + len(self.by_limits) == 1:
            return str(self.tests[0].verdict).rstrip(".")
        return f"{bounded(self.model)}: {self.count()}"

    def count(self) -> str:
        """How many of several claims are refuted, or all supported, and how many have no test."""
        refuted = sum(bool(row.reject) for row in self.tests)
        refuted += sum(map(is_outside, self.by_limits))
        count = len(self.tests) + len(self.untested) + len(self.by_limits)
        return self._counted(refuted, count) + self._on_limits()

    def against(self) -> Iterator[str]:
        """What each test or limit shows that speaks against its claim."""
        yield from (str(row.verdict) for row in self.tests if row.reject)
        yield from map(self._of_limits, filter(is_outside, self.by_limits))
        yield from map(self._without_test, filter(is_outside, self.untested))

    def _each(self) -> str:
        """Each of a few claims, and how it stands, those that are refuted first."""
        parts = [(bool(row.reject), row) for row in self.tests]
        parts += [(is_outside(row), row) for row in self.by_limits]
        texts = [
            f"the claim that {row.null_hypothesis} is {self._verdict(row, refuted=refuted)}"
            for refuted, row in sorted(parts, key=lambda part: not part[0])
        ]
        return f"{bounded(self.model)}: {'; '.join(texts)}{self._on_limits()}"

    def _on_limits(self) -> str:
        """That limits decide, where tests of the measures do not."""
        if not self.by_limits:
            return ""
        if not self.tests and not self.untested:
            return " (by its limits)" if len(self.by_limits) == 1 else " (by their limits)"
        count = len(self.tests) + len(self.untested) + len(self.by_limits)
        return (
            f" (limits decide {numbers.count(len(self.by_limits))} of the {numbers.count(count)})"
        )

    def _counted(self, refuted: int, count: int) -> str:
        claims = f"the {numbers.count(count)} claims"
        if self.untested:
            verb = "is" if refuted < 2 else "are"
            has = "has" if len(self.untested) == 1 else "have"
            others = f"{numbers.count(len(self.untested))} {has} no recommended test"
            outside = [row for row in self.untested if is_outside(row)]
            if outside and len(self.untested) == 1:
                others += f": its {plain(outside[0].against or 0.0)} lies outside the limits"
            return f"{refuted or 'none'} of {claims} {verb} refuted, {others}"
        every = "both" if count == 2 else f"all {numbers.count(count)}"
        if sum(map(self._supports, [*self.tests, *self.by_limits])) == count:
            shown = f"{every} claims are supported"
        elif not refuted:
            shown = "neither claim" if count == 2 else f"none of {claims}"
            shown += " is refuted"
        elif refuted == count:
            shown = f"{every} claims are refuted"
        else:
            shown = f"{refuted} of {claims} {'is' if refuted == 1 else 'are'} refuted"
        return shown

    def sentences(self) -> Iterator[str]:
        """What each test shows, those that refute first, and what the limits do not allow for."""
        if len(self.tests) + len(self.untested) + len(self.by_limits) > 1:
            yield from (row.verdict for row in sorted(self.tests, key=lambda r: not r.reject))
        by_limits = sorted(self.by_limits, key=lambda row: not is_outside(row))
        yield from map(self._of_limits, by_limits)
        yield from map(self._without_test, self.untested)
        yield from self.at_prevalence()
        if len(self.tests) + len(self.by_limits) > 1:
            yield "The limits of the claims are not adjusted for multiplicity."

    def at_prevalence(self) -> Iterator[str]:
        """Which prevalence limits are for that are not those of the rows."""
        if self.prevalence is None:
            return
        names = listed(list(dict.fromkeys(map(measure, self.moved))))
        share = numbers.prevalence(self.prevalence)
        yield f"Limits of {names} are for a prevalence of {share}, as the spec states."

    def _verdict(self, row: ComparisonRow, *, refuted: bool) -> str:
        if refuted:
            return "refuted"
        return "supported" if self._supports(row) else "not refuted"

    def _supports(self, row: ComparisonRow) -> bool:
        """Whether the limits lie wholly on the claimed side, at the level of the test."""
        return (1 - self.confidence) / 2 <= row.alpha + EXACT and _supports(row)

    def _without_test(self, row: ComparisonRow) -> str:
        """A claim that has no recommended test: what was observed all the same, and the reason."""
        why = row.undefined or "no test of it is recommended"
        if row.undefined is None and row.why:
            why = named_reason(row.label, row.why)
        value, claim, low, high = row.estimate, row.against, row.low, row.high
        if value is None or claim is None or low is None or high is None:
            return f"The claim that {row.null_hypothesis} was not tested: {why}."
        return f"{self._observed(row, value, low, high)}; no test of it is recommended: {why}."

    def _of_limits(self, row: ComparisonRow) -> str:
        """A claim that limits decide."""
        ends = (end or 0.0 for end in (row.estimate, row.low, row.high))
        verb = "refute" if is_outside(row) else "support"
        return f"{self._observed(row, *ends)}: its limits {verb} the claim."

    def _observed(self, row: ComparisonRow, value: float, low: float, high: float) -> str:
        """What was observed of a claim, and where it lies."""
        claim = row.against or 0.0
        digits = decimals.of_value(value, low, high)
        ends = between(low, high, digits, sign=False, open_at_0=claim == 0)
        interval = f"{numbers.level(self.confidence)} interval {ends}"
        where = _beside(value, claim, low, high, row.side)
        of = f"The {measure(row.metric)} of {bounded(row.models[0])}"
        beside = f"{where} {end_claimed(row.side)}{plain(claim)}"
        return f"{of} is {numbers.aligned(value, digits)} ({interval}), {beside}"


def of_models(results: Results) -> Iterator[Caveat]:
    """What page one says of claims where the headline is on which of several models is better."""
    each = ClaimVerdicts.of_each(results)
    if len(results.data["models"]) < 2 or not each:
        return
    tests = [row for one in each for row in one.tests]
    untested = [row for one in each for row in one.untested]
    by_limits = [row for one in each for row in one.by_limits]
    stated = next((one.prevalence for one in each if one.prevalence is not None), None)
    moved = [metric for one in each for metric in one.moved]
    whole = ClaimVerdicts("", results.confidence, tests, untested, by_limits, stated, moved)
    against = list(whole.against())
    if len(tests) + len(untested) + len(by_limits) == 1:
        text = " ".join(against or [row.verdict for row in tests] or whole.sentences())
    else:
        shown = [f"{capitalised(whole.count())}.", *against[:MOST_NAMES]]
        text = " ".join([*shown, *whole.at_prevalence()])
    yield Caveat("claims", "moderate", text)


def of_limits(row: ComparisonRow, results: Results) -> Literal["refuted", "supported"] | None:
    """What the limits of a measure that has no test say of its claim, at the level of the claim.

    Of independent or grouped rows of one fit: limits of pooled fits, and of few groups of unequal
    size, are too narrow. A claim of one side is beyond one limit alone. A threshold that these rows
    chose leaves a measure without a test, and with limits that hold for every threshold.
    """
    row, every_threshold = in_use(row, results) or row, _holds_for_every_threshold(row)
    level = (1 - results.confidence) / (1 if row.side is None else 2)
    untested = row.undefined in (NO_PROPORTION, WEIGHTED)
    untested = untested or (every_threshold and row.undefined is None)
    if not untested or level > row.alpha + EXACT:
        return None
    against = takes_away(results.data, row.metric)
    if every_threshold and against == CHOSEN_HERE:
        against = None
    if against or (evaluation_of(results.data).fits or 1) > 1:
        return None
    if results.data.get("timed") or too_unequal(results.data) or _against_limits(row, results):
        return None
    if is_outside(row):
        return "refuted"
    return "supported" if _supports(row) else None


def moves_with_prevalence(measure_of_claim: str) -> bool:
    """Whether a measure, or its average, depends on how frequent positives are."""
    return follows_prevalence(parted(measure_of_claim)[0])


def _holds_for_every_threshold(row: ComparisonRow) -> bool:
    """Whether the limits allow for a threshold that these rows chose."""
    return row.interval is not None and MethodName.read(row.interval).every_threshold


def in_use(row: ComparisonRow, results: Results) -> ComparisonRow | None:
    """A claim with its value at the prevalence that the spec states; null where none is known."""
    if row.slice is not None or not moves_with_prevalence(row.metric):
        return None  # the values of all models are not asked for
    value = values_in_use(results).get((row.metric, row.models[0]))
    if value is None:
        return None
    return replace(row.without_test(value.value, value.low, value.high), why=None)


def of_few_heavy_rows(row: ComparisonRow, results: Results) -> bool:
    """Whether limits of a mean loss of forecasts rest on too few rows of large weight.

    Where rows are counted nobody knows how many of equal weight they are worth
    (``tests.simulations.weighted_claims``).
    """
    if not results.data.get("weighted") or row.interval is None:
        return False
    weights = results.data.get("weights")
    few = weights is None or weights["effective"] < WORTH
    return few and MethodName.read(row.interval).method == OF_FORECASTS


def _with_reason(row: ComparisonRow, results: Results) -> ComparisonRow:
    """The claim with what keeps limits from deciding it, if anything does, and its value in use."""
    why = _against_limits(row, results) if row.undefined == NO_PROPORTION else None
    at_work = in_use(row, results) or row
    return replace(at_work, undefined=why or row.undefined, why=row.why)


def _against_limits(row: ComparisonRow, results: Results) -> str | None:
    """Why limits do not decide a claim: they are of few heavy rows, or of another share."""
    if of_few_heavy_rows(row, results):
        return (
            f"{NO_PROPORTION}, and limits of weighted rows that may be worth fewer than {WORTH} of "
            "equal weight refuted up to 13 % of true claims in simulations"
        )
    unseen = UnseenCost.of(results.data, results.declared.costs)
    if unseen is not None and parted(row.metric)[0] == COST:
        return str(unseen)
    shares = None if in_use(row, results) else shares_of(results)
    if shares is None or not moves_with_prevalence(row.metric):
        return None
    return against_shares(*shares)


def _supports(row: ComparisonRow) -> bool:
    """Whether the limits of a measure lie wholly on the side that is claimed."""
    claim, low, high = row.against, row.low, row.high
    if claim is None or low is None or high is None or row.side is None:
        return False
    return low >= claim if row.side == "below" else high <= claim


def is_outside(row: ComparisonRow) -> bool:
    """Whether the limits of a measure leave its claimed value out, on the side that refutes it."""
    value, claim, low, high = row.estimate, row.against, row.low, row.high
    if value is None or claim is None or low is None or high is None or low <= claim <= high:
        return False
    return not _in_line(value, claim, row.side)


def _in_line(value: float, claim: float, side: str | None) -> bool:
    """Whether a value is the claimed one, or lies on the side that does not refute it."""
    return value == claim or side == ("above" if value < claim else "below")


def _beside(value: float, claim: float, low: float, high: float, side: str | None) -> str:
    """Where a value lies beside the claimed one; far is twice as far as the interval goes."""
    if low <= claim <= high:
        return "an interval that includes the claimed"
    if _in_line(value, claim, side):
        return "in line with the claimed"
    below = value < claim
    reach = high - value if below else value - low
    far = "far " if abs(claim - value) > FAR * reach else ""
    return f"{far}{'below' if below else 'above'} the claimed"
