"""Gates against earlier builds: non-inferiority to one of them, and the limits of history.

A gate against one build fails where the whole interval of the difference is beyond the
margin, passes where all of it is within, and is inconclusive in between, or where the
builds cannot be compared. The interval is paired where the builds have the same rows. Its
level is that of the alarm budget: at a margin of 0 an unchanged model fails as often as
declared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import median

from scipy.special import ndtri

from reportgen.builds import acceptance, earlier, pairing, row_files
from reportgen.builds.accumulated_gates import accumulated_row
from reportgen.builds.earlier import EarlierBuilds, ValueAndLimits, accumulates
from reportgen.builds.history_file import HistoryRow
from reportgen.builds.pairing import NotPaired
from reportgen.concluding.conclusion import with_gates
from reportgen.concluding.gates import NO_EARLIER, record
from reportgen.history.monitoring import Rule, alpha_of, monitor
from reportgen.history.prediction import random_effects
from reportgen.history.scale import ScaledEstimate, back, estimate, is_logit
from reportgen.metric_names import parted
from reportgen.metrics import Metric, find, needs_threshold
from reportgen.records.rows import chosen_on_tested_rows, rows_of
from reportgen.results import Results
from reportgen.spec import Spec
from reportgen.spec.gates import Gate, parse
from reportgen.spec.repeated import builds_a_year
from reportgen.tables.results import GateRow
from reportgen.text.numbers import plural

AT_CHOSEN = "the limits treat the threshold as fixed, though it was chosen on the rows of the build"

EXACT = 1e-9
"""Standard error of builds on one test set: they differ by what the models do, not by the rows."""


def with_earlier_builds(results: Results, spec: Spec, builds: EarlierBuilds) -> Results:
    """The results with every gate against earlier builds decided, and alarms that go on counted."""
    if not results.gates.height:
        return results
    comparison = ComparisonWithEarlier(results, spec, builds)
    rows: list[GateRow] = []
    for row in rows_of(results.gates, GateRow):
        gate = parse(row["gate"])
        if gate.earlier is not None:
            rows += comparison.rows(gate)
        elif accumulates(spec, gate):
            rows.append(accumulated_row(row, results, spec, builds))
        else:
            rows.append(row)
    return with_gates(results, [_counted(row, builds) for row in rows])


def _counted(row: GateRow, builds: EarlierBuilds) -> GateRow:
    """The row with the number of builds that its alarm has lasted."""
    if row["state"] != "fail":
        return row
    before = builds.gate(row["gate"], row["slice"])
    lasted = (before["night"] or 1.0) if before and before["state"] == "fail" else 0.0
    return {**row, "night": lasted + 1}


@dataclass(frozen=True)
class ComparisonWithEarlier:
    """One build, and the builds that it is compared with."""

    results: Results
    spec: Spec
    builds: EarlierBuilds

    @property
    def alpha(self) -> float:
        """The one-sided level of each gate against earlier builds, and of each slice of one."""
        gates = [gate for gate in map(parse, self.spec.gates) if gate.earlier is not None]
        tests = sum(1 if gate.by is None else len(self._slices(gate)) for gate in gates)
        yearly = builds_a_year(self.spec.every)
        return alpha_of(self.spec.history.alarms_per_year, yearly, tests)

    @property
    def budget(self) -> str:
        """The alarm budget in words."""
        alarms = self.spec.history.alarms_per_year
        what = "false alarm" if alarms == 1 else "false alarms"
        return f"{alarms:g} {what} a year over all gates against earlier builds"

    def rows(self, gate: Gate) -> list[GateRow]:
        """The rows of a gate: one, or one for each slice of its column."""
        if gate.by is None:
            return [self._row(gate, None)]
        rows = [self._row(gate, name) for name in self._slices(gate)]
        return rows or [record(gate.text, why=f"there are no slices by {gate.by}")]

    def _row(self, gate: Gate, slice_name: str | None) -> GateRow:
        now = earlier.number_now(self.results.metrics, _key(gate, slice_name))
        if now is None:
            return record(gate.text, slice=slice_name, why=f"{gate.left.metric} has no value")
        if gate.earlier == "history":
            return {**self._of_history(gate, now, slice_name), "slice": slice_name}
        return {**self._of_build(gate, now, slice_name), "slice": slice_name}

    def _slices(self, gate: Gate) -> list[str]:
        slices = self.results.slices.to_dicts()
        return [one["slice"] for one in slices if one["slicing"] == [gate.by]]

    # one earlier build

    def _of_build(self, gate: Gate, now: ValueAndLimits, slice_name: str | None) -> GateRow:
        build = self.builds.build(gate.earlier or "previous")
        if build is None:
            accepted = gate.earlier == "accepted" and self.builds.builds
            why = "there is no accepted build" if accepted else NO_EARLIER
            return record(gate.text, why=why)
        against: GateRow = {"against": build["id"]}
        differing = earlier.incomparable(self.results, build)
        reason = None if differing is None else differing.text
        then = earlier.number(build, _key(gate, slice_name))
        if reason is None and then is None:
            where = f" where {slice_name}" if slice_name else ""
            reason = f"{build['id']} has no {gate.left.metric} of {gate.left.model}{where}"
        if reason is not None or then is None:
            return {**record(gate.text, why=reason), **against}
        if build["inputs"] == self.results.build["inputs_sha256"]:
            return {**self._unchanged(gate, slice_name), **against}
        paired = self._paired(gate, build["id"], slice_name)
        if not isinstance(paired, NotPaired):
            return {**paired, **against}
        row = self._separate(gate, now, then, slice_name)
        if paired.reassigned:
            row["why"] = "; ".join(filter(None, [row["why"], pairing.REASSIGNED]))
        return {**row, "basis": f"separate rows ({paired.why})", **against}

    def _unchanged(self, gate: Gate, slice_name: str | None) -> GateRow:
        """The same rows and predictions: the gate keeps the state that it was decided in."""
        before = self.builds.gate(gate.text, slice_name)
        state = gate.state([0.0])
        if before is not None and before["observed"] is not None:
            state = before["state"]
        return record(
            gate.text,
            state=state,
            basis="unchanged",
            why="same inputs",
            observed=0.0,
            limit=gate.limit,
            margin=gate.margin(0.0),
        )

    def _paired(self, gate: Gate, build_id: str, slice_name: str | None) -> GateRow | NotPaired:
        """The row from a paired difference; in words why there is none."""
        then = row_files.read_rows(self.builds.folder / build_id)
        sides = [pairing.in_slice(rows, gate.by, slice_name) for rows in (self.results.rows, then)]
        paired = pairing.pair(*sides)
        if isinstance(paired, NotPaired):
            return paired
        if paired.unlike is not None:
            return paired.unlike
        places = _places(self.results, build_id, self.builds, gate.left.model)
        if places is None:
            return NotPaired(f"{gate.left.model} is a different model there")
        if pairing.same_outputs(paired, places):
            return {
                **self._unchanged(gate, slice_name),
                "why": "same predictions",
                "basis": paired.basis,
            }
        claim = f"now.{gate.left.metric} - then.{gate.left.metric} {gate.op} {gate.limit!r}"
        paired_results = pairing.differences(
            paired,
            self.results.data,
            self.results.spec,
            places,
            confidence=1 - 2 * self.alpha,
            gates=[claim],
        )
        [seen] = paired_results.gates.iter_rows(named=True)
        limits = None if seen["low"] is None else (seen["low"], seen["high"])
        alike = limits == (0.0, 0.0) and bool(paired_results.data.get("same_rankings"))
        row = self._decided(gate, seen["observed"], limits, known_to_be_0=alike)
        notes = [row["why"]] if row["why"] else []
        if paired.relabelled:
            truths = (
                "1 row whose truth"
                if paired.relabelled == 1
                else (f"{paired.relabelled:,} rows whose truths")
            )
            notes.append(f"without {truths} changed since")
        chosen = chosen_on_tested_rows(self.results.data["models"])
        if gate.left.model in chosen and needs_threshold(parted(gate.left.metric)[0]):
            notes.append(AT_CHOSEN)
        row["why"] = "; ".join(notes) or None
        return {**row, "basis": paired.basis, "usual": self._usual(gate, slice_name)}

    def _usual(self, gate: Gate, slice_name: str | None) -> float | None:
        """The median change between accepted builds on the same rows; null where they are few."""
        window = self._window(gate)
        pairs = [(a, b) for a, b in pairwise(window) if a["test_set"] == b["test_set"]]
        key = _key(gate, slice_name)
        sides = [(earlier.number(a, key), earlier.number(b, key)) for a, b in pairs]
        changes = [abs(b[0] - a[0]) for a, b in sides if a is not None and b is not None]
        least = self.spec.history.least - 1
        return median(changes) if len(changes) >= least else None

    def _separate(
        self, gate: Gate, now: ValueAndLimits, then: ValueAndLimits, slice_name: str | None
    ) -> GateRow:
        """The row from two values of other rows, which vary from build to build by τ too."""
        sides = [estimate(*side, self.spec.confidence, logit=False) for side in (now, then)]
        if sides[0] is None or sides[1] is None:
            return record(gate.text, why="the measure has no interval")
        values = self._values(gate, slice_name, logit=False)
        tau = random_effects(values).tau if len(values) >= self.spec.history.least else 0.0
        error = sqrt(sides[0].error ** 2 + sides[1].error ** 2 + 2 * tau**2)
        half = -float(ndtri(self.alpha)) * error
        observed = now[0] - then[0]
        return self._decided(gate, observed, (observed - half, observed + half))

    def _decided(
        self,
        gate: Gate,
        observed: float,
        limits: tuple[float, float] | None,
        *,
        known_to_be_0: bool = False,
    ) -> GateRow:
        row: GateRow = {
            "observed": observed,
            "limit": gate.limit,
            "margin": gate.margin(observed),
        }
        if limits is None or (limits[0] == limits[1] and not known_to_be_0):
            return {**record(gate.text, why="the difference has no interval"), **row}
        state = gate.state(round(end, 12) for end in limits)
        row["low"], row["high"] = limits
        row["confidence"] = 1 - 2 * self.alpha
        return {**record(gate.text, state=state), **row}

    # history

    def _of_history(self, gate: Gate, now: ValueAndLimits, slice_name: str | None) -> GateRow:
        metric = find(parted(gate.left.metric)[0], self.results.data["task"])
        if metric is None or metric.better not in ("higher", "lower"):
            return record(gate.text, why="neither direction of this measure is better")
        logit = is_logit(metric.bounds)
        new = estimate(*now, self.spec.confidence, logit=logit)
        value: GateRow = {"observed": now[0], "low": now[1], "high": now[2]}
        if new is None:
            return {**record(gate.text, why="the measure has no interval"), **value}
        values = self._values(gate, slice_name, logit=logit)
        least = self.spec.history.least
        if len(values) < least:
            reason = f"{len(values)} of {least} earlier builds that history needs"
            if left_out := len(self._comparable()) - len(self._window(gate)):
                reason += f", without {plural(left_out, 'build')} with an alarm of this measure"
            return {**record(gate.text, why=reason), **value}
        if self._same_rows(gate, least):
            values = [ScaledEstimate(one.value, EXACT) for one in values]
            new = ScaledEstimate(new.value, EXACT)
        before = self.builds.gate(gate.text, slice_name)
        previous = (before["cusum"] or 0.0) if before else 0.0
        return {**self._monitored(gate, metric, new, values, previous), **value}

    def _monitored(
        self,
        gate: Gate,
        metric: Metric,
        new: ScaledEstimate,
        values: Sequence[ScaledEstimate],
        previous_sum: float,
    ) -> GateRow:
        sign = 1 if metric.better == "higher" else -1
        seen = monitor(
            values,
            new,
            alpha=self.alpha,
            window=self.spec.history.window,
            previous_sum=previous_sum,
            sign=sign,
        )
        logit = is_logit(metric.bounds)
        limit, value = back(seen.limit, logit=logit), back(new.value, logit=logit)
        return record(
            gate.text,
            state="fail" if seen.alarms else "pass",
            limit=limit,
            margin=sign * (value - limit),
            against=f"{len(values)} builds",
            cusum=seen.cusum,
            cusum_limit=seen.cusum_limit,
            why=_why(seen.alarms),
            basis=f"history; {self.budget}",
        )

    def _same_rows(self, gate: Gate, least: int) -> bool:
        """Whether builds of the same test set suffice: then rows add no variation."""
        test_set = self.results.build.get("test_set")
        window = self._window(gate)
        same = (build["test_set"] == test_set for build in window)
        return test_set is not None and len(window) >= least and all(same)

    def _comparable(self) -> list[HistoryRow]:
        """The builds that can be compared with this one."""
        return [b for b in self.builds.window if earlier.incomparable(self.results, b) is None]

    def _window(self, gate: Gate) -> list[HistoryRow]:
        """Those in which no gate on this measure failed, or which were accepted by hand."""
        levels = {level.build for level in self.builds.levels}
        return [
            build
            for build in self._comparable()
            if build["id"] in levels
            or not any(_is_alike(text, gate) for text in acceptance.alarms_of(build))
        ]

    def _values(
        self, gate: Gate, slice_name: str | None = None, *, logit: bool
    ) -> list[ScaledEstimate]:
        """The measure in these builds, where it has an interval."""
        result = []
        for build in self._window(gate):
            there = earlier.number(build, _key(gate, slice_name))
            if there is not None:
                one = estimate(*there, build["confidence"] or 0.95, logit=logit)
                result += [] if one is None else [one]
        return result


def _why(alarms: Sequence[Rule]) -> str | None:
    """Which rule raised an alarm, and of the CUSUM alone what that means."""
    if not alarms:
        return None
    text = f"alarm of the {' and the '.join(alarms)}"
    of_many = ": several builds together are worse than usual"
    return text if "prediction limit" in alarms else text + of_many


def _key(gate: Gate, slice_name: str | None = None) -> earlier.NumberKey:
    metric, average = parted(gate.left.metric)
    return metric, gate.left.model, average, slice_name


def _is_alike(text: str, gate: Gate) -> bool:
    """Whether a gate of an earlier build is about the same measure of the same model."""
    try:
        left = parse(text).left
    except ValueError:  # as it was written in a release before
        return True
    return (left.model, left.metric) == (gate.left.model, gate.left.metric)


def _places(
    results: Results, build_id: str, builds: EarlierBuilds, model: str
) -> tuple[int, int] | None:
    """The place of a model in the row files of both builds."""
    from reportgen.builds.stored import manifest_of

    now = results.models
    then = manifest_of(builds.folder / build_id).get("models") or []
    if model not in now or model not in then:
        return None
    return now.index(model), then.index(model)
