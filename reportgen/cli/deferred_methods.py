"""Methods of dataclasses, compiled when they are first called.

Up to Python 3.12 each dataclass compiles up to six methods, one by one, as its module is
imported: of the 470 that a command imports they take a tenth of a small report, and most of
them are never called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

AnyMethod = Callable[..., Any]

_COMPILER = "_create_fn"


def defer() -> None:
    """Have dataclasses that are made from now on compile a method when it is first called.

    For a process that runs one command: they are the same but for the signature of ``__init__``,
    which nothing asks for. From Python 3.13 on a class compiles all its methods at once, and
    nothing changes.
    """
    compile_now: Callable[..., AnyMethod] | None = vars(dataclasses).get(_COMPILER)
    if isinstance(compile_now, FunctionType):
        vars(dataclasses)[_COMPILER] = _Deferring(compile_now)


class _Deferring:
    """What dataclasses compile a method with; ``compile_now`` is what the library has."""

    def __init__(self, compile_now: Callable[..., AnyMethod]) -> None:
        self.compile_now = compile_now

    def __call__(
        self, name: str, args: Sequence[str], body: Sequence[str], **more: Any
    ) -> AnyMethod:
        """Return a method that takes its compiled form's place in the class once it is called."""
        compiled: AnyMethod | None = None

        def method(self_: Any, /, *rest: Any, **named: Any) -> Any:
            nonlocal compiled
            if compiled is None:
                compiled = self.compile_now(name, args, body, **more)
                compiled.__qualname__ = method.__qualname__
                for owner in type(self_).__mro__:
                    if vars(owner).get(name) is method:
                        setattr(owner, name, compiled)
            return compiled(self_, *rest, **named)

        method.__name__ = name
        return method
