"""Requests to a web service: a few tries, then an error that holds no secret.

An address may be a secret itself, as that of a webhook is, so that messages name the host
alone. Redirects are not followed: they would carry a token to another host.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from reportgen.errors import OutputError, Problem

TRIES = 3
SECONDS = 20.0
WAITS = (1.0, 4.0)
"""Seconds before the second and the third try."""

LARGEST = 20 * 2**20
"""Bytes of an answer that are read at most."""

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
                return _decoded(_read(answer))
        except HTTPError as error:
            reason = f"it answered {error.code} {error.reason}"
            if error.code not in _AGAIN:
                break
        except (OSError, HTTPException, ValueError) as error:
            reason = f"it did not answer ({_reason(error)})"
        if number + 1 < TRIES:
            wait(WAITS[number])
    raise OutputError(Problem("not-sent", f"the message was not accepted: {reason}", place))


def host(url: str) -> str:
    """Return scheme and host of an address; refuse anything but http and https.

    >>> host("https://hooks.example/T00/B00")
    'https://hooks.example'
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
        name = (parts.hostname or "").encode("idna").decode()
    except ValueError:
        raise OutputError(Problem("not-sent", "the address is not a valid one")) from None
    if parts.scheme not in ("http", "https") or not name:
        raise OutputError(Problem("not-sent", "the address must begin with http:// or https://"))
    if parts.username is not None:
        hint = "services take a token in the path; leave out what stands before the @"
        raise OutputError(Problem("not-sent", "the address contains a user name", hint=hint))
    if not (url.isascii() and url.isprintable() and " " not in url):
        hint = "write other characters as %XX, those of a host as xn--"
        raise OutputError(
            Problem("not-sent", "the address contains an invalid character", "", hint)
        )
    return f"{parts.scheme}://{f'[{name}]' if ':' in name else name}{port}"


def _read(answer: HTTPResponse) -> bytes:
    """What a service answers, as far as it comes in time; more than any answer is not read."""
    parts, size, until = [], 0, time.monotonic() + SECONDS
    while size < LARGEST and time.monotonic() < until and (part := answer.read1(2**16)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _decoded(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except (ValueError, RecursionError):
        return None


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", error)
    return str(getattr(cause, "strerror", None) or type(cause).__name__)
