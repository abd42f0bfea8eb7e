"""Commands that publish a report: demo, build, render."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen import interrupts
from reportgen.builds import channel
from reportgen.cli import faults, outcomes
from reportgen.cli.ci import reported_to_ci
from reportgen.cli.notifying import notifying
from reportgen.cli.options import (
    Handler,
    OneOf,
    Settings,
    common,
    limited,
    reading,
    set_keys,
    text_of,
)
from reportgen.cli.outcomes import GATE_FAILED, BuildSummary, SpecOutcome
from reportgen.errors import DataError, Problem, ReportgenError, printable
from reportgen.resources import LANGUAGES

if TYPE_CHECKING:
    from reportgen.builds import Build
    from reportgen.results import Results
    from reportgen.tables.results import GateRow


_path = click.Path(path_type=Path)
_FORMATS = OneOf(["html", "pdf", "json", "markdown"])


def _split(context: click.Context, option: click.Parameter, given: Sequence[str]) -> list[str]:
    """Split what is separated by commas; each part once, in order. ``md`` is markdown."""
    names = [name.strip() for text in given for name in text.split(",")]
    names = ["markdown" if name == "md" else name for name in names]
    return list(dict.fromkeys(_FORMATS.convert(name, option, context) for name in names))


_format = click.option(
    "--format",
    "formats",
    multiple=True,
    callback=_split,
    metavar="FORMAT,...",
    help="Write html, pdf, json or markdown (or md); several with commas, or with the option "
    "repeated. "
    "[default: those of the spec]",
)


def _out(help_text: str, default: Path | None = None) -> Callable[[Handler], Handler]:
    shown = default is not None
    return click.option("--out", type=_path, default=default, show_default=shown, help=help_text)


@click.command()
@_out("Folder of the builds.", Path("reports"))
@_format
@limited
@common
def demo(settings: Settings, out: Path, formats: Sequence[str]) -> int:
    """Build the report of the bundled example.

    \b
    Example:
      reportgen demo
    """
    from reportgen.resources import EXAMPLES

    return _all(settings, [EXAMPLES / "breast_cancer" / "report.yaml"], out, (), formats)


def _expanded(
    _context: click.Context, _option: click.Parameter, specs: Sequence[Path]
) -> list[Path]:
    """Expand patterns, which timers pass on as they are."""
    result: list[Path] = []
    for spec in specs:
        if not has_magic(str(spec)) or spec.exists():
            result.append(spec)
            continue
        matching = sorted(map(Path, glob(str(spec), recursive=True)))
        if not matching:
            raise click.BadParameter(f"no file matches {str(spec)!r}")
        result += [path for path in matching if path not in result]
    return result


def _since_1900(
    _context: click.Context, _option: click.Parameter, date: dt.datetime | None
) -> dt.datetime | None:
    """Refuse dates of which parts of a name would have fewer digits than others."""
    if date is not None and date.year < 1900:
        raise click.BadParameter(f"{date.date()} is before 1900-01-01")
    return date


@click.command()
@click.argument("specs", nargs=-1, required=True, type=_path, metavar="SPEC...", callback=_expanded)
@_out("Folder of the builds. [default: the spec's output directory, beside the spec]")
@set_keys
@click.option(
    "--from",
    "counts",
    multiple=True,
    metavar="FILE",
    help=(
        "Add up this file of `reportgen count` instead of reading rows; may be a pattern, and may "
        "be repeated."
    ),
)
@click.option(
    "--date",
    type=click.DateTime(["%Y-%m-%d"]),
    callback=_since_1900,
    help="Logical date of the build. [default: today in UTC]",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many specs to build at the same time.",
)
@_format
@click.option(
    "--export",
    "export_to",
    type=_path,
    metavar="DIR",
    help="Write the numbers, charts and tables of each report to DIR/NAME as well: see `reportgen "
    "export`.",
)
@reported_to_ci
@notifying
@reading
@limited
@common
def build(
    settings: Settings,
    specs: Sequence[Path],
    out: Path | None,
    overrides: Sequence[str],
    counts: Sequence[str],
    date: dt.datetime | None,
    formats: Sequence[str],
    export_to: Path | None,
    **options: Any,
) -> int:
    """Evaluate specs and publish their reports.

    Each goes to OUT/NAME/ID/, where NAME is the spec's, and OUT/NAME/latest points
    to the newest build of the latest date. Where a build of the same date
    has the same inputs, nothing is done. The exit code is 1 when a gate fails (the
    report is written) and 2 or more when a report could not be built; of several
    specs the worst counts, and a failure of one does not stop the others. A spec
    may read files in its own folder and below.

    \b
    Example:
      reportgen build report.yaml --set threshold=0.3 --format html,json
      reportgen build report.yaml --from east.counts --from west.counts
      reportgen build specs/*.yaml --out reports --jobs 4
    """
    if counts:
        overrides = [*overrides, _data_of(counts, specs)]
    day = date.date() if date else None
    # --jobs is read by the process that starts one for each spec
    roots = options["allowed_roots"]
    return _all(settings, specs, out, overrides, formats, roots, day, export_to)


def _data_of(counts: Sequence[str], specs: Sequence[Path]) -> str:
    """The key of a spec that names files of counts, from its folder where they lie in it."""
    if len(specs) > 1:
        raise click.UsageError("--from: counts are those of one spec; name one")
    for name in counts:
        if not name.endswith(".counts") and not has_magic(name):
            raise click.UsageError(
                f"--from: {name!r} is no file of counts; its name ends in .counts"
            )
    folder = specs[0].absolute().parent
    paths = [Path(name).absolute() for name in counts]
    names = [str(p.relative_to(folder) if p.is_relative_to(folder) else p) for p in paths]
    return f"data={json.dumps(names)}"


@click.command()
@click.argument("results", type=_path)
@_out("Folder of the builds.", Path("reports"))
@_format
@click.option(
    "--language",
    type=OneOf(LANGUAGES),
    help="Write the pages in this language.  [default: that of the spec]",
)
@limited
@common
def render(
    settings: Settings, results: Path, out: Path, formats: Sequence[str], language: str | None
) -> int:
    """Publish a report again from its results.json alone.

    \b
    Example:
      reportgen render reports/breast-cancer/latest/results.json --out again --format pdf
      reportgen render reports/breast-cancer/latest/results.json --out chinese --language zh
    """
    from reportgen.builds import FILES, render_again
    from reportgen.builds.stored import refuse_own_builds
    from reportgen.results import Results

    refuse_own_builds(results, out)
    text = text_of(results, "name the results.json of a build")
    with settings.progress() as on_step, _of_edited(results, text):
        stored_results = Results.from_json(text, str(results))
        if language is not None:
            spec = {**stored_results.spec, "language": language}
            stored_results = replace(stored_results, spec=spec)
        done = render_again(
            stored_results, out=out, formats=formats or tuple(FILES), on_step=on_step
        )
    return outcomes.tell(settings, [_outcome(settings, results, done)])


@contextmanager
def _of_edited(path: Path, text: str) -> Iterator[None]:
    """Tell what goes wrong with results as theirs, unless they are as they were published."""
    try:
        yield
    except (ReportgenError, OSError, MemoryError, click.ClickException, click.exceptions.Exit):
        raise
    except Exception as error:
        if _is_published(path, text):
            raise
        message = f"these results are inconsistent ({type(error).__name__})"
        hint = "build the report again; its results are not meant to be edited"
        raise DataError(Problem("results-json", message, str(path), hint)) from error


def _is_published(path: Path, text: str) -> bool:
    """Whether the manifest beside a file has its hash."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    try:
        return digest in path.with_name("manifest.json").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False


def _all(
    settings: Settings,
    specs: Sequence[Path],
    out: Path | None,
    overrides: Sequence[str],
    formats: Sequence[str],
    allowed_roots: Sequence[Path] | None = (),
    date: dt.date | None = None,
    export_to: Path | None = None,
) -> int:
    """Build every spec; one that cannot be built does not keep the others from it."""
    from reportgen.builds import build as build_one
    from reportgen.spec import naming, read

    place = channel.only()
    if place is None:
        naming.refuse_shared_names(specs, out, overrides)
    done: list[SpecOutcome] = []
    for path in specs if place is None else [specs[place]]:
        name = naming.name_of(path)
        try:
            with settings.progress() as say_step:
                spec = read(path, overrides, allowed_roots=allowed_roots)
                name = spec.name
                on_step = steps_in(spec.language, say_step)
                one = build_one(spec, out=out, formats=formats or None, date=date, on_step=on_step)
                if export_to is not None:
                    on_step("exporting the report")
                    one.export(export_to / one.name)
        except ReportgenError as error:
            interrupts.check()
            if place is not None:
                failed = outcomes.not_built(path, name, error.exit_code, error.problems)
                channel.report(asdict(failed))
            if len(specs) == 1 or place is not None:
                raise
            code = faults.tell(error, settings.style)
            done.append(outcomes.not_built(path, name, code, error.problems))
        else:
            done.append(_outcome(settings, path, one))
    if place is None:
        return outcomes.tell(settings, done)
    channel.report(asdict(done[0]))
    return done[0].exit


def _outcome(settings: Settings, spec: Path, one: Build) -> SpecOutcome:
    """Tell what a person should know of a build; return what it came to."""
    into = in_language(one.results)
    if one.unchanged:
        text = f"{one.name}: nothing to do, {one.date} was built from the same inputs"
        settings.notice(into(text))
    for problem in one.notices:
        settings.warn(into(str(problem)))
    for check in one.results.data.get("checks") or ():
        if check.get("warning"):
            settings.notice(into(f"warning: {check['name']}: {check['detail']}"))
    for gate in one.gates("inconclusive"):
        settings.notice(into(f"gate inconclusive: {_observed(gate)}"))
    for gate in one.gates("fail"):
        settings.warn(into(f"gate failed: {_observed(gate)}"))
    decision = one.results.decision
    conclusion = (decision.state_text, decision.headline)
    summary, printed = (printable(" · ".join(one)) for one in (conclusion, map(into, conclusion)))
    text = "\n".join([printed, *map(str, one.files.values())])
    code = GATE_FAILED if _is_failed(one) else 0
    return SpecOutcome(str(spec), one.name, code, summary, text, build=_plain(one), printed=printed)


def _is_failed(one: Build) -> bool:
    """Whether a gate is in a state that the spec has the command fail on; values have no gates."""
    if one.results.task.of_values:
        return False
    counts = one.results.decision.gates
    states = {"fail": counts.failed, "inconclusive": counts.inconclusive}
    return any(states[state] for state in one.results.declared.fail_on or ("fail",))


def _plain(one: Build) -> BuildSummary:
    from reportgen.records.rows import rows_of
    from reportgen.tables.results import GateRow

    return {
        "name": one.name,
        "title": one.results.title,
        "date": one.date.isoformat(),
        "path": str(one.path),
        "unchanged": one.unchanged,
        "files": {name: str(path) for name, path in one.files.items()},
        "decision": asdict(one.results.decision),
        "gates": rows_of(one.results.gates, GateRow),
        "notices": [problem.to_dict() for problem in one.notices],
    }


def _observed(gate: GateRow) -> str:
    """A gate with what was observed, and what there is to say of earlier builds."""
    from reportgen.delivery.junit import with_interval
    from reportgen.records.gate_rows import name_of

    name = printable(name_of(gate))
    texts = []
    if gate["observed"] is not None:
        texts.append(with_interval(gate))
    texts += [gate["why"]] if gate["why"] else []
    if (gate["night"] or 0) > 1:
        texts.append(f"same alarm, night {gate['night']:.0f}")
    return f"{name} ({', '.join(texts)})"


def steps_in(language: str, on_step: Callable[[str], None]) -> Callable[[str], None]:
    """Return what shows the steps of a build in a language.

    >>> steps_in("zh", print)("publishing")
    发布
    """
    from reportgen.translation import ENGLISH, translator

    if language == ENGLISH:
        return on_step
    into = translator(language, ())
    return lambda step: on_step(into.text(step))


def in_language(results: Results) -> Callable[[str], str]:
    """Return what puts a message about results into their language; files stay in English."""
    from reportgen.translation import ENGLISH

    plain = not results.declared.unit and "averaged" not in results.data
    if results.declared.language == ENGLISH and plain:
        return str
    from reportgen.render.pages import translation

    into = translation(results)
    return str if into is None else into.text
