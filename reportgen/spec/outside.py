"""Files that a spec names outside the folders that it may read.

A spec may come from someone else. Whatever path it names, written with ``..``,
absolute, as a pattern or through a link, is read only where the file itself lies
in the folder of the spec, or in one that the command line allows.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from reportgen.errors import Problem
from reportgen.spec.base import Issue
from reportgen.spec.document import OPTION, Steps
from reportgen.spec.locations import local_name
from reportgen.spec.models import Spec
from reportgen.spec.option_groups import Changes, TextSection

CODE = "outside-folder"
_HINT = (
    "a spec reads files in its own folder and below; if this one may read there, "
    "build it with --allow-root {folder} or with --allow-outside"
)


def issues(spec: Spec) -> Iterator[Issue]:
    """Return every file that the spec names outside its roots."""
    for steps, name in _files(spec):
        if _from_the_file(spec, steps) and not spec.roots.hold(spec.base / name):
            yield Issue(steps, CODE, *_message(spec, steps, name), value=name)


def refusals(spec: Spec, names: Iterable[str]) -> list[Problem]:
    """Return a problem for each data file outside the roots that a pattern stands for."""
    if not _from_the_file(spec, ("data",)):
        return []
    outside = [name for name in names if not spec.roots.hold(spec.base / name)]
    return [spec.problem(("data",), CODE, *_message(spec, ("data",), name)) for name in outside]


def _files(spec: Spec) -> Iterator[tuple[Steps, str]]:
    for index, name in enumerate(spec.data_names):
        yield ("data", index), local_name(name)
    if spec.reference is not None:
        for index, name in enumerate(spec.of_reference().data_names):
            yield ("reference", index), local_name(name)
    if spec.theme.logo is not None:
        yield ("theme", "logo"), spec.theme.logo
    if spec.theme.fonts is not None:
        for key, name in spec.theme.fonts.model_dump(exclude_none=True).items():
            yield ("theme", "fonts", key), name
    if spec.theme.template is not None:
        yield ("theme", "template"), spec.theme.template
    entries = () if isinstance(spec.sections, (str, Changes)) else spec.sections
    for index, entry in enumerate(entries):
        if isinstance(entry, TextSection):
            yield ("sections", index, "markdown"), entry.markdown


def _from_the_file(spec: Spec, steps: Steps) -> bool:
    """Whether the value stands in the spec; what the command line says is trusted."""
    return not spec.place(steps).source.startswith(OPTION)


def _message(spec: Spec, steps: Steps, name: str) -> tuple[str, str]:
    field = next(step for step in reversed(steps) if isinstance(step, str))
    target = (spec.base / name).resolve()
    linked = Path(os.path.normpath(spec.base.resolve() / name)) != target
    how = f", through a link to {target}," if linked else ""
    field = spec.data_key if field == "data" else field
    message = f"{field}: {name!r}{how} is outside the folder of the spec"
    folder = next(part for part in target.parents if not glob.has_magic(str(part)))
    return message, _HINT.format(folder=folder)
