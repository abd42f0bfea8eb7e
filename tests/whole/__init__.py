"""Tests that evaluate, draw or publish whole reports, or simulate: ``make whole``."""
