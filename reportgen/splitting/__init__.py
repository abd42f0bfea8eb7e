"""Evaluation methods: rows divided into training and test parts, and models run through them."""

from reportgen.splitting.crossing import cross_predict
from reportgen.splitting.scheme import OPTIONS, Scheme
from reportgen.splitting.splits import never_drawn, split

__all__ = ["OPTIONS", "Scheme", "cross_predict", "never_drawn", "split"]
