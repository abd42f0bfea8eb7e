"""The files that a spec names beside its data: texts of its sections, logo, fonts and template."""

from __future__ import annotations

from pathlib import Path

from reportgen.builds.logo import logo_of
from reportgen.errors import SpecError
from reportgen.spec import Spec
from reportgen.spec.option_groups import text_sections
from reportgen.spec.reading import without_remarks


def given_files(spec: Spec) -> dict[str, str]:
    """Their contents by name; ``SpecError`` where one cannot be read or used."""
    names = [section.markdown for _, section in text_sections(spec.sections)]
    texts = {name: _text(spec, name) for name in names}
    return texts | logo_of(spec) | typeface_of(spec) | template_of(spec)


def _text(spec: Spec, name: str) -> str:
    try:
        text = (spec.base / name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        problem = spec.problem("sections", "notes", f"cannot read {name!r}: {reason}")
        raise SpecError(problem) from None
    return without_remarks(text) if spec.privacy.comments == "dropped" else text


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


LARGEST = 4_000_000
"""Bytes of a font at most."""

_HINT = "convert it to TTF or OTF, one file for each weight"


def typeface_of(spec: Spec) -> dict[str, str]:
    """Return the fonts of a spec as data URLs by their files' names; none where it has none.

    Raises ``SpecError`` where one cannot be read, is neither TrueType nor OpenType, lacks the
    letters of English, is too large, or may not be embedded.
    """
    fonts = spec.theme.fonts
    named = {} if fonts is None else fonts.model_dump(exclude_none=True)
    return {name: _stored(spec, key, name) for key, name in named.items()}


def _stored(spec: Spec, key: str, name: str) -> str:
    from reportgen.render.typefaces import data_url, fault_of_font

    path = spec.base / name
    if not path.is_file():  # a pipe would be waited for
        raise _refused(spec, key, name, "cannot be read: there is no such file")
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise _refused(spec, key, name, f"cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise _refused(spec, key, name, f"has more than {LARGEST // 1_000_000} MB")
    if fault := fault_of_font(content):
        raise _refused(spec, key, name, fault, _HINT)
    return data_url(content)


def _refused(spec: Spec, key: str, name: str, reason: str, hint: str = "") -> SpecError:
    message = f"theme.fonts.{key}: {name!r} {reason}"
    return SpecError(spec.problem(("theme", "fonts", key), "font", message, hint))
