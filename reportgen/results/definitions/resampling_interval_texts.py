"""The methods of intervals that draw rows again, or deal them out, in words."""

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
