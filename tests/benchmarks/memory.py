"""Peak memory of evaluations beside what ``engine: auto`` expects of them.

    python -m tests.benchmarks.memory [NAME ...]

Data and evaluation have processes of their own. An estimate below the peak takes the
exact engine where memory does not suffice; one far above it leaves numbers to cells
that could be exact. A peak may be 300 MB and 20 bytes per value that the spec names.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tests.benchmarks.tasks import (
    TASKS,
    Spec,
    classes,
    labels,
    numbers,
    of_classes,
    of_labels,
    of_two,
    of_two_numbers,
    two_classes,
)

ROOT = Path(__file__).parent.parent.parent

MOST = 3
"""So many times the peak an estimate may be."""

BYTES_PER_VALUE, BYTES_OF_ANY = 20, 3e8
"""So many bytes a peak may have for each value of the input, and besides."""

Data = Callable[[int], pl.DataFrame]


@dataclass(frozen=True)
class Case:
    """Data of so many rows and their spec."""

    data: Data
    spec: Callable[[], Spec]
    rows: tuple[int, ...] = (10**5, 10**6)


def with_columns(data: Data) -> Data:
    """Data with folds, roles, data sets, sites, sexes, costs, and ids that recur."""

    def more(rows: int) -> pl.DataFrame:
        random = np.random.default_rng(2)
        return data(rows).with_columns(
            fold=pl.Series(random.integers(0, 5, rows)),
            role=pl.Series(np.where(random.random(rows) < 0.3, "train", "test")),
            set=pl.Series(random.integers(0, 8, rows)),
            site=pl.format("site {}", pl.Series(random.integers(0, 20, rows))),
            sex=pl.Series(np.where(random.random(rows) < 0.5, "f", "m")),
            w=pl.Series(random.gamma(2, 1, rows)),
            g=pl.Series(random.integers(0, max(rows // 5, 10), rows)),
            t=pl.int_range(rows) * 2000 // rows,
            id=pl.int_range(rows) % max(rows // 5, 1),
            repeat=pl.int_range(rows) // max(rows // 5, 1),
            loss=pl.Series(random.gamma(2, 1, rows)),
        )

    return more


def in_long_form(data: Data) -> Data:
    """The rows of each of two models below each other, with ids."""

    def long(rows: int) -> pl.DataFrame:
        frame = data(rows // 2).with_row_index("id")
        each = [frame.select("id", "y", score=m).with_columns(model=pl.lit(m)) for m in "ab"]
        return pl.concat(each).sort("id")

    return long


def ten_models(rows: int) -> pl.DataFrame:
    """Scores of ten models."""
    random = np.random.default_rng(0)
    truth, noise = random.random(rows) < 0.3, random.normal(size=rows)
    scores = {f"m{k}": noise + truth + random.normal(size=rows) for k in range(10)}
    return pl.DataFrame({"y": truth, "g": np.arange(rows) * 4 // 15}).with_columns(
        pl.Series(name, 1 / (1 + np.exp(-score))) for name, score in scores.items()
    )


def of_ten(**more: Any) -> Callable[[], Spec]:
    """Their spec."""
    models = {f"m{k}": {"score": f"m{k}"} for k in range(10)}
    return lambda: {"truth": "y", "models": models, **more}


COLUMNS: dict[str, Spec] = {
    "weights": {"columns": {"weight": "w"}},
    "groups": {"columns": {"group": "g"}},
    "weights and groups": {"columns": {"weight": "w", "group": "g"}},
    "time": {"columns": {"time": "t"}},
    "groups in time": {"columns": {"group": "g", "time": "t"}},
    "folds": {"columns": {"fold": "fold"}},
    "repeats": {"columns": {"id": "id", "repeat": "repeat"}},
    "data sets": {"columns": {"dataset": "set"}},
    "roles": {"columns": {"role": "role"}},
    "slices": {"slices": ["site"]},
    "slices and their combination": {"slices": ["site", "sex", ["site", "sex"]]},
    "every measure": {"measures": "all"},
    "every measure in slices": {"measures": "all", "slices": ["site"]},
    "weights, groups, folds and slices": {
        "columns": {"weight": "w", "group": "g", "fold": "fold"},
        "slices": ["site"],
    },
}
"""What a spec of any task may say besides."""

BASES: dict[str, tuple[Data, Callable[..., Callable[[], Spec]]]] = {
    "two classes": (two_classes, of_two),
    "regression": (numbers, of_two_numbers),
    "10 classes": (classes(10), lambda **more: of_classes(10, **more)),
    "5 labels": (labels(5), lambda **more: lambda: of_labels(5)() | more),
}

CASES = {
    **{name: Case(data, spec()) for name, (data, spec) in BASES.items()},
    **{
        f"{name}, {what}": Case(with_columns(data), spec(**more))
        for name, (data, spec) in BASES.items()
        for what, more in COLUMNS.items()
    },
    "two classes, long form": Case(
        in_long_form(two_classes),
        lambda: {
            "truth": "y",
            "models": {"column": "model", "score": "score"},
            "columns": {"id": "id"},
        },
    ),
    "two classes, costs of rows": Case(
        with_columns(two_classes),
        of_two(costs={"false_negative": {"column": "loss"}, "false_positive": 1}),
    ),
    "two classes, scores of 32 bits": Case(TASKS["float32"].data, TASKS["float32"].spec),
    "two classes, a further measure": Case(TASKS["permutation"].data, TASKS["permutation"].spec),
    "ten models": Case(ten_models, of_ten()),
    "ten models in groups": Case(ten_models, of_ten(columns={"group": "g"})),
    "100 classes": Case(classes(100), of_classes(100), (10**4, 10**5)),
    "1,000 classes": Case(classes(1000), of_classes(1000), (10**4,)),
    "50 labels": Case(labels(50), of_labels(50)),
    "50 models on 100 data sets": Case(TASKS["data_sets"].data, TASKS["data_sets"].spec, (10**5,)),
}


def expected(case: Case, rows: int) -> float:
    """Bytes that the choice of an engine expects."""
    from reportgen.engines.choice import needed_bytes
    from reportgen.spec import from_dict

    return needed_bytes(from_dict({"data": "data.parquet", **case.spec()}), rows)


def peak(name: str, rows: int, folder: Path) -> tuple[float, float]:
    """Peak bytes of a process that evaluates the case, and how many it may have."""
    path = folder / "data.parquet"
    values = _child("data", name, rows, path)
    return _child("peak", name, rows, path), BYTES_OF_ANY + BYTES_PER_VALUE * values


def _child(what: str, name: str, rows: int, path: Path) -> float:
    command = [sys.executable, "-m", "tests.benchmarks.memory", f"--{what}", name, str(rows)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "REPORTGEN_CACHE": ""}
    child = subprocess.run(
        [*command, str(path)], env=environment, capture_output=True, text=True, check=False
    )
    if child.returncode:
        raise RuntimeError(f"{name}, {rows:,} rows: {child.stderr[-500:]}")
    return float(child.stdout.split()[-1])


def _as_child(what: str, name: str, rows: str, path: str) -> float:
    import reportgen

    case = CASES[name]
    if what == "--data":
        frame = case.data(int(rows))
        frame.write_parquet(path)
        return frame.height * len({*frame.columns} & _names(case.spec()))
    reportgen.evaluate({"data": path, "engine": "exact", **case.spec()})
    status = Path("/proc/self/status").read_text("ascii")  # getrusage counts the parent's too
    return 1024 * next(float(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)


def _names(part: Any) -> set[str]:
    """Every text of a spec, the names of columns among them."""
    if isinstance(part, dict):
        return set().union(*map(_names, part.values()))
    if isinstance(part, list):
        return set().union(*map(_names, part))
    return {part} if isinstance(part, str) else set()


def main(names: list[str]) -> int:
    """Print a table of peaks and estimates; how many peaks or estimates are too low or too high."""
    print("| | rows | peak MB | allowed MB | expected MB | times the peak |")
    print("|---|---:|---:|---:|---:|---:|")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in [(one, rows) for one in names for rows in CASES[one].rows]:
            (seen, most), needed = peak(name, rows, Path(folder)), expected(CASES[name], rows)
            is_wrong = not 1 <= needed / seen <= MOST
            wrong += is_wrong or seen > most
            peaks = f"{seen / 1e6:,.0f} | {most / 1e6:,.0f}{' !' * (seen > most)}"
            cells = f"{rows:,} | {peaks} | {needed / 1e6:,.0f} | {needed / seen:.2f}"
            print(f"| {name} | {cells}{' !' * is_wrong} |", flush=True)
    return wrong


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1].startswith("--"):
        print(_as_child(*sys.argv[1:]))
    else:
        sys.exit(main(sys.argv[1:] or list(CASES)) > 0)
