"""How the command that is called tells what it has to: a state of the process."""

import click

is_json = False
"""Errors are told as JSON too."""


def as_json(_context: click.Context, _option: click.Parameter, value: bool) -> bool:
    """Take note of --json before anything can go wrong."""
    global is_json
    is_json = value
    return value
