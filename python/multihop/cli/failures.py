"""Errors as one line and an exit code."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from multihop import ScenarioError

BAD_INPUT = 2


class Failure(click.ClickException):
    """One line for standard error, and bad input's exit code."""

    exit_code = BAD_INPUT


class PeerFailed(Failure):
    """The other simulator could not run."""

    exit_code = 1


class PeerMissing(Failure):
    """The other simulator is not installed."""

    exit_code = 3


@contextmanager
def naming(scenario: str) -> Iterator[None]:
    """Put the scenario's file name in front of errors in it."""
    try:
        yield
    except ScenarioError as error:
        raise Failure(f"{scenario}: {error}") from None
    except OSError as error:
        raise Failure(f"{error.filename or scenario}: {error.strerror}") from None


def check_folders(*files: str | None) -> None:
    """Refuse an output that can't be written before the work is done, not after."""
    for file in files:
        if file and file != "-" and not Path(file).absolute().parent.is_dir():
            raise Failure(f"{file}: its folder does not exist")
