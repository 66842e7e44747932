"""An error as an object for programs: where it is, what is wrong, what is allowed."""

from __future__ import annotations

import difflib
import re
from typing import Any

from multihop.errors import ScenarioError

_CHOICES = re.compile(r'must be (?:one of )?(?P<known>"[^()]*") \(got "?(?P<got>[^")]*)')
_RANGE = re.compile(r"must be (?P<low>[-+.\deE]+) to (?P<high>[-+.\deE]+)\b")
_NEAR = re.compile(r"did you mean [`'](?P<near>[^`']+)[`']")
_ALLOWED = re.compile(r"allowed: (?P<known>[\w, .-]+)")
_LONGEST = 2000


def fault(error: Exception, file: str | None = None) -> dict[str, Any]:
    """The error as plain data; what is not known is left out.

    `message` is the line that people get. `key` and `line` say where, `fault` what is wrong;
    `allowed` lists names, `low` and `high` bound numbers, and `near` is what may be meant.
    """
    told: dict[str, Any] = {"kind": type(error).__name__, "message": _line(str(error))}
    if file:
        told["file"] = file
    if isinstance(error, ScenarioError):
        told |= {"key": error.key} if error.key else {}
        told |= {"line": error.line} if error.line is not None else {}
        told["fault"] = _line(error.fault)
    return told | allowed(told.get("fault", told["message"]))


def allowed(said: str) -> dict[str, Any]:
    """What a fault says is allowed, and what is near to what was given."""
    if found := _NEAR.search(said):
        return {"near": found["near"]}
    if found := _CHOICES.search(said):
        known = re.findall(r'"([^"]*)"', found["known"])
        near = difflib.get_close_matches(found["got"], known, n=1)
        return {"allowed": known} | ({"near": near[0]} if near else {})
    if found := _RANGE.search(said):
        return {"low": float(found["low"]), "high": float(found["high"])}
    if found := _ALLOWED.search(said):
        return {"allowed": [name.strip() for name in found["known"].split(",")]}
    return {}


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."
