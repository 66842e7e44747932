"""A run with its events: of a scenario, or one that was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from multihop import catalogue
from multihop.errors import ScenarioError
from multihop.events import Watch
from multihop.results import Result
from multihop.scenario import ScenarioSource
from multihop.simulate import run


def recorded(source: ScenarioSource | Result, watch: Watch | None = None, **options: Any) -> Result:
    """A result with the events of `watch`, or with all.

    Args:
        source: a scenario as `run` takes it, the path of a record of events (`.parquet`), or a
            result that was run with `events`.
        watch: which events.
        options: those of `run`, if `source` is a scenario.

    Raises:
        ScenarioError: the scenario can't be run.
        TraceError: the file is no record of a run.
        TypeError: there are `options`, and the run is recorded already.
        OSError: the record can't be read.
        ValueError: the result has no events.
    """
    if isinstance(source, Result):
        result = source
    elif isinstance(source, (str, Path)) and is_record(source):
        from multihop import traces  # takes 0.2 s to import

        path = Path(source)
        if not path.exists():
            raise catalogue.missing(path)
        result = traces.read(path)
    else:
        return run(source, events=watch or True, **options)
    if options:
        raise TypeError(f"the run is recorded already: leave out {', '.join(options)}")
    if watch is None:
        return result
    _check(watch, result)
    return Result(result.json, watch.kept(result.events), watch)


def _check(watch: Watch, result: Result) -> None:
    """Refuse what the engine would refuse."""
    counts = {"nodes": len(result.json["positions_m"]), "flows": len(result.json["flows"])}
    for key, count in counts.items():
        for number in getattr(watch, key):
            if number >= count:
                fault = f"must be a {key[:-1]}, 0 to {count - 1} (got {number})"
                raise ScenarioError.at(f"events.{key}", fault)
    if watch.to_s is not None and watch.to_s <= watch.from_s:
        fault = "must be a span of time: 0 or later, and to_s after from_s"
        raise ScenarioError.at("events.from_s", fault)


def is_record(source: str | Path) -> bool:
    """Whether a path is that of a record of events, by its name."""
    return str(source).lower().endswith(".parquet")
