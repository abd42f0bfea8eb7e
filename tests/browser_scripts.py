"""What a script finds on a page of a report, in Chromium."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from tests.hostile.browser import opened

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
"""Left out of the copy that is opened, as the script of a test is not the page's."""

ANSWER = """
function answer(value) {
  var place = document.createElement("pre");
  place.id = "answer";
  place.textContent = JSON.stringify(value);
  document.body.append(place);
}
"""


def answered(page: str, script: str, folder: Path, *, width: int = 1280) -> Any:
    """Open a page with a script that gives its answer to ``answer``."""
    head, end, tail = POLICY.sub("", page, count=1).rpartition("</body>")
    path = folder / "page.html"
    path.write_text(f"{head}<script>{ANSWER}{script}</script>{end}{tail}")
    markup = opened(path, folder / "profile", width=width).markup
    match = re.search(r'<pre id="answer">(.*?)</pre>', markup, re.DOTALL)
    assert match is not None
    return json.loads(html.unescape(match[1]))
