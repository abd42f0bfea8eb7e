"""One table of counts at every threshold; every curve, area and cost reads it."""

from reportgen.sweeping.bins import bins as bins
from reportgen.sweeping.distinct_scores import DistinctScores as DistinctScores
from reportgen.sweeping.ranking import Chunk as Chunk
from reportgen.sweeping.ranking import Ranking as Ranking
from reportgen.sweeping.ranking import Rises as Rises
from reportgen.sweeping.ranking import Swept as Swept
from reportgen.sweeping.ranking import with_squares as with_squares
from reportgen.sweeping.sorting import as_ranking as as_ranking
from reportgen.sweeping.sorting import ranking_of as ranking_of
from reportgen.sweeping.sorting import sweep as sweep
from reportgen.sweeping.tied_scores import TiedScores as TiedScores
