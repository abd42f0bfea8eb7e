"""Models and slices compared: which tests of which pairs, and which of them to rely on."""
