"""The evaluation schemes by name; the command line reads them without loading the splitter."""

from __future__ import annotations

from typing import Literal

SchemeName = Literal[
    "hold_out",
    "repeated_hold_out",
    "k_fold",
    "repeated_k_fold",
    "leave_one_out",
    "bootstrap",
    "five_by_two",
    "time_ordered",
]
