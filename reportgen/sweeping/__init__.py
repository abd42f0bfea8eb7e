"""One table of counts at every threshold; every curve, area and cost reads it."""

from reportgen.sweeping.bins import bins as bins
from reportgen.sweeping.ranked import Piece as Piece
from reportgen.sweeping.ranked import Ranked as Ranked
from reportgen.sweeping.ranked import Swept as Swept
from reportgen.sweeping.ranked import with_squares as with_squares
from reportgen.sweeping.sort import as_ranked as as_ranked
from reportgen.sweeping.sort import ranked as ranked
from reportgen.sweeping.sort import sweep as sweep
from reportgen.sweeping.steps import Steps as Steps
from reportgen.sweeping.untied import Untied as Untied
