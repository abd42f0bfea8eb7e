"""Schedules and jobs that build reports: systemd, cron, GitHub Actions and GitLab CI.

Each is text that the program in question reads; nothing is installed here. Times are
UTC unless a time zone is given, and a time of day that its zone skips or repeats when
the clocks change is refused.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, partial
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from reportgen.delivery.comments import Service
from reportgen.delivery.installing import MARK
from reportgen.delivery.notice_settings import variables
from reportgen.errors import Problem, SpecError
from reportgen.resources import TEMPLATES

Every = Literal["hour", "day", "week", "month"]

_CALENDAR: Mapping[Every, str] = {
    "hour": "*-*-* *:{minute:02}:00",
    "day": "*-*-* {hour:02}:{minute:02}:00",
    "week": "Mon *-*-* {hour:02}:{minute:02}:00",
    "month": "*-*-01 {hour:02}:{minute:02}:00",
}
_CRON: Mapping[Every, str] = {
    "hour": "{minute} * * * *",
    "day": "{minute} {hour} * * *",
    "week": "{minute} {hour} * * 1",
    "month": "{minute} {hour} 1 * *",
}
_DAYS_CHECKED = 2 * 366


@dataclass(frozen=True)
class Schedule:
    """When which specs are built, and where.

    Attributes:
        specs: Paths of specs, as the command line gives them; a shell expands patterns.
        every: How often; weekly on Mondays, monthly on the first.
        at: Time of day; of an hourly schedule the minute alone counts.
        timezone: Name in the IANA database.
        folder: The folder that the command runs in.
        program: How ``reportgen`` is started there.
        out: The folder of the builds.
        name: What timers and jobs are named after.
        options: Further options of ``reportgen build``.

    Raises ``SpecError`` for an unknown zone, and for a time that the zone skips or repeats.
    """

    specs: Sequence[str]
    every: Every = "day"
    at: time = time(3, 17)
    timezone: str = "UTC"
    folder: str = "."
    program: str = "reportgen"
    out: str = "reports"
    name: str = "reportgen"
    options: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse what no timer could keep."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", self.name):
            hint = "letters, digits, - and _"
            raise SpecError(Problem("name", f"{self.name!r} cannot name a schedule", hint=hint))
        if self.every != "hour":
            _check_time(self.at, _zone(self.timezone))

    @property
    def words(self) -> list[str]:
        """The command line of the build."""
        return [self.program, "build", *self.specs, "--out", self.out, *self.options]

    def cron_fields(self) -> str:
        """Return the five fields of the time.

        >>> Schedule(["a.yaml"], at=time(4, 5)).cron_fields()
        '5 4 * * *'
        """
        return _CRON[self.every].format(hour=self.at.hour, minute=self.at.minute)

    def calendar(self) -> str:
        """Return the time as systemd's OnCalendar has it.

        >>> Schedule(["a.yaml"], every="week").calendar()
        'Mon *-*-* 03:17:00 UTC'
        """
        moment = _CALENDAR[self.every].format(hour=self.at.hour, minute=self.at.minute)
        return f"{moment} {self.timezone}"


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"there is no time zone {name!r}"
        raise SpecError(Problem("timezone", message, hint="for example Europe/Berlin")) from None


def _check_time(at: time, zone: ZoneInfo) -> None:
    """Refuse a time of day that a change of the clocks skips or repeats."""
    today = datetime.now(UTC).date()
    for day in (today + timedelta(days) for days in range(_DAYS_CHECKED)):
        how = _odd(day, at, zone)
        if how:
            message = f"{at:%H:%M} {how} on {day} in {zone.key}, when the clocks change"
            raise SpecError(Problem("time", message, hint="choose another time, or UTC"))


def _odd(day: date, at: time, zone: ZoneInfo) -> str:
    local = datetime.combine(day, at, zone)
    if local.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != local.replace(tzinfo=None):
        return "does not exist"
    return "" if local.utcoffset() == local.replace(fold=1).utcoffset() else "comes twice"


def systemd(schedule: Schedule) -> dict[str, str]:
    """Return the service and the timer, by file name."""
    command = " ".join(_systemd_word(word) for word in schedule.words)
    service = f"""\
{MARK} --for systemd`.
[Unit]
Description=Build evaluation reports ({_systemd_text(schedule.name)})

[Service]
Type=oneshot
WorkingDirectory={_systemd_text(schedule.folder)}
ExecStart={command}
Nice=10
TimeoutStartSec=6h
"""
    timer = f"""\
{MARK} --for systemd`.
[Unit]
Description=When evaluation reports are built ({_systemd_text(schedule.name)})

[Timer]
OnCalendar={schedule.calendar()}
Persistent=true

[Install]
WantedBy=timers.target
"""
    return {f"{schedule.name}.service": service, f"{schedule.name}.timer": timer}


def _systemd_text(text: str) -> str:
    return text.replace("%", "%%")


def _systemd_word(word: str) -> str:
    """Quote a word of a command line as systemd.service(5) has it."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{_systemd_text(escaped)}"'


def cron(schedule: Schedule) -> str:
    """Return the lines of a crontab.

    A cron job has no way to know of a time zone of its own but ``CRON_TZ``, which cronie
    reads; other daemons use the machine's zone, and the comment says so.
    """
    command = f"cd {shlex.quote(schedule.folder)} && {shlex.join(schedule.words)}"
    return (
        f"# {schedule.timezone} where the daemon reads CRON_TZ (cronie); "
        "else the machine's time zone\n"
        f"CRON_TZ={schedule.timezone}\n"
        f"{schedule.cron_fields()} {command.replace('%', chr(92) + '%')}\n"
    )


JobKind = Literal["nightly", "review"]

INSTALL = "python -m pip install reportgen-eval"
"""How a job installs the program, unless set otherwise."""


def job(service: Service, kind: JobKind, schedule: Schedule, *, install: str = INSTALL) -> str:
    """Return the YAML of a job.

    Args:
        service: GitHub Actions or GitLab CI.
        kind: ``nightly`` builds by the schedule, ``review`` on every pull or merge request.
        schedule: The specs, and when; its paths are those of the repository.
        install: Command that installs the program.

    Raises:
        SpecError: GitHub is given a time zone, which its schedules do not have.
    """
    if service == "github" and kind == "nightly" and schedule.timezone != "UTC":
        hint = "leave --timezone out, and give --at in UTC"
        message = "schedules of GitHub Actions are in UTC"
        raise SpecError(Problem("timezone", message, hint=hint))
    words = ["reportgen", *schedule.words[1:]]
    return (
        _environment()
        .get_template(f"{service}.yml.j2")
        .render(
            review=kind == "review",
            command="review" if kind == "review" else "schedule",
            name=schedule.name,
            cron=schedule.cron_fields(),
            timezone=schedule.timezone,
            install=install,
            secrets=variables(schedule.options),
            build=" ".join(map(_word, words)),
            out=schedule.out,
            latest=f"{_word(schedule.out)}/*/latest",
        )
    )


def _word(word: str) -> str:
    """Quote a word for a shell in YAML, but leave patterns to the shell.

    >>> _word("specs/*.yaml"), _word("a b.yaml")
    ('specs/*.yaml', "'a b.yaml'")
    """
    if "\n" in word or "${{" in word:
        raise SpecError(Problem("path", f"{word!r} cannot be used in a job", hint="rename it"))
    return "*".join(shlex.quote(part) if part else "" for part in word.split("*"))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES / "ci"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(),  # of HTML alone; these are YAML
        block_start_string="[%",
        block_end_string="%]",
        variable_start_string="[[",
        variable_end_string="]]",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["quoted"] = partial(json.dumps, ensure_ascii=False)  # a scalar of YAML
    return environment
