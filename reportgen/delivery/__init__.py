"""What leaves a published build for other programs: CI servers, timers, mail and trackers.

Everything here reads results that are published and changes none of them.
"""
