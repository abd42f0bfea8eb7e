"""A name means one thing: modules and public types of the package."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import reportgen

PACKAGE = Path(reportgen.__file__).parent
FILES = [path for path in PACKAGE.rglob("*.py") if path.stem not in ("__init__", "__main__")]

SUBJECTS = """
    binary bounds calibration checks claims class_calibration comparisons costs counting counts
    curves dependence differences distinct_scores dominance estimates evaluation_scheme fold_metrics
    folds gates generalisation grouped intervals ledger measures multiclass multilabel one_vs_rest
    optima probability provenance ranking reading registry regression results score_table scores
    section_reading serving shift significance slices slicings tied_scores trend trends unpaired
"""
"""Modules of one subject in several layers: its table, its computation, its chart, its section."""


def public_types(path: Path) -> Iterator[str]:
    """The classes and type aliases that a module declares at its top."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        name = ""
        if isinstance(node, ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            is_alias = isinstance(node.annotation, ast.Name) and node.annotation.id == "TypeAlias"
            name = node.target.id if is_alias else ""
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        if len(name) > 1 and name[0].isupper() and not name.isupper():
            yield name


def recurring(names: Iterator[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def test_a_module_name_recurs_only_for_one_subject_in_another_layer():
    """A curve and its chart are one subject, as ``CONTRIBUTING.md`` has it."""
    folders = ((path, str(path.parent).replace("/charts", "/curves")) for path in FILES)
    names = {(path.stem, folder) for path, folder in folders}

    assert recurring(stem for stem, _ in names) - {*SUBJECTS.split()} == set()


def test_no_type_name_stands_in_two_modules():
    names = (name for path in FILES for name in set(public_types(path)))

    assert recurring(names) == set()
