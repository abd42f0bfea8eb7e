"""Commands that bring reports to people: schedule, review, comment, log."""

from __future__ import annotations

import datetime as dt
import functools
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from reportgen.cli.options import Handler, OneOf, Settings, common, text_of
from reportgen.errors import Problem, SpecError

if TYPE_CHECKING:
    from reportgen.delivery.comments import Service
    from reportgen.delivery.schedule import Every, Schedule

Target = Literal["systemd", "cron", "github", "gitlab"]

_WORKFLOWS = Path(".github/workflows")
_service = OneOf(["github", "gitlab"])


def _words(_context: click.Context, _option: click.Parameter, value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError as error:
        raise click.BadParameter(f"{str(error).lower()}: {value}") from None


def _job(command: Handler) -> Handler:
    """Give a command the options of a job in a repository."""
    for option in (
        click.option("--name", default="reportgen", show_default=True, help="Name of the job."),
        click.option("--out", default="reports", show_default=True, help="Folder of the builds."),
        click.option(
            "--install-with",
            metavar="COMMAND",
            help="How a job installs reportgen; from the package index when left out.",
        ),
        click.option(
            "--with",
            "further",
            default="",
            callback=_words,
            metavar="OPTIONS",
            help="Further options of build, in quotes.",
        ),
    ):
        command = option(command)
    return command


def _timed(command: Handler) -> Handler:
    """Give a command the options of a time, and join them with the specs into ``plan``."""

    @click.option(
        "--every",
        type=OneOf(["hour", "day", "week", "month"]),
        default="day",
        show_default=True,
        help="How often; weekly on Mondays, monthly on the first.",
    )
    @click.option(
        "--at",
        type=click.DateTime(["%H:%M"]),
        default="03:17",
        show_default=True,
        help="Time of day.",
    )
    @click.option("--timezone", default="UTC", show_default=True, help="Time zone of --at.")
    @functools.wraps(command)
    def with_plan(
        *,
        specs: Sequence[str],
        every: Every,
        at: dt.datetime,
        timezone: str,
        name: str,
        out: str,
        further: Sequence[str],
        **options: Any,
    ) -> int | None:
        from reportgen.delivery.schedule import Schedule

        here, program = str(Path.cwd()), _program()
        plan = Schedule(specs, every, at.time(), timezone, here, program, out, name, further)
        return command(plan=plan, **options)

    return with_plan


@click.command()
@click.argument("specs", nargs=-1, metavar="SPEC...")
@click.option(
    "--for",
    "target",
    type=OneOf(["systemd", "cron", "github", "gitlab"]),
    help="Scheduler that starts the builds; with --show all where left out.",
)
@_timed
@_job
@click.option("--install", "action", flag_value="install", help="Install it.")
@click.option("--show", "action", flag_value="show", help="Show what is installed.")
@click.option("--remove", "action", flag_value="remove", help="Remove what is installed.")
@common
def schedule(
    settings: Settings,
    plan: Schedule,
    target: Target | None,
    install_with: str | None,
    action: str | None,
) -> None:
    """Print a schedule that builds reports, or put it in place.

    Timers and cron lines run in the folder that this command is run in. A time that
    the zone skips or repeats when the clocks change is refused.

    \b
    Example:
      reportgen schedule specs/*.yaml --for systemd --at 04:30
      reportgen schedule specs/*.yaml --for cron --with "--notify change --mail me@example.org"
      reportgen schedule specs/*.yaml --for github > .github/workflows/nightly.yml
    """
    if not plan.specs and action not in ("show", "remove"):
        raise SpecError(Problem("usage", "no spec is given", hint="see --help"))
    if target is None and action != "show":
        hint = f"choose one: {', '.join(f'--for {one}' for one in _ACTIONS)}"
        raise SpecError(Problem("usage", "no scheduler is given", hint=hint))
    if action != "remove":
        _warn_of_missing(settings, plan.specs)
    if target is None:
        installed = {name: _ACTIONS[name]("show", plan, install_with) for name in _SHOWN}
        lines = [line for name in _SHOWN if (of := installed[name]) for line in (f"# {name}", *of)]
        settings.result({"show": installed}, "\n".join(lines) or _absent(plan))
        return
    if action is None:
        text = _text(target, plan, install_with)
        settings.result({"schedule": text}, text.rstrip("\n"))
        return
    lines = _ACTIONS[target](action, plan, install_with)
    settings.result({action: lines}, "\n".join(lines) or _absent(plan))


def _absent(plan: Schedule) -> str:
    return f"no schedule named {plan.name!r} is installed (--name)"


def _program() -> str:
    """The program as a timer can start it, which has no search path of a shell."""
    beside = Path(os.path.normpath(sys.executable)).with_name("reportgen")
    return str(beside) if beside.exists() else shutil.which("reportgen") or "reportgen"


def _warn_of_missing(settings: Settings, specs: Sequence[str]) -> None:
    """Name the specs that are not there: a shell passes a pattern on that fits nothing."""
    for spec in specs:
        if not Path(spec).is_file():
            settings.warn(f"warning: {spec}: there is no such spec")


def _text(target: Target, plan: Schedule, install_with: str | None) -> str:
    from reportgen.delivery import schedule

    if target == "systemd":
        return "\n".join(f"# {name}\n{text}" for name, text in schedule.systemd(plan).items())
    if target == "cron":
        return schedule.cron(plan)
    return schedule.job(target, "nightly", plan, install=install_with or schedule.INSTALL)


def _timer(action: str, plan: Schedule, _install_with: str | None) -> list[str]:
    from reportgen.delivery import installing
    from reportgen.delivery.schedule import systemd

    units = systemd(plan)
    if action == "install":
        return [str(path) for path in installing.install_timer(units)]
    if action == "remove":
        return [str(path) for path in installing.remove_timer(plan.name)]
    return _contents([installing.units_folder() / unit for unit in units])


def _crontab(action: str, plan: Schedule, _install_with: str | None) -> list[str]:
    from reportgen.delivery import installing
    from reportgen.delivery.schedule import cron

    if action == "install":
        installing.install_cron(cron(plan), plan.name)
    block = (
        installing.remove_cron(plan.name)
        if action == "remove"
        else installing.crontab_block(installing.crontab(), plan.name)
    )
    return block.splitlines()


def _workflow(action: str, plan: Schedule, install_with: str | None) -> list[str]:
    from reportgen.delivery import installing

    path = _WORKFLOWS / f"{plan.name}.yml"
    if action == "install":
        return [str(one) for one in installing.write({path: _text("github", plan, install_with)})]
    if action == "remove":
        return [str(one) for one in installing.remove([path])]
    return _contents([path])


def _pipeline(_action: str, _plan: Schedule, _install_with: str | None) -> list[str]:
    message = "GitLab reads a pipeline from a single file, which is yours"
    raise SpecError(Problem("usage", message, hint="print the job, and add it to .gitlab-ci.yml"))


_ACTIONS: dict[Target, Callable[[str, Schedule, str | None], list[str]]] = {
    "systemd": _timer,
    "cron": _crontab,
    "github": _workflow,
    "gitlab": _pipeline,
}


_SHOWN: tuple[Target, ...] = ("systemd", "cron", "github")
"""The schedulers in which something may be installed."""


def _contents(paths: Sequence[Path]) -> list[str]:
    return [line for path in paths if path.exists() for line in text_of(path).splitlines()]


@click.command()
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@click.option("--for", "service", type=_service, required=True, help="Where the job runs.")
@_job
@common
def review(
    settings: Settings,
    specs: Sequence[str],
    service: Service,
    name: str,
    out: str,
    further: Sequence[str],
    install_with: str | None,
) -> None:
    """Print a job that reports on every pull or merge request.

    It attaches the PDFs, marks failed gates, and keeps one comment per report.

    \b
    Example:
      reportgen review specs/*.yaml --for github > .github/workflows/review.yml
    """
    from reportgen.delivery.schedule import INSTALL, Schedule, job

    _warn_of_missing(settings, specs)
    plan = Schedule(specs, out=out, name=name, options=further)
    text = job(service, "review", plan, install=install_with or INSTALL)
    settings.result({"job": text}, text.rstrip("\n"))


@click.command()
@click.argument("builds", nargs=-1, required=True, metavar="BUILD...")
@click.option(
    "--on", "service", type=_service, required=True, help="Service that hosts the request."
)
@common
def comment(settings: Settings, builds: Sequence[str], service: Service) -> None:
    """Put summaries of builds into a pull or merge request.

    The comment of an earlier build is changed in place. The request of the job, and the token,
    are read from the variables of the CI server.

    \b
    Example:
      reportgen comment reports/*/latest --on github
    """
    from reportgen.delivery import comments

    request = comments.Request.from_environment(service, os.environ)
    done = {}
    for build in builds:
        done[build] = comments.comment(request, text_of(Path(build) / "summary.md"))
    settings.result(done, "\n".join(f"{how} the comment of {build}" for build, how in done.items()))


@click.command()
@click.argument("build", type=click.Path(path_type=Path))
@click.option("--to", required=True, help="mlflow, mlflow:EXPERIMENT, s3://…, or a folder.")
@common
def log(settings: Settings, build: Path, to: str) -> None:
    """Copy a published build to MLflow, an object store or a folder.

    MLflow gets a run with the numbers, their limits, the state and every file.
    Credentials and the address of the server come from the environment.

    \b
    Example:
      reportgen log reports/breast-cancer/latest --to mlflow
    """
    from reportgen.delivery import tracking

    place = tracking.log(build, to)
    settings.result({"logged": place}, place)
