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
    """What to record: of a run its `record`, of a study the table of that name.

    The names are the engine's, but for `observe`; docs/use/results.md says what each adds to a
    result.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    series_interval_s: Interval | None = None
    """At which each flow's state is recorded [s]: `Result.series`."""
    queues: list[int] | None = None
    """Nodes whose interface queue is recorded at that interval: `Result.queues`."""
    queue_classes: bool = False
    """What every interface queue held, by class of packet, in `json["queues"]`; with a series, the
    fullest relay's queue over time as well."""
    links: bool = False
    """The packets of each flow over each link: `Result.links`."""
    routes_interval_s: Interval | None = None
    """The same for each interval of this length [s]: `Result.routes`; nodes that move are recorded
    as well, in `json["movement"]`."""
    paths: bool = False
    """Every path that discoveries found, for routing that finds several: `Result.paths`; memory
    grows with the run."""
    frames: bool = False
    """Every transmission: `Result.frames`; memory grows with the run."""
    observe: list[str] | None = None
    """What a study works out of the record of events; not the engine's, see `multihop.observed`."""

    def engine_part(self) -> dict[str, Any]:
        """What is asked of the engine, by name."""
        return {name: value for name, value in self.asked().items() if name != "observe"}

    def asked(self) -> dict[str, Any]:
        """What is asked for, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value}
