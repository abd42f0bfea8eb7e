"""The name of a spec: the folder of its builds, and what listings call it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from reportgen.errors import Problem, SpecError
from reportgen.spec.document import LARGEST, parse
from reportgen.spec.overrides import override

UNNAMED = "report"
"""The name of a spec that comes from no file."""

RESERVED = frozenset({"latest", "accepted", "previous", "history", "index.html", "feed.xml"})
"""What stands beside the folders of specs, or names a build."""

PATTERN = r"^(?![.\-])[^/\\:*?\"<>|~\x00-\x1f\x7f]{1,80}(?<![. ])$"
"""Names that every system takes for a folder."""

HINT = "a name is a plain folder name, such as breast-cancer"


def is_name(text: str) -> bool:
    """Whether a text can be the name of a spec, and so of a folder.

    >>> is_name("breast-cancer"), is_name("a/b"), is_name(".."), is_name("latest")
    (True, False, False, False)
    """
    plain = text == text.strip() and text.isprintable() and text.casefold() not in RESERVED
    return plain and re.match(PATTERN, text) is not None


def name_of(path: Path | None) -> str:
    """The name of a spec that does not say its own: the stem of its file.

    >>> name_of(Path("specs/breast-cancer.yaml")), name_of(Path("a:b.yaml")), name_of(None)
    ('breast-cancer', 'a-b', 'report')
    """
    stem = unicodedata.normalize("NFC", path.stem if path else "")
    plain = re.sub(r"[^\w.+@ -]", "-", stem)[:80].strip(" .-")
    return plain if is_name(plain) else UNNAMED


def declared(path: Path, overrides: Sequence[str] = ()) -> tuple[str, str]:
    """The name and the output directory of a spec file, read without checking the rest.

    Raises ``SpecError`` or ``OSError`` where the file is no mapping that can be read.
    """
    if path.is_fifo():  # reading would take what its own build reads
        raise OSError
    with path.open("rb") as file:
        document = parse(file.read(LARGEST + 1), str(path))
    for option in overrides:
        document, _, _ = override(document, option)
    values = document.value if isinstance(document.value, dict) else {}
    output = values.get("output")
    directory = output.get("directory") if isinstance(output, dict) else None
    name = values.get("name")
    return str(name_of(path) if name is None else name), str(directory or "reports")


def refuse_shared_names(
    paths: Iterable[Path], out: Path | None, overrides: Sequence[str] = ()
) -> None:
    """Raise ``SpecError`` where two specs would publish into one folder.

    A spec that cannot be read is left to its own build, which says what is wrong.
    """
    homes = []
    for path in paths:
        try:
            name, directory = declared(path, overrides)
            root = (path.parent / directory if out is None else out).resolve()
        except (SpecError, OSError, RuntimeError, ValueError):  # U+0000, links in a circle
            continue
        homes.append((path, name, (root, name.casefold())))
    problems = [
        shared_name(other, name, path)
        for (path, _, home), (other, name, same) in combinations(homes, 2)
        if home == same
    ]
    if problems:
        raise SpecError(*problems)


def shared_name(path: Path, name: str, other: Path) -> Problem:
    """The problem of two specs of one name in one folder."""
    message = f"{str(other)!r} has the name {name!r} too, and the same output folder"
    return Problem("same-name", message, str(path), "give one of them another `name:`")
