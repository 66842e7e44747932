"""Other simulators, run side by side on the same scenario."""
