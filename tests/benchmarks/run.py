"""Measure the contenders beside each other and write ``docs/benchmarks.md``.

    python -m tests.benchmarks.run [ROWS ...] [--rounds N] [--out FILE]

In every round each contender has one process of its own, one after the other,
so that what else the machine does strikes all alike. What is written is what
was seen: medians over the rounds of CPU seconds, wall seconds and peak memory
of a process that has imported what it needs.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

from tests.benchmarks import memory, parts, tasks

ROOT = Path(__file__).parent.parent.parent
CONTENDERS = Path(__file__).with_name("contenders.py")
SINGLE_RUNS = Path(__file__).with_name("single_runs.md")
"""The end of the page: runs that take too long for every benchmark, written by hand."""

NAMES = {
    "limit": ("limit: read, one sort per score", "polars", 10**9),
    "reportgen": ("reportgen: every binary measure, curves", "polars", 10**9),
    "reportgen_evaluate": ("reportgen: whole evaluation, exact", "polars", 10**9),
    "reportgen_streaming": ("reportgen: whole evaluation, streaming", "polars", 10**9),
    "scikit_learn": ("scikit-learn: 13 calls", "scikit-learn", 10**7),
    "scikit_learn_8_bits": ("scikit-learn: 13 calls, labels of 8 bits", "scikit-learn", 10**7),
    "polars_ds": ("polars-ds: smaller set", "polars-ds", 10**7),
    "rapidstats": ("rapidstats: smaller set", "rapidstats", 10**7),
    "pycm": ("PyCM: measures of counts", "pycm", 10**6),
    "evidently": ("Evidently: classification preset", "evidently", 10**6),
    "skore": ("skore: report of an estimator", "skore", 10**6),
}
"""What each is, the package that it needs, and the most rows that it is given."""

PIECE = 10**7
"""So many rows of data are made at a time."""

Seen = tuple[float, float, float]
"""CPU seconds, wall seconds, peak memory in MB."""


def data(rows: int, folder: Path) -> Path:
    """Write predictions of two models with about 12 % positives; seeded."""
    path, random = folder / f"{rows}.parquet", np.random.default_rng(0)
    pieces = [folder / f"piece-{start:012}.parquet" for start in range(0, rows, PIECE)]
    for number, piece in enumerate(pieces):
        _piece(min(PIECE, rows - number * PIECE), random).write_parquet(piece)
    pl.scan_parquet(pieces).sink_parquet(path)
    for piece in pieces:
        piece.unlink()
    return path


def _piece(rows: int, random: np.random.Generator) -> pl.DataFrame:
    truth = random.random(rows) < 0.12
    noise = random.normal(size=rows)
    a = 1 / (1 + np.exp(-(noise + truth * 1.2 - 1.8)))
    b = 1 / (1 + np.exp(-(0.7 * noise + 0.7 * random.normal(size=rows) + truth - 2)))
    labels = {"y": truth.astype(np.int64), "y8": truth.astype(np.int8)}
    return pl.DataFrame({**labels, "a": a, "b": b})


def measured(name: str, path: Path, small: Path) -> Seen | None:
    """Run one contender in a process of its own; None where it fails."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "REPORTGEN_CACHE": ""}
    command = [sys.executable, str(CONTENDERS), name, str(path), str(small)]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if child.returncode:
        print(f"{name} failed: {child.stderr[-300:]}", file=sys.stderr)
        return None
    cpu, wall, memory = map(float, child.stdout.split()[-3:])
    return cpu, wall, memory


def table(rows: int, rounds: int, folder: Path) -> list[str]:
    """Measure everything on so many rows; the table as Markdown lines."""
    path, small = data(rows, folder), data(1000, folder)
    contenders = [
        n for n, (_, package, most) in NAMES.items() if _installed(package) and rows <= most
    ]
    seen: dict[str, list[Seen]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, measurements in seen.items():
            measurement = measured(name, path, small)
            if measurement is not None:
                measurements.append(measurement)
    path.unlink()
    lines = [
        f"## {rows:,} rows",
        "",
        "| | CPU s | wall s | peak MB | CPU, times the limit | CPU, times reportgen's measures |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, measurements in seen.items():
        if not measurements:
            lines.append(f"| {NAMES[name][0]} | failed | | | | |")
            continue
        cpu, wall, memory = _medians(measurements)
        ratios = (_ratio(measurements, seen[base]) for base in ("limit", "reportgen"))
        cells = f"{cpu:.3g} | {wall:.3g} | {memory:,.0f} | {' | '.join(ratios)}"
        lines.append(f"| {NAMES[name][0]} | {cells} |")
    return [*lines, ""]


def page(rows: list[int], rounds: int, folder: Path, single: parts.Table, growth: list[str]) -> str:
    """The page with a table for each number of rows, and those of parts, growth and single runs."""
    packages = dict.fromkeys(package for _, package, _ in NAMES.values())
    versions = ", ".join(f"{p} {version(p)}" for p in packages if _installed(p))
    missing = ", ".join(p for p in packages if not _installed(p))
    head = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Two models, from a Parquet file; every contender in a process "
        f"of its own that has imported what it needs, medians of {rounds} in turn. The limit is "
        "what every program has to do: read the columns, and sort each score once. "
        "Labels have 64 bits, as NumPy and pandas write them, where nothing else is said.",
        "",
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; "
        f"{versions}." + (f" Not installed, so not measured: {missing}." if missing else ""),
        f"Load of the machine by others when it was measured: {os.getloadavg()[0]:.1f}.",
        "",
    ]
    tables = [line for n in rows for line in table(n, rounds, folder)]
    of_parts = ["## Single parts", "", *single.lines, ""]
    of_growth = ["## Growth with the rows", "", *growth, ""]
    single_runs = SINGLE_RUNS.read_text(encoding="utf-8")
    return "\n".join([*head, *tables, *of_parts, *of_growth, single_runs])


def _medians(seen: list[Seen]) -> Seen:
    cpu, wall, memory = (median(values) for values in zip(*seen, strict=True))
    return cpu, wall, memory


def _ratio(measurements: list[Seen], base: list[Seen]) -> str:
    """Median of the rounds' ratios of CPU; nothing unless each round has both."""
    if len(measurements) != len(base):
        return ""
    return f"{median(one[0] / other[0] for one, other in zip(measurements, base, strict=True)):.1f}"


def _installed(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def main() -> None:
    """Read the command line, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("rows", nargs="*", type=float, default=[1e5, 1e6, 1e7])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "benchmarks.md")
    arguments = parser.parse_args()
    single = parts.table(list(parts.PARTS), arguments.rounds)
    growth, rows = tasks.growth(list(tasks.TASKS)), [int(n) for n in arguments.rows]
    with tempfile.TemporaryDirectory() as folder:
        text = page(rows, arguments.rounds, Path(folder), single, growth)
    arguments.out.write_text(text, encoding="utf-8")
    wrong = memory.main(list(memory.CASES))
    sys.exit(parts.failure(single.passed) or wrong > 0)


if __name__ == "__main__":
    main()
