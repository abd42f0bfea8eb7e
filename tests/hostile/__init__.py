"""Bad input and faults in bulk: small forms with every test, the full ones by ``make hold``."""
