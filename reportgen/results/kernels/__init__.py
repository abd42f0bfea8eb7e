"""The measures of a ranking and of its forecasts, in one pass over the scores.

``reportgen.metrics`` defines each by an expression over a whole sweep. Here
are the same sums, block by block in the processor's cache, so that no column
beside the ranking is written out; a test holds the two against each other.
Where no two rows are tied, what concerns order is summed over the positives alone.
"""

from reportgen.results.kernels.forecasts import FORECASTS as FORECASTS
from reportgen.results.kernels.forecasts import of_forecasts as of_forecasts
from reportgen.results.kernels.loss_variances import loss_variances as loss_variances
from reportgen.results.kernels.ranking import RANKING as RANKING
from reportgen.results.kernels.ranking import SPREAD as SPREAD
from reportgen.results.kernels.ranking import of_ranking as of_ranking
