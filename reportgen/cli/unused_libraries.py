"""Leave out parts of libraries that no command uses but that take time to import.

Where pandas is installed, pandera imports it, and PyArrow with it, for frames that are not
used here: a third of the start of a command. SciPy takes every name of NumPy, among them
its compiler of Fortran and its tools for tests, and parses and rewrites its own
docstrings: half of the import of its functions. What the libraries define stays: to look through
it for what does not took a fifth of the start.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from reportgen.errors import LimitError, Problem
from reportgen.exhaustion import address_space


class _WithoutPandas:
    """Has pandas look as if it were not installed."""

    @staticmethod
    def find_spec(
        name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


class _Undocumented(dict[str, list[Any]]):
    """What SciPy makes of the docstring of a function: nothing."""

    def __init__(self, _function: object) -> None:
        super().__init__()

    def __missing__(self, section: str) -> list[Any]:
        self[section] = []
        return self[section]

    def __str__(self) -> str:
        return "\n"


_OF_NUMPY = ("f2py", "polynomial", "testing")
"""Parts of NumPy that are imported when they are first asked for, as they are without SciPy."""

LEAST = 800
"""Megabytes of address space below which the libraries cannot be loaded."""


def _check_address_space() -> None:
    limit = address_space()
    if limit is not None and limit < LEAST * 10**6:
        message = f"out of memory: of {limit // 10**6} MB of address space, libraries take {LEAST}"
        raise LimitError(Problem("memory", message, hint="allow more: ulimit -v"))


def leave_out() -> None:
    """Import pandera without pandas, and SciPy without parts of NumPy and without its docstrings.

    All but the last can be imported afterwards. The collector of garbage passes over what is there.
    For a process that runs one command: a program that uses the library may use pandera with
    pandas too.

    Raises:
        LimitError: the address space is too small for the libraries, which then end anyhow.

    >>> import sys
    >>> finders = list(sys.meta_path)
    >>> leave_out()
    >>> sys.meta_path == finders
    True
    """
    _check_address_space()
    gc.disable()
    import_module("polars")  # in little memory it fails only once it is used: before all others
    import numpy as np

    sys.meta_path.insert(0, _WithoutPandas)
    for name in _OF_NUMPY:
        vars(np).setdefault(name, None)
    with suppress(ImportError):
        vars(import_module("scipy._lib._docscrape"))["FunctionDoc"] = _Undocumented
    try:
        import_module("pandera.polars")
        import_module("scipy.special")
    finally:
        sys.meta_path.remove(_WithoutPandas)
        for name in _OF_NUMPY:
            if vars(np)[name] is None:
                del vars(np)[name]
        gc.freeze()
        gc.enable()
