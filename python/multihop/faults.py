"""An error as an object for programs: where it is, what is wrong, what is allowed."""

from __future__ import annotations

import difflib
import re
from typing import Any

from multihop.errors import ScenarioError

_CHOICES = re.compile(r'must be (?:one of )?(?P<known>"[^()]*") \(got "?(?P<got>[^")]*)')
_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_BOUNDS = (
    re.compile(rf"must be (?P<low>{_NUMBER}) to (?P<high>{_NUMBER})\b"),
    re.compile(rf"must be (?P<low>{_NUMBER}) or more\b"),
    re.compile(rf"must be at least (?P<low>{_NUMBER})\b"),
    re.compile(rf"must be at most (?P<high>{_NUMBER})\b"),
    re.compile(rf"is not in the range (?P<low>{_NUMBER})<=x<=(?P<high>{_NUMBER})"),
    re.compile(rf"is not in the range x>=(?P<low>{_NUMBER})"),
)
_NEAR = re.compile(r"did you mean [`'\"]?(?P<near>[^`'\"?,\s]+)")
_ALLOWED = re.compile(r"(?:allowed:|; there are) (?P<known>[\w, ./-]+)")
_OPTIONS = re.compile(r"is not (?:one of )?(?P<known>'[^()]*')")
_LONGEST = 2000
"""Characters of a line."""


def fault(error: BaseException, file: str | None = None) -> dict[str, Any]:
    """The error as plain data; what is not known is left out.

    `message` is the line that people get. `key` and `line` say where, `fault` what is wrong;
    `allowed` lists names, `low` and `high` bound numbers, and `near` is what may be meant.
    """
    said = str(error)
    if isinstance(error, OSError) and error.strerror:
        said = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    told: dict[str, Any] = {"kind": type(error).__name__, "message": _line(said)}
    if file:
        told["file"] = file
    if isinstance(error, ScenarioError):
        told |= {"key": error.key} if error.key else {}
        told |= {"line": error.line} if error.line is not None else {}
        told["fault"] = _line(error.fault)
    return told | _allowed(told.get("fault", told["message"]))


def _allowed(said: str) -> dict[str, Any]:
    """What a fault says is allowed, and what is near to what was given."""
    near = {"near": found["near"]} if (found := _NEAR.search(said)) else {}
    if found := _CHOICES.search(said):
        known = re.findall(r'"([^"]*)"', found["known"])
        close = difflib.get_close_matches(found["got"], known, n=1)
        return {"allowed": known} | ({"near": close[0]} if close else {}) | near
    if found := _OPTIONS.search(said):
        return {"allowed": re.findall(r"'([^']*)'", found["known"])} | near
    for bounds in _BOUNDS:
        if found := bounds.search(said):
            return {name: float(number) for name, number in found.groupdict().items()}
    if found := _ALLOWED.search(said):
        return {"allowed": [name.strip() for name in found["known"].split(",")]} | near
    return near


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."
