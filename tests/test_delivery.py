"""What other programs read of a build: CI servers, timers, comments."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from junitparser import Error, Failure, JUnitXml, Skipped
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from ruamel.yaml import YAML

from reportgen.cli import ci, main
from reportgen.delivery import comments, installing, requests
from reportgen.delivery.junit import FailedBuild, junit
from reportgen.delivery.openmetrics import openmetrics
from reportgen.delivery.schedule import Schedule, cron, job, systemd
from reportgen.errors import OutputError, SpecError
from reportgen.results import Results, evaluate
from tests.hostile.forked import ran
from tests.quick import QUICK

ROWS = pl.DataFrame({"y": [0, 1] * 40, "p": [0.2, 0.7, 0.6, 0.4] * 20})


@pytest.fixture(scope="module")
def results() -> Results:
    """One gate in each state."""
    gates = ["m.accuracy >= 0.1", "m.accuracy >= 0.9", "m.accuracy >= 0.45"]
    return evaluate({"truth": "y", "models": {"m": {"score": "p"}}, "gates": gates, **QUICK}, ROWS)


def suites(text: str) -> JUnitXml:
    return JUnitXml.fromstring(text.encode())


def test_gates_are_test_cases(results: Results) -> None:
    failed = FailedBuild(3, ["rows.csv: no-file: no such file\x00\n  hint: mind it", "NOT BUILT"])
    gates = results.gates.to_dicts()
    read_back = suites(junit([("nightly", gates), ("broken", failed)]))
    totals = (read_back.tests, read_back.failures, read_back.errors, read_back.skipped)
    assert totals == (5, 1, 1, 1)
    nightly, broken = read_back
    states = [[type(end) for end in case.result] for case in nightly]
    assert [case.name for case in nightly] == ["build", *results.gates["gate"]]
    assert states == [[], [], [Failure], [Skipped]]
    gate = next(case for case in nightly if case.name == "m.accuracy >= 0.9")
    properties = {item.get("name"): item.get("value") for item in gate._elem.iter("property")}
    for key in ("observed", "low", "high", "limit"):
        assert float(properties[key]) == gates[1][key]
    (ending,) = next(iter(broken)).result
    assert isinstance(ending, Error)
    assert "rows.csv: no-file: no such file\\x00" in ending.message
    assert "hint: mind it" in ending.text
    assert suites(junit([("nightly", gates)], strict=True)).failures == 2  # the inconclusive one


def test_open_metrics_have_values_limits_and_states(results: Results) -> None:
    name = 'a "night"\\ly\n'
    families = {f.name: f for f in text_string_to_metric_families(openmetrics([(name, results)]))}
    row = results.metrics.filter(
        pl.col("metric") == "accuracy", pl.col("average").is_null(), pl.col("slice").is_null()
    ).row(0, named=True)
    labels = {"spec": name, "model": "m", "measure": "accuracy"}
    for family, column in (("", "value"), ("_low", "low"), ("_high", "high")):
        samples = families[f"reportgen_value{family}"].samples
        assert [s.value for s in samples if s.labels == labels] == [row[column]]
    states = {
        (s.labels["gate"], s.labels["reportgen_gate"]): s.value
        for s in families["reportgen_gate"].samples
    }
    assert states["m.accuracy >= 0.9", "fail"] == 1
    assert states["m.accuracy >= 0.9", "pass"] == 0
    assert states["m.accuracy >= 0.45", "inconclusive"] == 1


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("every", ["hour", "day", "week", "month"])
def test_systemd_reads_the_units(every: Any, tmp_path: Any) -> None:
    specs = ["specs/a b.yaml", "specs/$HOME%.yaml", 'specs/"quoted".yaml']
    plan = Schedule(
        specs, every, timezone="Europe/Berlin", folder=str(tmp_path), program="/bin/true"
    )
    for name, text in systemd(plan).items():
        (tmp_path / name).write_text(text)
    subprocess.run(["systemd-analyze", "verify", *map(str, tmp_path.iterdir())], check=True)
    subprocess.run(["systemd-analyze", "calendar", plan.calendar()], check=True)


def test_a_line_of_cron_runs_what_was_asked(tmp_path: Any) -> None:
    program = tmp_path / "it's 100 % reportgen"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > words\n')
    program.chmod(0o700)
    where = {"folder": str(tmp_path), "program": str(program)}
    plan = Schedule(["a b.yaml", "$x.yaml"], **where, options=["--notify", "change"])
    line = cron(plan).splitlines()[-1]
    fields, command = line[: len("17 3 * * *")], line[len("17 3 * * *") :]
    assert fields == "17 3 * * *"
    # cron takes a bare % for the end of the line, and \% for %
    subprocess.run(["/bin/sh", "-c", command.replace("\\%", "%")], check=True)
    words = (tmp_path / "words").read_text().splitlines()
    assert words == ["build", "a b.yaml", "$x.yaml", "--out", "reports", "--notify", "change"]


@pytest.mark.parametrize(
    ("at", "zone", "how"),
    [
        (time(2, 30), "Europe/Berlin", "does not exist"),
        (time(0, 30), "Atlantic/Azores", "does not exist"),
        (time(1, 30), "America/New_York", "comes twice"),
    ],
)
def test_a_time_that_the_clocks_skip_or_repeat_is_refused(at: time, zone: str, how: str) -> None:
    with pytest.raises(SpecError, match=how):
        Schedule(["a.yaml"], at=at, timezone=zone)
    Schedule(["a.yaml"], every="hour", at=at, timezone=zone)
    Schedule(["a.yaml"], at=at)


@pytest.mark.parametrize("name", ["", "../x", "a b", "a%n", "-x"])
def test_a_name_that_no_unit_can_have_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match="cannot name a schedule"):
        Schedule(["a.yaml"], name=name)


@pytest.mark.parametrize("kind", ["nightly", "review"])
@pytest.mark.parametrize(
    ("service", "schema"), [("github", "github-workflows"), ("gitlab", "gitlab-ci")]
)
def test_ci_servers_accept_the_jobs(service: Any, schema: str, kind: Any) -> None:
    text = job(service, kind, Schedule(["specs/*.yaml", "it's: {odd}.yaml"], out="my reports"))
    document = YAML(typ="safe", pure=True).load(StringIO(text))
    stored = files("check_jsonschema.builtin_schemas.vendor") / f"{schema}.json"
    document = {str(key): value for key, value in document.items()}
    jsonschema.validate(document, json.loads(stored.read_text(encoding="utf-8")))
    steps = document["jobs"]["reports"]["steps"] if service == "github" else []
    lines = [step.get("run", "") for step in steps] or document["reportgen"]["script"]
    (build,) = [line for line in lines if line.startswith("reportgen build")]
    assert shlex.split(build)[2:6] == ["specs/*.yaml", "it's: {odd}.yaml", "--out", "my reports"]
    assert "specs/*.yaml " in build  # no quotes keep the shell from expanding it


@pytest.mark.parametrize("kind", ["nightly", "review"])
def test_a_job_that_sends_notices_has_their_secrets(kind: Any) -> None:
    """GitHub gives a step no secret that it does not name; GitLab gives every variable."""
    plan = Schedule(["a.yaml"], options=["--notify", "change", "--mail", "a@example.org"])
    steps = YAML(typ="safe").load(job("github", kind, plan))["jobs"]["reports"]["steps"]
    (build,) = [step for step in steps if step.get("name") == "Build the reports"]

    assert build["env"] == {
        "REPORTGEN_SMTP": "${{ secrets.REPORTGEN_SMTP }}",
        "REPORTGEN_MAIL_FROM": "${{ secrets.REPORTGEN_MAIL_FROM }}",
    }
    assert "Variables): REPORTGEN_SMTP, REPORTGEN_MAIL_FROM\n" in job("gitlab", kind, plan)
    assert "secrets" not in job("github", kind, Schedule(["a.yaml"]))


def test_github_knows_no_time_zones() -> None:
    with pytest.raises(SpecError, match="UTC"):
        job("github", "nightly", Schedule(["a.yaml"], timezone="Europe/Berlin"))


class _Service(BaseHTTPRequestHandler):
    """Keeps comments as GitHub and GitLab do, and fails as often as it is reported to."""

    stored: dict[int, str]
    failures: list[int]
    tokens: set[str | None]

    def do_GET(self) -> None:
        page = int(self.path.rpartition("page=")[2])
        listed = [{"id": number, "body": body} for number, body in self.stored.items()]
        self._answer(listed[(page - 1) * 100 : page * 100])

    def do_POST(self) -> None:
        self._change(max(self.stored, default=0) + 1)

    def do_PATCH(self) -> None:
        self._change(int(self.path.rpartition("/")[2]))

    def do_PUT(self) -> None:
        self.do_PATCH()

    def _change(self, number: int) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        self.tokens.add(self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN"))
        if self.failures:
            self.send_error(self.failures.pop())
            return
        self.stored[number] = body
        self._answer({"id": number})

    def _answer(self, content: object) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_args: object) -> None:
        """Print nothing."""


@contextmanager
def service(failures: list[int] | None = None) -> Iterator[tuple[str, type[_Service]]]:
    handler = type(
        "Handler", (_Service,), {"stored": {}, "failures": failures or [], "tokens": set()}
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", handler
        finally:
            server.shutdown()
            thread.join()


GITHUB = {"GITHUB_REPOSITORY": "a/b", "GITHUB_TOKEN": "secret", "GITHUB_REF": "refs/pull/7/merge"}
GITLAB = {"CI_PROJECT_ID": "4", "CI_MERGE_REQUEST_IID": "7", "REPORTGEN_TOKEN": "secret"}


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_a_report_has_one_comment(kind: Any) -> None:
    with service() as (url, handler):
        place = {"GITHUB_API_URL": url, "CI_API_V4_URL": url, **GITHUB, **GITLAB}
        request = comments.Request.from_environment(kind, place)
        handler.stored.update(dict.fromkeys(range(1, 151), "by a person"))
        assert comments.comment(request, "<!-- one -->\nfirst") == "added"
        assert comments.comment(request, "<!-- two -->\nother") == "added"
        assert comments.comment(request, "<!-- one -->\nsecond") == "changed"
        stored = list(handler.stored.values())[150:]
        assert stored == ["<!-- one -->\nsecond", "<!-- two -->\nother"]
        assert handler.tokens == {"Bearer secret" if kind == "github" else "secret"}
        assert "secret" not in repr(request)


def test_a_job_without_a_request_is_refused() -> None:
    with pytest.raises(SpecError, match="not belong to a pull request"):
        comments.Request.from_environment("github", {**GITHUB, "GITHUB_REF": "refs/heads/main"})
    with pytest.raises(SpecError, match="but for REPORTGEN_TOKEN"):
        comments.Request.from_environment("gitlab", {**GITLAB, "REPORTGEN_TOKEN": ""})


@pytest.mark.parametrize(("answers", "tries"), [([404], 1), ([503] * 9, 3)])
def test_what_a_service_refuses_is_reported_without_the_address(
    answers: list[int], tries: int
) -> None:
    waits: list[float] = []
    with service([503, 429]) as (url, handler):
        requests.send("POST", f"{url}/x", body={"body": "text"}, wait=waits.append)
    assert (len(waits), list(handler.stored.values())) == (2, ["text"])  # busy: asked again
    waits.clear()
    with service(list(answers)) as (url, _), pytest.raises(OutputError) as caught:
        requests.send("POST", f"{url}/T00/secret", body={"body": ""}, wait=waits.append)
    assert len(waits) == tries - 1
    assert str(answers[0]) in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("option", ["junit", "openmetrics"])
def test_a_file_for_a_ci_server_replaces_only_an_earlier_one(tmp_path: Path, option: str) -> None:
    data, earlier = tmp_path / "data.csv", tmp_path / "earlier"
    data.write_text("y,p\n0,0.2\n")
    earlier.write_text(junit([]) if option == "junit" else openmetrics([]))
    options = {"junit": None, "openmetrics": None}

    ci.check({**options, option: earlier})
    ci.check({**options, option: tmp_path / "new"})
    with pytest.raises(OutputError, match=f"data.csv: output: .* --{option} would replace"):
        ci.check({**options, option: data})


def test_a_ci_server_gets_every_spec(tmp_path: Path) -> None:
    ROWS.write_csv(tmp_path / "rows.csv")
    spec = "data: {data}\ntruth: y\npositive: '1'\nmodels: {{m: {{score: p}}}}\ngates: [{gate}]\n"
    for name, data, gate in (
        ("good", "rows.csv", "m.accuracy >= 0.1"),
        ("bad", "none.csv", "m.accuracy >= 0.1"),
        ("poor", "rows.csv", "m.accuracy >= 0.9"),
    ):
        (tmp_path / f"{name}.yaml").write_text(spec.format(data=data, gate=gate))
    command = ["build", "good.yaml", "bad.yaml", "poor.yaml"]
    formats = ["--format", "json,markdown", "--set", "bootstrap.replicates=0"]
    formats += ["--set", "intervals.ratios=delta"]
    messages = ["--junit=j.xml", "--openmetrics=m.txt", "--annotate=github", "--summary=s.md"]
    done = ran([*command, *formats, *messages], tmp_path)
    assert done.returncode == 3, done.stderr
    good, bad, poor = JUnitXml.fromfile(str(tmp_path / "j.xml"))
    counts = [(s.name, s.failures, s.errors) for s in (good, bad, poor)]
    assert counts == [("good", 0, 0), ("bad", 0, 1), ("poor", 1, 0)]
    assert "none.csv" in next(iter(bad)).result[0].text
    metrics = text_string_to_metric_families((tmp_path / "m.txt").read_text())
    values = next(family for family in metrics if family.name == "reportgen_value")
    assert {sample.labels["spec"] for sample in values.samples} == {"good", "poor"}
    marks = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert [mark.partition("::gate")[0] for mark in marks if "poor" in mark] == [
        "::error title=poor%3A m.accuracy >= 0.9"
    ]
    assert any(mark.startswith("::error title=bad::NOT BUILT (exit 3)") for mark in marks)
    summary = (tmp_path / "s.md").read_text()
    assert summary.count("<!-- reportgen summary") == 2
    assert "bad: NOT BUILT (exit 3)" in summary


def test_a_pattern_is_expanded_where_no_shell_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.yaml").write_text("data: none.csv\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["build", "--json", "*.yaml"])
    assert [spec["name"] for spec in json.loads(capsys.readouterr().out)["specs"]] == ["a", "b"]
    with pytest.raises(SystemExit) as stopped:
        main(["build", "--json", "x/*.yaml"])
    assert stopped.value.code == 2
    assert "no file matches" in capsys.readouterr().err


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose systemctl and crontab are small programs that keep what they are given."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "systemctl").write_text(
        '#!/bin/sh\necho "$@" >> "$HOME/asked"\n'
        'test ! -e "$HOME/refuse" || { echo "Failed to connect to bus: No medium" >&2; exit 1; }\n'
    )
    (programs / "crontab").write_text(
        '#!/bin/sh\nif [ "$1" = -l ]; then cat "$HOME/table"; else cat > "$HOME/table"; fi\n'
    )
    for program in programs.iterdir():
        program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path


def test_a_timer_is_installed_and_removed(home: Path) -> None:
    units = systemd(Schedule(["a.yaml"], folder=str(home)))
    paths = installing.install_timer(units)
    assert [path.read_text() for path in paths] == list(units.values())
    assert "enable --now reportgen.timer" in (home / "asked").read_text()
    assert set(installing.remove_timer("reportgen")) == set(paths)
    assert not any(path.exists() for path in paths)


@pytest.mark.usefixtures("home")
def test_a_unit_of_somebody_else_stays() -> None:
    unit = installing.units_folder() / "reportgen.timer"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Timer]\n")
    with pytest.raises(OutputError, match="not made by reportgen"):
        installing.install_timer(systemd(Schedule(["a.yaml"])))
    with pytest.raises(OutputError, match="not made by reportgen"):
        installing.remove_timer("reportgen")
    assert unit.read_text() == "[Timer]\n"


def test_what_systemd_refuses_leaves_the_units_as_they_were(home: Path) -> None:
    (home / "refuse").touch()
    with pytest.raises(OutputError, match="connect to bus") as caught:
        installing.install_timer(systemd(Schedule(["a.yaml"])))
    assert "log in as this user" in (caught.value.problems[0].hint or "")
    assert not list(installing.units_folder().iterdir())


def test_lines_of_a_crontab_are_replaced_and_removed(home: Path) -> None:
    (home / "table").write_text("0 1 * * * mine")
    for spec in ("old.yaml", "new.yaml"):
        installing.install_cron(cron(Schedule([spec])), "reportgen")
    assert (table := (home / "table").read_text()).startswith("0 1 * * * mine\n")
    assert ("old.yaml" in table, table.count("new.yaml")) == (False, 1)
    assert "new.yaml" in installing.remove_cron("reportgen")
    assert (home / "table").read_text() == "0 1 * * * mine\n"
    (home / "bin/crontab").unlink()
    assert installing.remove_cron("reportgen") == ""
    with pytest.raises(OutputError, match="no crontab on this machine"):
        installing.install_cron(cron(Schedule(["a.yaml"])), "reportgen")


def test_a_pipe_that_nothing_reads_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OutputError, match="nothing reads the pipe"):
        ci.write(tmp_path / "pipe", b"text")
