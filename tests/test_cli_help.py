"""Help: every command has an example and answers at once."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest

from reportgen.cli import dispatch, main, reports, several
from reportgen.cli.group import group
from tests.breadth import breadth

COMMANDS = sorted(group.commands)
ALLOWED = 0.3
"""Seconds of CPU that an answer may take where nothing is computed."""


def answer(*words: str) -> tuple[str, float]:
    """Run the command line; return what it said and the CPU seconds that it took."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-m", "reportgen.cli", *words], check=True, capture_output=True, text=True
    )
    after = os.times()
    spent = after.children_user + after.children_system
    return done.stdout, spent - before.children_user - before.children_system


def test_the_commands_are_those_of_the_design():
    assert COMMANDS == [
        "accept",
        "build",
        "catalogue",
        "check",
        "comment",
        "compare",
        "count",
        "demo",
        "export",
        "history",
        "index",
        "init",
        "log",
        "prune",
        "render",
        "review",
        "schedule",
        "schema",
        "serve",
        "sign",
        "split",
        "verify",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example(command, capsys):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])

    assert left.value.code == 0
    assert f"Example:\n    reportgen {command}" in capsys.readouterr().out


def test_no_summary_of_a_command_is_cut(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])

    listed = capsys.readouterr().out.partition("Commands:")[2]
    assert [line for line in listed.splitlines() if line.endswith("...")] == []


@breadth("words", [["build", "--help"], ["--version"], ["--help"], ["schema"], ["catalogue"]], 2)
def test_an_answer_that_computes_nothing_takes_little_time(words):
    assert any(answer(*words)[1] < ALLOWED for _ in range(3))


def modules_after(script: str) -> set[str]:
    """Run a script; return the modules that it imported."""
    names = "; import sys; print('modules:', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script + names], check=True, capture_output=True, text=True
    )
    return set(done.stdout.partition("modules:")[2].split())


@pytest.mark.parametrize(
    "script",
    [
        "from reportgen.cli.group import group; group(['build', '--help'], standalone_mode=False)",
        "from reportgen.cli import dispatch, several, supervisor; "
        "several.options_of(['build', 'report.yaml'])",
    ],
    ids=["help", "the process that watches"],
)
def test_what_computes_nothing_imports_nothing_heavy(script):
    heavy = {"polars", "pandera", "pydantic", "scipy", "altair", "weasyprint", "vl_convert", "rich"}

    assert heavy.isdisjoint(modules_after(script))


def test_the_process_that_watches_one_spec_does_not_read_its_options():
    modules = modules_after(
        "import sys; from reportgen.cli import dispatch, supervisor; "
        "ended = type('', (), {'code': lambda s: 0, 'close': lambda s: None}); "
        "supervisor.Supervisor = lambda words, errors: ended(); "
        "dispatch.run(['build', 'report.yaml', '--out', 'b', '--set', 'a=1', '-q'])"
    )

    assert {"click", "reportgen.cli.several"}.isdisjoint(modules)


@pytest.mark.parametrize(
    "line",
    [
        "a.yaml b.yaml",
        "a.yaml --out b c.yaml",
        "a?.yaml",
        "a.yaml --summary s.md",
        "a.yaml --notify=always --dry-run",
        "a.yaml -q --annotate github",
        "-- a.yaml b.yaml",
        "-qv a.yaml b.yaml",
        "--out=b a.yaml b.yaml",
        "--format html a.yaml --set a=1 b.yaml",
        "a.yaml --set --json b.yaml",
    ],
)
def test_what_may_be_several_specs_or_is_told_is_read_with_its_options(line):
    assert not dispatch.has_one_spec(["build", *line.split()])


@pytest.mark.parametrize(
    "line", ["a.yaml", "", "a.yaml --set --json", "--out", "a.yaml -q --out b.yaml -v --json"]
)
def test_one_spec_with_the_usual_options_is_that_to_the_library_too(line):
    words = ["build", *line.split()]

    assert dispatch.has_one_spec(words)
    assert several.options_of(words) is None


def test_the_usual_options_have_a_value_or_none_as_the_command_has_them():
    options = {n: p for p in reports.build.params for n in p.opts if isinstance(p, click.Option)}

    assert not any(options[name].is_flag for name in dispatch.VALUED)
    assert all(options[name].is_flag for name in dispatch.FLAGS)


def test_a_command_starts_without_the_parts_of_libraries_that_it_does_not_use():
    unused = {"pandas", "pyarrow", "typeguard", "numpy.f2py", "numpy.testing"}
    modules = modules_after(
        "import gc; from reportgen.cli.unused_libraries import leave_out; leave_out(); "
        "assert gc.isenabled() and gc.get_freeze_count() > 50_000; import reportgen.builds.make; "
        "from scipy.stats import kendalltau as k; assert k([1, 2], [3, 5]).statistic == 1; "
        "assert not k.__doc__.strip()"
    )

    assert "scipy.stats" in modules
    assert unused.isdisjoint(modules)


def test_what_a_command_leaves_out_can_be_imported_afterwards():
    start = "from reportgen.cli.unused_libraries import leave_out; leave_out(); "
    uses = "import pandas, numpy as n; assert n.f2py.__file__ and n.testing.assert_equal"
    modules = modules_after(start + uses)

    assert {"pandas", "numpy.f2py", "numpy.testing"} <= modules


def test_the_shell_completes_commands_and_names():
    def complete(words: str, number: int) -> list[str]:
        requested = {"_REPORTGEN_COMPLETE": "bash_complete", "COMP_WORDS": words}
        done = subprocess.run(
            [sys.executable, "-m", "reportgen.cli"],
            check=False,
            capture_output=True,
            text=True,
            env=os.environ | requested | {"COMP_CWORD": str(number)},
        )
        return done.stdout.split()

    assert complete("reportgen ca", 1) == ["plain,catalogue"]
    assert "plain,average_precision" in complete("reportgen catalogue av", 2)
