"""Simulate the coverage of every headline interval, print it, and write docs/coverage.md.

``python -m tests.coverage 4000 of_counts of_estimates`` simulates only the jobs of these names and
leaves the other lines of the page as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, groupby, product
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from tests.coverage.designs import SHAPES, SIZES, Scores
from tests.coverage.jobs import done, jobs, name_of
from tests.coverage.measured import Coverage, of_area, plain

PROCESSES = 2

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"

HEAD = """# Coverage

Written by `make coverage`. How often 95 % limits hold the true value, over samples whose true value
is known: {samples:,} samples for AUCs (half as many of 1,000 rows), all tables of 30 rows and
{samples:,} of more for measures of decisions, {tenth} for differences of AUCs, for probabilities
and for what is best over thresholds (a third of 1,000 rows), with 400 replicates where it is
resampled; {twentieth} for the first part of a ranking, {fortieth} for estimates of a number and for
tables of several classes; {tenth} for slices of these and for means of rows. "At least" and "at
most" are the lowest and the highest coverage over the qualities; "too high" is the largest share of
lower limits above the truth, which is what a gate reads, "too low" that of upper limits below it (a
dash where it was not counted). Limits that do not exist are counted
apart: the last column is the smallest share of samples that have them. Models that rank the rows of
a sample alike have no limits of their difference. "Fewest" is the (mean) number of rows of the
smaller class. The design is the shape of the scores, the two true AUCs with the correlation of the
scores, or the prevalence; steepness 1 is a calibrated model, above it one that is too sure.

What covers less than 0.92 with ten rows of each class, or 0.90 with fewer, and why:

- The positive likelihood ratio at a specificity of 0.99 and three positives: it has a value only in
  samples with a false positive.
- The diagnostic odds ratio of ten positives and 90 negatives at a recall and a specificity of 0.99
  covers 0.89 (4,000 samples, not in the tables), of 15 and 15 rows 0.87, of 30 and 70 or 50 and 50
  rows 0.93 to 0.95; in seven designs of lower rates 0.94 to 0.97. Discriminant power, the
  sensitivity index and SEDI of 100 rows at 0.99: 0.66 to 0.91, with 30 rows far less. They have a
  value only in samples with errors of both kinds, of which there are few.
- Average precision of scores with five levels and an AUC of 0.98 where nine of ten rows are
  positive, 1,000 rows: 0.87. Where negatives weigh five times as much 0.905 (300 rows).
- The MSE and its root of rows with errors of very heavy tails, whose squares have no variance: with
  the tails of t with three degrees of freedom 0.95 with 50 rows, 0.94 with 200 and 1,000 and
  0.93 with 5,000; with five degrees 0.98 to 0.99, normal errors 0.96 to 0.98 (250 to 3,000
  samples). Where the correction for skewness is not doubled, 0.92, 0.90 and 0.87 of 200, 1,000 and
  5,000 rows with three degrees. Above 10,000 rows they are resampled.
- Means of errors of which most samples lack the largest. Where 2 % of the errors are 15 times as
  large as the others, the MSE covers 0.46 with 30 rows and 0.75 with 100, R² 0.7 to 0.8, the MAE
  0.82 to 0.92, all at least 0.98 with 1,000 (100 to 200 samples). No form cures R² there: of 100
  rows Student's t of the logarithm, corrections for skewness, BCa, percentile, studentised and
  m-out-of-n limits covered 0.64 to 0.79 (300 to 1,500 samples). Nor does printing none where few
  rows carry the errors: samples without a huge one look sound, and of those with 30 or more
  effective rows of 100 the lower limit was too high in 0.95. Where 2 % of the rows have more than
  half of the squares the limits of the MSE held it in 0.98 or more, where not in 0.18 of 30 rows,
  0.39 of 100 and 0.63 of 300 (1,000 samples): what the largest errors carry cannot decide, the
  number of rows does. Of 300 rows they held it in 0.97 where 2 % of the errors are 15 times as
  large, in 0.84 where 1 % are and in 0.66 where 0.5 % are; of 1,000 rows in 0.98, 0.98 and 0.92.
  Below 1,000 rows page one, the numbers and gates of MSE, RMSE and R² say that such errors may
  be missing (claims below 300), and of any number where one row, or a few, have more than half of
  the squares.
- The expected calibration error of single classes in 40 groups of 15 rows covered 0.79 to 0.87 (147
  samples): its noise is that of independent rows. It has no interval there.
- Calibration in the large of forecasts that are too sure, by the formula alone (600 samples): 0.92
  to 0.96 at steepness 2.5 and 6 with 60 to 1,000 rows, where the variance of a model with slope 1
  held it in 0.63 to 0.87; 0.84 of 60 rows at steepness 6 whose log odds vary more. Of calibrated
  forecasts, and of those not sure enough, 0.94 to 0.98.
- F1, F2 and the Jaccard index where every sample has 15 rows of each class, a recall of 0.3 and a
  specificity of 0.995: 0.915, as Wilson's limits of 15 rows do; 0.946 where classes have any size.
- An AUC whose positives vary far more than the negatives, or of exponential scores, with fewer than
  ten positives.

- The precision of the top tenth of a list where a tenth of the rows are positive and nearly all of
  them rank first, 0.87 to 0.91: it cannot rise further, which its upper limit does not know.
- Entropies, mutual information and Cramér's V of tables of truth and prediction: 0.88 to 0.90 in
  single tables of 100 samples, 0.95 to 0.97 on average. Replicates of the table as it is held them
  in 0.81 to 0.91 of 200 rows, and had no limits of fewer (300 samples of 12 designs); those of
  smoothed tables hold them in 0.91 or more of 200 and 1,000 rows, in 0.89 or more of 60.
- Measures of rare, large losses: the Winkler score, and the MSE of lognormal values, with 30 and
  100 rows. Their tables are below; most samples lack the losses that carry the mean.

What has no limits, as none that were tried hold it: the maximum and the root mean squared
calibration error (the bootstrap held those of calibrated models in at most 0.20 of 150 samples of
30 rows and 0.03 of more); of several classes the no information rate and λ, which hang on the
largest counts (the bootstrap held λ in less than 0.92 of 150 samples in 16 of 38 designs of 30
rows and 12 of 38 of 100, at worst in 0.72, and in none of 300 rows of ten classes that were
predicted at random); entropies, mutual
information, Cramér's V and their like of tables with fewer than 3 rows for each cell (0.74 to 0.90
of ten classes and 200 rows), of groups and of more than 20 classes where sampling biases them by
more than half a standard deviation, and the former of fewer than 15 rows for each cell there. The
net
benefit of a decision curve, the table of the top of the list and gaps between slices are printed
without limits; tests of gaps are in [levels](levels.md).

The saving of another threshold is that of the threshold that is proposed, in the population. By t
of the cross-fitted savings alone it was held in 0.26 to 1.00 of the samples of 74 designs (150
samples). Percentile limits of the recall at a false-positive rate, which were the bands of ROC
curves, held it in 0.00 to 0.99 of 200 samples, and less than 0.70 where the AUC was 0.99 and a
class had ten rows or fewer.

The standard error of 400 samples is 0.011, of 133 samples 0.019: single lines at 0.91 are within
two of them. 3,000 samples (1,000 of 1,000 rows) of 294 designs of differences of AUCs covered at
least 0.934.

What covers more than 0.98: shares at 0.99 and what is made of them, as 0.86 of the samples of 15
rows are without an error and any limits that hold 0.99 cover as much; differences of AUCs of models
that rank all but a few pairs alike, for the same reason; the area under the cost curve of scores
that say little (AUC up to 0.7), which is at its bound, that of the trivial classifiers; the Brier
score and the log loss of nearly perfect forecasts (AUC 0.99 and 0.999) of 30 rows, 0.96 to 1.00:
most such samples lack the rare large loss that carries the mean, so that the upper limit is from
the variance that the forecasts imply. From that of the losses alone they covered 0.68 to 0.90.

Measures of decisions without a form of their own (optimised precision, entropies, Kullback–Leibler,
λ, Yule's and so on) have limits from a region of shares: 30 and 100 rows, prevalence 0.1 to 0.5,
recall and specificity from 0.5 to 0.99, 0.92 to 1.00
(`tests/whole/test_intervals_share_regions.py`). The bootstrap covered 0.66 to 0.88 in the worst of
these designs, square-and-add 0.57 to 0.88: such a measure has a kink, or its largest value, where
two shares are equal.

In few groups (`tests/whole/test_results_groups_coverage.py`; 8 groups of 15 rows with an
intra-group correlation of 0.6, 600 samples): MSE 0.97, MAE 0.96, R², explained variance and
Pearson's r 0.95 to 0.96, pinball loss 0.93; with groups of unequal size 0.93 to 0.98. Measures of
decisions cover 0.92 to 0.96. With groups of unequal size they cover 0.92 to 0.97 in 8 and 10 groups
with four in ten rows positive, F1 and MCC 0.90 with two in ten (800 to 3,000 samples). Sixteen
measures of decisions, scores and numbers in 10, 20 and 40 such groups (1,000 samples) cover 0.90,
0.94 and 0.93 or more, in groups of unequal size, before the pull of large groups was allowed for,
0.88, 0.91 and 0.93 or more.

The median absolute error in groups whose errors are spread unlike each other
(`tests/simulations/large_groups.py`, 400 samples) covers 0.917 and 0.935 in 20 groups of 200 and
10,000 rows, and 0.945, 0.945 and 0.920 in 40 groups of 200, 2,000 and 10,000.

Of independent rows R², the MAE, the mean error and their like have closed forms
(`tests/whole/test_regression_coverage.py`; 200 to 400 samples). With normal and lognormal values R²
covers 0.93 to 0.97 at 30 rows, 0.95 to 0.97 at 100 and 0.95 at 1,000, the MAE 0.93 to 0.98 (the
bootstrap of 100 lognormal rows: 0.91 to 0.93 and 0.92); with the tails of t with three degrees of
freedom R² covers 0.97 at 30 rows, 0.95 at 100 and 0.93 at 1,000 (150 samples), the MAE 0.98;
Pearson's r there 0.92. The lower limit of R² was too high in at most 0.04, with such tails 0.05.
Of more than 50 rows its t has fewer degrees of freedom, down to half, as tails are heavier than a
sample shows. By the formulas alone (1,500 samples, 600 of 5,000 rows) R² of lognormal values, whose
errors multiply, then covers 0.92 at 200 rows, 0.94 at 1,000 and 0.95 at 5,000 instead of 0.88, 0.90
and 0.92 (its lower limit is too high in 0.04 to 0.05 instead of 0.06 to 0.07), with the tails of t
0.92 to 0.94 instead of 0.90 to 0.94 (too high in 0.06 to 0.08), and with normal values 0.95 to 0.96
as before, its limits about 1 % farther apart.

The lower limit of R² is as far away as the upper one of the MSE is, with skewness: 13 designs of 12
to 1,000 rows (normal, t with three degrees, lognormal and heteroscedastic values, those with
lognormal errors, and where 5 % of the errors are 15 times as large; 1,000 samples, 300 of 1,000
rows, by the formulas alone) cover 0.91 to 0.98, too high in at most 0.08, instead of 0.85 to 0.98
and 0.13; lognormal errors 0.92 to 0.97 instead of 0.86 to 0.97, normal values 0.95 to 0.97 instead
of 0.94 to 0.96.

Where a few rows outweigh all others, with a kurtosis of the differences in squared error above 20,
limits of R² decide against the mean, and the paired t-test is not recommended
(`tests/simulations/heavy_tails.py`; counts, lognormal values and rare large errors of models whose
R² is 0; 600 samples of 300 and of 800 rows, 300 of 3,000): by limits of R² the model was better in
at most 0.02 and worse in 0.05, by the t-test in up to 0.08 each, where 0.025 is the level.

Of three to nine rows the MAE has limits, of all rows and in slices: they held it in 0.93 to 0.99 of
the samples of normal, shifted, Laplace, lognormal and uniform errors, of the tails of t with three
degrees of freedom, and where 2 % are 15 times as large (200 samples of 28 designs). The same form
held the MSE of normal errors in 0.94 to 0.97, of Laplace's in 0.88 to 0.97, of the tails of t in
0.82 to 0.95 and of lognormal errors in 0.64 to 0.79, Student's t the mean of lognormal errors in
0.82 to 0.84 (1,500 samples): these have none below ten rows.

Weighted rows count by the number of rows of equal weight that they are worth, from the variance of
the weighted share: the tables "weighted rows". By Kish's number, which takes the weights as
unrelated to the errors, the accuracy was held in 0.93 to 0.86 of the samples where errors weigh
more (of 1,000 rows in fewer than of 60), and in up to 1.00 where they weigh less. A claim about a
share of such rows has the limits that the report prints of it everywhere.

Means of rows of several classes and of several labels have closed forms, in slices too. With 10
rows or more they cover 0.92 or more: the tables below. By t of the losses alone the Brier score
of nearly perfect forecasts of three classes was held in 0.48 of the samples of 10 rows, 0.75 of
30 and 0.97 of 100, the log loss in 0.62, 0.88 and 0.99 (600 samples); with the variance that the
forecasts foresee in 0.98, 0.99 and 0.99. Forecasts with an error in 200 rows are at the limit of
what 10 rows can say: the Brier score is held in 0.81. The spherical score, held in 0.39 of 10 and
0.70 of 30 such rows, has no limits. Counted slices of fewer than 300 rows have none of forecasts,
as what these foresee is not summed. Of fewer than ten rows no mean has limits.

Tables of several classes have closed forms, of all rows and in slices alike: MCC, κ (weighted,
too), Scott's π, Krippendorff's α, Gwet's AC₁, Bangdiwala's B, the G-mean, F1 of macro means, the
classification success index, class balance accuracy and the adjusted Rand index from the influence
of the cells, Bennett's S and the number of errors from the accuracy, costs by square-and-add over
the true classes. The tables "slices" have their coverage (400 samples): 0.90 or more, the adjusted
Rand index 0.89 in one design; 20 of 825 lines are below 0.92. One row more over all cells stands
for what sampling left empty: without it quadratic κ of 12 rows was held in 0.89, and of tables with
one error in 30 rows t had one degree of freedom, limits of MCC reaching from 0.39 to 1. The
bootstrap, which all rows had, held quadratic κ in 0.77 of 30 rows and 0.83 of 100 in the worst of
20 designs, the G-mean in 0.59 and 0.85, class balance accuracy in 0.79 and 0.85 (150 samples).
Costs (600 samples) cover 0.92 or more with ten rows of each class, 0.90 in one of 16 designs, and
from 30 rows on 0.86 or more with three rows of the class whose errors cost 20 times as much; of
fewer rows they have no limits. Entropies and the like are resampled, in slices where the spec names
them.

Slices of two classes are measured in whole reports, of independent rows and of groups of five with
a correlation of 0.4: the tables "slices". Of 20 to 500 rows, 10 to 50 % positive, every measure of
the table of slices is held in 0.917 or more (400 slices, standard error 0.011).

F-measures have score limits, from three positives on: the tables "of few", of recalls from 0.3 to
0.97 and specificities from 0.5 to 0.995, where the classes have any size and where every sample has
as many rows of each. By square-and-add, which they had before, F½ of three positives among 30 rows
was held in 0.65 of the samples, F1 in 0.63 and F2 in 0.84 in the worst of these designs, F1 of ten
in 0.90, and of 300 and 1,000 rows the limits were 0.3 to 2 % farther apart.

Averages over classes have limits from those of the classes: the tables below. By the delta method,
which `intervals: {{ratios: delta}}` chooses, macro precision with a class of ten rows covered 0.76,
macro F1 0.89, weighted precision 0.89, and perfect models had no limits.

Mean AUCs over classes, labels and pairs of classes have limits of the same kind: the tables below.
In simulations of 600 samples with four classes, those over labels covered 0.94, those of rows with
lognormal weights 0.93 to 0.95, and those of 40 groups of 15 rows 0.91 to 0.93: pairs of rows of one
group lift the AUC of few groups above that of many.

Misses on one side, of a nominal 0.025 (prevalence 0.1 and 0.5, two qualities, 1,000 samples). Lower
limits of the AUC, recall, precision, F1, balanced accuracy, κ, MCC and accuracy were too high in at
most 0.032 with weights of 0.3 to 3 (100 and 1,000 rows) and 0.044 in 40 groups of 15 rows with an
intra-group correlation of 0.6. Over all tables of 30 rows with three, nine or fifteen positives
(189 designs, no sampling; `tests/whole/test_coverage.py` has 24 of them) the lower limit of
precision was too high in at most 0.033, its upper one too low in at most 0.034, and it covered
0.945 or more; by mid-p, which `intervals: {{proportions: midp}}` chooses, either in at most 0.029,
covering 0.948 or more. Either limit of a share of 1 to 1,000 rows misses in at most 0.05, whatever
the share (enumerated); by Wilson's limits moved near 0 and 1 alone, as they were before, in up to
0.084. Upper limits of the log loss, the Brier score and the cost were too low in at most 0.047,
0.034 and 0.030 with weights, 0.047, 0.042 and 0.041 in groups.

In order of time (`tests/whole/test_limits_in_time.py`; all that varies has an autocorrelation of
0.8, 400 samples): 19 measures of decisions, scores and numbers cover 0.90 to 0.97 at 100 points of
time and 0.92 to 0.97 at 200 and at 1,000. Differences of 15 measures between two models cover 0.88
to 0.97 at 200 points (60 samples); by limits of independent rows, that in specificity covered 0.53.

Differences under leave-one-out (40 to 60 rows, three learners, 150 samples) cover 0.90 to 1.00.

Limits from permutations, which stand beside permutation tests, covered 0.90 to 1.00 (mean 0.96) in
83 of 84 designs (seven measures, 60 to 300 rows, 250 samples of each; the bootstrap 0.88 to 0.98,
mean 0.94). In the other one, the precision of two very unlike models with ten positives, they
covered 0.79 (the bootstrap 0.91): permutations spread alike to both sides. They agree with p by
construction; limits of the bootstrap contradicted it in 4 % of the samples, at most 14 %.
"""


def lines(coverages: Iterable[Coverage]) -> Iterator[str]:
    """A table of each measure: a line for each size and design, over its qualities."""
    ordered = sorted(coverages, key=lambda c: c.what)
    for what, of_measure in groupby(ordered, key=lambda c: c.what):
        yield f"\n## {what.replace('_', ' ')}\n"
        yield "| design | rows | fewest | at least | at most | too high | too low | exists |"
        yield "|---|---:|---:|---:|---:|---:|---:|---:|"
        key = lambda c: (c.design, c.rows, c.fewest)  # noqa: E731
        for (design, rows, fewest), group in groupby(sorted(of_measure, key=key), key=key):
            each = [c for c in group if c.exists > 0]
            held = [c.covered for c in each]
            if not held:
                yield f"| {design} | {rows:,} | {fewest:.0f} | – | – | – | – | 0.00 |"
                continue
            yield (
                f"| {design} | {rows:,} | {fewest:.0f} | {min(held):.3f} | {max(held):.3f} "
                f"| {max(c.too_high for c in each):.3f} | {max(c.too_low for c in each):.3f} "
                f"| {min(c.exists for c in each):.2f} |"
            )


def before(samples: int) -> Iterator[str]:
    """DeLong's interval on the plain scale beside the default, in three designs."""
    yield "\n## DeLong's interval on the plain scale, for comparison\n"
    yield "| AUC | rows | positives | DeLong, plain | default |"
    yield "|---:|---:|---:|---:|---:|"
    for area, rows in product((0.95, 0.99), SIZES):
        design = Scores(SHAPES[0], area, rows // 10, rows - rows // 10)
        of_plain = plain(design, samples, np.random.default_rng(2))
        default = of_area(design, samples, np.random.default_rng(2)).covered
        yield f"| {area} | {rows:,} | {rows // 10} | {of_plain:.3f} | {default:.3f} |"


def merged(page: str, head: str, tables: str) -> str:
    """The page with the present text at its head and the lines of the tables in their places."""
    kept, measured = _tables(page), _tables(tables)
    for title, rows in measured.items():
        kept[title] = kept.get(title, {}) | rows
    last = [title for title in kept if title not in measured and "comparison" in title]
    titles = [*sorted(title for title in kept if title not in last), *last]
    text = (f"\n## {title}\n\n" + "\n".join(kept[title].values()) for title in titles)
    return "\n".join([head, *text, ""])


def _tables(text: str) -> dict[str, dict[str, str]]:
    """The lines of each table by its title and their design, rows and fewest."""
    parts = (part.partition("\n") for part in text.split("\n## ")[1:])
    return {
        title: {
            "|".join(line.split("|")[:4]): line for line in body.split("\n") if line.startswith("|")
        }
        for title, _, body in parts
    }


def main() -> None:
    """Print the tables and write the page."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    names = sys.argv[2:]
    shares = {"tenth": 10, "twentieth": 20, "fortieth": 40}
    head = HEAD.format(samples=samples, **{name: samples // of for name, of in shares.items()})
    chosen = [job for job in jobs(samples) if not names or name_of(job) in names]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        result = list(chain.from_iterable(pool.map(done, chosen)))
    if names:
        text = merged(PAGE.read_text(encoding="utf-8"), head, "\n".join(lines(result)))
    else:
        text = "\n".join([head, *lines(result), *before(samples), ""])
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
