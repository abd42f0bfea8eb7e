"""Variables of the environment that hold the servers and secrets of notices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SERVER = "REPORTGEN_SMTP"
SENDER = "REPORTGEN_MAIL_FROM"
WEBHOOK = "REPORTGEN_WEBHOOK"
APPRISE = "REPORTGEN_APPRISE"

_OF_OPTIONS: Mapping[str, Sequence[str]] = {
    "--mail": (SERVER, SENDER),
    "--webhook": (WEBHOOK,),
    "--apprise": (APPRISE,),
}


def variables(options: Sequence[str]) -> list[str]:
    """Return the variables that options of ``reportgen build`` read.

    >>> variables(["--notify", "change", "--mail=a@example.org", "--mail", "b@example.org"])
    ['REPORTGEN_SMTP', 'REPORTGEN_MAIL_FROM']
    """
    given = {option.partition("=")[0] for option in options}
    return [name for option, names in _OF_OPTIONS.items() if option in given for name in names]
