"""Methods of intervals in words: those that resample, and those of differences."""

from __future__ import annotations

from reportgen.intervals.method_names import IntervalText

OF_RESAMPLING: dict[str, IntervalText] = {
    "bootstrap bca": IntervalText(
        "BCa bootstrap",
        "Quantiles of the bootstrap distribution, corrected for bias and acceleration.",
        "Efron (1987), doi:10.1080/01621459.1987.10478410",
    ),
    "bootstrap percentile": IntervalText(
        "Percentile bootstrap",
        "Quantiles of the bootstrap distribution.",
        "Efron (1979), doi:10.1214/aos/1176344552",
    ),
    "bootstrap basic": IntervalText(
        "Basic bootstrap",
        "Twice the value minus the quantiles of the bootstrap distribution.",
        "Davison & Hinkley (1997), Bootstrap Methods and their Application, 5.2",
    ),
    "bootstrap corrected for bias": IntervalText(
        "Bias-adjusted bootstrap",
        "For measures that sampling moves one way, such as entropies and divergences: the outer "
        "ones of two pairs of limits. These are the percentiles less twice the bias, and value − "
        "bias ± z standard deviations of the replicates. The bias is the mean of the replicates "
        "minus the value.",
        "Davison & Hinkley (1997), Bootstrap Methods and their Application, 5.2-5.3",
    ),
    "bootstrap of a smoothed table": IntervalText(
        "Bootstrap of the smoothed table",
        "For measures of all cells of a table of truth and prediction: limits corrected for bias, "
        "from replicates of the table with as many more rows as there are classes, spread as if "
        "truth and prediction were independent; those of Cramér's V and its like from those of φ², "
        "the lower one 0 where χ² is below its quantile under independence.",
        "Fienberg & Holland (1973), doi:10.1080/01621459.1973.10481405; Davison & Hinkley (1997), "
        "Bootstrap Methods and their Application, 5.2-5.3",
    ),
    "bootstrap corrected for optimism": IntervalText(
        "Optimism-corrected bootstrap",
        "For maxima over thresholds: the value minus its optimism ± z bootstrap standard "
        "deviations; the optimism is the bootstrap bias divided by 2^⅔ − 1.",
        "Davison & Hinkley (1997), Bootstrap Methods and their Application, 5.2; "
        "Kim & Pollard (1990), doi:10.1214/aos/1176347498",
    ),
    "cross-fitted costs of rows": IntervalText(
        "Costs of rows, cross-fitted",
        "Area under the cost curve: ⅜ from thresholds chosen on all rows and ⅝ from thresholds "
        "chosen on nine tenths of them and tested on the rest. The limits are ± t standard errors "
        "of the costs of the rows, adding half a row of each class at the largest cost. They are "
        "extended to contain the value.",
        "Milgrom & Segal (2002), doi:10.1111/1468-0262.00296; Satterthwaite (1946), "
        "doi:10.2307/3002019",
    ),
    "cross-fitted square-and-add": IntervalText(
        "Square-and-add, cross-fitted",
        "Recall less false-positive rate at the best threshold, by square-and-add on Jeffreys' "
        "limits. Lower limit: ⅜ of the rates at the threshold chosen on all rows and ⅝ of those "
        "chosen on nine tenths of them and tested on the rest. It is 0 where the test of "
        "Kolmogorov & Smirnov does not reject. Upper limit: the rates at the threshold chosen "
        "on all rows.",
        "Zou & Donner (2008), doi:10.1002/sim.3095; Massey (1951), "
        "doi:10.1080/01621459.1951.10500769",
    ),
}


_CORRECTED = "Nadeau & Bengio (2003), doi:10.1023/A:1024068626366"

_OF_RANKS = IntervalText(
    "Mean ranks",
    "Difference of mean ranks ± z·√(k(k + 1)/6N) for k models on N data sets; no limit goes "
    "beyond the difference of the best and the worst rank.",
    "Demšar (2006), Journal of Machine Learning Research 7, 1-30",
)

OF_DIFFERENCES: dict[str, IntervalText] = {
    "t": IntervalText(
        "Student's t",
        "Mean of the differences ± t(n − 1) standard errors.",
        "Student (1908), doi:10.1093/biomet/6.1.1",
    ),
    "long-run t": IntervalText(
        "Student's t, long-run",
        "Difference ± t standard errors from the long-run variance in order of time, of rows in "
        "groups together with their variance by group, with the degrees of freedom of the test.",
        "Diebold & Mariano (1995), doi:10.1080/07350015.1995.10524599",
    ),
    "influence t": IntervalText(
        "Student's t, influence function",
        "Difference ± t standard errors from what each row, or group of rows, adds to the "
        "difference.",
        "Hampel (1974), doi:10.1080/01621459.1974.10482962; Pan & Wall (2002), "
        "doi:10.1002/sim.1142",
    ),
    "permutation": IntervalText(
        "Permutation",
        "Difference ∓ the one among those of B permutations that ⌈α(B + 1)⌉ − 1 of them reach: 0 "
        "is outside where the test rejects.",
        "Good (2005), Permutation, Parametric, and Bootstrap Tests of Hypotheses, "
        "doi:10.1007/b138696",
    ),
    "permutation, delta": IntervalText(
        "Permutation or delta method",
        "The farther limits of two methods: of permutations, and by the delta method. Where the "
        "test rejects, 0 is outside.",
        "Good (2005), Permutation, Parametric, and Bootstrap Tests of Hypotheses, "
        "doi:10.1007/b138696; Agresti (2013), Categorical Data Analysis, 16.1",
    ),
    "sign_flips": IntervalText(
        "Sign flips",
        "Mean differences that the permutation test of the mean would not reject.",
        "Hartigan (1969), Journal of the American Statistical Association 64, 1303-1317",
    ),
    "midp_paired": IntervalText(
        "Score, mid-p",
        "Differences of two paired proportions: Tango's score limits, scaled to agree with "
        "McNemar's mid-p test about 0.",
        "Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B; "
        "Fagerland, Lydersen & Laake (2013), doi:10.1186/1471-2288-13-91",
    ),
    "exact_paired": IntervalText(
        "Score, exact",
        "The same with a continuity correction of one row, or the one that agrees with "
        "McNemar's exact test about 0.",
        "Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B",
    ),
    "corrected_paired": IntervalText(
        "Score, corrected",
        "Tango's score limits with the continuity correction of McNemar's χ².",
        "Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B",
    ),
    "newcombe_paired": IntervalText(
        "Newcombe, paired",
        "Differences of two paired proportions: square-and-add on Wilson limits (method 10).",
        "Newcombe (1998), doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C",
    ),
    "newcombe": IntervalText(
        "Newcombe, unpaired",
        "Differences of two independent proportions: square-and-add on Wilson limits (method 10).",
        "Newcombe (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I",
    ),
    "corrected t": IntervalText(
        "Corrected t",
        "Mean over folds, or difference of all rows with its deviations by fold, "
        "± t(n − 1)·√(s²(1/n + test rows/training rows)).",
        _CORRECTED,
    ),
    "posterior": IntervalText(
        "Posterior",
        "Quantiles of the posterior of the mean difference over folds.",
        "Corani & Benavoli (2015), doi:10.1007/s10994-015-5486-z",
    ),
    "nemenyi": IntervalText(
        "Nemenyi",
        "Difference of mean ranks ± the critical difference of all pairs; no limit goes beyond "
        "the difference of the best and the worst rank.",
        "Demšar (2006), Journal of Machine Learning Research 7, 1-30",
    ),
    "bonferroni_dunn": IntervalText(
        "Bonferroni–Dunn",
        "Difference of mean ranks ± the critical difference of the pairs with the baseline; no "
        "limit goes beyond the difference of the best and the worst rank.",
        "Dunn (1961), doi:10.1080/01621459.1961.10482090",
    ),
    "mean_ranks": _OF_RANKS,
    "mean_ranks_baseline": _OF_RANKS,
    "conover": IntervalText(
        "Conover",
        "Difference of mean ranks ± t standard errors of the ranks within blocks.",
        "Conover (1999), Practical Nonparametric Statistics, 5.8",
    ),
    "mean_ranks_sign_flip": IntervalText(
        "Mean ranks, sign flips",
        "Difference of mean ranks ∓ the one that few enough reversals of rankings reach.",
        "Westfall & Young (1993), Resampling-Based Multiple Testing, algorithm 2.8",
    ),
    "order_statistics": IntervalText(
        "Order statistics",
        "Ordered differences, without those of 0, between which the sign test would not reject.",
        "Conover (1999), Practical Nonparametric Statistics, 3.4",
    ),
    "signed_rank": IntervalText(
        "Signed ranks",
        "Mean differences that Wilcoxon's test would not reject.",
        "Hodges & Lehmann (1963), doi:10.1214/aoms/1177704172",
    ),
}
