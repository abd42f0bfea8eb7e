"""What results are: the typed tables and records, read and written as JSON."""
