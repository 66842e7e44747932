"""The run that a command looks into: of a scenario, or one that was recorded."""

from __future__ import annotations

from multihop import recorded
from multihop.cli import progress
from multihop.cli.failures import Failure, naming
from multihop.cli.options import Choice, say_load, say_overridden
from multihop.errors import TraceError
from multihop.events import Watch
from multihop.results import Result


def recorded_run(
    source: str, choice: Choice, seed: int | None, watch: Watch | None = None
) -> Result:
    """The run of a scenario or of a record with its events, or those of `watch`."""
    if recorded.is_record(source):
        given = [*choice.options.values()]
        given += [] if seed is None else ["--seed"]
        given += [] if choice.scheme is None else ["--scheme"]
        if given:
            raise Failure(f"{source}: the run is recorded already: leave out {given[0]}")
        try:
            with naming(source):
                return recorded.recorded(source, watch)
        except TraceError as error:
            raise Failure(f"{source}: {error}") from None
    say_overridden(source, choice)
    with naming(source, choice.options), progress.share("running") as report:
        say_load(source, choice, seed)
        return recorded.recorded(source, watch, seed=seed, **choice.laid, progress=report)
