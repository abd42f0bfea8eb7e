"""Dataclasses whose methods are compiled when they are first called are the same as others."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from reportgen.cli import deferred_methods

COMPILER = "_create_fn"
pytestmark = pytest.mark.skipif(
    not hasattr(dataclasses, COMPILER), reason="this Python compiles all methods of a class at once"
)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the methods that were compiled since ``defer``."""
    names: list[str] = []
    original: Callable[..., Any] = vars(dataclasses)[COMPILER]

    def compile_now(name: str, *arguments: Any, **options: Any) -> Any:
        names.append(name)
        return original(name, *arguments, **options)

    monkeypatch.setattr(dataclasses, COMPILER, compile_now)
    deferred_methods.defer()
    return names


def classes() -> SimpleNamespace:
    """Dataclasses of several kinds, made now."""

    @dataclasses.dataclass(frozen=True, order=True)
    class Frozen:
        self_: int
        name: str = "a"
        parts: tuple[int, ...] = dataclasses.field(default_factory=tuple, compare=False)

    @dataclasses.dataclass(frozen=True, slots=True)
    class Slotted:
        value: int
        other: float = dataclasses.field(default=2.5, repr=False, kw_only=True)

    @dataclasses.dataclass
    class Open:
        value: int
        double: int = dataclasses.field(init=False)

        def __post_init__(self) -> None:
            self.double = 2 * self.value

    @dataclasses.dataclass
    class Derived(Open):
        more: str = "x"

        def __repr__(self) -> str:
            return f"<{super().__repr__()}>"

    return SimpleNamespace(Frozen=Frozen, Slotted=Slotted, Open=Open, Derived=Derived)


def outcome(work: Callable[[], Any]) -> str:
    """What comes of it, errors included."""
    try:
        return repr(work())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def outcomes(made: SimpleNamespace) -> list[str]:
    """What all the methods of the classes do, twice: first compiled, then in place."""
    frozen, slotted, derived = made.Frozen(1, parts=(3,)), made.Slotted(4), made.Derived(5)
    work: list[Callable[[], Any]] = [
        lambda: (frozen, slotted, derived, made.Open(2)),
        lambda: [frozen == made.Frozen(1), frozen == made.Frozen(2), frozen == slotted],
        lambda: [frozen < made.Frozen(2), frozen >= made.Frozen(1), sorted([made.Frozen(2)])],
        lambda: [hash(frozen) == hash(made.Frozen(1)), hash((1, "a")) == hash(frozen)],
        lambda: hash(made.Open(2)),
        lambda: frozen < 3,
        lambda: setattr(frozen, "name", "b"),
        lambda: delattr(frozen, "name"),
        lambda: setattr(slotted, "value", 5),
        lambda: dataclasses.replace(frozen, name="c"),
        lambda: dataclasses.asdict(derived),
        lambda: copy.deepcopy(slotted),
        lambda: made.Frozen(self_=3, name="b"),
        lambda: [made.Open.__init__(derived, 7), derived.double],
        lambda: made.Frozen.__hash__.__qualname__,
        lambda: made.Slotted.__init__.__qualname__,
        lambda: made.Frozen.__match_args__,
    ]
    return [outcome(one) for one in work * 2]


def test_deferred_methods_do_what_those_of_other_dataclasses_do(compiled: list[str]):
    deferred = outcomes(classes())
    vars(dataclasses)[COMPILER] = vars(dataclasses)[COMPILER].compile_now

    assert deferred == outcomes(classes())
    assert len(set(deferred)) > 12
    assert set(compiled) >= {"__init__", "__repr__", "__eq__", "__hash__", "__setattr__"}


def test_a_method_is_compiled_once_and_only_where_it_is_called(compiled: list[str]):
    made = classes()

    assert not compiled

    values = [made.Slotted(k) for k in range(3)]

    assert values[0] != values[1]
    assert values[1] != values[2]
    assert compiled == ["__init__", "__eq__"]


@pytest.mark.usefixtures("compiled")
def test_a_deferred_class_can_be_sent_to_another_process():
    problem = dataclasses.make_dataclass("Plain", [("value", int)], frozen=True)
    globals()["Plain"] = problem
    problem.__module__ = __name__

    assert pickle.loads(pickle.dumps(problem(3))) == problem(3)


@pytest.mark.usefixtures("compiled")
def test_deferring_twice_is_deferring_once():
    first = vars(dataclasses)[COMPILER]
    deferred_methods.defer()

    assert vars(dataclasses)[COMPILER] is first
