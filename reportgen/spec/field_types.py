"""The kinds of values in a spec: text, numbers, and fields that take more than one shape."""

from __future__ import annotations

import codecs
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError, PydanticKnownError

from reportgen.metric_names import canonical
from reportgen.resources import LANGUAGES
from reportgen.spec.yaml_text import Plain, spelled


def _number(value: object) -> object:
    if isinstance(value, Plain):
        value = value.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PydanticCustomError("number", "a number is expected")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _flag(value: object) -> object:
    if isinstance(value, Plain):
        value = value.value
    if not isinstance(value, bool):
        raise PydanticCustomError("flag", "true or false is expected")
    return value


def _text(value: object) -> object:
    value = spelled(value)
    if not isinstance(value, str):
        raise PydanticCustomError("text", "a text is expected")
    if not value.strip():
        raise PydanticCustomError("blank", "the text is empty")
    return value


def canonical_encoding(name: str) -> str | None:
    """Return the name by which Python knows an encoding of text; None where it knows none.

    >>> canonical_encoding("Latin-1"), canonical_encoding("UTF8"), canonical_encoding("base64")
    ('iso8859-1', 'utf-8', None)
    """
    try:
        codec = codecs.lookup(name)
        "".encode(name)  # refused by codecs of bytes
    except (LookupError, ValueError):
        return None
    return None if codec.name in _NO_FILES else codec.name


def _encoding(name: str) -> str:
    encoding = canonical_encoding(name)
    if encoding is None:
        raise PydanticCustomError("encoding", "a text encoding is expected")
    return encoding


def _language(name: str) -> str:
    if name not in LANGUAGES:
        expected = " or ".join(map(repr, LANGUAGES))
        raise PydanticKnownError("literal_error", {"expected": expected})
    return name


def _listed(value: object) -> object:
    return value if isinstance(value, (list, tuple)) else [value]


def _sequence(value: object) -> object:
    if not isinstance(value, (list, tuple)):
        raise PydanticCustomError("sequence", "a list is expected")
    return value


_NO_FILES = frozenset(
    {
        "idna",
        "punycode",
        "raw_unicode_escape",
        "undefined",
        "unicode_escape",
        "utf-7",
        "mbcs",
        "oem",
    }
)
"""Encodings that are for names, for source code, or for one machine."""

NUMBER = BeforeValidator(_number)
"""Stands after the limits of a number, so that the schema shows them."""

SpecNumber = Annotated[float, NUMBER]
"""A number; text and booleans are not read as one."""

Flag = Annotated[bool, BeforeValidator(_flag)]
"""True or false; no number and no text is read as one."""

Text = Annotated[str, BeforeValidator(_text, json_schema_input_type=str | float | bool)]
"""A text that is not blank; an unquoted number or boolean is the text as written."""

Measure = Annotated[Text, AfterValidator(canonical)]
"""A measure by any name that the field uses, as the one of the catalogue."""

Texts = Annotated[
    tuple[Text, ...],
    BeforeValidator(_sequence, json_schema_input_type=list[str | float | bool]),
]
"""A list of texts."""

OneOrMore = Annotated[
    tuple[Text, ...],
    BeforeValidator(_listed, json_schema_input_type=str | list[str]),
]
"""One text or a list of texts."""

Encoding = Annotated[Text, AfterValidator(_encoding)]
"""An encoding of text by any of its names."""

Language = Annotated[
    Text, AfterValidator(_language), WithJsonSchema({"enum": [*LANGUAGES], "type": "string"})
]
"""A language of pages: one with a catalogue in ``templates/languages``, or English."""

ByName = Annotated[dict[Text, Text], Field(min_length=1)]
"""A column by the name of each class or label."""


def shape(value: Any) -> str:
    """Return the tag of a value's shape, for fields that take several (see ``TAGS``)."""
    if isinstance(value, dict):
        return "<mapping>"
    if isinstance(value, (list, tuple)):
        return "<list>"
    return "<mapping>" if isinstance(value, BaseModel) else "<scalar>"


TAGS = frozenset(
    {
        *("<mapping>", "<list>", "<scalar>", "<long>", "<wide>"),
        *("<score>", "<classes>", "<number>", "<binary>", "<by class>", "[key]"),
    }
)
"""Steps that pydantic adds to the place of an error and that no one has written."""
