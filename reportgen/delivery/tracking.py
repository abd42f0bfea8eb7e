"""Copy a published build to where reports are kept: MLflow, a folder, an object store.

A copy has every file of the build, byte for byte, so that ``reportgen verify`` holds there
too. A copy that is there already is not made again.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import polars as pl

from reportgen.builds.make import FILES
from reportgen.builds.manifest import NAME, Manifest
from reportgen.builds.publish import naming_faults
from reportgen.builds.stored import manifest_of
from reportgen.errors import DataError, OutputError, Problem, SpecError
from reportgen.metric_names import joined
from reportgen.records.gate_rows import name_of
from reportgen.records.rows import rows_of
from reportgen.results import Results
from reportgen.tables.results import GateRow

OBJECTS = ("s3://", "gs://", "az://")

_BUILD_TAG = "reportgen.build"
_ODD = re.compile(r"[^\w\-. /]")
_AT_ONCE = 1000


def log(build: Path | str, to: str) -> str:
    """Copy a build; return where it is now.

    Args:
        build: The folder of a build.
        to: ``mlflow`` or ``mlflow:EXPERIMENT`` (the server is ``MLFLOW_TRACKING_URI``), an
            address such as ``s3://bucket/reports`` (credentials come from the environment),
            or a folder.

    Raises:
        DataError: the build cannot be read.
        SpecError: a library is missing.
        OutputError: it cannot be written there.
    """
    build = Path(build).resolve()
    manifest = _manifest(build)
    if not to.strip():
        raise OutputError(Problem("not-stored", "no destination is named"))
    if to.partition(":")[0] == "mlflow":
        return _to_mlflow(build, manifest, to.partition(":")[2] or manifest["name"])
    if to.startswith(OBJECTS):
        return _to_objects(build, manifest, to)
    return _to_folder(build, manifest, Path(to))


def _manifest(build: Path) -> Manifest:
    manifest = manifest_of(build)
    name, date = manifest.get("name"), manifest.get("date")
    is_name = isinstance(name, str) and name == Path(name).name and name not in ("", "..")
    if not is_name or not isinstance(date, str):
        message = "this is not the folder of a build"
        raise DataError(Problem("no-manifest", message, str(build)))
    return manifest


def _to_folder(build: Path, manifest: Manifest, root: Path) -> str:
    if root.resolve().is_relative_to(build):
        message = "a build cannot be copied into its own folder"
        raise OutputError(Problem("not-stored", message, str(root), "choose another folder"))
    target = root / manifest["name"] / build.name
    if target.exists():
        return str(target)
    with naming_faults(root):
        target.parent.mkdir(parents=True, exist_ok=True)
        stage = Path(mkdtemp(prefix=".copying-", dir=target.parent))
        try:
            shutil.copytree(build, stage, dirs_exist_ok=True)
            stage.chmod(0o755)
            stage.rename(target)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    return str(target)


def _to_objects(build: Path, manifest: Manifest, root: str) -> str:
    try:
        from obstore.exceptions import BaseError
        from obstore.store import from_url
    except ImportError:
        raise _missing("obstore", "objects") from None
    target = f"{root.rstrip('/')}/{manifest['name']}/{build.name}"
    # the manifest goes last: where it is, all of the build is
    files = sorted(build.iterdir(), key=lambda path: (path.name == NAME, path.name))
    try:
        store = from_url(target)
        for path in files:
            store.put(path.name, path)
    except (BaseError, OSError, ValueError) as error:
        reason = f"it was not accepted ({type(error).__name__})"
        raise OutputError(Problem("not-stored", reason, target)) from error
    return target


def _to_mlflow(build: Path, manifest: Manifest, experiment: str) -> str:
    try:
        from mlflow.exceptions import MlflowException
        from mlflow.tracking import MlflowClient
    except ImportError:
        raise _missing("mlflow-skinny", "mlflow") from None
    try:
        with redirect_stdout(sys.stderr):  # MLflow prints where to view a run
            return _run(MlflowClient(), build, manifest, experiment)
    except (MlflowException, OSError) as error:
        reason = f"MLflow did not accept it ({type(error).__name__})"
        hint = "is MLFLOW_TRACKING_URI right?"
        raise OutputError(Problem("not-stored", reason, hint=hint)) from error


def _run(client: Any, build: Path, manifest: Manifest, name: str) -> str:
    """Log a finished run; one that was left unfinished, by a kill, is deleted first."""
    from mlflow.entities import Metric

    present = client.get_experiment_by_name(name)
    experiment = present.experiment_id if present else client.create_experiment(name)
    for run in client.search_runs([experiment], f"tags.`{_BUILD_TAG}` = '{build.name}'"):
        if run.info.status == "FINISHED":
            return str(run.info.run_id)
        client.delete_run(run.info.run_id)
    tags = {_BUILD_TAG: build.name, "reportgen.date": manifest["date"]}
    run = client.create_run(experiment, tags=tags, run_name=f"{manifest['name']} {build.name}")
    run_id = str(run.info.run_id)
    results = _results(build)
    if results is not None:
        decision = results.decision
        client.set_tag(run_id, "reportgen.state", decision.state)
        client.set_tag(run_id, "mlflow.note.content", decision.headline)
        for gate in rows_of(results.gates, GateRow):
            client.set_tag(run_id, _key(f"gate {name_of(gate)}"), gate["state"])
        created = run.info.start_time
        logged = [Metric(key, value, created, 0) for key, value in _numbers(results)]
        for start in range(0, len(logged), _AT_ONCE):
            client.log_batch(run_id, metrics=logged[start : start + _AT_ONCE])
    client.log_artifacts(run_id, str(build))
    client.set_terminated(run_id)
    return run_id


def _results(build: Path) -> Results | None:
    path = build / FILES["json"]
    if not path.exists():
        return None
    try:
        return Results.from_json(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError:
        raise DataError(Problem("results-json", "these are no results", str(path))) from None


def _numbers(results: Results) -> Iterator[tuple[str, float]]:
    """Values of whole models, and their limits, as ``forest.auc`` and ``forest.auc.low``."""
    whole = results.metrics.filter(pl.col("slice").is_null(), pl.col("class").is_null())
    for row in whole.iter_rows(named=True):
        name = f"{row['model']}.{joined(row['metric'], row['average'])}"
        for end, column in (("", "value"), (".low", "low"), (".high", "high")):
            if row[column] is not None:
                yield _key(name + end), row[column]


def _key(name: str) -> str:
    """Return a name that MLflow takes: letters, digits, and - _ . / and blanks, at most 250."""
    return _ODD.sub("_", name)[:250]


def _missing(library: str, extra: str) -> SpecError:
    hint = f"pip install 'reportgen-eval[{extra}]'"
    return SpecError(Problem("no-library", f"{library} is not installed", hint=hint))
