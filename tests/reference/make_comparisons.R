# Values of Venkatraman's test and of the .632 and .632+ estimates, from R.
#
#     Rscript tests/reference/make_comparisons.R tests/reference/data comparisons_r.json
#
# writes bootstrap_632.csv and comparisons_r.json into the folder of the data. It takes the ordinal
# ranks of three models on Breast Cancer Wisconsin (bc_ranks.csv, by make_comparisons.py) and the
# iris data of R. Programs: R 4.2.2, pROC 1.18.0, ipred 0.9-13, rpart 4.1.19.

suppressPackageStartupMessages({library(pROC); library(ipred); library(rpart)})
folder <- commandArgs(trailingOnly = TRUE)[1]
target <- commandArgs(trailingOnly = TRUE)[2]

# Whole ROC curves of models whose ranks have no ties.
ranks <- read.csv(file.path(folder, "bc_ranks.csv"))
compared <- function(a, b) {
  set.seed(1)
  curve <- function(name) roc(ranks$truth, ranks[[name]], levels = c(0, 1), direction = "<", quiet = TRUE)
  found <- roc.test(curve(a), curve(b), method = "venkatraman", boot.n = 4000, progress = "none")
  sprintf('  {"a": "%s", "b": "%s", "E": %.1f, "p": %.5f}', a, b, found$statistic, found$p.value)
}
curves <- c(compared("lr", "gnb"), compared("lr", "rf"), compared("rf", "gnb"))

# A tree on bootstrap samples; the fits that ipred makes are written down as they are made.
iris$id <- seq_len(nrow(iris))
log <- list()
tree <- function(formula, data) {
  fit <- rpart(Species ~ . - id, data = data, minsplit = 5, cp = 0)
  drawn <- sort(unique(data$id))
  said <- as.character(predict(fit, iris, type = "class"))
  log[[length(log) + 1]] <<- list(drawn = drawn, said = said)
  list(fit = fit)
}
class(tree) <- "function"
said <- function(object, newdata) predict(object$fit, newdata, type = "class")
estimate <- function(kind) {
  set.seed(2)
  log <<- list()
  errorest(Species ~ ., data = iris, model = tree, predict = said, estimator = kind,
           est.para = control.errorest(nboot = 20, random = TRUE))$error
}
boot <- estimate("boot")
plus <- estimate("632plus")
rows <- NULL
for (b in seq_along(log)) {
  one <- log[[b]]
  all <- length(one$drawn) == nrow(iris)  # the fit on all rows, for the apparent error
  kept <- if (all) iris$id else setdiff(iris$id, one$drawn)
  rows <- rbind(rows, data.frame(id = kept, "repeat" = b, role = if (all) "train" else "test",
    truth = as.character(iris$Species[kept]), said = one$said[kept], check.names = FALSE))
}
write.csv(rows, file.path(folder, "bootstrap_632.csv"), row.names = FALSE, quote = FALSE)
writeLines(c("{", ' "venkatraman": [', paste(curves, collapse = ",\n"), " ],",
  sprintf(' "bootstrap_632": {"out_of_bag": %.12f, "point632_plus": %.12f}', boot, plus), "}"),
  file.path(folder, target))
