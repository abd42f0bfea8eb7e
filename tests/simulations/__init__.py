"""How often the tests of significance reject where nothing differs, and where something does.

``python -m tests.simulations`` runs every situation 2,000 times and writes ``docs/levels.md``.
"""
