"""What the results say of the metrics, tests, corrections and intervals that they hold."""

from reportgen.results.definitions.registered import definitions as definitions
