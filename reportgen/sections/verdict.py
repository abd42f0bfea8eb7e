"""Page one: the decision, the effect, its interval, the test, the gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from reportgen.comparisons.records import LEAST_P
from reportgen.sections import reading
from reportgen.sections.cells import Cell, Column, Row, Table
from reportgen.sections.named import comparison_label
from reportgen.sections.registry import section
from reportgen.text import numbers

if TYPE_CHECKING:
    from reportgen.charts import Figure
    from reportgen.results import Results

KINDS = {"better": "good", "worse": "bad", "not shown": "caution", "undefined": "caution"}
"""Kind of box for each decision; any other is a note."""


@dataclass(frozen=True)
class Card:
    """One key number on page one."""

    label: str
    value: Cell
    note: str = ""


@section(10)
@dataclass(frozen=True)
class Verdict:
    """What a reviewer reads first."""

    template: ClassVar[str] = "sections/verdict.html.j2"
    id: ClassVar[str] = "verdict"
    title: ClassVar[str] = "Verdict"

    kind: str
    headline: str
    sentence: str
    cards: tuple[Card, ...]
    caveats: tuple[str, ...]
    gates_line: str
    gates: Table | None

    @classmethod
    def from_results(cls, results: Results, figures: Sequence[Figure]) -> Verdict:  # noqa: ARG003
        """Fill the section; it always applies."""
        verdict = results.verdict
        return cls(
            KINDS.get(verdict["decision"], "note"),
            reading.clean(verdict["headline"]),
            reading.clean(verdict["sentence"]),
            tuple(cards(results)),
            tuple(reading.sentence(caveat) for caveat in caveats(verdict)),
            gates_line(results),
            gates_table(results),
        )


def caveats(verdict: Mapping[str, Any]) -> list[str]:
    """What to keep in mind; that a tiny p has no digits is no matter where it is "< 0.001"."""
    return [told for told in verdict.get("caveats") or () if f"{LEAST_P:g}" not in told]


def cards(results: Results) -> list[Card]:
    """The numbers of page one: the measure, the effect with its interval, test, rows."""
    verdict = results.verdict
    compared = [*_effect(results, verdict), *_test(results, verdict)]
    compared = [*_measured(results, verdict), *compared] if compared else []
    return [*(compared or _single(results, verdict)), _rows(results)]


def _measured(results: Results, verdict: dict[str, Any]) -> list[Card]:
    """What the first model reaches, beside the second one."""
    models, printed = verdict.get("models") or [], reading.printed(results)
    found = reading.numbers(results)
    known = [found.get((verdict.get("metric") or "", name), reading.NOTHING) for name in models]
    if len(known) != 2 or any(number.value is None for number in known):
        return []
    first, second = known
    limits = numbers.interval(first.value, first.low, first.high)
    level = numbers.level(reading.confidence(results))
    told = [printed[models[0]], *([f"{level} interval {limits}"] if limits else [])]
    digits = numbers.decimals(first.value, first.low, first.high)
    other = f"{printed[models[1]]} {numbers.aligned(second.value, digits)}"
    return [
        Card(
            reading.label(first.metric, reading.task(results)),
            Cell(numbers.aligned(first.value, digits)),
            f"{', '.join(told)}; {other}",
        )
    ]


def _effect(results: Results, verdict: dict[str, Any]) -> list[Card]:
    models = verdict.get("models") or []
    value = verdict.get("estimate")
    if len(models) != 2 or value is None:
        return []
    printed = reading.printed(results)
    low, high = verdict.get("low"), verdict.get("high")
    label = f"Difference in {reading.phrase(verdict['metric'], reading.task(results))}"
    level = numbers.level(reading.confidence(results))
    digits = numbers.effect_decimals(value, low, high)
    limits = "" if low is None or high is None else numbers.signed_limits(low, high, digits)
    note = f"{printed.get(models[0], models[0])} minus {printed.get(models[1], models[1])}"
    return [
        Card(
            label,
            Cell(numbers.difference(value, low, high)),
            f"{level} interval {limits}; {note}" if limits else note,
        )
    ]


def _test(results: Results, verdict: dict[str, Any]) -> list[Card]:
    name = verdict.get("comparison")
    if not name:
        return []
    rows = [
        row
        for row in reading.compared(results)
        if row["comparison"] == name and row["models"] == verdict["models"]
    ]
    alpha = rows[0]["alpha"] if rows else 0.05
    note = comparison_label(name)
    if rows and rows[0]["correction"] and rows[0]["p_adjusted"] != rows[0]["p_value"]:
        note += f", adjusted after {rows[0]['correction'].capitalize()}"
    return [
        Card("p-value", Cell(numbers.p_number(verdict["p_value"], alpha)), f"{note}; α = {alpha:g}")
    ]


def _single(results: Results, verdict: dict[str, Any]) -> list[Card]:
    value, low, high = (verdict.get(key) for key in ("estimate", "low", "high"))
    if not verdict.get("metric"):
        return []
    limits = numbers.interval(value, low, high)
    level = numbers.level(reading.confidence(results))
    note = f"{level} interval {limits}" if limits else ""
    text = numbers.estimate(value, low, high)
    return [Card(reading.label(verdict["metric"], reading.task(results)), Cell(text), note)]


def _rows(results: Results) -> Card:
    count = numbers.count(results.data["rows_evaluated"])
    return Card("Rows evaluated", Cell(count), reading.truth(results))


STATES = {"fail": "failed", "inconclusive": "inconclusive", "pass": "passed"}


def gates_line(results: Results) -> str:
    """How many gates there are in each state, in a sentence."""
    states = results.gates["state"].to_list()
    told = [f"{states.count(state)} {word}" for state, word in STATES.items() if state in states]
    if len(told) > 1:
        return f"{len(states)} gates: {reading.joined(told)}."
    if not states:
        return ""
    which = "The gate" if len(states) == 1 else f"All {len(states)} gates"
    verb = "" if states[0] != "inconclusive" else "is " if len(states) == 1 else "are "
    return f"{which} {verb}{STATES[states[0]]}."


def gates_table(results: Results) -> Table | None:
    """Every gate with what was observed, its limit and its state."""
    level = numbers.level(reading.confidence(results))
    rows = tuple(
        Row(
            {
                "gate": Cell(reading.clean(row["gate"]), kind="code"),
                "observed": Cell(numbers.estimate(row["observed"], row["low"], row["high"])),
                "interval": Cell(numbers.interval(row["observed"], row["low"], row["high"]) or "–"),
                "limit": Cell(numbers.threshold(row["limit"])),
                "state": Cell(row["state"], state=row["state"]),
            }
        )
        for row in results.gates.to_dicts()
    )
    columns = (
        Column("gate", "Gate"),
        Column("observed", "Observed"),
        Column("interval", f"{level} interval"),
        Column("limit", "Limit"),
        Column("state", "State", "left"),
    )
    notes = []
    if "inconclusive" in results.gates["state"].to_list():
        notes.append("Inconclusive: the value meets the limit, but part of its interval does not.")
    if results.metrics["least"].count():
        notes.append(
            "A number of scores counted in cells is known between two bounds: all between them "
            "count as its value, and its interval is as much wider."
        )
    if results.gates["low"].null_count():
        notes.append("Without an interval the state rests on the observed value alone.")
    caption = "Gates: observed value, limit and state"
    return Table("gates", caption, columns, rows, tuple(notes)) if rows else None
