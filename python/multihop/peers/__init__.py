"""Other simulators, run side by side on the same scenario."""

TOLERANCE = 0.1
"""Means are only said to agree where a difference of this share of theirs would have been found."""
