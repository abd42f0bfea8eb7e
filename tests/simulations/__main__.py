"""Run every situation and write ``docs/levels.md``: ``python -m tests.simulations``.

Its arguments are the number of runs and names of modules. With names, such as ``groups``, the
situations of these alone are run, and the other rows of the page stay as they are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from pathlib import Path

from reportgen.comparisons import TESTS
from tests.simulations import (
    advised,
    claims_in_time,
    costs,
    data_sets,
    fold_measures,
    folds,
    groups,
    rare_class,
    rows,
    slices,
    unlike,
    weights,
)
from tests.simulations.situations import ALPHA, SITUATIONS, Rates, measured

TABLE = Path(__file__).parents[2] / "docs" / "levels.md"

MODULES = (
    rows,
    unlike,
    rare_class,
    costs,
    groups,
    weights,
    claims_in_time,
    slices,
    folds,
    fold_measures,
    advised,
    data_sets,
)
"""The situations that are written, in this order."""

_HEAD = f"""# How often the tests reject

Made by `make levels`: share of simulated data sets in which a test rejects at α = {ALPHA:g}.
**Level**: nothing differs, so that more than {ALPHA:g} is too often. **Power**: something
differs, by the same in every test of a situation. A run in which a test has no p counts as one
that does not reject; *defined* is the share with a p. Of tests of many pairs any rejection counts,
after their correction. The standard error of a level of {ALPHA:g} is 0.005 with 2,000 runs, 0.010
with 500; power is of a quarter of the runs or more. Of a difference to a perfect model, level is
the share of intervals that miss the truth. *Where recommended*: a run whose report does not
recommend the test counts as one without p, so that level over defined is the level among the
reports that do.

Whole reports of 23 situations (`tests/test_report_levels.py`), 70 data sets of each and 150 more of
six: no recommended test, gap or gate was positive more often than chance allows at 0.065 (of gates
0.0325), no gate or decision disagreed with its test, and page one named a winner where there was
none in 0 to 0.09 of the data sets (median 0.03).

Over folds, 375 to 3,000 data sets of each of 236 situations, with AUC and accuracy of learners on
features of their own: centroids, least squares, seven nearest neighbours, trees and the best
single feature, 60 to 400 rows, 10 to 50 % positive, 15 and 30 splits, 10-fold, 5-fold, 3-fold, 5 ×
2, 5 × 5 and 10 × 10 folds, 15 bootstrap samples. Nadeau and Bengio's test over repeats rejected up
to 0.16 (nearest neighbours, 10 × 10 folds, AUC and accuracy; 0.08 to 0.12 with 15 splits and 5 × 5
folds) and up to 0.14 of learners with little signal. The form that counts repeats as one rejected
at most 0.08 of all. Of the reports that recommend a test it rejected at most 0.053 (AUC) and 0.056
(accuracy) in every situation with 100 such reports or more: AUC where both models are two standard
errors of guessing above 0.5, or one is six; accuracy where both reach the share of the most
frequent class, or one is four standard errors above it. Without that rule 0.11 of accuracies below
that share. With two folds it rejected 0.07, and is not recommended. Claims of an AUC near 1 over
folds were rejected too often in up to 0.21 of the data sets.

Whole reports of 18 further situations (`tests/report_designs.py`), 160 to 600 data sets of each,
their recommended tests: weights with groups (McNemar 0.040, Obuchowski 0.061, costs 0.064), weights
alone (0.045, DeLong 0.065, costs 0.045), scores in steps of 0.1 (0.066, 0.060, 0.039; in groups
0.051, 0.060, 0.060), pinball loss (0.017; in groups 0.067), four models in order of time (0.037).
Repeats of the same rows with groups or labels, and leave-one-out of several classes, recommend none
and conclude nothing. Lower limits that gates read were too high in 0.01 to 0.02 of 100 rows and in
0.03 to 0.045 of 20 groups of 10; a gate by slice at the true value passed in 0.00 to 0.035 of 30
and 60 rows. In 8 groups a model that is worse by the margin was called non-inferior in accuracy in
0.066 of 391 reports (of 4,000 simulated tests in 0.045); in AUC, against which a reason stands, in
0.074.

Whole reports of 250 data sets each, nothing differs: weights and 10 folds (accuracy 0.024), 30
groups of 10 with a rare third class (0.048), 150 rows with slices of 8 and 23 rows (McNemar 0.052,
DeLong 0.072, cost curves 0.044), a margin and 10 folds (accuracy 0.008, AUC 0.012), costs with
scores in steps of 0.1 (McNemar 0.044, DeLong 0.040, costs 0.020, cost curves 0.040), 60 rows of
regressions of which one has a bias (0.048). Repeats of rows in order of time recommend none. The
standard error is 0.014.

Few groups of unequal size (`python -m tests.simulations.unequal_groups`; 4 to 14 groups of 15 rows
on average, geometric): where they are worth fewer than 3 of equal size the tests of clustered rows
rejected 0.08 to 0.14, up to 8 McNemar's 0.06 to 0.08 and Obuchowski's 0.07 to 0.08, from 8 on 0.04
to 0.06. Below 8 no such test is recommended unless the groups are nearly equal.

Models that guess, said to be better or worse than chance (`python -m tests.simulations.guessing`;
2,000 data sets of each, 1 to 30 models, 60 to 2,000 rows, 20 to 200 positives): better in 0.017 to
0.029, worse in 0.019 to 0.031 of the data sets, by limits that hold for all models at once. By each
model's own limits one of twelve was said to be either in 0.38 to 0.44, one of thirty in 0.76.

Twelve models of which none is better (`python -m tests.simulations.families 500`; 500 data sets of
each, the smallest of 66 p after Holm's correction): page one said that one is ahead in 0.000 to
0.054 by AUC (20 positives of 60 and 400, 200 of 400; alike, and scores of positives that spread
0.5 to 2 times as widely as those of negatives), 0.028 by AUC of scores in steps, 0.024 and 0.034
by accuracy of 20 groups of 10 and 60 of 5, 0.054 by squared errors of 300 rows and 0.032 by
absolute errors of 30 with tails of their own. Some pair has a p below 0.05 of its own in 0.54 to
0.87.

Costs: where one model rarely makes a costly error, and the other makes cheap ones that cost as much
on average, the paired t-test rejected up to 0.75 (`paired_cost`, below), in groups up to 0.16 and
with weights up to 0.29. In 20 groups of which some are ten times as large as others it rejected
up to 0.20 (800 data sets each). The test of declared costs, which knows what an error costs that
these rows do not show, rejected 0.00 to 0.06 of all, and is recommended in its place. Its power is
that of the t-test where costly errors are many, and less where they are few.

A rare class: of 1,000 data sets each with equal AUCs of 0.8 to 0.97 DeLong's test rejected 0.05 to
0.09 of 20 and 50 positives among 15 times as many negatives where the scores of positives spread
0.7 and 1.4 times as widely as those of negatives, and 0.06 to 0.21 where 0.5 and 2 times, nearly
always for the model of the wider ones, which lack their lowest scores by chance. Its form for a
rare class, with variances halfway to those of Hanley and McNeil (1982) where these are larger, is
recommended there (`delong_rare_class`, below). With 3 times as many negatives DeLong's test
rejected 0.03 to 0.08. Of rows in groups (40 of 15, 100 of 6 and 20 of 30 rows, 5 % positives, AUC
0.85 and 0.95; 1,000 data sets each) Obuchowski's test rejected 0.03 to 0.06, and 0.06 to 0.11
where scores spread 0.5 and 2 times as widely; that form 0.00 to 0.05. At a margin of 0.05 with 20
and 50 positives non-inferiority was shown in 0.04 to 0.10 by DeLong's variances and is in 0.02 to
0.07 by those of the form. Cost curves of these data differed in 0.00 to 0.03.

Two periods without a shift (`python -m tests.simulations.shifts 1000`; 1,000 pairs of periods of
each situation; classes, scores and one slicing are tested). Of 150 and 100 rows the permutation
test rejected 0.023 to 0.041, of 1,000 and 500 with 5 % positives 0.037 to 0.053, of weighted rows
0.042 to 0.060, of three classes 0.037 to 0.059, of numbers 0.038 to 0.053; in 16 to 50 groups of 10
rows 0.034 to 0.054, in 60 groups of 5 against 20 of 15 0.029 to 0.043, in 40 groups with weights
0.036 to 0.058. In order of time, by blocks, it rejected 0.032 to 0.065 with autocorrelation 0.5 and
0.042 to 0.072 with 0.8 (of 1,000 points and more 0.051 to 0.072); with 0.9, of 200 points and more,
0.054 to 0.072 (500 pairs). Any quantity was said to have shifted, after adjustment, in 0.015 to
0.062 of the pairs. Limits of a change missed 0 in 0.045 to 0.071, of what is within in 0.046 to
0.068, of its mix in 0.000 to 0.024: where nothing changes the mix is a product of two errors, and
its limits are too wide. Where shares and values of three cells changed (150 to 1,000 rows, alone or
in groups of 10 and 20; 2,000 pairs) limits of the change, the mix and what is within missed the
truth in 0.039 to 0.062. Those of an AUC (150 to 1,000 rows, alone, in groups of 10 or with weights;
1,000 pairs) missed it in 0.042 to 0.068. The standard error is 0.007.

Squared errors of unlike models (1,500 data sets of each, correlation 0.5). Without a rule on tails
the paired t-test rejects 0.20 to 0.23 of 50 to 500 rows where one model has t(3) errors and the
other normal ones of the same mean square, 0.29 to 0.15 where 2 % of one model's errors are six
times as large as its others, 0.52 to 0.26 where 1 % are ten times. With the rules on kurtosis it
was recommended and rejected in 0.13, 0.27 and 0.49 of 50 rows, 0.06, 0.25 and 0.43 of 100, 0.01,
0.11 and 0.25 of 200, 0.002, 0.055 and 0.12 of 300, and none, 0.01 and 0.04 of 500. The largest
errors are missing from most such samples, which then look like normal errors with a smaller mean
square, and no test of means holds its level for all such errors and has power for others (Bahadur
& Savage 1956, doi:10.1214/aoms/1177728077): below 300 rows no test of squared errors is
recommended, which takes the recommendation from all normal data sets of fewer rows and from 2 to 3
% of those of more. Hall's correction for skewness rejected 0.13 to 0.31 of 20 to 200 rows. The
paired t-test of absolute errors, which decides instead, rejected 0.035 to 0.076 in all of these
situations, of 20 to 600 rows, and is recommended in each; that of clustered rows 0.037 to 0.065
and that of weighted ones 0.037 to 0.066 (10 to 100 groups, unlike rows or whole groups), that of
Diebold and Mariano 0.040 to 0.058 (100 to 400 points, autocorrelation 0.5 and 0.8). Rows that are
rarely large in groups (10 to 80 groups, 100 to 640 rows, no rule on tails) let the test of squares
reject 0.06 to 0.28, of normal errors 0.03 to 0.05.

Whole reports of 250 data sets each, nothing differs (standard error 0.014): data sets and models
in tables with ties, missing cells, 3 to 14 data sets and 2 to 12 models (Iman-Davenport 0.016 to
0.064, Wilcoxon 0.00 to 0.012), models that are alike but for 1, 2 or 5 rows or groups (0.00 to
0.008), a constant score beside a random one (DeLong 0.04 to 0.09; of 2,500 direct tests each 0.049
to 0.062), rare labels in 30 groups (0.048), scores in steps and hard labels with 15 of 60, 30 of
60 and 40 of 200 positive (McNemar 0.03 to 0.07, costs 0.04 to 0.07, cost curves 0.00 to 0.064,
DeLong 0.016 to 0.09; of 2,000 direct tests with hard labels each 0.039 to 0.065). Claims over
repeats of the same rows, repeats of rows in order of time, and weights of rows in order of time
have no recommended test and conclude nothing. At the margin, where no reason stands against it,
non-inferiority was shown in 0.024 to 0.064 (groups of unequal size, weights). Over folds of whole
groups (150 data sets): accuracy 0.007 and 0.048, AUC 0.009, of nearest neighbours over 5 × 5 folds
0.013 and 0.041. Over 5-fold and 4 × 5 folds of whole groups, where recommended
(`python -m tests.simulations.group_folds`; 1,000 data sets each; 30 to 60 groups of 5 and 10 rows,
truth by row and by group; nearest neighbours, trees and centroids): AUC 0.000 to 0.021, accuracy
0.012 to 0.047.

Over 5-fold and 4 × 5 folds of a rare class (`python -m tests.simulations.rare_folds`; 1,000 data
sets each; 10 positives of 100 and 400 rows, 20 of 200, dealt to the folds evenly; centroids and
nearest neighbours): the test of the AUC rejected 0.012 to 0.055, and where recommended (0.08 to
1.00 of the data sets) 0.003 to 0.015; that of the accuracy up to 0.181 (centroids, 10 of 400),
where it is never recommended, and where recommended (nearest neighbours, 0.16 to 0.42) 0.000 to
0.005. Of 20 whole reports of
each of four designs (`python -m tests.simulations.whole_folds`), all have the p and the
recommendation that these simulations make directly.
"""


def _title(test: str) -> str:
    """The name of a test; those of gaps between slices are none of models."""
    if test in TESTS:
        return TESTS[test].label.removeprefix("The ")
    return f"test of a gap between slices in {test.removeprefix('gap:').replace('_', ' ')}"


_ROW = re.compile(r"\| (.+?) \| ([\d,]+) \| \**([\d.]+)\** \| ([\d.]*) \| ([\d.]+) \|")


def rates_of(page: str) -> list[Rates]:
    """The rows of a page that ``table`` wrote."""
    result, test = [], ""
    for line in page.splitlines():
        if line.startswith("## "):
            test = line.rpartition("(`")[2].removesuffix("`)")
        elif row := _ROW.fullmatch(line):
            name, runs, level, power, defined = row.groups()
            numbers = int(runs.replace(",", "")), float(level), float(defined)
            result.append(Rates(test, name, *numbers, float(power) if power else None))
    return result


def table(rates: Iterable[Rates]) -> str:
    """The page: one table per test."""
    lines = [_HEAD]
    of_module = {module.__name__: k for k, module in enumerate(MODULES)}
    places = {
        name: (of_module[one.draw.__module__], k)
        for k, (name, one) in enumerate(SITUATIONS.items())
    }
    tests = {name: k for k, name in enumerate((*TESTS, *(f"gap:{m}" for m in slices.MEASURES)))}
    ordered = sorted(rates, key=lambda r: (tests[r.test], places[r.situation]))
    for test, test_rates in groupby(ordered, key=lambda r: r.test):
        title = _title(test)
        lines += [
            f"## {title[:1].upper()}{title[1:]} (`{test}`)\n",
            "| situation | runs | level | power | defined |",
            "|---|---:|---:|---:|---:|",
        ]
        for rate in test_rates:
            level = f"**{rate.level:.3f}**" if rate.level > 0.065 else f"{rate.level:.3f}"
            power = "" if rate.power is None else f"{rate.power:.2f}"
            lines.append(
                f"| {rate.situation} | {rate.runs:,} | {level} | {power} | {rate.defined:.2f} |"
            )
        lines.append("")
    return "\n".join(lines)


def main(runs: str = "2000", *modules: str) -> None:
    """Measure the situations, each in a process of its own, and write the table."""
    names = [
        name
        for name, all_rates in SITUATIONS.items()
        if not modules or all_rates.draw.__module__.rpartition(".")[2] in modules
    ]
    with ProcessPoolExecutor(2) as pool:
        new = [r for rates in pool.map(measured, names, [int(runs)] * len(names)) for r in rates]
    old = [r for r in rates_of(TABLE.read_text(encoding="utf-8")) if r.situation in SITUATIONS]
    kept = [r for r in old if r.situation not in names]
    TABLE.write_text(table([*kept, *new]), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
