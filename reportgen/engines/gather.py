"""Plan and gather the counts of all leaves: known ones are read, the others are counted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from reportgen import interrupts
from reportgen.engines.cache import Cache
from reportgen.engines.choice import EngineChoice
from reportgen.engines.executors import VERSIONS, Answer, Executor, serial
from reportgen.engines.group_counting import refuse_many
from reportgen.engines.long_form import survey
from reportgen.engines.partial import IdList, Partial, merged
from reportgen.engines.plan import Partition, Plan, partitions
from reportgen.errors import DataError, EmptyError, Problem, SpecError
from reportgen.predictions.examined import changes
from reportgen.predictions.files import DataFile
from reportgen.predictions.load import rows_of
from reportgen.predictions.truth_left_out import no_rows, rows_left_out
from reportgen.progress import OnStep
from reportgen.spec import Spec

_HELD = 4
"""So many partials are added up at once; no more are in memory."""

_FAULTY = 10
"""After so many faulty leaves the others are not counted."""


@dataclass(frozen=True)
class Gathered:
    """The counts of all partitions, whether they were counted now or known.

    ``rows`` are those of each file. ``ids_once`` says whether the order of the
    ids shows that none returns.
    """

    partial: Partial
    rows: Mapping[str, int]
    partitions: int
    ids_once: bool


@dataclass
class _Sum:
    """Partials, added up as they come."""

    parts: list[Partial] = field(default_factory=list)
    spans: list[IdList] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, part: Partial) -> None:
        """Add the counts of rows of a file."""
        read = part.facts.get("rows", 0) + rows_left_out(part.facts.get("left_out", {}))
        self.rows[name] = self.rows.get(name, 0) + read
        facts = part.facts.copy()
        self.spans.append(facts.pop("ids"))
        self.parts.append(Partial(part.tables, facts))
        if len(self.parts) >= _HELD:
            self.parts = [merged(self.parts)]
            refuse_many(self.parts[0].tables, name)


def gathered(
    plan: Plan, parts: Sequence[Partition], executor: Executor, cache: Cache, on_step: OnStep
) -> Gathered:
    """Return the counts of all leaves, the same whatever the executor and the order.

    Raises ``DataError`` with the faults of the leaves that have any, each
    naming its file; ``EmptyError`` where no leaf has a row; ``SpecError`` where
    a worker has other versions than this machine.
    """
    total = _Sum()
    unknown: list[Partition] = []
    for partition in parts:
        partial = cache.read(partition.name(plan))
        if partial is None:
            unknown.append(partition)
        else:
            total.add(partition.file.name, partial)
    done = len(parts) - len(unknown)
    if done:
        on_step(f"{done:,} of {len(parts):,} parts of the data are counted already")
    faults: list[Sequence[Problem]] = []
    for index, answer in executor(plan, unknown):
        interrupts.check()
        if isinstance(answer, bytes | Partial):
            partial = answer if isinstance(answer, Partial) else Partial.from_bytes(answer)
            total.add(unknown[index].file.name, partial)
            if not any(
                map(changes, unknown[index].files)
            ):  # else they may not be those of its hash
                cache.write(unknown[index].name(plan), answer)
        else:
            faults.append(answer)
        done += 1
        on_step(f"counted {done:,} of {len(parts):,} parts of the data")
        if len(faults) == _FAULTY:
            break
    _raise(faults)
    return _whole(total, len(parts))


def added_up(parts: Iterable[tuple[str, Partial]]) -> Gathered:
    """Return the counts of parts that are counted already, each with the name of its file."""
    total, number = _Sum(), 0
    for name, partial in parts:
        interrupts.check()
        total.add(name, partial)
        number += 1
    return _whole(total, number)


def _whole(total: _Sum, parts: int) -> Gathered:
    whole = total.parts[0] if len(total.parts) == 1 else merged(total.parts)
    if not whole.facts.get("rows"):
        raise EmptyError(no_rows(next(iter(total.rows)), any(total.rows.values())))
    refuse_many(whole.tables, next(iter(total.rows), ""))
    return Gathered(whole, total.rows, parts, _once(total.spans))


def cut(plan: Plan, files: Iterable[DataFile], hashes: Iterable[str]) -> Iterator[Partition]:
    """Yield the leaves of all files, by absolute paths, as workers have folders of their own.

    Raises ``DataError`` where a file cannot be read.
    """
    for file, sha256 in zip(files, hashes, strict=True):
        path = file.path.absolute()
        yield from partitions(replace(file, path=path), sha256, rows_of(file), plan.leaf_rows)


def _raise(faults: Sequence[Sequence[Problem]]) -> None:
    problems = dict.fromkeys(problem for group in faults for problem in group)
    serious = [problem for problem in problems if problem.code != "no-rows"]
    if other := [problem for problem in problems if problem.code == VERSIONS]:
        raise SpecError(*other)
    if serious:
        raise DataError(*serious)
    if problems:
        raise EmptyError(*problems)


def _once(spans: Sequence[IdList]) -> bool:
    """Whether every leaf's ids increase, and no two leaves share any."""
    nonempty: list[list[Any]] = [span for span in spans if span]
    if None in spans or len({type(end) for span in nonempty for end in span}) > 1:
        return False
    nonempty.sort()
    return all(one[1] < other[0] for one, other in pairwise(nonempty))


@dataclass(frozen=True)
class Planned:
    """The first plan of a spec and the parts of its files.

    ``rows`` are those of each file where an example has several; null where parts tell them.
    """

    plan: Plan
    partitions: Sequence[Partition]
    rows: Mapping[str, int] | None = None


def planned(spec: Spec, files: Sequence[DataFile], hashes: Sequence[str]) -> Planned:
    """What is counted; files of models in long form are read once for the names of these."""
    if isinstance(spec.models, Mapping):
        plan = Plan.first(spec)
        return Planned(plan, list(cut(plan, files, hashes)))
    placed = [replace(file, path=file.path.absolute()) for file in files]
    seen = survey(spec, placed)
    plan = seen.plan(spec)
    sha256 = hashlib.sha256("".join(hashes).encode()).hexdigest()
    return Planned(plan, seen.partitions(plan, placed, sha256), seen.rows)


@contextmanager
def executor_of(engine: EngineChoice, on_step: OnStep) -> Iterator[Executor]:
    """Return the executor of an engine, as a context that closes it.

    A cluster is reached with the first leaf; where all counts are known, none
    is needed. The executor raises ``SpecError`` where it cannot be reached or used.
    """
    with ExitStack() as stack:
        opened: list[Executor] = []

        def execute(plan: Plan, partitions: Sequence[Partition]) -> Iterator[tuple[int, Answer]]:
            if not partitions:
                return
            if not opened:
                opened.append(stack.enter_context(_opened(engine, on_step)))
            yield from opened[0](plan, partitions)

        yield execute


def _opened(engine: EngineChoice, on_step: OnStep) -> AbstractContextManager[Executor]:
    if engine.kind == "dask":
        from reportgen.engines import dask

        return dask.executor(engine.address, on_step)
    if engine.kind == "spark":
        from reportgen.engines import spark

        return spark.executor(engine.address)
    return nullcontext(serial)
