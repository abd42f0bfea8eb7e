"""Two builds side by side: what changed in spec, data and versions, and in the numbers.

The first build is the reference: a difference is the second minus the first. Where the builds
have rows in common the differences are paired on these; else they are of separate rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import sqrt
from pathlib import Path
from typing import Any

import polars as pl
from scipy.special import ndtr, ndtri

from reportgen.builds import address, earlier, history_file, pairing, row_files
from reportgen.builds.change_records import (
    Change,
    ComparedBuild,
    DataChanges,
    Flip,
    FlipCounts,
    HashedFlip,
    MeasureChange,
    RowChanges,
    adjust,
    verdict,
)
from reportgen.builds.earlier import Incomparable
from reportgen.builds.flipped_ids import FlippedIds
from reportgen.builds.manifest import NAME, Manifest
from reportgen.builds.pairing import NOW, THEN, NotPaired, Paired
from reportgen.builds.stored import manifest_of, results_text
from reportgen.errors import DataError, Problem
from reportgen.history.scale import estimate
from reportgen.metric_names import parted
from reportgen.metrics import find
from reportgen.predictions.column_names import output_column, slice_names
from reportgen.records.rows import Record, rows_of
from reportgen.results import Results
from reportgen.spec.document import SpecKeys

_UNTOLD = ("text", "notes", "output", "name", "gates_places")
"""Parts of a spec that change no number."""


@dataclass(frozen=True)
class Compared:
    """What a comparison of two builds comes to.

    ``state`` is that of the deciding measure over all models: worse, better, mixed, open (no
    difference shown), unchanged, or not comparable, with the reason in ``refused``.
    ``measures`` is one ledger: the p-values of the deciding measure are adjusted over the
    models, as its limits are (Bonferroni), those of all others over the table (Holm).
    """

    first: ComparedBuild
    second: ComparedBuild
    state: str
    verdict: str
    refused: str | None
    basis: str
    margin: float
    confidence: float
    spec: Sequence[Change]
    data: DataChanges
    versions: Sequence[Change]
    measures: Sequence[MeasureChange]
    flips: Sequence[Flip]
    results: tuple[Results, Results] = field(repr=False)

    def to_dict(self) -> Record:
        """The comparison as plain values, without the results of the builds."""
        names = [one.name for one in fields(self) if one.name != "results"]
        return {"schema": "reportgen/comparison/1", **{name: getattr(self, name) for name in names}}


@dataclass(frozen=True)
class _Side:
    path: Path
    results: Results
    manifest: Manifest
    rows: pl.DataFrame | None

    @classmethod
    def of(cls, path: Path) -> _Side:
        results = Results.from_json(results_text(path), str(path / "results.json"))
        return cls(path, results, manifest_of(path), row_files.read_rows(path))

    @property
    def record(self) -> ComparedBuild:
        build = self.results.build
        return {
            "name": build["name"],
            "id": build["id"],
            "date": build["date"],
            "title": self.results.title,
            "state": self.results.decision.state_text,
        }

    @property
    def models(self) -> list[str]:
        return self.results.models


def compare(first: Path | str, second: Path | str, *, out: Path | str = "reports") -> Compared:
    """Compare two builds, each named as ``find_build`` takes it; the first is the reference.

    Raises ``DataError`` where one is no build, or has no ``results.json``.
    """
    a, b = (_Side.of(address.find_build(one, out)) for one in (first, second))
    refused = _refusal(a, b)
    paired = _matched(a, b)
    usable, basis = _usable(paired)
    margin = b.results.declared.comparisons.margin or 0.0
    rows: list[MeasureChange] = []
    if refused is None:
        models = [name for name in b.models if name in a.models]
        for model in models:
            rows += _measures(a, b, model, usable, margin, models=len(models))
        adjust(rows, b.results.decision.measure, len(models), 1 - b.results.confidence)
    state, line = _verdict(a, b, rows, refused)
    return Compared(
        a.record,
        b.record,
        state,
        line,
        None if refused is None else refused.text,
        basis,
        margin,
        b.results.confidence,
        list(_changed(_spec_of(a), _spec_of(b))),
        _data(a, b, paired),
        list(_changed(a.results.versions, b.results.versions)),
        rows,
        [] if refused or usable is None else _named_flips(a, b, usable),
        (a.results, b.results),
    )


def _matched(a: _Side, b: _Side) -> Paired | NotPaired:
    """The rows matched: by id, or of two output folders, whose ids have other hashes, by order."""
    keys = [row_files.stored_key(side.path.parent.parent) for side in (a, b)]
    if None in keys or keys[0] == keys[1] or a.rows is None or b.rows is None:
        return pairing.pair(b.rows, a.rows)
    if not all("id" in rows.columns for rows in (a.rows, b.rows)):
        return pairing.pair(b.rows, a.rows)
    files, sets = zip(*((_files(s), s.results.build.get("test_set")) for s in (a, b)), strict=True)
    if sorted(files[0].values()) != sorted(files[1].values()) or sets[0] != sets[1]:
        return NotPaired("ids are hashed with another key in each output folder")
    return pairing.pair(b.rows.drop("id"), a.rows.drop("id"))


def _files(side: _Side) -> dict[str, str]:
    return {file["path"]: file["sha256"] for file in side.results.data["files"]}


def _usable(paired: Paired | NotPaired) -> tuple[Paired | None, str]:
    """The pairs where there are enough of them, and what differences are computed from."""
    usable = paired if isinstance(paired, NotPaired) else paired.unlike or paired
    if isinstance(usable, NotPaired):
        return None, f"separate rows ({usable.why})"
    return usable, usable.basis


def _refusal(a: _Side, b: _Side) -> Incomparable | None:
    """Why the numbers of two builds cannot be compared; null where they can."""
    if b.results.task.of_values:
        return Incomparable("tables of values have no rows to compare", by_kind=False)
    try:
        before = history_file.row_of(a.manifest, a.results.to_dict())
    except history_file.UNLIKE:
        problem = Problem("no-manifest", "this is not the manifest of a build", str(a.path / NAME))
        raise DataError(problem) from None
    reason = earlier.incomparable(b.results, before)
    if reason is None and not set(a.models) & set(b.models):
        return Incomparable("no model is in both builds")
    return reason


def _spec_of(side: _Side) -> SpecKeys:
    return {k: v for k, v in side.results.spec.items() if k not in _UNTOLD}


def _changed(
    first: Mapping[str, Any], second: Mapping[str, Any], way: str = ""
) -> Iterator[Change]:
    """Every key whose value differs, by its dotted name."""
    for key in dict.fromkeys([*first, *second]):
        one, two, name = first.get(key), second.get(key), f"{way}{key}"
        if isinstance(one, Mapping) and isinstance(two, Mapping):
            yield from _changed(one, two, f"{name}.")
        elif one != two:
            yield {"key": name, "first": one, "second": two}


def _data(a: _Side, b: _Side, paired: Paired | NotPaired) -> DataChanges:
    """What changed in the data: rows by count, files by hash."""
    counts: RowChanges = {"common": None, "added": None, "removed": None, "relabelled": None}
    if isinstance(paired, Paired):
        counts = {
            "common": paired.rows.height + paired.relabelled,
            "added": paired.added,
            "removed": paired.removed,
            "relabelled": paired.relabelled,
        }
    before, after = _files(a), _files(b)
    sizes = [s.results.data.get("rows_evaluated") for s in (a, b)]
    return {"rows": sizes, **counts, "files": list(_changed(before, after))}


def _measures(
    a: _Side, b: _Side, model: str, paired: Paired | None, margin: float, *, models: int
) -> Iterator[MeasureChange]:
    """The rows of a model: every core measure that both builds have.

    The limits of a measure hold for all ``models`` together (Bonferroni).
    """
    level = 1 - (1 - b.results.confidence) / models
    pairs: dict[str, tuple[float, float | None, float | None]] = {}
    p_values: dict[str, float] = {}
    if paired is not None and paired.rows.height:
        places = b.models.index(model), a.models.index(model)
        if pairing.same_outputs(paired, places):
            pairs = dict.fromkeys(_core(b.results), (0.0, 0.0, 0.0))
        else:
            paired_results = pairing.differences(
                paired, b.results.data, b.results.spec, places, confidence=level
            )
            pairs, p_values = _paired_numbers(paired_results)
    for metric in _core(b.results):
        name, average = parted(metric)
        key = (name, model, average, None)
        now = earlier.number_now(b.results.metrics, key)
        then = earlier.number_now(a.results.metrics, key)
        if now is None or then is None:
            continue
        if paired is None:
            stated = b.results.confidence, a.results.confidence
            difference, low, high, p = _separate(now, then, stated, level)
        else:
            difference, low, high = pairs.get(metric, (now[0] - then[0], None, None))
            p = p_values.get(metric)
        definition = find(name, b.results.data["task"])
        better = definition.better if definition else None
        yield {
            "metric": metric,
            "label": definition.label if definition else metric,
            "model": model,
            "first": then[0],
            "second": now[0],
            "difference": difference,
            "low": low,
            "high": high,
            "p": p,
            "p_adjusted": None,
            "state": _state(difference, low, high, better, margin),
        }


def _core(results: Results) -> list[str]:
    """The measures whose differences the report itself gives between models, in its order."""
    task = results.data["task"]
    names = results.metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null())
    )["metric"].unique(maintain_order=True)
    return [name for name in names if (metric := find(name, task)) and metric.core]


def _paired_numbers(
    paired_results: Results,
) -> tuple[dict[str, tuple[float, float | None, float | None]], dict[str, float]]:
    """Differences with limits, and p-values of recommended tests, by measure."""
    differences: dict[str, tuple[float, float | None, float | None]] = {}
    for row in paired_results.differences.drop_nulls("value").to_dicts():
        if row["models"] == [NOW, THEN]:
            differences[row["metric"]] = row["value"], row["low"], row["high"]
    tests = paired_results.comparisons.filter(
        pl.col("slice").is_null(), pl.col("p_value").is_not_null(), recommendation="recommended"
    )
    return differences, {row["metric"]: row["p_value"] for row in tests.to_dicts()}


def _separate(
    now: earlier.ValueAndLimits,
    then: earlier.ValueAndLimits,
    stated: tuple[float, float],
    level: float,
) -> tuple[float, float | None, float | None, float | None]:
    """The difference of two values of separate rows, with its normal interval and test.

    ``stated`` are the levels of their limits, and ``level`` is that of the difference.
    """
    sides = [
        estimate(*side, of_side, logit=False)
        for side, of_side in zip((now, then), stated, strict=True)
    ]
    difference = now[0] - then[0]
    if sides[0] is None or sides[1] is None:
        return difference, None, None, None
    error = sqrt(sides[0].error ** 2 + sides[1].error ** 2)
    half = float(ndtri(0.5 + level / 2)) * error
    return (
        difference,
        difference - half,
        difference + half,
        float(2 * ndtr(-abs(difference) / error)),
    )


def _state(
    difference: float, low: float | None, high: float | None, better: str | None, margin: float
) -> str:
    """Better, worse, not worse by more than the margin, unchanged, inconclusive or not tested."""
    if difference == 0 and (low, high) in ((None, None), (0.0, 0.0)):
        return "unchanged"
    if low is None or high is None:
        return "not tested"
    if better not in ("higher", "lower"):
        return "inconclusive"
    least, most = (low, high) if better == "higher" else (-high, -low)
    if most < -margin:
        return "worse"
    if least > 0:
        return "better"
    return "not worse" if margin and least >= -margin else "inconclusive"


def _verdict(
    a: _Side, b: _Side, rows: Sequence[MeasureChange], refused: Incomparable | None
) -> tuple[str, str]:
    """The state and the line that says it."""
    if refused is not None:
        return "not comparable", f"Not comparable: {refused.reason}."
    if a.results.build["inputs_sha256"] == b.results.build["inputs_sha256"]:
        return "unchanged", "Unchanged: both builds are of the same data and spec."
    return verdict(rows, b.results.decision.measure)


def _named_flips(a: _Side, b: _Side, paired: Paired) -> list[Flip]:
    """The flips with ids, as the privacy of both builds allows."""
    ids = FlippedIds.of([a.results.spec, b.results.spec], b.path.parent)
    return ids.named(list(_flips(a, b, paired, ids)))


def _flips(a: _Side, b: _Side, paired: Paired, ids: FlippedIds) -> Iterator[HashedFlip]:
    """Rows that turned from right to wrong and back, of each model, in all and by slice."""
    rows = paired.rows
    identity = [name for name in ("id",) if name in rows.columns]
    slices = {
        column: name
        for column, name in slice_names(rows.columns).items()
        if not column.endswith(THEN)
    }
    for model in (name for name in b.models if name in a.models):
        now, then = (output_column("decision", side.models.index(model)) for side in (b, a))
        then = f"{then}:{THEN}"
        if now not in rows.columns or then not in rows.columns:
            continue
        marked = rows.select(
            *slices,
            *identity,
            right=pl.col(now) == pl.col("truth"),
            before=pl.col(then) == pl.col("truth"),
        )
        yield {"model": model, "slice": None, **_flipped(marked), "ids": ids.listed(marked)}
        for column, name in slices.items():
            for (value,), part in sorted(
                marked.partition_by(column, as_dict=True).items(), key=lambda one: str(one[0])
            ):
                label = f"{name} = {value}"
                yield {"model": model, "slice": label, **_flipped(part), "ids": None}


def _flipped(rows: pl.DataFrame) -> FlipCounts:
    counts = rows.select(
        rows=pl.len(),
        right_to_wrong=(pl.col("before") & ~pl.col("right")).sum(),
        wrong_to_right=(~pl.col("before") & pl.col("right")).sum(),
    )
    return rows_of(counts, FlipCounts)[0]
