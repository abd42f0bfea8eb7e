"""Ready jobs for GitHub Actions and GitLab CI: nightly builds, and reports on each request."""

from __future__ import annotations

import json
import shlex
from functools import cache, partial
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from reportgen.delivery.comments import Service
from reportgen.delivery.notice_settings import variables
from reportgen.delivery.schedule import Schedule
from reportgen.errors import Problem, SpecError
from reportgen.resources import TEMPLATES

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
