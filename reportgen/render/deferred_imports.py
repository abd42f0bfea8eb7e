"""Modules that a library imports as it begins, and that few reports need."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


class _Deferred(ModuleType):
    """A module whose functions and classes import it when they are called."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*arguments: Any, **options: Any) -> Any:
            return getattr(import_module(self.__name__), name)(*arguments, **options)

        return call


@contextmanager
def deferred(*names: str) -> Iterator[None]:
    """Have what is imported in the meantime import these modules when it calls them.

    >>> _ = sys.modules.pop("colorsys", None)
    >>> with deferred("colorsys"):
    ...     from colorsys import rgb_to_hls
    >>> "colorsys" in sys.modules, rgb_to_hls(0, 0, 0), "colorsys" in sys.modules
    (False, (0.0, 0.0, 0.0), True)
    """
    absent = [name for name in names if name not in sys.modules]
    sys.modules.update({name: _Deferred(name) for name in absent})
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]
