"""Fields for digital signatures: the text fields of the page, as fields that a reader signs."""

from __future__ import annotations

from typing import Any

SIGNATURE_FLAGS = 1
"""SigFlags of a file that has signature fields, none of them signed (PDF 32000-1, table 219)."""

_OF_TEXT = ("DA", "V", "MaxLen", "Ff")
_OF_FORMS = ("DR", "NeedAppearances")


def to_signature_fields(_document: Any, pdf: Any) -> None:
    """Make every text field of a PDF a signature field that is not signed yet.

    PDF 32000-1, section 12.7.4.5. PDF/A (ISO 19005-3, 6.4.1) wants an appearance for each,
    here an empty one, and no order to make appearances anew.
    """
    import pydyf

    forms = pdf.catalog.get("AcroForm")
    if forms is None:
        return
    for name in _OF_FORMS:
        forms.pop(name, None)
    forms["SigFlags"] = SIGNATURE_FLAGS
    for field in [thing for thing in pdf.objects if _is_text_field(thing)]:
        for name in _OF_TEXT:
            field.pop(name, None)
        left, top, right, bottom = field["Rect"]
        size = (0, 0, abs(right - left), abs(top - bottom))
        form = {"Type": "/XObject", "Subtype": "/Form", "BBox": pydyf.Array(size)}
        empty = pydyf.Stream(extra=form)
        pdf.add_object(empty)
        field["FT"] = "/Sig"
        field["AP"] = pydyf.Dictionary({"N": empty.reference})


def _is_text_field(thing: Any) -> bool:
    return isinstance(thing, dict) and thing.get("FT") == "/Tx"
