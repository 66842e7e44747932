"""Errors as one line and an exit code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import click

from multihop.errors import ScenarioError
from multihop.files import read_text

BAD_INPUT = 2
INTERRUPTED = 130
LONGEST_LINE = 4000
"""Lists of what is allowed are shorter."""


_CHOICES = re.compile(r'must be one of (?P<known>".*") \(got "(?P<got>[^"]+)"\)$')


class Failure(click.ClickException):
    """One line for standard error, and bad input's exit code."""

    exit_code = BAD_INPUT
    error: ScenarioError | None = None
    """What it tells of, for programs."""
    file: str | None = None

    @classmethod
    def of(cls, message: str, error: ScenarioError, file: str) -> Self:
        """The line about an error in a file, with its parts."""
        failure = cls(message)
        failure.error, failure.file = error, file
        return failure


class PeerFailed(Failure):
    """The other simulator could not run."""

    exit_code = 1


class PeerMissing(Failure):
    """The other simulator is not installed."""

    exit_code = 3


class Interrupted(click.ClickException):
    """Ctrl-C, with what was kept of the work."""

    exit_code = INTERRUPTED


def one_line(message: str) -> str:
    """A message as one line, what a file says at length cut in the middle; with a near choice."""
    line = " ".join(message.split())
    if found := _CHOICES.search(line):
        from difflib import get_close_matches

        near = get_close_matches(found["got"], re.findall(r'"(.*?)"', found["known"]), n=1)
        line += f'; did you mean "{near[0]}"?' if near else ""
    half = LONGEST_LINE // 2
    return line if len(line) <= LONGEST_LINE else f"{line[:half]} ... {line[-half:]}"


@contextmanager
def naming(scenario: str, options: Mapping[str, str] | None = None) -> Iterator[None]:
    """Put in front of errors in a scenario its file's name, or the option that set the value.

    `options` gives the option that each key path of the scenario was set by.
    """
    try:
        yield
    except ScenarioError as error:
        from multihop.cli.kinds import kind_of

        option, fault = _by_option(str(error), options or {})
        if not option and kind_of(Path(scenario)) == "study":
            hint = f"a study, not a scenario; multihop study run {scenario}"
            raise Failure(f"{scenario}: {hint}") from None
        said = f"{option or scenario}: {fault if option else placed(error, scenario)}"
        raise Failure.of(said, error, scenario) from None
    except OSError as error:
        raise Failure(f"{error.filename or scenario}: {error.strerror}") from None


def placed(error: ScenarioError, file: str) -> str:
    """The error's message, with the line of a JSON file: the engine gives that of TOML."""
    if error.key and error.line is None and file.lower().endswith(".json"):
        from multihop import json_text

        line = json_text.line_of(read_text(Path(file)), error.key)
        return f"line {line}: {error}" if line else str(error)
    return str(error)


_RECORDING = {
    "events.from_s": "--from",
    "events.to_s": "--to",
    "events.nodes": "--node",
    "events.flows": "--flow",
    "queue": "--queue",
    "series": "--series-interval",
}
"""What asks for a record: keys of the engine that no scenario has, and their options."""


def _by_option(message: str, options: Mapping[str, str]) -> tuple[str | None, str]:
    """The option at fault, if one is, and the message without what the option says already."""
    key, colon, fault = message.partition(": ")
    if colon and key in _RECORDING:
        return _RECORDING[key], fault
    for path, option in options.items():
        is_part = key.startswith(f"{path}.") or path.startswith(f"{key}.")
        if colon and (key == path or is_part):
            return option, fault if key == path else message
    return None, message


def check_folders(*files: str | None) -> None:
    """Refuse an output that can't be written before the work is done, not after."""
    for file in files:
        if file and file != "-" and not Path(file).absolute().parent.is_dir():
            raise Failure(f"{file}: its folder does not exist")
        if file and Path(file).is_dir():
            raise Failure(f"{file}: is a folder")
