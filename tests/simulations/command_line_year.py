"""A year of real builds through the command line, and what goes wrong in some of its nights.

    python -m tests.simulations.command_line_year [NIGHTS]

Nine specs: two with new rows each night, two of them whose true accuracy varies, one with a
fixed test set and a model that is trained anew, one whose test set is relabelled, one that
drifts, two that drop by 0.02 three times. After each night the index, history, feed, notices and
folders are compared with what was built. Ordinary nights run in this process; one in forty, and
all in which something goes wrong, have three specs built by commands of their own, which send
their notices.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

import polars as pl

from reportgen.builds import history
from reportgen.builds.stored import build_ids
from reportgen.cli import main
from tests.simulations.year_rows import FIXED, NAMES, Plan, rows_of
from tests.web_server import Posted, web_server

START = dt.date(2026, 1, 1)
KINDS = ("killed", "missing", "bad data", "two machines")
BAD = "steady-1"
"""The spec whose data are broken in a night of bad data."""

BY_COMMANDS = (BAD, "fixed", "drop-1")
"""The specs that are built by commands of their own in some nights."""

UNTIL_ACCEPTED = 20
"""Nights after a drop until somebody accepts the new level."""

MOST_KEPT = 10 + 14 + 12 + 3 + 1
"""Builds of a spec that retention leaves at most: those asked for, levels and an accepted one."""

SPEC = """\
name: {name}
data: rows/{name}/{{date}}.csv
truth: y
models: {{m: {{score: p}}}}
columns: {{id: id}}
bootstrap: {{replicates: 0}}
history: {{least: {least}}}
sections: [verdict]
gates: [{gate}]
keep: {{last: 10, daily: 14, monthly: 12}}
output: {{formats: [json]}}
"""
HISTORY = "m.accuracy within history"
ACCEPTED = "m.accuracy >= accepted - 0.01"


@dataclass
class Year:
    """A folder of specs, and what happened in it; something goes wrong each ``every`` nights."""

    folder: Path
    plan: Plan
    server: Posted
    every: int = 20
    least: int = 14
    out: Path = field(init=False)
    built: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in NAMES})
    states: dict[str, dict[int, str]] = field(default_factory=lambda: {name: {} for name in NAMES})
    announced: list[tuple[str, str]] = field(default_factory=list)
    most_bytes: int = 0

    def __post_init__(self) -> None:
        self.out = self.folder / "reports"
        for name in NAMES:
            (self.folder / "rows" / name).mkdir(parents=True)
            gate = ACCEPTED if name == "relabelled" else HISTORY
            text = SPEC.format(name=name, gate=gate, least=self.least)
            (self.folder / f"{name}.yaml").write_text(text)

    @property
    def special(self) -> dict[int, str]:
        """Nights on which something goes wrong."""
        nights = range(self.every - 3, self.plan.nights, self.every)
        return {night: KINDS[k % len(KINDS)] for k, night in enumerate(nights)}

    def date(self, night: int) -> str:
        """The logical date of a night."""
        return (START + dt.timedelta(night)).isoformat()

    def write_rows(self, night: int, *, bad: bool) -> None:
        """Write what a night brings; what it brought the last one is gone."""
        for name in NAMES:
            rows = self.folder / "rows" / name
            table = rows_of(name, night, self.plan)
            if bad and name == BAD:
                table = table.with_columns(p=pl.lit("broken"))
            table.write_csv(rows / f"{self.date(night)}.csv")
            (rows / f"{self.date(night - 1)}.csv").unlink(missing_ok=True)

    def words(self, night: int, names: Sequence[str] = NAMES) -> list[str]:
        """The command line of a night."""
        specs = [str(self.folder / f"{name}.yaml") for name in names]
        return ["build", *specs, "--date", self.date(night), "--out", str(self.out), "--quiet"]

    def start(self, night: int) -> subprocess.Popen[str]:
        """Begin the build of a night as a command of its own, which sends its notices."""
        url = f"http://127.0.0.1:{self.server.server_port}/hook"
        words = [*self.words(night, BY_COMMANDS), "--jobs", "2", "--notify", "always", "--webhook"]
        return subprocess.Popen(
            [sys.executable, "-m", "reportgen", *words],
            env={**os.environ, "REPORTGEN_WEBHOOK": url, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def night(self, night: int) -> None:
        """Build one night, with what goes wrong in it, and look at everything."""
        special = self.special.get(night)
        if special == "missing":
            return
        self.write_rows(night, bad=special == "bad data")
        by_commands = BY_COMMANDS if special or night % 40 == 0 else ()
        if by_commands:
            self.by_commands(night, special)
        assert run(self.words(night, [n for n in NAMES if n not in by_commands])) in (0, 1)
        for name in NAMES:
            if special != "bad data" or name != BAD:
                self.built[name].append(self.date(night))
        self.look(night)
        if night % 30 == 29:
            self.prune()
        if any(night == since + UNTIL_ACCEPTED for since in self.plan.drops):
            for name in ("drop-1", "drop-2"):
                build = f"{self.out / name}/latest"
                words = ["accept", build, "--because", "known", "--out", str(self.out)]
                assert run(words) == 0

    def by_commands(self, night: int, special: str | None) -> None:
        """Build a night by commands of their own: one, or two at once, or one after a kill."""
        if special == "killed":
            half = self.start(night)
            time.sleep(random.Random(night).uniform(0.5, 6))
            half.kill()
            half.communicate()
            time.sleep(2.5)  # what it had begun ends with it
        both = [self.start(night) for _ in range(2 if special == "two machines" else 1)]
        texts = [process.communicate()[0] for process in both]
        codes = {process.returncode for process in both}
        allowed = {0, 1} | {"bad data": {3}, "two machines": {75}}.get(special or "", set())
        assert codes <= allowed, (night, texts)
        if special == "two machines":  # the one that met a lock comes again
            again = self.start(night)
            again.communicate()
            assert again.returncode in (0, 1)
        self.announced += [(name, self.date(night)) for name in BY_COMMANDS]

    def look(self, night: int) -> None:
        """Compare index, history, feed, notices and folders with what was built."""
        index = (self.out / "index.html").read_text()
        feed = ElementTree.parse(self.out / "feed.xml")
        for name in NAMES:
            folder, dates = self.out / name, self.built[name]
            table = history(folder)
            seen = table["date"].unique(maintain_order=True).to_list()
            assert seen == dates, (name, night, seen)
            ids = build_ids(folder)
            latest = (folder / "latest").resolve().name
            assert latest == ids[-1] == table["id"][-1], (name, night)
            assert f"{name}/{latest}" in index, (name, night)
            assert not [p for p in folder.iterdir() if p.name.startswith((".building", ".remov"))]
            if dates[-1] == self.date(night):
                self.states[name][night] = table["state"][-1]
        for name in FIXED:
            assert history(self.out / name)["rows"].n_unique() == 1
        sent = sorted((text.split(":")[0].strip("*"), text) for text in self.server.texts)
        assert [name for name, _ in sent] == sorted(name for name, _ in self.announced), (
            night,
            sent[-30:],
        )
        assert len(set(sent)) == len(sent), "a notice came twice"
        entries = feed.findall("{http://www.w3.org/2005/Atom}entry")
        kept = sum(len(build_ids(self.out / name)) for name in NAMES)
        assert len(entries) == min(50, kept), night

    def prune(self) -> None:
        """Remove what retention does not hold, and compare what stays with what is asked for."""
        before = {name: build_ids(self.out / name) for name in NAMES}
        assert run(["prune", "--delete", "--out", str(self.out)]) == 0
        for name in NAMES:
            kept, order = build_ids(self.out / name), before[name]
            assert set(order[-14:]) <= set(kept) <= set(order)
            assert {one[:6] for one in order} == {one[:6] for one in kept}, "a month is gone"
            assert len(kept) <= MOST_KEPT
        self.most_bytes = max(self.most_bytes, self.bytes())

    def bytes(self) -> int:
        """The disk that the builds take."""
        return sum(p.lstat().st_size for p in self.out.rglob("*") if not p.is_dir())

    def alarms(self, name: str) -> list[int]:
        """The nights on which an alarm of a spec began."""
        nights = list(self.states[name].items())
        before = ["", *(state for _, state in nights)]
        return [
            night for (night, now), then in zip(nights, before, strict=False) if begins(now, then)
        ]

    def found(self) -> list[int | None]:
        """After how many nights each drop was found; nothing where it was not by its acceptance."""
        result: list[int | None] = []
        for name in ("drop-1", "drop-2"):
            for since in self.plan.drops:
                nights = range(since, since + UNTIL_ACCEPTED + 1)
                failing = [n - since + 1 for n in nights if self.states[name].get(n) == "fail"]
                result.append(failing[0] if failing else None)
        return result

    def summary(self) -> str:
        """What the nights came to."""
        nights = self.found()
        facts = {
            "nights": self.plan.nights,
            "special": {kind: list(self.special.values()).count(kind) for kind in KINDS},
            "builds": sum(map(len, self.built.values())),
            "alarms": {name: self.alarms(name) for name in NAMES},
            "failing": {name: list(self.states[name].values()).count("fail") for name in NAMES},
            "drops from": self.plan.drops,
            "found in": nights,
            "median": median(UNTIL_ACCEPTED + 1 if one is None else one for one in nights),
            "kept": {name: len(build_ids(self.out / name)) for name in NAMES},
            "notices": len(self.server.bodies),
            "megabytes": round(self.bytes() / 1e6, 1),
            "megabytes after retention, at most": round(self.most_bytes / 1e6, 1),
        }
        return "\n".join(f"{key}: {value}" for key, value in facts.items())


def begins(now: str, then: str) -> bool:
    """Whether an alarm begins: five nights of one alarm are one."""
    return now == "fail" and then != "fail"


def run(words: list[str]) -> int:
    """Run a command in this process; return its exit code."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as e:
        try:
            main(words)
        except SystemExit as end:
            code = end.code
    assert code in (0, 1), (words, e.getvalue())
    return int(code or 0)


def simulate(
    folder: Path, plan: Plan, *, every: int = 20, least: int = 14, verbose: bool = False
) -> Year:
    """Build so many nights and check each; return what happened."""
    with web_server() as server:
        year = Year(folder, plan, server, every, least)
        for night in range(plan.nights):
            began = time.monotonic()
            year.night(night)
            if verbose:
                sys.stderr.write(f"{night}: {time.monotonic() - began:.1f} s\n")
                if night % 30 == 29:
                    sys.stderr.write(f"{year.summary()}\n")
        return year


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        started = time.monotonic()
        plan = Plan(int(sys.argv[1]) if len(sys.argv) > 1 else 365)
        done = simulate(Path(place), plan, verbose=True)
        sys.stdout.write(f"{done.summary()}\nseconds: {time.monotonic() - started:.0f}\n")
