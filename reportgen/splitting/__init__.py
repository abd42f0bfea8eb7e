"""Evaluation methods: rows divided into training and test parts, and models run through them."""

from reportgen.splitting.crossing import cross_predict
from reportgen.splitting.scheme import OPTIONS, Scheme
from reportgen.splitting.splits import out_of_bag_share, split

__all__ = ["OPTIONS", "Scheme", "cross_predict", "out_of_bag_share", "split"]
