"""Gates between two models, decided on the rows of all nights: ``history: {accumulate: true}``.

Each night adds its difference to those before, and the limits of a confidence sequence hold for
all nights together. Rows that an earlier build has too are no new evidence, and add nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri, stdtrit

from reportgen.builds import earlier, row_files
from reportgen.builds.earlier import EarlierBuilds
from reportgen.builds.history_file import HistoryRow, StoredGate
from reportgen.concluding.gates import record
from reportgen.history.prediction import tau_squared
from reportgen.results import Results
from reportgen.spec import Spec
from reportgen.spec.gates import Gate, parse
from reportgen.tables.results import GateRow
from reportgen.text.numbers import count, plural


def accumulated_row(row: GateRow, results: Results, spec: Spec, builds: EarlierBuilds) -> GateRow:
    """The row of a gate, from its row for this build alone and those of earlier builds."""
    gate = parse(row["gate"])
    before = [
        (build["id"], fresh)
        for build in builds.window
        if earlier.incomparable(results, build) is None
        and (fresh := _fresh(_gate_of(build, gate.text), build["rows"])) is not None
    ]
    reason, this = _this_build(row, results, spec, [name for name, _ in before], builds.folder)
    every = [fresh for _, fresh in before] + ([] if this is None else [this])
    if not every:
        return record(gate.text, why=reason)
    limits = accumulate(every, 1 - spec.confidence)
    state = gate.state((limits.low, limits.high))
    if len(every) < FEWEST:
        state, reason = "inconclusive", f"{len(every)} of {FEWEST} builds that a decision needs"
    fields = _facts(gate, limits, len(every))
    if this is not None:
        fields["fresh"], fields["fresh_error"] = this.value, this.error
    fields["confidence"] = spec.confidence
    return {**record(gate.text, state=state, why=reason), **fields}


def _facts(gate: Gate, limits: Accumulated, builds: int) -> GateRow:
    return {
        "observed": limits.value,
        "low": limits.low,
        "high": limits.high,
        "limit": gate.limit,
        "margin": gate.margin(limits.value),
        "basis": f"{count(limits.rows)} rows of {plural(builds, 'build')}",
    }


def _gate_of(build: HistoryRow, text: str) -> StoredGate | None:
    """What a build says of a gate; nothing where it had no such gate."""
    same = (gate for gate in build["gates"] if gate["gate"] == text and gate["slice"] is None)
    return next(same, None)


def _fresh(gate: StoredGate | None, rows: float | None) -> Fresh | None:
    """What a build added; nothing where its rows were not fresh, or it had no interval."""
    value, error = (None, None) if gate is None else (gate["fresh"], gate["fresh_error"])
    return None if value is None or error is None or not rows else Fresh(value, error, rows)


def _this_build(
    row: GateRow, results: Results, spec: Spec, before: list[str], folder: Path
) -> tuple[str | None, Fresh | None]:
    """What this build adds; in words why it adds nothing."""
    observed, low, high = row["observed"], row["low"], row["high"]
    if observed is None or low is None or high is None or not low < high:
        return "the difference has no interval", None
    if results.rows is None or "id" not in results.rows.columns:
        return "the rows of this build have no ids: it adds nothing", None
    ids = results.rows["id"].unique()
    for name in reversed(before):
        seen = _ids(folder / name)
        shared = 0 if seen is None else int(ids.is_in(seen.implode()).sum())
        if shared:
            of_rows = f"{count(shared)} of {plural(len(ids), 'row')}"
            return (
                f"{of_rows} {'is' if shared == 1 else 'are'} in {name} too: it adds nothing",
                None,
            )
    error = (high - low) / (2 * float(ndtri(0.5 + spec.confidence / 2)))
    return None, Fresh(observed, error, float(results.data["rows_evaluated"]))


def _ids(path: Path) -> pl.Series | None:
    """The hashed ids of a build; nothing where its row file is gone."""
    try:
        with (path / row_files.FILE).open("rb") as file:
            return pl.read_parquet(file, columns=["id"])["id"]
    except (OSError, pl.exceptions.PolarsError):
        return None


PLANNED = 30
"""Builds, of as many rows as the first one, at which the sequence is narrowest."""


FEWEST = 5
"""Builds from which on gates are decided: with fewer, a variation between nights goes unseen."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A difference on rows that no other build has, its standard error, and their number."""

    value: float
    error: float
    rows: float


@dataclass(frozen=True, slots=True)
class Accumulated:
    """The mean difference over all rows, and the limits that hold at every night."""

    value: float
    low: float
    high: float
    rows: float


def rho_squared(alpha: float, planned: float) -> float:
    """The parameter ρ² for which the sequence is narrowest at ``planned`` rows.

    (−α² − 2·ln α + ln(1 − 2·ln α − α²))/t*. Waudby-Smith et al., arXiv:2103.06476.

    >>> round(rho_squared(0.05, 1000), 5)
    0.00793
    """
    return (-(alpha**2) - 2 * log(alpha) + log(1 - 2 * log(alpha) - alpha**2)) / planned


def accumulate(builds: Sequence[Fresh], alpha: float) -> Accumulated:
    """The asymptotic confidence sequence of a mean difference, after the last of these builds.

    d ± √(v·(tρ² + 1)/(tρ²)·ln((tρ² + 1)/α²)) after t rows, where d is the mean over rows and v its
    variance: Σ n²(s² + τ²)/t² over builds of n rows with standard errors s, which differ by τ
    beyond chance (DerSimonian & Laird); where they do, the quantile is Student's, with the
    degrees of freedom (K − 1)·(v/v_τ)² of Satterthwaite for the part v_τ of τ. The parameter ρ
    depends on the first build alone. Null hypothesis of a gate that fails: the true difference
    meets its limit; two-sided level α over all nights, asymptotic in the rows.
    Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, "Time-uniform central limit theory and
    asymptotic confidence sequences", arXiv:2103.06476.

    Raises ``ValueError`` without builds, or where one has no standard error.

    >>> one = accumulate([Fresh(0.01, 0.005, 1000)], 0.05)
    >>> thirty = accumulate([Fresh(0.01, 0.005, 1000)] * 30, 0.05)
    >>> round(one.low, 3), round(thirty.low, 4), thirty.rows
    (-0.017, 0.0072, 30000.0)
    >>> round((thirty.high - thirty.low) / (2 * 1.96 * 0.005 / 30**0.5), 2)
    1.55
    """
    if not builds or any(build.error <= 0 for build in builds):
        raise ValueError("accumulation needs builds with standard errors")
    rows = np.array([build.rows for build in builds], dtype=float)
    value = np.array([build.value for build in builds])
    variance = np.array([build.error for build in builds]) ** 2
    excess = tau_squared(value, variance) if len(builds) > 1 else 0.0
    total = float(rows.sum())
    mean = float(rows @ value) / total
    within, between = (float(rows**2 @ part) / total**2 for part in (variance, excess + 0 * rows))
    intrinsic = total * rho_squared(alpha, PLANNED * builds[0].rows)
    width = sqrt((intrinsic + 1) / intrinsic * log((intrinsic + 1) / alpha**2))
    if between > 0:
        freedom = (len(builds) - 1) * (1 + within / between) ** 2
        width = max(width, -float(stdtrit(freedom, float(ndtr(-width)))))
    half = width * sqrt(within + between)
    return Accumulated(mean, mean - half, mean + half, total)
