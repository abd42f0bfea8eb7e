"""Evaluation schemes and roles of rows: names that the command line reads without the splitter."""

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

Role = Literal["train", "validation", "test"]
ROLES: tuple[Role, ...] = ("train", "validation", "test")
