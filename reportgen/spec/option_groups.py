"""The groups of options of a spec: a typed field per option, its docstring shown by editors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Discriminator, Field, SerializerFunctionWrapHandler, Tag, model_serializer

from reportgen.spec.base import SpecPart
from reportgen.spec.document import SpecKeys, Steps
from reportgen.spec.field_types import Flag, Measure, SpecNumber, Text, Texts, shape
from reportgen.spec.section_choice import SECTIONS

if TYPE_CHECKING:
    Section = str
else:
    Section = Literal[SECTIONS]


Format = Literal["html", "pdf", "json", "markdown"]
Correction = Literal[
    "holm",
    "hochberg",
    "hommel",
    "bonferroni",
    "sidak",
    "shaffer",
    "bergmann_hommel",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "none",
]


class Columns(SpecPart):
    """Names of the columns that say more about a row."""

    id: Text | None = Field(None, examples=["case_id"])
    """Column that names the example: unique within a repeat, and what pairs models in long form."""
    fold: Text | None = Field(None, examples=["fold"])
    """Column with the cross-validation fold."""
    repeat: Text | None = Field(None, examples=["repeat"])
    """Column with the repetition of the evaluation. Where each repeat has the same ids and neither
    fold nor role is named, they are readings by the same models, and the rows of an id a group."""
    role: Text | None = Field(None, examples=["role"])
    """Column with the role of the row: train, validation or test. Models are evaluated on test
    rows; thresholds are chosen on validation rows."""
    weight: Text | None = Field(None, examples=["weight"])
    """Column with the weight of the row: finite and not negative."""
    group: Text | None = Field(None, examples=["patient"])
    """Column identifying groups of dependent rows, such as the patient: every interval and test
    allows for them, or says why it does not."""
    dataset: Text | None = Field(None, examples=["dataset"])
    """Column with the data set of each row, where models were trained and tested on several."""

    time: Text | None = Field(None, examples=["day"])
    """Column of when the row is from: numbers, or dates as ISO 8601. Losses are then compared in
    this order, after Diebold and Mariano."""


class Choice(SpecPart):
    """A threshold that is chosen by a measure, on the validation rows where there are some."""

    maximise: Measure | None = Field(None, examples=["f1", "informedness"])
    """Measure to make as large as possible."""
    minimise: Measure | None = Field(None, examples=["cost"])
    """Measure to make as small as possible; ``cost`` is the expected cost under ``costs``."""
    subject_to: dict[Measure, Text] = Field(
        default_factory=dict, alias="subject to", examples=[{"recall": ">= 0.95"}]
    )
    """Measures that must keep a limit, such as ``recall: ">= 0.95"``."""


class Comparing(SpecPart):
    """Level, correction and choice of the tests of significance."""

    alpha: SpecNumber = Field(0.05, gt=0, lt=1)
    """Level of significance over all tests of one kind."""
    correction: Correction = "holm"
    """Correction for testing several pairs."""
    test: Text | None = Field(None, examples=["mcnemar_exact", "corrected_resampled_t"])
    """Test that decides in place of the recommended one, by its name in the catalogue."""
    margin: SpecNumber | None = Field(None, ge=1e-100, le=1e100, examples=[0.02])
    """Largest difference that does not matter, in the measure's own unit: adds tests of equivalence
    and, against a declared baseline, of non-inferiority. For estimates, in the unit of ``primary``,
    else of the squared error."""
    claims: Texts = Field((), examples=[["forest.error_rate <= 0.05"]])
    """Claims about one model that are tested, MODEL.METRIC OP NUMBER, where OP may be ``=``: the
    claim is the null hypothesis, which the data may refute."""
    measures: tuple[Measure, ...] = Field((), examples=[["f1", "average_precision", "roc"]])
    """Further measures that every pair is compared in, most by permutation and bootstrap, over
    folds by the values of each fold. For several classes or labels, a measure of two classes is its
    mean over them (``macro_f1``, ``weighted_f1``); ``roc`` is the whole curve."""
    primary: Measure | None = Field(None, examples=["average_precision", "quadratic_kappa"])
    """Measure that decides which model leads. Left out, it is the first main measure of the task
    with a recommended test: of classes the cost, where costs are declared, then (of two classes)
    the AUC, then accuracy; for estimates the squared, then the absolute error."""
    horizon: int | None = Field(None, ge=1, lt=2**31, examples=[1])
    """How many steps of ``columns.time`` ahead the models forecast, for the test of Diebold and
    Mariano; when left out, the dependence is estimated over as many lags as the rows allow."""
    rope: SpecNumber | None = Field(None, ge=0, le=1e12, examples=[0.01])
    """Half the region of practical equivalence of the Bayesian tests over folds; 0.01 for shares
    when left out."""


class Resampling(SpecPart):
    """How measures without a closed interval are resampled."""

    replicates: int = Field(1000, ge=0, le=100_000)
    """Replicates of the bootstrap; 0 leaves such measures without an interval."""
    seed: int = Field(0, ge=0, lt=2**63)
    """Seed of the random numbers; the same seed gives the same limits."""
    stratified: Flag = False
    """Classes keep their sizes in every replicate: for designs that fixed them, such as
    case-control studies. By default the sizes vary, as they do from sample to sample."""


class Cluster(SpecPart):
    """A cluster that counts the parts of the data; one of its kinds."""

    dask: Text | None = Field(None, examples=["tcp://scheduler:8786"])
    """Address of a Dask scheduler."""
    spark: Text | None = Field(None, examples=["sc://spark.example.com:15002", "local[4]"])
    """Address of a Spark cluster: ``sc://`` for Spark Connect, else a master URL."""


class TextSection(SpecPart):
    """A section of your own: a Markdown file."""

    markdown: Text = Field(examples=["notes.md"])
    """Markdown file, relative to the spec, and in its folder unless the command line allows
    another."""
    title: Text | None = Field(None, examples=["Notes of the reviewer"])
    """Heading; the file's name when left out."""


SectionEntry = Annotated[
    Annotated[Section, Tag("<scalar>")] | Annotated[TextSection, Tag("<mapping>")],
    Discriminator(lambda value: "<mapping>" if shape(value) == "<mapping>" else "<scalar>"),
]


class Changes(SpecPart):
    """The default sections without some of them, or with others."""

    omit: Annotated[tuple[Section, ...], Field(min_length=1)] = ()
    """Sections to leave out."""
    add: Annotated[tuple[SectionEntry, ...], Field(min_length=1)] = ()
    """Sections to show that are left out by default (curves, measures), and Markdown files, which
    stand before the methods."""

    @model_serializer(mode="wrap")
    def _given(self, dump: SerializerFunctionWrapHandler) -> SpecKeys:
        """Only what is given, as an empty list is none that a spec may have."""
        return {key: names for key, names in dump(self).items() if names}


def text_sections(
    sections: str | Sequence[object] | Changes,
) -> Iterator[tuple[Steps, TextSection]]:
    """The sections of your own, with their places in the spec."""
    steps: Steps = ("sections", "add") if isinstance(sections, Changes) else ("sections",)
    entries = sections.add if isinstance(sections, Changes) else sections
    for index, entry in enumerate(entries):
        if isinstance(entry, TextSection):
            yield (*steps, index), entry


class Privacy(SpecPart):
    """What of the data and the spec a report may hold: ``docs/privacy.md``."""

    ids: Literal["shown", "hashed", "hidden"] = "hidden"
    """How the values of ``columns.id`` appear in the section Rows to look at, and in comparisons of
    builds: as they are, as hashes under the key of the output folder, or not at all. Hidden, a row
    is named by its number in the file."""
    show: Annotated[Texts, Field(max_length=20)] = Field((), examples=[["age", "note"]])
    """Further columns of the data whose values the section Rows to look at shows."""
    comments: Literal["kept", "dropped"] = "kept"
    """Whether the comments of the spec, and of its Markdown files, are published with it."""
    small_cells: Annotated[int, Field(ge=2, le=1000)] | None = Field(None, examples=[5])
    """Smallest count of rows that is published. Smaller ones (but 0) are withheld from every file,
    and so is everything from which they could be worked out: rates, curves by rows, further slices,
    tests."""


class Output(SpecPart):
    """Folder and formats of the report."""

    directory: Text = Field("reports", examples=["reports"])
    """Folder of the builds, relative to the spec."""
    formats: Annotated[tuple[Format, ...], Field(min_length=1)] = (
        "html",
        "pdf",
        "json",
        "markdown",
    )
    """Files to write: the report as a page, as a document, as data, and a summary for reviews."""
    paper: Literal["A4", "letter"] = "A4"
    """Size of the document's pages."""
    interactive: bool = True
    """Whether charts of the page show values under the pointer; if not, the page has no script."""


class Limits(SpecPart):
    """Time and memory that a build may take; over either it ends with exit code 7."""

    seconds: SpecNumber | None = Field(None, gt=0, examples=[600])
    """Seconds from the end of reading the spec to the published report."""
    megabytes: SpecNumber | None = Field(None, ge=1, examples=[4000])
    """Megabytes of memory, of all processes of the build together."""


ShareMethod = Literal[
    "wilson_modified",
    "wilson",
    "wilson_cc",
    "clopper_pearson",
    "jeffreys",
    "agresti_coull",
    "midp",
    "wald",
]
DifferenceMethod = Literal[
    "midp_paired", "exact_paired", "corrected_paired", "newcombe_paired", "tango", "wald_paired"
]


class Intervals(SpecPart):
    """Methods of the confidence intervals, by kind of measure."""

    proportions: ShareMethod = "wilson_modified"
    """Shares of counted rows, such as accuracy and recall."""
    differences: DifferenceMethod = "midp_paired"
    """Differences of two shares of the same rows; the default agrees with McNemar's mid-p test."""
    auc: Literal[
        "delong_score", "newcombe", "delong", "delong_logit", "hanley_mcneil", "bootstrap"
    ] = "delong_score"
    """Areas under ROC curves."""
    average_precision: Literal["influence", "few_logit", "logit", "bootstrap"] = "influence"
    """Areas under P-R curves; few_logit is logit below 100 positives, else bootstrap."""
    ratios: Literal["square_and_add", "delta", "bootstrap"] = "square_and_add"
    """Other functions of the counts, such as F1 and MCC; bootstrap also for tables of classes."""
    bootstrap: Literal["bca", "percentile", "basic"] = "bca"
    """How limits are computed from the replicates; percentile where BCa is not defined."""
