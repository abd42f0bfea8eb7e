"""The methods of intervals in words: printed name, what each does, and its source."""

from __future__ import annotations

from reportgen.intervals.method_names import IntervalText
from reportgen.results.definitions.further_interval_texts import OF_DIFFERENCES, OF_RESAMPLING

OF_UNEQUAL_GROUPS = (
    "Of groups of unequal size the variance is the jackknife's over groups, or that of one "
    "intraclass correlation of all groups where limits are wider by it."
)
ON_UNEQUAL_GROUPS = (
    "Bell & McCaffrey (2002), Survey Methodology 28, 169-181; DerSimonian & Kacker (2007), "
    "doi:10.1016/j.cct.2006.04.004"
)

INTERVALS: dict[str, IntervalText] = {
    "limits of both models": IntervalText(
        "Limits of both models",
        "The lower limit of the first model less the upper limit of the second, and the reverse.",
        "Bonferroni's inequality",
    ),
    "wilson_modified": IntervalText(
        "Modified Wilson",
        "Proportions of rows: Wilson's score limits, or the one-sided exact limits with error α "
        "where these are wider. With at most 2 successes or failures (3 of more than 50 rows) "
        "also the one-sided Poisson limit next to 0 or 1. Either limit misses in at most α.",
        "Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286; Wilson (1927), "
        "doi:10.1080/01621459.1927.10502953; Clopper & Pearson (1934), doi:10.1093/biomet/26.4.404",
    ),
    "wilson": IntervalText(
        "Wilson score",
        "Proportions of rows: (p + z²/2n ± z√(p(1 − p)/n + z²/4n²)) / (1 + z²/n).",
        "Wilson (1927), doi:10.1080/01621459.1927.10502953",
    ),
    "wilson_cc": IntervalText(
        "Wilson, continuity-corrected",
        "The Wilson score interval with a continuity correction of 1/2n.",
        "Newcombe (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E",
    ),
    "clopper_pearson": IntervalText(
        "Clopper–Pearson",
        "Each binomial tail has at most half of 1 − confidence.",
        "Clopper & Pearson (1934), doi:10.1093/biomet/26.4.404",
    ),
    "jeffreys": IntervalText(
        "Jeffreys",
        "Quantiles of Beta(x + ½, n − x + ½); 0 without a success, 1 without a failure.",
        "Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286",
    ),
    "agresti_coull": IntervalText(
        "Agresti–Coull",
        "p̃ ± z√(p̃(1 − p̃)/ñ) after adding z²/2 successes and as many failures.",
        "Agresti & Coull (1998), doi:10.1080/00031305.1998.10480550",
    ),
    "midp": IntervalText(
        "Mid-p",
        "The exact limits with half the probability of the observed count.",
        "Berry & Armitage (1995), doi:10.2307/2348891",
    ),
    "wald": IntervalText(
        "Wald",
        "p ± z√(p(1 − p)/n), which covers far too rarely near 0 and 1.",
        "Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286",
    ),
    "delong score": IntervalText(
        "Score with DeLong's variance",
        "Areas A with |Â − A| ≤ t√(φV(A)): V is Newcombe's variance at area A. φ scales it "
        "towards DeLong's variance, less so with fewer rows or Â near 0 or 1. t has "
        "Satterthwaite's degrees of freedom.",
        "Newcombe (2006), doi:10.1002/sim.2324; DeLong et al. (1988), doi:10.2307/2531595",
    ),
    "delong score difference": IntervalText(
        "Score, difference of AUCs",
        "Differences δ with |d − δ| ≤ t√V(δ), d the observed one: V(δ) has Newcombe's variances "
        "of two areas that lie δ apart, each scaled to DeLong's variance of the rows, and "
        "DeLong's correlation. For rows in groups they are Obuchowski's. Where a limit would "
        "contradict the test about 0, ± t standard errors.",
        "Newcombe (2006), doi:10.1002/sim.2324; DeLong et al. (1988), doi:10.2307/2531595; "
        "Obuchowski (1997), doi:10.2307/2533958",
    ),
    "rare class score difference": IntervalText(
        "Score, difference of AUCs with a rare class",
        "As the score interval of a difference of AUCs. The variances are DeLong's where they are "
        "larger than Hanley and McNeil's of an AUC between the two, else the mean of both.",
        "Newcombe (2006), doi:10.1002/sim.2324; DeLong et al. (1988), doi:10.2307/2531595; "
        "Hanley & McNeil (1982), doi:10.1148/radiology.143.1.7063747",
    ),
    "newcombe area": IntervalText(
        "Score, Newcombe's variance",
        "Areas A with |Â − A| ≤ z√V(A), V from A and the class sizes alone.",
        "Newcombe (2006), doi:10.1002/sim.2324",
    ),
    "calibration noise": IntervalText(
        "Inversion of the bins' noise",
        "The observed distances in all bins times s, for all s at which the error expected with "
        "binomial noise is within z standard deviations of the observed error.",
        "Leone, Nelson & Nottingham (1961), doi:10.1080/00401706.1961.10489974",
    ),
    "resolution noise": IntervalText(
        "Inversion of the bins' noise, around the prevalence",
        "The observed distances of all bins from the prevalence times s, for all s at which the "
        "resolution expected with binomial noise is within z standard deviations of the observed "
        "one.",
        "Leone, Nelson & Nottingham (1961), doi:10.1080/00401706.1961.10489974",
    ),
    "square-and-add": IntervalText(
        "Square-and-add",
        "Value ∓ √Σ(distance)²: its change when one of its component proportions moves to its "
        "modified Wilson limit. Averages over classes: from the limits of the classes.",
        "Newcombe (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I; "
        "Zou & Donner (2008), doi:10.1002/sim.3095",
    ),
    "f measure score": IntervalText(
        "Score, F-measure",
        "Values f for which the mean of (1 + β²)(1 − f) over TP, −β²f over FN and −f over FP is "
        "within z standard errors of 0, those of the most likely cells whose mean is 0. For β = 1: "
        "modified Wilson limits of TP / (TP + FP + FN), turned into those of F1.",
        "Wilson (1927), doi:10.1080/01621459.1927.10502953; Owen (1988), "
        "doi:10.1093/biomet/75.2.237; Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286",
    ),
    "region of shares": IntervalText(
        "Region of shares",
        "Least and largest value over prevalence, recall and specificity, each moved towards its "
        "mid-p limit, by shares of the way whose squares add up to at most 1. Limits of "
        "measures that are largest where several shares are equal are wider.",
        "Zou & Donner (2008), doi:10.1002/sim.3095; Berry & Armitage (1995), "
        "doi:10.2307/2348891; Self & Liang (1987), doi:10.1080/01621459.1987.10478472",
    ),
    "partial area score": IntervalText(
        "Score, part of the ROC curve",
        "The score limits of an AUC: of all rows of one class against the rows of the other that "
        "are in the part. The variance is from the influence of each row on the area.",
        "McClish (1989), doi:10.1177/0272989X8900900307; Newcombe (2006), doi:10.1002/sim.2324",
    ),
    "wilson_modified of the top": IntervalText(
        "Modified Wilson, top of the list",
        "Modified Wilson limits of as many rows as the top is worth: fewer where precision falls "
        "steeply at its end, because where it ends varies too.",
        "Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286",
    ),
    "delong logit": IntervalText(
        "DeLong, logit",
        "ln(AUC/(1 − AUC)) ± z standard errors from the placements of the rows, back-transformed.",
        "Qin & Hotilovac (2008), doi:10.1177/0962280207087173",
    ),
    "hanley-mcneil": IntervalText(
        "Hanley-McNeil",
        "AUC ± z standard errors from the AUC and the class sizes alone.",
        "Hanley & McNeil (1982), doi:10.1148/radiology.143.1.7063747",
    ),
    "logit": IntervalText(
        "Logit",
        "ln(A/(1 − A)) ± z/√(P·A(1 − A)) with P positives, back-transformed; no limit turns back "
        "where A nears 0 or 1; Wilson's at 0 and 1.",
        "Boyd, Eng & Page (2013), doi:10.1007/978-3-642-40994-3_29",
    ),
    "influence logit": IntervalText(
        "Logit, influence function",
        "ln(A/(1 − A)) ± t standard errors from what each row adds to the average precision A, "
        "back-transformed. P-R AUC has the same error. At 0 and 1 the limits are Wilson's for a "
        "share of the positives.",
        "Hampel (1974), doi:10.1080/01621459.1974.10482962; Pan & Wall (2002), "
        "doi:10.1002/sim.1142",
    ),
    "tango": IntervalText(
        "Tango",
        "Differences of two paired proportions that a score test would not reject.",
        "Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B",
    ),
    "score": IntervalText(
        "Score, declared costs",
        "Mean differences of costs, or losses, that the test of these would not reject.",
        "Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B; "
        "Owen (1988), doi:10.1093/biomet/75.2.237",
    ),
    "wald_paired": IntervalText(
        "Wald, paired",
        "(b − c)/n ± z√(b + c − (b − c)²/n)/n of the discordant rows.",
        "Fagerland, Lydersen & Laake (2014), doi:10.1002/sim.6148",
    ),
    "delong": IntervalText(
        "DeLong",
        "AUC ± z standard errors from the placements of the rows, truncated to the range.",
        "DeLong et al. (1988), doi:10.2307/2531595",
    ),
    "delong (effective size)": IntervalText(
        "DeLong, effective size",
        "As above for weighted rows, with squared weights.",
        "DeLong et al. (1988), doi:10.2307/2531595",
    ),
    "fleiss-cohen-everitt": IntervalText(
        "Fleiss, Cohen & Everitt",
        "Kappa ± z standard errors of kappa over all cells of the table.",
        "Fleiss, Cohen & Everitt (1969), doi:10.1037/h0028106",
    ),
    "sandwich": IntervalText(
        "Sandwich",
        "Value ± z standard errors from the residuals of the logistic model, or from the curvature "
        "of its likelihood where those are larger.",
        "White (1982), doi:10.2307/1912526",
    ),
    "log": IntervalText(
        "Logarithm",
        "Ratio ×/÷ exp(z standard errors of its logarithm), from the counts.",
        "Simel et al. (1991), doi:10.1016/0895-4356(91)90128-V",
    ),
    "delta": IntervalText(
        "Delta method",
        "Value ± z standard errors, from the slope of the formula in each count.",
        "Agresti (2013), Categorical Data Analysis, 16.1",
    ),
    "delong (groups)": IntervalText(
        "Obuchowski",
        "DeLong's form with the variance of sums of placements over groups of dependent rows, and "
        "Student's t.",
        "Obuchowski (1997), doi:10.2307/2533958",
    ),
    "mean loss": IntervalText(
        "Mean loss",
        "ln(mean of the rows' losses) ± t standard errors, turned back. t has the degrees of "
        "freedom that the fourth powers of the losses leave, few where some rows carry most of it. "
        "The upper limit is mean · (1 + s/3)³ where that is more: s is t standard errors over the "
        "mean. The variance that the forecasts themselves imply has one degree of freedom.",
        "Pan & Wall (2002), doi:10.1002/sim.1142; Wilson & Hilferty (1931), "
        "doi:10.1073/pnas.17.12.684; Spiegelhalter (1986), doi:10.1002/sim.4780050506",
    ),
    "mean loss (groups)": IntervalText(
        "Mean loss",
        "The same from the sums of the losses over groups, whose rows depend on each other. "
        f"{OF_UNEQUAL_GROUPS}",
        "Liang & Zeger (1986), doi:10.1093/biomet/73.1.13; Pan & Wall (2002), "
        f"doi:10.1002/sim.1142; {ON_UNEQUAL_GROUPS}",
        unit="group",
    ),
    "mean of rows (groups)": IntervalText(
        "Mean of rows",
        "Mean of the rows' values ± t standard errors from sums over groups of dependent rows. "
        "For losses it is on the log scale, with r + r²/2 + r³/3 for r above the mean, and r "
        "corrected for skewness. From 50 groups on the correction is up to twice as large, as "
        "skewed values of few groups vary too little where their mean is small. Above r = 1 the "
        "upper limit grows linearly, by the mean per unit of r. For proportions by Wilson's "
        "formula.",
        "Liang & Zeger (1986), doi:10.1093/biomet/73.1.13; Rao & Scott (1992), "
        "doi:10.2307/2532311; Johnson (1978), doi:10.2307/2286597",
        unit="group",
    ),
    "paired delta (groups)": IntervalText(
        "Delta method, paired",
        "Difference ± t standard errors from the sums by group of what the rows add to it, with "
        "Pan and Wall's degrees of freedom. Where not each model alone is right about some rows "
        "of a class, half a row of it, times the design effect of its errors, stands for those "
        "that the sample lacks.",
        "Liang & Zeger (1986), doi:10.1093/biomet/73.1.13; Pan & Wall (2002), doi:10.1002/sim.1142",
        unit="group",
    ),
    "paired delta": IntervalText(
        "Delta method, paired",
        "Difference ± t standard errors, from its slope in each of the eight joint counts of "
        "truth and the two models' decisions. For independent rows, t has one degree of freedom "
        "fewer than the smaller class has rows. Where not each model alone is right about some "
        "rows of a class, half a row of it stands for those that the sample lacks.",
        "Agresti (2013), Categorical Data Analysis, 16.1; Agresti & Min (2005), "
        "doi:10.1002/sim.1781",
    ),
    **OF_RESAMPLING,
    "expected_cost": IntervalText(
        "Costs of rows, paired",
        "Difference of two areas under the cost curve ± t standard errors, from the cost of each "
        "row over all P(+)cost at the best thresholds, cross-fitted.",
        "Milgrom & Segal (2002), doi:10.1111/1468-0262.00296",
    ),
    "mean of squares": IntervalText(
        "Mean of squares",
        "Mean (or its root) of the rows' squared errors on the log scale, from leaving out each "
        "row. t has Pan and Wall's degrees of freedom. Above the mean r + r²/2 + r³/3 replaces r, "
        "which is corrected for skewness, from 50 rows on by up to twice as much. Above r = 1 the "
        "limit grows linearly, by the mean per unit of r. A few rows may lack rare, far larger "
        "errors. Where 2 % of errors were 15 times as large, limits from 30 rows contained "
        "the mean in about half of the samples.",
        "Bell & McCaffrey (2002), Survey Methodology 28, 169-181; Pan & Wall (2002), "
        "doi:10.1002/sim.1142; Johnson (1978), doi:10.2307/2286597",
    ),
    "influence of rows": IntervalText(
        "Influence of rows",
        "Value ± t standard errors from leaving out each row: errors on the log scale and "
        "corrected for skewness, as is 1 − R², correlations on their own scale. A few rows may "
        "lack rare, far larger errors. Where 2 % of errors were 15 times as large, limits "
        "from up to 100 rows contained R² in about four of five samples.",
        "Bell & McCaffrey (2002), Survey Methodology 28, 169-181; Pan & Wall (2002), "
        "doi:10.1002/sim.1142; Johnson (1978), doi:10.2307/2286597",
    ),
    "bounded t": IntervalText(
        "Bounded t",
        "Mean ± t(n − 1) standard errors on the log scale of the distance from the bound of the "
        "measure, or of the odds of the distances from both. Away from the nearer bound r + r²/2 "
        "for the half width r on that scale, of a single bound also r³/3, as values near a bound "
        "are skewed. There the limit grows linearly from r = 1 on.",
        "Student (1908), doi:10.1093/biomet/6.1.1",
    ),
    "long-run ratio": IntervalText(
        "Ratio, long-run",
        "From 1 − c·exp(h′/c) to 1 − c + h: c = 1 − value is the ratio of two means, h its t half "
        "width, and h′ that half width corrected for skewness. The variance is the long-run "
        "variance in order of time, as in the Diebold–Mariano test. At least as wide as for "
        "independent rows.",
        "Lazarus, Lewis, Stock & Watson (2018), doi:10.1080/07350015.2018.1506926; Johnson (1978), "
        "doi:10.2307/2286597",
    ),
    "mean of shares": IntervalText(
        "Modified Wilson, mean over rows",
        "Modified Wilson limits of a proportion, for the mean m of values from 0 to 1: of m(1 − "
        "m)/(v·(t/z)²) rows, v the variance of the mean. t has Pan and Wall's degrees of freedom. "
        "Where all values are alike they are limits of all rows.",
        "Rao & Scott (1992), doi:10.2307/2532311; Pan & Wall (2002), doi:10.1002/sim.1142",
    ),
    "influence of cells": IntervalText(
        "Influence of cells",
        "Modified Wilson limits of the share x = (1 + θ)/2, or of θ where it is from 0 up, of "
        "y(1 − y)/(v·(t/z)²) rows: y is x, and v its delta-method variance, with one row more over "
        "all cells of truth and prediction, as if these were independent. t has Pan and Wall's "
        "degrees of freedom. The upper limit of the class balance accuracy is at least the smaller "
        "one of macro precision and macro recall.",
        "Fleiss, Cohen & Everitt (1969), doi:10.1037/h0028106; Fienberg & Holland (1973), "
        "doi:10.1080/01621459.1973.10481405; Rao & Scott (1992), doi:10.2307/2532311; "
        "Pan & Wall (2002), doi:10.1002/sim.1142",
    ),
    "mean of sums": IntervalText(
        "Mean, from sums",
        "Mean of the rows' losses (or its root) ± t standard errors from sums of their squares, "
        "on the log scale where it is from 0 up, Wilson's for a share. t has Pan and Wall's "
        "degrees of freedom.",
        "Rao & Scott (1992), doi:10.2307/2532311; Pan & Wall (2002), doi:10.1002/sim.1142",
    ),
    "mean of rows": IntervalText(
        "Mean of rows",
        "Mean of what each row saves ± z standard errors.",
        "Cochran (1977), Sampling Techniques, 2.6",
    ),
    "possible costs": IntervalText(
        "Possible costs",
        "Square-and-add over the classes, each of the mean cost A of an error about its rows and "
        "the share of it that errors cost. The share has Wilson's limits of (Σc)²/Σc² rows of "
        "costs c, of fewer where errors are costlier than other rows. The mean cost has "
        "A·exp(±z·error/A). No limit is inside mean·exp(±z·error/mean).",
        "Wilson (1927), doi:10.1080/01621459.1927.10502953; Zou & Donner (2008), "
        "doi:10.1002/sim.3095",
    ),
    **OF_DIFFERENCES,
}
