"""A report without a file: from truth and predictions in memory, or from fitted models."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen.builds.arrays import declared
from reportgen.builds.make import FILES, Build, render_again
from reportgen.errors import OutputError, Problem, SpecError
from reportgen.frames import ColumnLike, FrameLike
from reportgen.progress import steps
from reportgen.results import Results, evaluate

_ENDINGS = {Path(file).suffix: name for name, file in FILES.items()}


@dataclass(frozen=True, repr=False)
class Report:
    """A report that no file holds yet: its results, and what can be written of them."""

    results: Results

    def __repr__(self) -> str:
        return repr(self.results)

    def _repr_html_(self) -> str:
        return self.results._repr_html_()

    def picture(self, name: str) -> Any:
        """One chart by its name, such as ``roc``, which a notebook shows."""
        return self.results.picture(name)

    def numbers(self, model: str | None = None) -> dict[str, float]:
        """One value per model and measure: ``Results.numbers``."""
        return self.results.numbers(model)

    def save(self, path: Path | str) -> Path:
        """Write one file, by its ending: .html, .pdf, .json or .md; return its path.

        Raises:
            SpecError: the ending names no format.
            OutputError: it cannot be written.
            RenderError: a PDF where the system libraries are missing.
        """
        from reportgen import render

        target = Path(path)
        name = _ENDINGS.get(target.suffix.lower())
        if name is None:
            message = f"the ending {target.suffix!r} is not a known format"
            hint = f"known endings: {', '.join(_ENDINGS)}"
            raise SpecError(Problem("unknown-format", message, str(target), hint))
        content = {
            "html": lambda: render.html(self.results).encode(),
            "pdf": lambda: render.pdf(self.results),
            "markdown": lambda: render.summary(self.results).encode(),
            "json": lambda: self.results.to_json().encode(),
        }[name]()
        try:
            target.write_bytes(content)
        except OSError as error:
            message = f"cannot write: {error.strerror}"
            raise OutputError(Problem("output", message, str(target))) from None
        return target

    def export(self, folder: Path | str, kinds: Collection[str] | None = None) -> tuple[Path, ...]:
        """Write the report in parts: ``reportgen.exporting.export``."""
        from reportgen.exporting import DEFAULT_KINDS, export

        return export(self.results, folder, DEFAULT_KINDS if kinds is None else kinds)

    def build(self, out: Path | str = "reports", formats: Collection[str] = tuple(FILES)) -> Build:
        """Publish every format in a folder of its own below ``out``, as ``build`` does."""
        with steps() as on_step:
            return render_again(self.results, out=out, formats=formats, on_step=on_step)


def report(
    truth: ColumnLike | FrameLike,
    models: Mapping[str, Any],
    features: Any = None,
    *,
    columns: Mapping[str, ColumnLike | str] | None = None,
    slices: Mapping[str, ColumnLike] | Sequence[str] = (),
    **options: Any,
) -> Report:
    """Evaluate predictions that are in memory, or fitted models, without any file.

    ``models`` has for each name what the model predicts: scores of the positive class
    or labels; an array with a column per class, in sorted order of the classes, or a
    mapping of classes to columns; estimates of a regression, or a mapping with
    ``estimate``, ``low`` and ``high``. A fitted model (with ``predict_proba``,
    ``decision_function`` or ``predict``) predicts the rows of ``features``. Of several
    labels, a model has a column for each: scores, or decisions.

    ``columns`` are further columns by their use (``id``, ``fold``, ``group``, ``time``,
    ``weight`` and so on), ``slices`` subgroups; both may be named as columns of
    ``features``. ``options`` are keys of a spec: ``positive``, ``baseline``, ``costs``,
    ``gates``, ``title`` and the others. The task follows from truth and predictions
    unless ``task`` names it.

    Args:
        truth: the truth of each row: classes or numbers; of several labels a table, a mapping
            or an array with a column of yes or no for each.
        models: what each model predicts, or the fitted model, by its name.
        features: the rows that fitted models predict.
        columns: further columns by their use, such as ``id``, ``group`` or ``weight``.
        slices: columns of subgroups.
        **options: further keys of a spec, such as ``positive``, ``costs`` or ``gates``.

    Returns:
        The report: its numbers, its charts, and the files that it can be written to.

    Raises:
        SpecError, DataError: what is given cannot be read in one way.
        EmptyError, UndefinedError: as ``evaluate``.

    >>> made = report([0, 1, 0, 1], {"forest": [0.1, 0.9, 0.4, 0.3]}, bootstrap={"replicates": 0})
    >>> made.numbers("forest")["auc"]
    0.75
    """
    keys, frame = declared(
        truth, models, features, columns=columns or {}, slices=slices, options=options
    )
    with steps() as on_step:
        on_step("evaluating the predictions")
        return Report(evaluate(keys, frame, on_step=on_step))
