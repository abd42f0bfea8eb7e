"""Single parts of an evaluation, each beside what else would do it.

    python -m tests.benchmarks.parts [NAME ...] [--rounds N]

Each part has a process of its own, in which the two take turns; they have gone
through a small case first, which imports what is needed.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import polars as pl

from tests.benchmarks import contenders
from tests.benchmarks.tasks import TASKS, beside_two_classes
from tests.benchmarks.workloads import (
    Work,
    against_rest,
    declared,
    delong,
    evaluated,
    in_groups,
    measures,
    rank_alike,
    read,
    regression,
    streamed,
    streamed_groups,
    unique,
    whole_report,
)


@dataclass(frozen=True)
class Part:
    """What is measured, beside what, on how many rows; at most how many times the other.

    What is over soon has more ``turns`` in each round.
    """

    what: str
    beside: str
    rows: int
    most: float | None
    make: Callable[[Path, int], tuple[Work, Work]]
    turns: int = 1


_SUN_XU = "Sun & Xu's algorithm in numpy"
_SKLEARN = "scikit-learn's roc_auc_score"
_PANDERA = "pandera's unique"
_NUMBERS = "its measures by scikit-learn and SciPy"

PARTS = {
    "delong": Part("DeLong, two models", _SUN_XU, 10**7, 1 / 4, delong(None)),
    "delong_ties": Part("DeLong, scores of 3 digits", _SUN_XU, 10**7, 1 / 4, delong(3)),
    "delong_1m": Part("DeLong, two models", _SUN_XU, 10**6, 1 / 4, delong(None), 5),
    "classes": Part("AUC of 100 classes against the rest", _SKLEARN, 10**6, 1 / 12, against_rest),
    "declared": Part("reading columns, declaration checked", "the scan", 10**7, 1.05, declared, 5),
    "read": Part("reading predictions and their labels", "the scan", 10**7, None, read, 5),
    "ids": Part("unique ids, integers", _PANDERA, 10**7, 1 / 6, unique(text=False), 5),
    "ids_text": Part("unique ids, text", _PANDERA, 10**7, 1 / 6, unique(text=True)),
    "rank_alike": Part(
        "finding models that rank alike", "their order alone", 10**7, 1, rank_alike, 3
    ),
    "slices": Part(
        "evaluation of two models in 20 slices",
        "without slices",
        10**6,
        2,
        evaluated({"models": 2, "slices": ["site"]}, {"models": 2}),
    ),
    "groups_alone": Part(
        "intervals of one model in 200,000 groups",
        "without groups",
        10**6,
        1.5,
        in_groups(whole=False),
        3,
    ),
    "groups_ordered": Part(
        "the same, rows sorted by group",
        "without groups",
        10**6,
        1.5,
        in_groups(whole=False, ordered=True),
        3,
    ),
    "groups_whole": Part(
        "evaluation of one model in 200,000 groups, no bootstrap, names as text",
        "without groups",
        10**6,
        None,
        in_groups(whole=True),
        3,
    ),
    "groups_numbers": Part(
        "the same, names as numbers",
        "without groups",
        10**6,
        None,
        in_groups(whole=True, text=False),
        3,
    ),
    "streamed": Part("evaluation of two models, streamed", "in memory", 10**7, 0.7, streamed),
    "groups_streamed": Part(
        "evaluation of two models in 200,000 groups and 8 slices, streamed",
        "in memory",
        10**6,
        1.6,
        streamed_groups,
    ),
    "measures": Part(
        "measures and curves alone",
        "scikit-learn: 13 calls",
        10**6,
        1 / 8,
        measures(pl.Float64, contenders.scikit_learn),
    ),
    "measures_32_bits": Part(
        "the same, scores of 32 bits",
        "of 64 bits",
        10**6,
        1.4,
        measures(pl.Float32, None),
        5,
    ),
    "numbers": Part("regression, intervals included", _NUMBERS, 10**6, 2, regression()),
    "numbers_plain": Part(
        "regression without bootstrap",
        _NUMBERS,
        10**6,
        1,
        regression(bootstrap={"replicates": 0}),
    ),
    "report": Part(
        "report of 569 rows in four formats, start included",
        "evaluation of two classes",
        10**5,
        9,
        whole_report,
    ),
    "models": Part(
        "evaluation of ten models", "one model", 10**6, 10, evaluated({"models": 10}, {"models": 1})
    ),
}
_OF_TASKS = {
    name: Part(
        f"evaluation: {task.what}", "two classes", task.rows, task.most, beside_two_classes(task)
    )
    for name, task in TASKS.items()
}
assert PARTS.keys().isdisjoint(_OF_TASKS), "a task would take the place of a part"
PARTS |= _OF_TASKS


def cpu(work: Work) -> float:
    """CPU seconds, those of all threads and of the processes that were started."""
    before = _spent()
    work()
    return _spent() - before


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measured(part: Part, rounds: int) -> list[tuple[float, float]]:
    """CPU seconds of both, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.parquet"
        for work in part.make(path, 2000):
            work()
        ours, other = part.make(path, part.rows)
        return [(cpu(ours), cpu(other)) for _ in range(rounds * part.turns)]


@dataclass
class Table:
    """The parts as lines of a Markdown table, and those whose limit is passed.

    A limit counts as passed where it is in every round: what differs between the rounds is noise.
    """

    lines: list[str]
    passed: list[str]


def table(names: list[str], rounds: int) -> Table:
    """Measure each part in a process of its own."""
    lines = [
        "| | beside | rows | CPU s | CPU s beside | times the other | least | at most |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    passed = []
    for name in names:
        part = PARTS[name]
        command = [sys.executable, "-m", __spec__.name, "--one", name, "--rounds", str(rounds)]
        child = subprocess.run(command, capture_output=True, text=True, check=False)
        cells = f"| {part.what} | {part.beside} | {part.rows:,} |"
        if child.returncode:
            print(f"{name} failed: {child.stderr[-300:]}", file=sys.stderr)
            lines.append(f"{cells} failed | | | | |")
            passed.append(name)
            continue
        ours, other, ratio, least = map(float, child.stdout.split()[-4:])
        most = "" if part.most is None else f"{part.most:.3g}"
        if part.most is not None and least > part.most:
            passed.append(name)
        lines.append(f"{cells} {ours:.3g} | {other:.3g} | {ratio:.3g} | {least:.3g} | {most} |")
        print(lines[-1], file=sys.stderr, flush=True)  # what was measured is not lost with the rest
    return Table(lines, passed)


def main() -> None:
    """Measure one part for the table, or print the table of several."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", default=list(PARTS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", choices=PARTS)
    arguments = parser.parse_args()
    if arguments.one is None:
        result = table(arguments.names, arguments.rounds)
        print("\n".join(result.lines))
        sys.exit(failure(result.passed))
    seen = measured(PARTS[arguments.one], arguments.rounds)
    ours, other = (median(seconds) for seconds in zip(*seen, strict=True))
    ratios = [a / b for a, b in seen]
    print(ours, other, median(ratios), min(ratios))


def failure(passed: list[str]) -> str | None:
    """What ends the program where limits are passed."""
    return f"limits passed in every round: {', '.join(passed)}" if passed else None


if __name__ == "__main__":
    main()
