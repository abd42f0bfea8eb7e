"""Words in the names of columns that name a kind of model."""

from __future__ import annotations

from reportgen.text.words import name_words as words

MODELS = words(
    "adaboost ann arima autoarima bagging bart baseline bayes bert bilstm cart "
    "catboost challenger champion classifier claude clf cnn convnext croston deepar deepseek "
    "densenet ebm efficientnet elasticnet enet ensemble ets extratrees forest gam gamma gbdt gbm "
    "gbr gbt gee gemini gemma glm glmm glmnet gpr gpt gru hgb holt holtwinters huber imapa judge "
    "knn krr lasso lda lgbm lightgbm linear llama llm lm lmm logistic logit logreg lr lstm "
    "mistral mlp mnlogit mobilenet model naive nbeats nhits nn nnet ols pcr poisson probit "
    "prophet qda qwen reg regression regressor resnet rf ridge rnn rules sarima sarimax scorecard "
    "snaive stacked stacking svm svr tabnet tabpfn tbats tft theta transformer tree tweedie vit "
    "xgb xgboost yolo 模型"
)
"""Words of the names of models."""

ALONE = words(
    "boost boosted boosting climatology drift dummy gb gbq hgb majority multinom nb persistence qr "
    "ranger seasonal"
)
"""Words that name a model where no other stands beside them: ``nb_children`` is a number."""

NUMBERED_MODEL = r"(model|classifier|clf|learner)\d+|\w+boost"
"""Words of models with a number, or of a kind of boosting."""


def names_model(text: str) -> bool:
    """Whether a word of a text is the name of a kind of model.

    >>> names_model("p_forest"), names_model("income")
    (True, False)
    """
    return bool(words(text) & MODELS)
