"""Help: every command has an example and answers at once."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from reportgen.cli.group import group

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
def test_every_command_has_an_example(command):
    text, _ = answer(command, "--help")

    assert f"Example:\n    reportgen {command}" in text


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["build", "--help"], ["schema"], ["catalogue"]]
)
def test_an_answer_that_computes_nothing_takes_little_time(words):
    assert min(answer(*words)[1] for _ in range(3)) < ALLOWED


def test_help_imports_nothing_heavy():
    script = (
        "import sys; from reportgen.cli.group import group; "
        "group(['build', '--help'], standalone_mode=False); "
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )

    heavy = {"polars", "pandera", "pydantic", "scipy", "altair", "weasyprint", "vl_convert", "rich"}
    assert heavy.isdisjoint(done.stdout.split())


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
