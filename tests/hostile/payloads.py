"""Texts that would do something where they are not taken for text: 200 of them."""

from __future__ import annotations

SCRIPT = "document.documentElement.dataset.effect=1"
"""What a text does that is run; ``tests.hostile.browser`` looks for it."""

URL = "http://bait.example/x"
"""Where a text that is loaded leads."""

_MARKUP = (
    f"<script>{SCRIPT}</script>",
    f"<script src={URL}></script>",
    f"<img src=x onerror={SCRIPT}>",
    f"<img src={URL}>",
    f"<svg onload={SCRIPT}>",
    f"<svg><script>{SCRIPT}</script></svg>",
    f"<svg><image href={URL} /></svg>",
    f"<svg><use href={URL}#a /></svg>",
    f"<math><mtext><style><img src=x onerror={SCRIPT}></style></mtext></math>",
    f"<iframe srcdoc='<script>{SCRIPT}</script>'>",
    f"<iframe src={URL}>",
    f"<object data={URL}>",
    f"<embed src={URL}>",
    f"<link rel=stylesheet href={URL}>",
    f"<link rel=prefetch href={URL}>",
    f"<meta http-equiv=refresh content=0;url={URL}>",
    f"<base href={URL}>",
    f"<form action={URL}><input autofocus onfocus={SCRIPT}>",
    f"<details open ontoggle={SCRIPT}>",
    f"<video><source onerror={SCRIPT}>",
    f"<audio src=x onerror={SCRIPT}>",
    f"<body onload={SCRIPT}>",
    f"<style>@import '{URL}';</style>",
    f"<style>*{{background:url({URL})}}</style>",
    f"<p style=background:url({URL})>",
    f"<a href=javascript:{SCRIPT} autofocus onfocus={SCRIPT}>x</a>",
    f"<template><script>{SCRIPT}</script></template>",
    f"<noscript><img src={URL}></noscript>",
    f"<!--<img src=x onerror={SCRIPT}>",
    f"<![CDATA[<script>{SCRIPT}</script>]]>",
    f"<?xml-stylesheet href='{URL}'?>",
    f'<!DOCTYPE a [<!ENTITY b SYSTEM "{URL}">]>&b;',
    f"&lt;script&gt;{SCRIPT}&lt;/script&gt;",
    f"&#60;script&#62;{SCRIPT}&#60;/script&#62;",
    f"\uff1cscript\uff1e{SCRIPT}\uff1c/script\uff1e",
)
_ATTRIBUTES = (
    f'" onmouseover={SCRIPT} autofocus onfocus={SCRIPT} x="',
    f"' onload={SCRIPT} autofocus onfocus={SCRIPT} x='",
    f"` onerror={SCRIPT}",
    f'" style="background:url({URL})',
    f'" srcset="{URL} 1x',
)
_CODE = (
    f"';{SCRIPT}//",
    f'";{SCRIPT}//',
    f"${{{SCRIPT}}}",
    f"`;{SCRIPT}//`",
    f"\\u003cscript\\u003e{SCRIPT}",
    f"javascript:{SCRIPT}",
    f"data:text/html,<script>{SCRIPT}</script>",
    f'"}}]}}</script><script>{SCRIPT}</script>',
    "\u2028\u2029" + SCRIPT,
    "__proto__",
    "constructor",
    "toString",
    "datum['x']",
    f"datum.constructor.constructor('{SCRIPT}')()",
    f"'+(function(){{{SCRIPT}}})()+'",
    f"[].constructor.constructor('{SCRIPT}')()",
)
_TEMPLATES = (
    "{{ 7 * 7 }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{% include '/etc/passwd' %}",
    "{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "{# gone #}",
    "%(title)s {0} {title.__class__}",
    "<!--chart:roc-->",
    "<!--figure:roc-->",
    "/* the fonts of this report */",
)
_MARKDOWN = (
    f"![x]({URL})",
    f"[x]({URL})",
    f"[x](javascript:{SCRIPT})",
    f"<{URL}>",
    f"[x]: {URL}\n[x]",
    "| a | b |\n| --- | --- |",
    "```\n<b>",
    "# heading",
)
_STYLES = (
    f"url({URL})",
    f"}} @import '{URL}'; {{",
    f"</style><img src={URL}>",
    f"expression({SCRIPT})",
)
BASE = (*_MARKUP, *_ATTRIBUTES, *_CODE, *_TEMPLATES, *_MARKDOWN, *_STYLES)

_AROUND = (
    "{}",
    '"></title></script></style></textarea>{}',
    "'>]]>--><!--{}",
    "a & b < c {}",
)


def payloads() -> list[str]:
    """Each text by itself, then behind what ends the place it may stand in."""
    return [around.format("%s") % text for around in _AROUND for text in BASE][:200]


PAYLOADS = payloads()
