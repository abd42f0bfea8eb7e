"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import re
import signal
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

# Before Polars and NumPy are imported: a worker has one core, on which threads wait for each other.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from tests import breadth

ROOT = Path(__file__).parents[1]

collect_ignore_glob = ["reference/*.py"]  # kept scripts, which need programs of their own

# A machine that does other work is slow, not wrong: no test is evaluated by its seconds.
# The same examples each time: a change is evaluated by what it changes.
settings.register_profile("reportgen", deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("reportgen"), max_examples=30)

# A shell has its background jobs ignore Ctrl-C, which programs that the tests start would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)


# All that collecting the tests makes stays: to look through it for what does not took a third
# of the collection, and a part of every test.
gc.disable()


def pytest_configure(config):
    """A third of the examples each time, and all of them under ``make slow``."""
    is_quick = config.option.markexpr == "not slow"
    settings.load_profile("quick" if is_quick else "reportgen")
    if not is_quick:
        breadth.draw_all()
    config.pluginmanager.register(Doctests())


class Doctests:
    """A plugin, as what stands in this file is asked about this folder alone."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path):
        """A file is searched for doctests where it has one."""
        collectors = yield
        if file_path.suffix != ".py" or b">>>" in file_path.read_bytes():
            return collectors
        return [one for one in collectors if type(one) is pytest.Module]


def pytest_collectstart(collector):
    """In a fresh clone each of two workers rewrites the assertions of half of the files."""
    second = os.environ.get("PYTEST_XDIST_WORKER") == "gw1"
    if second and isinstance(collector, pytest.Session):
        for path in sorted(test_files(collector.config), reverse=True):
            # What cannot be imported is reported where it is collected
            with suppress(Exception, pytest.skip.Exception):
                import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def test_files(config) -> set[Path]:
    """The files of the folders that are asked for, without those that are to be ignored."""
    folders = {ROOT / one for one in config.args}
    ignored = {ROOT / one for one in config.option.ignore or ()}
    every = {path for folder in folders for path in folder.rglob("test_*.py")}
    return {path for path in every if ignored.isdisjoint(path.parents)}


SHARED = re.compile(r"\b(chart_gallery|example_results|sections_results|sections_tasks)\b")
"""Modules that evaluate or draw once for all files that import them, in each worker."""


@cache
def group_of(path: str) -> str:
    """Files of one group are run by one worker: those that share what is made once."""
    shared = SHARED.search((ROOT / path).read_text(encoding="utf-8"))
    return shared[0] if shared else path


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadFileScheduling

    class ByGroup(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(super()._split_scope(nodeid))

    return ByGroup(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_finish():
    gc.freeze()
    gc.set_threshold(10_000)  # tests leave little in circles
    gc.enable()


@pytest.fixture(autouse=True)
def signals():
    """The command line takes signals and, at its end, ignores them: give them back."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def run(capsys):
    """Run the command line; return exit code, stdout and stderr."""
    from reportgen.cli import main

    def run(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return run


@pytest.fixture
def project(tmp_path):
    """A folder with a spec and its data."""
    from tests.four_rows import ROWS, SPEC

    (tmp_path / "report.yaml").write_text(SPEC)
    (tmp_path / "data.csv").write_text(ROWS)
    return tmp_path
