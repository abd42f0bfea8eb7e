"""The template of a theme: read once, checked, and carried along as text."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import SpecError
from reportgen.spec import Spec


def template_of(spec: Spec) -> dict[str, str]:
    """Return the template of a spec by its file's name; none where it has none.

    Raises ``SpecError`` where it cannot be read, does not extend the page of a report, or
    overrides a block that the page does not have.
    """
    name = spec.theme.template
    if name is None:
        return {}
    from reportgen.render.extension import fault_of

    text, reason = _text_of(spec.base / name)
    fault = (f"cannot be read: {reason}", "") if reason else fault_of(text)
    if fault is not None:
        message = f"theme.template: {name!r} {fault[0]}"
        raise SpecError(spec.problem(("theme", "template"), "template", message, fault[1]))
    return {name: text}


def _text_of(path: Path) -> tuple[str, str]:
    """A text, and why it cannot be read; a pipe would be waited for."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            return "", "it is a pipe or a device"
        return path.read_text(encoding="utf-8"), ""
    except (OSError, ValueError) as error:
        return "", getattr(error, "strerror", None) or "not UTF-8 text"
