"""The options of ``build`` that send notices."""

from __future__ import annotations

import datetime as dt
import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli.options import BuildOptions, Handler, OneOf, Settings
from reportgen.cli.outcomes import SpecOutcome
from reportgen.delivery.notice_settings import APPRISE, WEBHOOK
from reportgen.errors import LockedError, OutputError, Problem, SpecError

if TYPE_CHECKING:
    from reportgen.delivery.notices import Notice, Send

OPTIONS = ("notify", "mail", "webhook", "apprise", "dry_run")


def notifying(command: Handler) -> Handler:
    """Give a command the options of notices; the process that started it heeds them."""

    @click.option(
        "--notify",
        type=OneOf(["failure", "change", "always", "weekly"]),
        help="Send a notice: of failures, of a changed state, of every build, or once a week.",
    )
    @click.option("--mail", multiple=True, metavar="ADDRESS", help="Mail the notice, with the PDF.")
    @click.option("--webhook", is_flag=True, help=f"Post the notice to the address in {WEBHOOK}.")
    @click.option("--apprise", is_flag=True, help=f"Send the notice to the addresses in {APPRISE}.")
    @click.option("--dry-run", is_flag=True, help="Print notices instead of sending them.")
    @functools.wraps(command)
    def without_notices(**options: Any) -> int | None:
        own_options = {name: value for name, value in options.items() if name not in OPTIONS}
        return command(**own_options)

    return without_notices


def is_requested(options: BuildOptions) -> bool:
    """Whether a command line asks for notices."""
    return options["notify"] is not None


def check(options: BuildOptions) -> None:
    """Refuse options that could send nothing, before anything is built; a dry run sends nothing.

    Raises:
        SpecError: no target, or the environment lacks what one needs.
    """
    if is_requested(options) and not options["dry_run"]:
        _targets(options)


def tell(settings: Settings, options: BuildOptions, outcomes: Sequence[SpecOutcome]) -> int:
    """Send what is due; return 8 where a notice was not accepted, else 0.

    A build that gave way to another one of its spec is reported by that one.
    """
    from reportgen.delivery import notices

    when = options["notify"]
    if when is None:
        return 0
    outcomes = [one for one in outcomes if one.exit != LockedError.exit_code]
    targets = {} if options["dry_run"] else _targets(options)
    today = options["date"].date() if options["date"] else dt.datetime.now(dt.UTC).date()
    pending = [(_notice(one, today), _folder(one, options)) for one in outcomes]
    if when == "weekly" and pending:
        bad = sum(one.exit != 0 for one in outcomes)
        root = pending[0][1].parent
        pending = [(notices.digest(root.name, today, [o.line for o in outcomes], bad), root)]
    code = 0
    for notice, folder in pending:
        if options["dry_run"]:
            settings.notice(f"notice: {notice.subject}")
            continue
        sent, refused = notices.deliver(notice, folder, when, targets)
        if sent:
            settings.notice(f"notice sent: {notice.subject}")
        for error in refused:
            settings.warn(str(error))
            code = OutputError.exit_code
    return code


def _targets(options: BuildOptions) -> dict[str, Send]:
    targets: dict[str, Send] = {address: _mail(address) for address in options["mail"]}
    if options["webhook"]:
        targets["webhook"] = _webhook(_variable(WEBHOOK))
    if options["apprise"]:
        targets["apprise"] = _apprise(_variable(APPRISE).split())
    if not targets:
        hint = "add --mail ADDRESS, --webhook or --apprise"
        raise SpecError(Problem("no-target", "--notify needs a destination", hint=hint))
    return targets


def _variable(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise SpecError(Problem("no-variable", "it is not set in the environment", name))
    return value


def _mail(address: str) -> Send:
    from reportgen.delivery import mail

    server = mail.MailServer.from_environment(os.environ)
    mail.addresses(address, "--mail")

    def send(notice: Notice) -> None:
        key = notice.key(address)
        text = mail.message(server, address, notice.subject, notice.text, key=key, pdf=notice.pdf)
        mail.send(server, text)

    return send


def _webhook(url: str) -> Send:
    from reportgen.delivery import requests

    def escaped(text: str) -> str:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    def send(notice: Notice) -> None:
        body = {"text": escaped(f"{notice.subject}\n{notice.text}")}
        requests.send("POST", url, body=body)

    requests.host(url)
    return send


def _apprise(urls: Sequence[str]) -> Send:
    try:
        import apprise
    except ImportError:
        hint = "pip install 'reportgen-eval[apprise]'"
        raise SpecError(Problem("no-library", "apprise is not installed", hint=hint)) from None
    service = apprise.Apprise()
    if not all(service.add(url) for url in urls):
        raise SpecError(Problem("no-target", "apprise does not know an address", APPRISE))

    def send(notice: Notice) -> None:
        attached = str(notice.pdf) if notice.pdf else None
        if not service.notify(title=notice.subject, body=notice.text, attach=attached):
            raise OutputError(Problem("not-sent", "a service did not accept the notice", APPRISE))

    return send


def _notice(outcome: SpecOutcome, today: dt.date) -> Notice:
    from reportgen.delivery.notices import Notice

    build = outcome.build
    if build is None:
        text = "\n".join([outcome.summary, *outcome.problems, ""])
        return Notice(outcome.name, today, "not built", outcome.line, text)
    from reportgen.records.gate_rows import name_of

    gates = [f"{gate['state']:<12} {name_of(gate)}" for gate in build["gates"]]
    text = "\n".join([build["title"], outcome.summary, "", *gates, "", build["path"], ""])
    pdf = Path(build["files"]["pdf"]) if "pdf" in build["files"] else None
    state, date = build["decision"]["state"], dt.date.fromisoformat(build["date"])
    return Notice(outcome.name, date, state, outcome.line, text, pdf)


def _folder(outcome: SpecOutcome, options: BuildOptions) -> Path:
    if outcome.build is not None:
        return Path(outcome.build["path"]).parent
    root: Path = options["out"] or Path(outcome.spec).parent / "reports"
    return root / outcome.name
