"""What runs record besides their totals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar


class _AboveZero:
    """What Pydantic asks of a study's file; runs need no Pydantic, which takes 0.1 s to import."""

    @staticmethod
    def __get_pydantic_core_schema__(
        source: object, handler: Callable[[object], dict[str, Any]]
    ) -> dict[str, Any]:
        return handler(source) | {"gt": 0}


Interval = Annotated[float, _AboveZero]
"""A length of time [s]."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What to record: the `[record]` table of a study, and what the arguments of `run` ask for.

    The names are the engine's, but for `observe`; docs/use/results.md says what each adds to a
    result.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    series_interval_s: Interval | None = None
    queues: list[int] | None = None
    queue_classes: bool = False
    links: bool = False
    routes_interval_s: Interval | None = None
    paths: bool = False
    frames: bool = False
    observe: list[str] | None = None
    """What to work out of the record of events; not the engine's, see `multihop.observed`."""

    def engine_part(self) -> dict[str, Any]:
        """What is asked of the engine, by name."""
        return {name: value for name, value in self.asked().items() if name != "observe"}

    def asked(self) -> dict[str, Any]:
        """What is asked for, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value}
