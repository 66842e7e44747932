"""How the command that is called tells what it has to: a state of the process."""

is_json = False
"""Errors are told as JSON too."""
