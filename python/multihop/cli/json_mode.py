"""Whether the command that is called writes its errors as JSON, too: a state of the process."""

import click

is_on = False


def turn_on(_context: click.Context, _option: click.Parameter, value: bool) -> bool:
    """Take note of --json before anything can go wrong."""
    global is_on
    is_on = value
    return value
