"""Stations whose contention windows follow backlogs, beside theory and papers."""
