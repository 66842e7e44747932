"""What ns-3 gives for the radios of today."""
