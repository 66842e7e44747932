"""The names of the metrics, for editors and type checkers, which read `names.pyi`."""

MetricName = str
