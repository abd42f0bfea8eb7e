"""A measure from build to build: what the next value should be, and when to raise an alarm."""
