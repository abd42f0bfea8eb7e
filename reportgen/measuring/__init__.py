"""One model on its rows: its measures, curves, intervals, thresholds and costs."""
