"""Requests to a web service: a few tries, then an error that holds no secret.

An address may be a secret itself, as that of a webhook is, so that messages name the host
alone. Redirects are not followed: they would carry a token to another host.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from reportgen.errors import OutputError, Problem

TRIES = 3
SECONDS = 20.0
WAITS = (1.0, 4.0)
"""Seconds before the second and the third try."""

_AGAIN = frozenset({429, 500, 502, 503, 504})


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_args: object) -> None:
        """Follow none."""


def send(
    method: str,
    url: str,
    *,
    body: object = None,
    headers: Mapping[str, str] | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> Any:
    """Send JSON to a service; return its answer, None where that is no JSON.

    Args:
        method: GET, POST, PUT or PATCH.
        url: Address of the service, http or https.
        body: What is sent as JSON; None: nothing.
        headers: Further headers, such as a token.
        wait: Waits so many seconds before another try.

    Raises:
        OutputError: the service refused, or did not answer in three tries.
    """
    place = host(url)
    content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
    every = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "reportgen"}
    request = Request(url, content, {**every, **(headers or {})}, method=method)  # noqa: S310  # host() refuses others
    reason = ""
    for number in range(TRIES):
        try:
            with build_opener(_NoRedirects).open(request, timeout=SECONDS) as answer:
                return _decoded(answer.read())
        except HTTPError as error:
            reason = f"it answered {error.code} {error.reason}"
            if error.code not in _AGAIN:
                break
        except (OSError, HTTPException) as error:
            reason = f"it did not answer ({_reason(error)})"
        if number + 1 < TRIES:
            wait(WAITS[number])
    raise OutputError(Problem("not-sent", f"the message was not accepted: {reason}", place))


def host(url: str) -> str:
    """Return scheme and host of an address; refuse anything but http and https.

    >>> host("https://user:secret@hooks.example/T00/B00")
    'https://hooks.example'
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise OutputError(Problem("not-sent", "the address is not one of http or https"))
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}"


def _decoded(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except ValueError:
        return None


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", error)
    return str(getattr(cause, "strerror", None) or type(cause).__name__)
