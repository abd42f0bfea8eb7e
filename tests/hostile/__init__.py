"""Bad input and faults in bulk: small forms by ``make whole``, the full ones by ``make hold``."""
