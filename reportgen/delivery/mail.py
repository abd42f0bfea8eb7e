"""Mail with the PDF attached, through the server that the environment names.

``REPORTGEN_SMTP`` is an address such as ``smtps://user:password@mail.example:465`` (TLS from
the start) or ``smtp+starttls://mail.example:587``. Plain ``smtp`` is for a relay that asks for
no password. ``REPORTGEN_MAIL_FROM`` is the sender.
"""

from __future__ import annotations

import re
import smtplib
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import getaddresses
from pathlib import Path
from urllib.parse import unquote, urlsplit

from reportgen.delivery.notice_settings import SENDER, SERVER
from reportgen.delivery.requests import SECONDS, TRIES, WAITS
from reportgen.errors import OutputError, Problem, SpecError, printable

LARGEST = 20 * 2**20
"""Bytes of a PDF that is attached; many servers refuse more."""

_LOGIN = (530, 534, 535)
"""Answers of a server that wants another user name or password (RFC 4954)."""

_REFUSED = f"check user and password in {SERVER}"

_UNTRUSTED = "name the host as its certificate does, or set SSL_CERT_FILE to the authority's"

_ADDRESS = re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}")

_PORTS = {"smtps": 465, "smtp+starttls": 587, "smtp": 25}


@dataclass(frozen=True)
class MailServer:
    """A mail server; user and password are not printed."""

    scheme: str
    host: str
    port: int
    sender: str
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> MailServer:
        """Read the server from the environment.

        Raises:
            SpecError: it is not named, or a password would be sent in the clear.
        """
        hint = f"set {SERVER}, for example to smtps://USER:PASSWORD@HOST:465"
        given = environment.get(SERVER, "")
        try:
            parts = urlsplit(given)
            (parts.hostname or "").encode("idna")
        except ValueError:
            raise SpecError(Problem("no-server", "it is not an address", SERVER, hint)) from None
        if parts.scheme not in _PORTS or not parts.hostname:
            message = (
                "the environment names no mail server" if not given else "it is not an address"
            )
            raise SpecError(Problem("no-server", message, SERVER, hint))
        try:
            port = parts.port or _PORTS[parts.scheme]
        except ValueError:
            hint = "write a / in a password as %2F, a # as %23, a ? as %3F"
            raise SpecError(
                Problem("no-server", "its port is not a number", SERVER, hint)
            ) from None
        if parts.scheme == "smtp" and parts.password:
            message = "a password is sent over TLS only"
            raise SpecError(Problem("no-tls", message, SERVER, "use smtps or smtp+starttls"))
        sender = addresses(environment.get(SENDER) or f"reportgen@{parts.hostname}", SENDER)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(parts.scheme, parts.hostname, port, sender, user, password)


def addresses(text: str, place: str) -> str:
    """Return one or more addresses as they were given.

    Raises:
        SpecError: one of them is none, or the text would begin another line of the mail's head.
    """
    listed = getaddresses([text])
    if text.isprintable() and listed and all(_ADDRESS.fullmatch(one) for _, one in listed):
        return text
    hint = "such as ada@example.org; several with commas"
    raise SpecError(Problem("no-address", "this is not a mail address", place, hint))


def message(
    server: MailServer, to: str, subject: str, text: str, *, key: str, pdf: Path | None = None
) -> EmailMessage:
    """Return a mail; ``key`` makes its Message-ID, by which servers know it again."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = server.sender, to, printable(subject)
    mail["Message-ID"] = f"<{key}@reportgen>"
    mail["Auto-Submitted"] = "auto-generated"
    too_large = pdf is not None and pdf.stat().st_size > LARGEST
    mail.set_content(f"{text}\nThe PDF is too large to attach: {pdf}\n" if too_large else text)
    if pdf is not None and not too_large:
        mail.add_attachment(
            pdf.read_bytes(), maintype="application", subtype="pdf", filename=pdf.name
        )
    return mail


def send(
    server: MailServer, mail: EmailMessage, wait: Callable[[float], None] = time.sleep
) -> None:
    """Send a mail in at most three tries.

    Raises:
        OutputError: the server refused it, or did not answer.
    """
    reason, hint = "", ""
    for number in range(TRIES):
        try:
            _send_once(server, mail)
        except smtplib.SMTPResponseException as error:
            reason = f"it answered {error.smtp_code}"
            if error.smtp_code >= 500:
                hint = _REFUSED if error.smtp_code in _LOGIN else ""
                break
        except smtplib.SMTPRecipientsRefused:
            reason = "it refuses the recipient"
            break
        except ssl.SSLCertVerificationError as error:
            reason, hint = f"its certificate is not trusted ({error.verify_message})", _UNTRUSTED
            break
        except (OSError, smtplib.SMTPException, ValueError) as error:
            reason = f"it did not answer ({type(error).__name__})"
        else:
            return
        if number + 1 < TRIES:
            wait(WAITS[number])
    place = f"{server.scheme}://{server.host}:{server.port}"
    raise OutputError(Problem("not-sent", f"the mail was not accepted: {reason}", place, hint))


def _send_once(server: MailServer, mail: EmailMessage) -> None:
    context = ssl.create_default_context()
    with ExitStack() as stack:
        connection: smtplib.SMTP
        if server.scheme == "smtps":
            secure = smtplib.SMTP_SSL(server.host, server.port, timeout=SECONDS, context=context)
            connection = stack.enter_context(secure)
        else:
            plain = smtplib.SMTP(server.host, server.port, timeout=SECONDS)
            connection = stack.enter_context(plain)
        if server.scheme == "smtp+starttls":
            connection.starttls(context=context)
        if server.user:
            connection.login(server.user, server.password)
        connection.send_message(mail)
