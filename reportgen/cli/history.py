"""Commands on the builds of a folder: history, accept, prune, index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from reportgen.cli.options import Settings, common, out_of_builds
from reportgen.errors import DataError, Problem, SpecError, printable

if TYPE_CHECKING:
    from reportgen.builds.trends import NumberOfBuild


@click.command()
@click.argument("spec", required=False)
@click.option(
    "--number", metavar="MODEL.METRIC", help=("Show the trend of this number, with its interval.")
)
@out_of_builds
@common
def history(settings: Settings, spec: str | None, number: str | None, out: Path) -> None:
    """List specs, or the builds of one and the trend of a number.

    SPEC is the file of a spec, its name, or the folder of its builds; a file says itself where its
    builds are, unless --out does. Of several builds of one date the last one counts. Five or more
    builds of different rows are tested for a trend over time.

    \b
    Example:
      reportgen history breast-cancer --number forest.auc
    """
    from reportgen.builds import address, trends
    from reportgen.text.numbers import plural

    if spec is None:
        lines = [one for one in map(trends.listed, address.spec_folders(out)) if one is not None]
        text = [
            f"{one['name']}: {one['date']}  {one['state_text'] or '–'}  "
            f"({plural(one['builds'], 'build')})"
            for one in lines
        ]
        settings.result({"specs": lines}, "\n".join(text) or f"no builds in {out}")
        return
    folder = _folder(spec, out)
    builds = trends.trend(folder, number)
    if not builds:
        raise _no_builds(folder)
    line = trends.line(folder, builds)
    shown = [*map(_line, builds), *([] if line is None else [line["text"]])]
    settings.result({"builds": builds, "line": line}, "\n".join(shown))


def _folder(given: str, out: Path) -> Path:
    """The folder of the builds of a spec, which may be given as its file: then it names it."""
    from reportgen.spec.naming import declared

    spec = Path(given)
    if (out / spec).is_dir():  # by its name, also where the working folder has one of that name
        return out / spec
    if spec.is_dir():
        return spec
    if not spec.is_file():
        return out / spec
    name, directory = declared(spec)
    stated = click.get_current_context().get_parameter_source("out") is not ParameterSource.DEFAULT
    return (out if stated else spec.parent / directory) / name


def _no_builds(folder: Path) -> DataError:
    from reportgen.builds import address
    from reportgen.spec.nearest import listing

    names = listing(one.name for one in address.spec_folders(folder.parent))
    hint = "--out names another folder" + (f"; this one has builds of {names}" if names else "")
    message = f"there are no builds of {folder.name!r}"
    return DataError(Problem("no-build", message, str(folder.parent), hint))


def _line(build: NumberOfBuild) -> str:
    shown = [build["date"], build["id"], f"{build['state'] or '–':<12}"]
    if build["value"] is not None:
        limits = "" if build["low"] is None else f" ({build['low']:.4f} to {build['high']:.4f})"
        shown.append(f"{build['number']} {build['value']:.4f}{limits}")
    shown += [f"[{', '.join(build['marks'])}]"] if build["marks"] else []
    return printable("  ".join(shown))


@click.command()
@click.argument("build")
@click.option("--because", required=True, metavar="TEXT", help="Why this level is accepted.")
@out_of_builds
@common
def accept(settings: Settings, build: str, because: str, out: Path) -> None:
    """Accept a build as the level that later ones are compared with.

    Gates against ``accepted`` compare with it until a newer build raises no alarm, and the
    window of ``within history`` restarts with it.

    \b
    Example:
      reportgen accept reports/breast-cancer/latest --because "new scanner since May"
    """
    from dataclasses import asdict

    from reportgen.builds import acceptance, address

    level = acceptance.accept(address.find_build(build, out), because)
    settings.result(asdict(level), f"accepted {level.build} ({level.date}): {level.because}")


@click.command()
@click.argument("specs", nargs=-1, metavar="[SPEC...]")
@click.option("--last", type=click.IntRange(min=0), help="How many of the newest builds to keep.")
@click.option("--daily", type=click.IntRange(min=0), help="For how many dates to keep a build.")
@click.option("--monthly", type=click.IntRange(min=0), help="For how many months to keep a build.")
@click.option(
    "--delete", is_flag=True, help=("Remove the other builds; without it they are only listed.")
)
@out_of_builds
@common
def prune(
    settings: Settings,
    specs: Sequence[str],
    last: int | None,
    daily: int | None,
    monthly: int | None,
    delete: bool,
    out: Path,
) -> None:
    """List or delete the builds that retention does not keep.

    What is kept is given by options, else by ``keep:`` in the spec of the latest build. The latest
    build, accepted levels and other files always stay. Numbers of removed builds stay in the
    history.

    SPEC is the file of a spec, its name, or the folder of its builds; without one, the builds of
    all specs are looked at.

    \b
    Example:
      reportgen prune --last 30 --monthly 12 --delete
    """
    from reportgen.builds import address, retention
    from reportgen.spec.repeated import Keep
    from reportgen.text.numbers import plural

    given = {"last": last, "daily": daily, "monthly": monthly}
    keep = Keep(**{key: value for key, value in given.items() if value is not None})
    policy = keep if any(given.values()) else None
    if policy is None and any(value is not None for value in given.values()):
        raise SpecError(Problem("usage", "nothing would be kept", hint="for example --last 30"))
    folders = [_folder(spec, out) for spec in specs] or address.spec_folders(out)
    if absent := [folder for folder in folders if not folder.is_dir()]:
        raise _no_builds(absent[0])
    results = [retention.prune(folder, policy, dry_run=not delete) for folder in folders]
    verb = "removed" if delete else "would remove"
    lines = [
        f"{one.folder.name}: {verb} {len(one.removed)} of "
        f"{plural(len(one.removed) + len(one.kept), 'build')}, {one.bytes / 1e6:.1f} MB"
        for one in results
    ]
    plain = [
        {
            "spec": one.folder.name,
            "removed": list(one.removed),
            "kept": list(one.kept),
            "bytes": one.bytes,
        }
        for one in results
    ]
    settings.result({"deleted": delete, "specs": plain}, "\n".join(lines) or f"no builds in {out}")


@click.command()
@out_of_builds
@common
def index(settings: Settings, out: Path) -> None:
    """Rewrite the index of a folder: index.html, feed.xml, badges.

    Every build does so by itself; this is for folders that were moved or edited.

    \b
    Example:
      reportgen index --out reports
    """
    from reportgen.builds import index as pages
    from reportgen.builds.publish import naming_faults

    with naming_faults(out):
        written = pages.update(out)
    text = "\n".join(map(str, written)) or "nothing has changed"
    settings.result({"written": [str(path) for path in written]}, text)
