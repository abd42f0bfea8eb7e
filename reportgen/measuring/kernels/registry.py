"""The kernels by metric: what computes a metric of scores faster than its expression.

To give a metric a kernel, write one function of its name with ``@kernel``. The
property test holds each to the expression of its metric, and the catalogue says
which metrics have one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from reportgen.measuring.kernels.score_sums import ScoreSums
from reportgen.metrics import METRICS

KernelFunction: TypeAlias = Callable[[ScoreSums], float]


@dataclass(frozen=True, slots=True)
class Kernel:
    """What computes a metric, and where it is defined; elsewhere the metric is null."""

    compute: KernelFunction
    defined: Callable[[ScoreSums], bool]

    def value(self, sums: ScoreSums) -> float | None:
        """The metric, null where it is undefined."""
        return self.compute(sums) if self.defined(sums) else None


KERNELS: dict[str, Kernel] = {}
"""By the name of the metric."""


def kernel(defined: Callable[[ScoreSums], bool]) -> Callable[[KernelFunction], KernelFunction]:
    """Register the decorated function as kernel of the binary metric that bears its name."""

    def record(compute: KernelFunction) -> KernelFunction:
        name = compute.__name__
        if name not in METRICS:
            raise ValueError(f"kernel of {name!r}, which is no metric")
        if name in KERNELS:
            raise ValueError(f"metric {name!r} has two kernels")
        KERNELS[name] = Kernel(compute, defined)
        return compute

    return record
