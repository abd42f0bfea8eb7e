"""The files that a spec names beside its data: texts of its sections, logo, fonts and template."""

from __future__ import annotations

from reportgen.builds.logo import logo_of
from reportgen.builds.theme_files import template_of, typeface_of
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
