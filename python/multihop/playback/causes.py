"""What `multihop explain` says of a run's silences, as the page takes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError


class CausesError(ValueError):
    """Causes that are not of the form that `multihop explain` writes; the message is one line."""


class Evidence(BaseModel):
    """Something that happened."""

    time_s: float
    what: str
    frame: int | None = None
    node: int | None = None
    peer: int | None = None


class Cause(BaseModel):
    """Why nothing arrived for a part of a silence."""

    cause: str
    from_s: float
    to_s: float
    share: float
    text: str
    evidence: list[Evidence] = []


class Silence(BaseModel):
    """A time in which nothing arrived."""

    from_s: float
    to_s: float
    text: str
    brief: str | None = None
    causes: list[Cause] = []


class SilentFlow(BaseModel):
    """A flow's silences, and the share of each cause in them."""

    flow: int
    silent_s: float
    shares: dict[str, float] = {}
    silences: list[Silence] = []


class Causes(BaseModel):
    """The silences of all flows."""

    flows: list[SilentFlow]


def checked(explained: Mapping[str, Any] | str) -> list[dict[str, Any]]:
    """The flows of `multihop explain`'s JSON, or of its text.

    Raises:
        CausesError: naming the key and what is wrong with it.
    """
    adapter = TypeAdapter(Causes)
    try:
        if isinstance(explained, str):
            causes = adapter.validate_json(explained)
        else:
            causes = adapter.validate_python(explained)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise CausesError(": ".join(filter(None, [place, first["msg"]]))) from None
    return [flow.model_dump(exclude_none=True) for flow in causes.flows]
