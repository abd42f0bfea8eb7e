"""Nights of real builds through the command line, and what goes wrong in some of them.

    python -m tests.simulations.command_line_year NIGHTS

Three specs: ``steady`` has new rows each night, ``drop`` too and gets worse, ``fixed`` has one
test set with a model that is trained anew. After each night the index, history, feed and notices
are compared with what was built.
"""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl

from reportgen.builds import history
from reportgen.builds.stored import build_ids
from tests.web_server import Posted, web_server

START = dt.date(2026, 1, 1)
NAMES = ("steady", "drop", "fixed")
ROWS = 300

SPEC = """\
name: {name}
data: rows/{name}/{{date}}.csv
truth: y
models: {{m: {{score: p}}}}
columns: {{id: id}}
bootstrap: {{replicates: 0}}
history: {{least: 5}}
sections: [verdict, trend]
gates: [m.accuracy within history, m.accuracy >= accepted - 0.1]
keep: {{last: 10, daily: 5}}
output: {{formats: [json, markdown]}}
"""


@dataclass
class Year:
    """A folder of specs, and what happened in it."""

    folder: Path
    nights: int
    server: Posted
    out: Path = field(init=False)
    built: dict[str, list[dt.date]] = field(default_factory=lambda: {name: [] for name in NAMES})
    states: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in NAMES})
    killed: int = 0

    def __post_init__(self) -> None:
        self.out = self.folder / "reports"
        for name in NAMES:
            (self.folder / "rows" / name).mkdir(parents=True)
            (self.folder / f"{name}.yaml").write_text(SPEC.format(name=name))

    @property
    def dropped(self) -> int:
        """The night from which ``drop`` is worse."""
        return self.nights * 2 // 3

    @property
    def special(self) -> dict[int, str]:
        """Nights on which something goes wrong."""
        kinds = ("killed", "missing", "bad data", "two machines")
        return dict(zip(range(2, self.nights, max(2, self.nights // 5)), kinds, strict=False))

    def write_rows(self, name: str, night: int, *, bad: bool) -> None:
        """Write what a night brings a spec."""
        cases = np.random.default_rng([NAMES.index(name), 0 if name == "fixed" else night])
        model = np.random.default_rng([7, night])
        y = cases.random(ROWS) < 0.5
        shift = 0.4 if name == "drop" and night >= self.dropped else 2.0
        z = shift * (y - 0.5) + cases.normal(size=ROWS) + 0.2 * model.normal(size=ROWS)
        p = 1 / (1 + np.exp(-2 * z))
        ids = [f"{0 if name == 'fixed' else night}-{k}" for k in range(ROWS)]
        table = pl.DataFrame({"id": ids, "y": y.astype(int), "p": p})
        if bad:
            table = table.with_columns(p=pl.lit("broken"))
        table.write_csv(self.folder / "rows" / name / f"{START + dt.timedelta(night)}.csv")

    def start(self, night: int) -> subprocess.Popen[str]:
        """Begin the build of a night."""
        words = ["-m", "reportgen", "build", *(f"{name}.yaml" for name in NAMES), "--jobs", "2"]
        words += ["--date", f"{START + dt.timedelta(night)}", "--out", str(self.out)]
        words += ["--notify", "always", "--webhook", "--quiet"]
        url = f"http://127.0.0.1:{self.server.server_port}/hook"
        path = os.pathsep.join(sys.path)
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=self.folder,
            env={**os.environ, "REPORTGEN_WEBHOOK": url, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def night(self, night: int) -> None:
        """Build one night, with what goes wrong in it, and look at everything."""
        special = self.special.get(night)
        if special == "missing":
            return
        for name in NAMES:
            self.write_rows(name, night, bad=special == "bad data" and name == "steady")
        if special == "killed":
            half = self.start(night)
            time.sleep(2.5)
            half.kill()
            half.communicate()
            self.killed += 1
            time.sleep(2.5)  # what it had begun ends with it
        running = [self.start(night) for _ in range(2 if special == "two machines" else 1)]
        codes = []
        for process in running:
            text, _ = process.communicate()
            codes.append(process.returncode)
            assert process.returncode in (0, 1, 3, 75), text
        if special == "bad data":
            assert codes == [3]
        if special == "two machines":
            again = self.start(night)  # the one that met a lock comes again
            again.communicate()
            assert again.returncode in (0, 1)
        self.look(night, special)
        if night % 5 == 4:
            words = [sys.executable, "-m", "reportgen", "prune", "--delete", "--out", str(self.out)]
            subprocess.run(
                words,
                check=True,
                capture_output=True,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            )

    def look(self, night: int, special: str | None) -> None:
        """Compare index, history, feed and notices with what was built."""
        date = START + dt.timedelta(night)
        index = (self.out / "index.html").read_text()
        feed = ElementTree.parse(self.out / "feed.xml")
        for name in NAMES:
            if special != "bad data" or name != "steady":
                self.built[name].append(date)
            table = history(self.out / name)
            dates = [one.isoformat() for one in self.built[name]]
            assert table["date"].unique(maintain_order=True).to_list() == dates, (name, night)
            self.states[name] = table["state"].to_list()
            latest = (self.out / name / "latest").resolve().name
            assert latest == build_ids(self.out / name)[-1]
            assert f"{name}/{latest}" in index
            assert not list((self.out / name).glob(".building-*"))
            notices = [text for text in self.server.texts if text.startswith(f"{name}:")]
            assert len(notices) == len(set(notices)), "a notice came twice"
        entries = feed.findall("{http://www.w3.org/2005/Atom}entry")
        assert len(entries) == min(50, sum(len(build_ids(self.out / name)) for name in NAMES))

    def summary(self) -> str:
        """What the nights came to."""
        sizes = sum(p.stat().st_size for p in self.out.rglob("*") if p.is_file()) / 1e6
        failing = {
            name: [k for k, state in enumerate(states) if state == "fail"]
            for name, states in self.states.items()
        }
        kept = {name: len(build_ids(self.out / name)) for name in NAMES}
        facts = {
            "nights": self.nights,
            "special": self.special,
            "drop from": self.dropped,
            "builds": {name: len(dates) for name, dates in self.built.items()},
            "failing builds": failing,
            "kept": kept,
            "notices": len(self.server.bodies),
            "megabytes": round(sizes, 1),
        }
        return "; ".join(f"{key}: {value}" for key, value in facts.items())


def simulate(folder: Path, nights: int) -> Year:
    """Build so many nights and check each; return what happened."""
    with web_server() as server:
        year = Year(folder, nights, server)
        for night in range(nights):
            year.night(night)
        return year


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        done = simulate(Path(place), int(sys.argv[1]))
        sys.stdout.write(f"{done.summary()}; {time.monotonic() - began:.0f} s\n")
