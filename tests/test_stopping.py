"""A signal is heard wherever it comes, and once."""

from __future__ import annotations

import signal
import subprocess
import sys

import polars as pl
import pytest

from reportgen import interrupts
from reportgen.builds.publish import staged
from reportgen.cli import faults
from reportgen.errors import DataError
from reportgen.predictions.files import DataFile
from reportgen.predictions.load import UNREADABLE, unreadable

WHILE_IMPORTING = """
import signal, sys

class Hook:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            signal.raise_signal(signal.Signals[sys.argv[1]])

sys.meta_path.insert(0, Hook())
from reportgen.cli import main
main(["--help"])
"""


@pytest.fixture(autouse=True)
def listening():
    interrupts.listen()
    yield
    interrupts.listen()  # forgets what was asked


def ask(number: signal.Signals = signal.SIGTERM) -> None:
    with pytest.raises(interrupts.Stopped):
        signal.raise_signal(number)


def test_a_second_signal_does_not_cut_the_cleaning_up():
    ask()

    signal.raise_signal(signal.SIGINT)  # an impatient hand
    assert interrupts.requested_signal() == signal.SIGTERM


def test_work_that_is_held_is_finished_first():
    done = []

    def work() -> None:
        with interrupts.held():
            signal.raise_signal(signal.SIGTERM)
            done.append("all of it")

    with pytest.raises(interrupts.Stopped):
        work()

    assert done == ["all of it"]


def test_a_stop_that_a_callback_turned_into_a_fault_of_the_data_is_a_stop(tmp_path):
    def interrupted(names: list[str]) -> list[str]:
        signal.raise_signal(signal.SIGTERM)
        return names

    data = tmp_path / "p.csv"
    data.write_text("a\n1\n")
    with pytest.raises(UNREADABLE) as eaten:
        pl.scan_csv(data, with_column_names=interrupted).collect_schema()

    with pytest.raises(interrupts.Stopped):
        unreadable(DataFile(data.name, data, "csv"), eaten.value)


def test_a_fault_after_a_stop_is_told_as_the_stop(capsys):
    ask()

    assert faults.tell(DataError("the file is damaged"), faults.Style()) == 143
    assert capsys.readouterr().err == "terminated: nothing incomplete was published\n"


def test_a_stage_is_removed_when_a_signal_comes(tmp_path):
    with pytest.raises(interrupts.Stopped), staged(tmp_path, "one"):
        signal.raise_signal(signal.SIGTERM)

    assert list(tmp_path.iterdir()) == []


def test_what_was_to_be_ignored_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    interrupts.listen()

    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_signal_while_a_worker_loads_ends_it_quietly():
    worker = (
        "import os, signal, runpy, sys; import reportgen.builds.channel as channel;"
        "channel.connect = lambda *_: os.kill(os.getpid(), signal.SIGTERM);"
        "import socket; sys.argv = ['worker', str(socket.socketpair()[0].detach())];"
        "runpy.run_module('reportgen.cli.worker', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", worker], check=False, capture_output=True)

    assert (done.returncode, done.stdout, done.stderr) == (143, b"", b"")


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_during_the_imports_ends_quietly(name, code):
    done = subprocess.run(
        [sys.executable, "-c", WHILE_IMPORTING, name], check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")
