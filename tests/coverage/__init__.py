"""How often the limits of the headline numbers hold the true value: ``make coverage``."""
