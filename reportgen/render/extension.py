"""Templates of users, which extend the page of a report by its blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from jinja2 import (
    ChoiceLoader,
    DictLoader,
    Environment,
    TemplateError,
    TemplateSyntaxError,
    nodes,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reportgen.errors import Problem, RenderError
from reportgen.render.templating import environment

PAGE = "report.html.j2"
"""The page that templates of users extend."""

LARGEST = 100_000
"""Characters of a template at most."""

_OWN = "the template of the theme"

_COMPILED = "<template>"
"""What a trace has as the file of a template that was not read from one."""

_FAULTS = (
    *(TemplateError, TypeError, ValueError, ArithmeticError, LookupError, RuntimeError),
    *(AttributeError, AssertionError),
)
"""What the expressions of a template raise, such as a recursion without an end."""

_LEADS_AWAY = re.compile(
    r"<(meta|base|link|form|iframe|frame|frameset|object|embed|applet|portal)(?=[\s/>])", re.I
)


def page_environment(extension: str | None) -> Environment:
    """Return the environment of a page, which ``extension`` extends.

    Raises a ``RenderError`` where it does not: results of others may hold any text.
    """
    if extension is None:
        return environment()
    if fault := fault_of(extension):
        raise RenderError(Problem("template", f"theme.template: {fault[0]}", hint=fault[1]))
    return _sandbox(extension)


def _sandbox(extension: str) -> Environment:
    """A template of a user sees neither files nor private attributes, and changes nothing."""
    env = environment()
    sandbox = ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([DictLoader({_OWN: extension}), env.loader or DictLoader({})]),
        autoescape=True,
        undefined=env.undefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sandbox.filters = env.filters
    sandbox.globals["page"] = env.globals["page"]
    return sandbox


def set_page(env: Environment, context: Mapping[str, Any]) -> str:
    """Set a page; a ``RenderError`` says where a template of a user cannot be set."""
    if not isinstance(env, ImmutableSandboxedEnvironment):
        return env.get_template(PAGE).render(context)
    try:
        text = env.get_template(_OWN).render(context)
        if context["mode"] == "pdf":
            ElementTree.fromstring(text)  # noqa: S314 - without a document type of its own
    except _FAULTS as error:
        message = f"theme.template: {_line_of(error)}{error}"
        raise RenderError(Problem("template", message)) from None
    except ElementTree.ParseError as error:
        message = f"theme.template: the PDF needs well-formed XML; line {error.position[0]} is not"
        hint = "close every element, and write &#160; for &nbsp;"
        raise RenderError(Problem("template", message, hint=hint)) from None
    if leading := _leading_away(text, context):
        message = f"theme.template: the page may not have <{leading}>, which leads elsewhere"
        raise RenderError(Problem("template", message, hint="leave it out; <a> may link"))
    return text


def _line_of(error: BaseException) -> str:
    """The line of a user's template that an error comes from, where its trace has one."""
    trace, lines = error.__traceback__, []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _COMPILED:
            lines.append(f"line {trace.tb_lineno}: ")
        trace = trace.tb_next
    return lines[-1] if lines else ""


def _leading_away(text: str, context: Mapping[str, Any]) -> str | None:
    """The element of a page that leaves it, as no policy of content forbids; None if nothing does.

    Ours stand in the head before the styles, and in texts of scripts.
    """
    _, _, rest = text.partition("<style>")
    for script in context.get("scripts", ()):
        rest = rest.replace(script, "")
    match = _LEADS_AWAY.search(rest)
    return match and match[1].lower()


def fault_of(text: str) -> tuple[str, str] | None:
    """Return what keeps a text from extending the page of a report, and a hint; None if nothing.

    >>> fault_of('{% extends "report.html.j2" %}{% block colophon %}ACME{% endblock %}')
    >>> fault_of("ACME")
    ('does not extend the page', 'begin it with {% extends "report.html.j2" %}')
    """
    env = _sandbox(text)
    if len(text) > LARGEST:
        return f"has more than {LARGEST:,} characters", ""
    try:
        tree = env.parse(text)
    except TemplateSyntaxError as error:
        return f"cannot be read: line {error.lineno}: {error.message}", ""
    first = tree.body[0] if tree.body else None
    extended = first.template if isinstance(first, nodes.Extends) else None
    if not (isinstance(extended, nodes.Const) and extended.value == PAGE):
        return "does not extend the page", f'begin it with {{% extends "{PAGE}" %}}'
    other = next((node for node in tree.body[1:] if not _is_block_or_text(node)), None)
    if other is not None:  # a value set here would stand in for one of the page, as its policy
        return f"line {other.lineno}: only blocks may follow the first line", "write it in a block"
    blocks = env.get_template(PAGE).blocks
    unknown = [block for block in tree.find_all(nodes.Block) if block.name not in blocks]
    if unknown:
        names = ", ".join(sorted(blocks))
        return f"line {unknown[0].lineno}: no block {unknown[0].name!r}", f"the blocks are {names}"
    return None


def _is_block_or_text(node: nodes.Node) -> bool:
    texts = node.nodes if isinstance(node, nodes.Output) else [node]
    return all(isinstance(text, (nodes.Block, nodes.TemplateData)) for text in texts)
