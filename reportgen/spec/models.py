"""What a spec may say: a typed field per option, its docstring the text that editors show."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
)

from reportgen.clock import moment
from reportgen.errors import Problem
from reportgen.metric_names import PINBALL_LOSS, of_parameter
from reportgen.spec.base import SpecPart
from reportgen.spec.costs import AnyCosts
from reportgen.spec.document import Place, SpecKeys, Steps
from reportgen.spec.field_types import (
    ByName,
    Encoding,
    Flag,
    Language,
    Measure,
    OneOrMore,
    SpecNumber,
    Text,
    Texts,
    shape,
)
from reportgen.spec.option_groups import (
    Changes,
    Choice,
    Cluster,
    Columns,
    Comparing,
    Intervals,
    Limits,
    Output,
    Privacy,
    Resampling,
    SectionEntry,
)
from reportgen.spec.origin import Origin, Roots
from reportgen.spec.outputs import Models
from reportgen.spec.repeated import Cadence, FailOn, History, Keep
from reportgen.spec.theme import Theme
from reportgen.tasks import TaskName

_DATE = re.compile(r"\{date(?::([%\w-][%\w/-]*))?\}")
"""With a form, which holds no dots: a name never leaves its folder by a date."""


def dated_name(name: str, date: dt.date) -> str:
    """A name with the date in the place of ``{date}``, or in a form of its own.

    >>> dated_name("nights/{date}.parquet", dt.date(2026, 1, 31))
    'nights/2026-01-31.parquet'
    >>> dated_name("{date:%Y/%m}/night-{date:%d}.csv", dt.date(2026, 1, 31))
    '2026/01/night-31.csv'
    >>> dated_name("{date:../../secret}.csv", dt.date(2026, 1, 31))
    '{date:../../secret}.csv'
    """
    return _DATE.sub(lambda match: date.strftime(match[1]) if match[1] else date.isoformat(), name)


Truth = Annotated[
    Annotated[Text, Tag("<scalar>")] | Annotated[ByName, Tag("<mapping>")],
    Discriminator(lambda value: "<mapping>" if shape(value) == "<mapping>" else "<scalar>"),
]
ThresholdSpec = Annotated[
    Annotated[Annotated[SpecNumber, Field(allow_inf_nan=False)], Tag("<scalar>")]
    | Annotated[Choice, Tag("<mapping>")],
    Discriminator(lambda value: "<mapping>" if shape(value) == "<mapping>" else "<scalar>"),
]
Slice = Annotated[
    Annotated[Text, Tag("<scalar>")]
    | Annotated[tuple[Text, ...], Field(min_length=1), Tag("<list>")],
    Discriminator(lambda value: "<list>" if shape(value) == "<list>" else "<scalar>"),
]
Sections = Annotated[
    Annotated[Literal["default"], Tag("<scalar>")]
    | Annotated[tuple[SectionEntry, ...], Field(min_length=1), Tag("<list>")]
    | Annotated[Changes, Tag("<mapping>")],
    Discriminator(shape),
]
Engine = Annotated[
    Annotated[Literal["auto", "exact", "streaming", "dask"], Tag("<scalar>")]
    | Annotated[Cluster, Tag("<mapping>")],
    Discriminator(lambda value: "<mapping>" if shape(value) == "<mapping>" else "<scalar>"),
]
Measures = Annotated[
    Annotated[Literal["core", "all"], Tag("<scalar>")]
    | Annotated[tuple[Measure, ...], Field(min_length=1), Tag("<list>")],
    Discriminator(lambda value: "<list>" if shape(value) == "<list>" else "<scalar>"),
]


class Spec(SpecPart):
    """One model evaluation report: the predictions, the models, and what to say about them."""

    name: Text = Field("", examples=["breast-cancer"])
    """Name of the spec and of the folder of its builds; the stem of its file when left out."""
    title: Text = Field("", examples=["Breast cancer screening, release review"])
    """Title of the report; composed of the models' names when left out."""
    data: OneOrMore = Field(examples=["predictions.parquet", ["a.csv", "b.csv"], "parts/*.parquet"])
    """File with predictions, a list of them, or a pattern; parquet, csv, ipc (arrow), ndjson or
    xlsx. Text may be compressed: .csv.gz, .csv.zst. Relative to the spec, and in its
    folder unless the command line allows another. ``{date}`` is the logical date of the build, and
    ``{date:%Y/%m/%d}`` the same in another form. Also ``duckdb:FILE`` and
    ``postgresql:REPORTGEN_DATABASE`` with ``query``, ``delta:FOLDER`` and ``s3://BUCKET/NAME``."""
    reference: Annotated[OneOrMore, Field(min_length=1)] | None = Field(
        None, examples=["earlier.parquet", ["may.parquet", "june.parquet"]]
    )
    """Predictions of an earlier period, with the same columns: the report says how classes, scores
    and slices shifted since, and what part of a change they explain. Files as under ``data``."""
    query: Text | None = Field(None, examples=["SELECT * FROM predictions WHERE day = '{date}'"])
    """What is read from ``data: duckdb:FILE`` or ``data: postgresql:REPORTGEN_DATABASE``."""
    hive: bool = False
    """Whether folders such as ``site=A`` in the names of data files are columns of their rows."""
    sha256: dict[str, Text] = Field(default_factory=dict)
    """Expected SHA-256 of data files, by file as written in ``data`` or found by its pattern."""
    encoding: Encoding = "utf-8"
    """Encoding of the text files under ``data`` (csv, tsv, ndjson), by any name that Python knows,
    such as latin-1, windows-1252 or utf-16."""
    separator: Literal[",", ";", "|", "\t"] | None = Field(None, examples=[";"])
    """What separates the fields of csv files; a comma when left out."""
    decimal: Literal[".", ","] = Field(".", examples=[","])
    """The decimal mark of the numbers in csv and tsv files."""
    task: TaskName | None = None
    """What is predicted: one of two classes (binary), one of several (multiclass), any of several
    labels (multilabel), or a number (regression); or a comparison over data sets or folds, which
    takes a table of values. Inferred from models, truth and data when left out."""
    truth: Truth = Field(examples=["diagnosis", {"sport": "is_sport", "politics": "is_politics"}])
    """Column with the true label or number; for several labels per example, the columns that say 0
    or 1 (false or true) for each label, by its name. Needed unless ``graded``."""
    graded: Flag = False
    """Whether the models' labels say if an answer was right (1, true) or wrong (0, false), as for
    graded items: there is no truth, and accuracy is compared. With other labels, ``positive`` is
    the one for right."""
    positive: Text | None = Field(None, examples=["malignant", 1, True])
    """The label that counts as positive. Needed unless the labels are 0/1 or false/true."""
    classes: Annotated[Texts, Field(examples=[["low", "mid", "high"]])] = ()
    """Classes of a multiclass report in their order, which ordinal measures use; a class listed
    here may have no rows. Default: the order of the first ``scores``, else sorted."""
    ordered: Flag = False
    """Whether the classes are ordered, as grades are: from first to last under ``classes``, or by
    value where they are numbers. Then the key measures say how far the errors are off."""
    leave_out: Annotated[Texts, Field(max_length=100, examples=[["unknown", "?"]])] = ()
    """Values of the truth that are not classes, as they are written: rows with them are left out of
    everything, and the report says how many they are."""
    models: Models = Field(
        examples=[
            {"forest": {"score": "p_forest"}},
            {"forest": {"scores": {"cat": "p_cat", "dog": "p_dog"}}},
            {"forest": {"estimate": "y_hat"}},
        ]
    )
    """The models by name, each with a score column, a label column, or both; with columns of
    scores by class; or with an estimate column. In long form, the column that names the model."""
    baseline: Text | None = Field(None, examples=["logistic"])
    """Model that the others are compared with."""
    columns: Columns = Columns()
    """Columns with a special role."""
    slices: Annotated[tuple[Slice, ...], Field(examples=[["site", ["site", "sex"]]])] = ()
    """Columns, or combinations of columns, whose subgroups are shown by themselves."""
    threshold: ThresholdSpec = Field(0.5, examples=[0.5, {"maximise": "f1"}])
    """Scores from here up are positive: a number, or how to choose it."""
    costs: AnyCosts | None = None
    """What each kind of error costs; 1 each when left out. For several classes: by true class,
    then by the predicted class."""
    prevalence: SpecNumber | None = Field(None, ge=1e-12, lt=1, examples=[0.001])
    """Share of positives where the models will be used, if it is not that of these rows. Predictive
    values, the cost per row on page one, the threshold advice, and gates and claims on precision,
    accuracy and cost are for that share."""
    unit: Annotated[OneOrMore, Field(min_length=1, max_length=1)] | None = Field(
        None, examples=["EUR", "°C"]
    )
    """Unit of the truth of a regression, as errors, estimates and axes print it."""
    confidence: SpecNumber = Field(0.95, ge=0.01, le=0.999999)
    """Level of the confidence intervals."""
    intervals: Intervals = Intervals()
    """Methods of the confidence intervals."""
    bootstrap: Resampling = Resampling()
    """Resampling of the measures that have no closed interval: those of counts and tables, the core
    ones of scores and numbers, and what ``measures`` asks for."""
    comparisons: Comparing = Comparing()
    """Options of the tests of significance."""
    gates: Texts = Field((), examples=[["forest.auc.low >= 0.95"]])
    """Conditions that the build must meet: MODEL.METRIC[.low|.high] [- MODEL.METRIC] OP NUMBER;
    ``MODEL.METRIC by COLUMN OP NUMBER`` of every slice; against earlier builds ``MODEL.METRIC >=
    previous - NUMBER`` (or ``accepted``) and ``MODEL.METRIC within history``."""
    fail_on: Annotated[tuple[FailOn, ...], Field(min_length=1)] = ("fail",)
    """States of gates that make the command exit with 1."""
    every: Cadence | None = Field(None, examples=["1 day", "12 hours"])
    """How often the report is built. It divides the alarm budget (daily when left out), and sets
    when the index of the builds calls the report stale (never when left out)."""
    history: History = History()
    """How the build is compared with earlier ones."""
    keep: Keep | None = Field(None, examples=[{"last": 30, "daily": 14, "monthly": 12}])
    """Builds that ``reportgen prune`` keeps; all when left out."""
    keep_rows: Flag = True
    """Whether a build holds ``rows.parquet``: truth, output and weight of each evaluated row, its
    id and group as keyed hashes. Without it builds are compared without pairing."""
    language: Language = "en"
    """Language of the pages: English, or one of templates/languages. results.json is in English."""
    sections: Sections = "default"
    """Sections of the report in their order, or ``omit: [...]`` and ``add: [...]``; a section may
    be a text of your own."""
    measures: Measures = "core"
    """Measures in the report: the core ones, a list of names for the main table, or all, which adds
    an appendix with every measure and every curve. results.json always has every one. Averages over
    classes are named like ``macro_f1``, F-beta of two classes with any beta like ``f_beta(0.7)``;
    other names of the field, such as ``sensitivity``, are understood."""
    privacy: Privacy = Privacy()
    """What of the data and the spec is published."""
    theme: Theme = Theme()
    """Logo, colours, fonts and template of the pages."""
    output: Output = Output()
    """Where the report goes and in which formats."""
    limits: Limits = Limits()
    """Time and memory that a build on the command line may take; without limit when left out."""
    engine: Engine = Field("auto", examples=["streaming", {"dask": "tcp://scheduler:8786"}])
    """How numbers are computed. ``exact``: every score is sorted, in memory. ``streaming``: scores
    are counted in 65,536 cells, in memory that does not grow with the rows, and areas come with
    certified bounds. ``dask``, or a cluster: the same on several processes or machines. ``auto``:
    exact where memory suffices."""

    _origin: Origin = PrivateAttr(default_factory=Origin)

    @property
    def slicings(self) -> list[tuple[str, ...]]:
        """The columns of each declared slicing."""
        return [(s,) if isinstance(s, str) else tuple(s) for s in self.slices]

    @property
    def pinball_losses(self) -> tuple[str, ...]:
        """The measures that the quantiles minimise which models of numbers estimate."""
        models = self.models.values() if isinstance(self.models, Mapping) else (self.models,)
        levels = [getattr(model, "quantile", None) for model in models]
        return tuple(dict.fromkeys(of_parameter(PINBALL_LOSS, q) for q in levels if q is not None))

    @property
    def resampled_measures(self) -> str | tuple[str, ...]:
        """What ``measures`` says, and what decides between the models, which has intervals too."""
        primary = self.comparisons.primary
        deciding = (*self.pinball_losses, *(() if primary is None else (primary,)))
        if not deciding or self.measures == "all":
            return self.measures
        return (*(() if isinstance(self.measures, str) else self.measures), *deciding)

    @property
    def base(self) -> Path:
        """Folder that relative paths start from."""
        return self._origin.base

    def on(self, date: dt.date) -> Self:
        """The same spec for a build of this logical date."""
        dated = self.model_copy()
        dated._origin = self._origin.on(date)
        return dated

    @property
    def data_names(self) -> tuple[str, ...]:
        """The names under ``data``, with the logical date (today in UTC when there is none)."""
        date = self._origin.date or moment().date()
        return tuple(dated_name(name, date) for name in self.data)

    def of_reference(self) -> Self:
        """The same spec with the earlier predictions as its data."""
        changed = self.model_copy(
            update={
                "data": self.reference or (),
                "reference": None,
                "query": None,
                "keep_rows": True,
                "privacy": self.privacy.model_copy(update={"show": ()}),
            }
        )
        changed._origin = self._origin.of_reference()
        return changed

    @property
    def data_key(self) -> str:
        """The key that names the data: reference where these are the earlier predictions."""
        return self._origin.data_key

    @property
    def dated_query(self) -> str:
        """The query with the logical date."""
        return dated_name(self.query or "", self._origin.date or moment().date())

    @property
    def roots(self) -> Roots:
        """Folders that its files may be read from."""
        return self._origin.roots

    @property
    def text(self) -> str:
        """The YAML as it was run: with what the command line set, or of a mapping in Python."""
        return self._origin.text

    @property
    def path(self) -> Path | None:
        """The file that the spec was read from."""
        return self._origin.path

    def place(self, at: str | Steps) -> Place:
        """Where a value was written, by dotted path or steps; its nearest holder otherwise."""
        document = self._origin.document
        return document.place(document.find(at) if isinstance(at, str) else at)

    def locate(self, at: str | Steps) -> str:
        """Where a value was written as text, such as ``report.yaml:3:8``."""
        return str(self.place(at))

    def problem(
        self, at: str | Steps, code: str, message: str, hint: str = "", value: str | None = None
    ) -> Problem:
        """Return a problem with the value at a dotted path, for errors found later."""
        return self.place(at).problem(code, message, hint, value)

    def to_dict(self) -> SpecKeys:
        """Return plain values with defaults filled, as in the results."""
        keys = self.model_dump(mode="json", by_alias=True)
        return {key: value for key, value in keys.items() if key != "truth" or not self.graded}


class GradedSpec(Spec):
    """A spec of answers that were graded: there is no truth."""

    truth: Truth = ""
