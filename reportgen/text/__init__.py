"""How numbers are written, in sentences, tables and titles alike."""
