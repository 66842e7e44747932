"""What calls may ask for: files of a folder, no code, and so much time."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from multihop import catalogue
from multihop.consent import names_code
from multihop.errors import ScenarioError
from multihop.files import read_text
from multihop.lab.limits import Limits, Source, check, read
from multihop.scenario import is_policy, toml

MOST_ANSWER = 200_000
"""Characters of an answer."""


class Deadline:
    """The end of a call."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self, _share: float = 0.0) -> None:
        """Go on, unless the time is over.

        Raises:
            ScenarioError: it is.
        """
        if time.monotonic() > self._end:
            raise ScenarioError(
                f"the call took more than {self.seconds:g} s: ask for fewer seeds, a shorter "
                "duration_s or fewer nodes"
            )


def source(scenario: str, folder: Path, limits: Limits) -> Source:
    """The scenario of a text, an example's name or a file of the folder.

    Raises:
        ScenarioError: there is none, it names code or files of elsewhere, or is too large.
    """
    text = scenario if "\n" in scenario or "=" in scenario else _text(scenario, folder)
    found = read(text, (folder, catalogue.scenario_folder()), allow_code=False)
    check(found.resolved(), limits)
    return found


def _text(name: str, folder: Path) -> str:
    """The text of the example or file of that name."""
    if name in dict(catalogue.scenarios()):
        return read_text(catalogue.scenario_file(name))
    if "\0" in name:
        raise ScenarioError("no file's name")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder) or not path.is_file():
        raise ScenarioError(
            f"no example and no file of {folder} has this name; a scenario can be its text, too"
        )
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError):
        raise ScenarioError("the file can't be read as text") from None


def settings(laid: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is laid over a scenario, without code and files.

    Raises:
        ScenarioError: it names some.
    """
    for path, value in (laid or {}).items():
        refuse(path, {path: value})
    return dict(laid or {})


def refuse(path: str, value: Any) -> None:
    """Refuse what names a file or code: by its own key, by a key path, or in text that is TOML.

    Raises:
        ScenarioError: it does.
    """
    for key, inner in _leaves(path, "", value):
        named = inner if key == "key" and isinstance(inner, str) else key  # of a study's axis
        if named.rpartition(".")[2] == "file":
            raise ScenarioError.at(path, "a file can't be named here; write it in the scenario")
        if named in ("scheme", "schemes") and is_policy(inner):
            raise ScenarioError.at(path, "a file can't be named here; write it in the scenario")
        if isinstance(inner, str) and names_code(inner):
            raise ScenarioError.at(path, "names code, which doesn't run here")


def _leaves(path: str, key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """All values with the keys right above them; text is what the engine would take it for."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(path, str(name), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(path, key, inner)
    elif isinstance(value, str) and (meant := _meant(path, value)) != value:
        yield from _leaves(path, key, meant)
    else:
        yield key, value


def _meant(path: str, text: str) -> Any:
    """What text stands for where it is laid over a scenario: TOML if it is that, else itself."""
    try:
        return toml(f"value = {text}")["value"]
    except ScenarioError:
        return text
    except tomllib.TOMLDecodeError:  # here nobody could say what it names
        raise ScenarioError.at(path, "only TOML 1.0 can be given here") from None
