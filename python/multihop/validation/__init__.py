"""The engine against reference runs of stock ns-2.35: cases, bars, verdicts."""
