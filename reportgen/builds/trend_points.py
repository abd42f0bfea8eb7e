"""The trends that results carry: numbers of earlier builds, and what the last change is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import polars as pl

from reportgen.builds import earlier, history_file
from reportgen.builds.earlier import EarlierBuilds
from reportgen.builds.history_file import Condition, Conditions, HistoryRow, StoredGate
from reportgen.builds.stored import object_in
from reportgen.history.mix import Sides, is_mean, split
from reportgen.metric_names import parted
from reportgen.metrics import find
from reportgen.records.rows import rows_of
from reportgen.records.trend import ChangeSplit, SlicePart, Trend, TrendPoint, Trends
from reportgen.results import Results
from reportgen.spec import Spec
from reportgen.spec.gates import Gate, parse
from reportgen.tables.results import GateRow

MOST_BUILDS = 90
MOST_NUMBERS = 4
MOST_SLICINGS = 3

MEANS = {
    "binary": ("accuracy", "brier_score"),
    "multiclass": ("accuracy", "brier_score"),
    "multilabel": ("subset_accuracy", "hamming_loss"),
    "regression": ("mean_absolute_error", "mean_squared_error"),
}
"""Measures that are means over rows, whose change is split where that of the number cannot be."""

CHANGED: Mapping[Condition, str] = {
    "spec": "spec",
    "versions": "versions",
    "test_set": "test rows",
}
"""What may differ from the build before, by its column in the history."""


def with_trends(results: Results, spec: Spec, builds: EarlierBuilds) -> Results:
    """The results with the trends of their deciding numbers; as they are without earlier builds."""
    comparable = [b for b in builds.builds if earlier.incomparable(results, b) is None]
    shown = comparable[-MOST_BUILDS:]
    if not shown:
        return results
    trends = [_trend(results, spec, builds, shown, *key) for key in _numbers(results, spec)]
    charted = tuple(trend for trend in trends if trend is not None)
    if not charted:
        return results
    changes = tuple(_changes(results, builds, shown[-1], charted[0]))
    return replace(results, trends=Trends(charted, changes, len(comparable) - len(shown)))


def _numbers(results: Results, spec: Spec) -> list[tuple[str, str]]:
    """Model and measure of the gates against earlier builds, else of the leader."""
    gates = [
        gate for gate in map(parse, spec.gates) if gate.earlier is not None and gate.by is None
    ]
    names = dict.fromkeys((gate.left.model, gate.left.metric) for gate in gates)
    decision = results.decision
    if not names and decision.leader and decision.measure:
        names = {(decision.leader, decision.measure): None}
    return list(names)[:MOST_NUMBERS]


def _trend(
    results: Results,
    spec: Spec,
    builds: EarlierBuilds,
    shown: Sequence[HistoryRow],
    model: str,
    measure: str,
) -> Trend | None:
    metric, average = parted(measure)
    key = (metric, model, average, None)
    now = earlier.number_now(results.metrics, key)
    if now is None:
        return None
    gates = [gate for gate in map(parse, spec.gates) if _is_of(gate, model, measure)]
    accepted = {level.build: level.because for level in builds.levels}
    points = []
    before: HistoryRow | None = None
    for build in shown:
        value = earlier.number(build, key)
        if value is not None:
            limit, changed = _limit(build["gates"], gates), _changed(before, build)
            reason = accepted.get(build["id"])
            facts = (build["id"], build["date"], *value, limit, build["state"])
            points.append(TrendPoint(*facts, changed, reason))
            before = build
    if not points:
        return None
    this = history_file.compared(results.spec, results.versions, results.build.get("test_set"))
    limit = _limit(rows_of(results.gates, GateRow), gates)
    state = results.decision.state
    points.append(
        TrendPoint(
            None, str(results.build["date"]), *now, limit, state, _changed(before, this), None
        )
    )
    definition = find(metric, results.data["task"])
    better = definition.better if definition else None
    return Trend(f"{model}.{measure}", model, metric, average, better, tuple(points))


def _is_of(gate: Gate, model: str, measure: str) -> bool:
    return (gate.earlier, gate.by) == ("history", None) and (gate.left.model, gate.left.metric) == (
        model,
        measure,
    )


def _limit(rows: Sequence[StoredGate | GateRow], gates: Sequence[Gate]) -> float | None:
    """The limit that history had for a number in a build."""
    texts = {gate.text for gate in gates}
    limits = (row["limit"] for row in rows if row["gate"] in texts and row["limit"] is not None)
    return next(limits, None)


def _changed(before: Conditions | None, build: Conditions) -> tuple[str, ...]:
    if before is None:
        return ()
    return tuple(name for key, name in CHANGED.items() if before[key] != build[key])


@dataclass(frozen=True)
class _Side:
    """One build as its results have it: the values of slices, and their rows."""

    metrics: pl.DataFrame
    slices: pl.DataFrame

    def value(self, metric: str, model: str) -> float | None:
        return self._values(metric, model).get(None)

    def slicing(self, columns: list[str], metric: str, model: str) -> Sides:
        """Share of the rows and value of each slice of these columns that has one."""
        values = self._values(metric, model)
        rows = [row for row in self.slices.to_dicts() if row["slicing"] == columns]
        total = sum(row["rows"] for row in rows)
        result = {}
        for row in rows:
            value = values.get(row["slice"])
            if value is not None:
                result[row["slice"]] = (row["rows"] / total, value)
        return result

    def _values(self, metric: str, model: str) -> dict[str | None, float | None]:
        rows = self.metrics.filter(
            pl.col("class").is_null() & pl.col("average").is_null(), metric=metric, model=model
        )
        return dict(rows.select("slice", "value").iter_rows())


def _changes(
    results: Results, builds: EarlierBuilds, last: HistoryRow, trend: Trend
) -> Iterator[ChangeSplit]:
    """The change since the last build, split over each slicing that both builds have."""
    then = _earlier_side(builds, last, results.slices.schema)
    if then is None or results.slices.is_empty():
        return
    now = _Side(results.metrics, results.slices)
    first = [trend.metric] if trend.average is None else []
    slicings = [list(s) for s in dict.fromkeys(map(tuple, results.slices["slicing"].to_list()))]
    count = 0
    for columns in slicings:
        for metric in (*first, *MEANS.get(results.data["task"], ())):
            change = _split(then, now, columns, metric, trend.model)
            if change is not None:
                yield replace(change, against=last["id"], date=last["date"])
                count += 1
                break
        if count == MOST_SLICINGS:
            return


def _split(
    then: _Side, now: _Side, columns: list[str], metric: str, model: str
) -> ChangeSplit | None:
    """The split of one measure; none where it is no mean over the slices of both builds."""
    values = then.value(metric, model), now.value(metric, model)
    sides = (then.slicing(columns, metric, model), now.slicing(columns, metric, model))
    if values[0] is None or values[1] is None:
        return None
    if not all(is_mean(side, v or 0.0) for side, v in zip(sides, values, strict=True)):
        return None
    parts = tuple(SlicePart(name, **asdict(part)) for name, part in split(*sides).items())
    mix, within = sum(part.mix for part in parts), sum(part.within for part in parts)
    heading = " × ".join(columns)
    return ChangeSplit("", "", model, metric, heading, values[0], values[1], mix, within, parts)


def _earlier_side(builds: EarlierBuilds, last: HistoryRow, schema: pl.Schema) -> _Side | None:
    """The tables of an earlier build; nothing where its results are gone."""
    columns = ("metric", "model", "slice", "class", "average", "value")
    try:
        plain = object_in(builds.folder / last["id"] / "results.json")
        metrics = [{name: row[name] for name in columns} for row in plain["metrics"]]
        slices = pl.DataFrame(plain["slices"], schema=schema)
    except (ValueError, KeyError, TypeError, pl.exceptions.PolarsError):
        return None
    types = {name: pl.Float64() if name == "value" else pl.String() for name in columns}
    return _Side(pl.DataFrame(metrics, schema=types), slices)
