"""Energy by state, beside ns-3."""
