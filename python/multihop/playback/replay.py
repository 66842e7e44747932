"""`multihop.replay`: run, or read what a run recorded, and write the page that plays it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from multihop.events import Watch
from multihop.explain import explain
from multihop.files import write_atomically
from multihop.playback.page import page
from multihop.recorded import recorded
from multihop.results import Result
from multihop.scenario import ScenarioSource


def replay(
    source: ScenarioSource | Result,
    out: str | Path = "replay.html",
    *,
    watch: Watch | None = None,
    causes: Mapping[str, Any] | str | bool | None = True,
    **options: Any,
) -> Path:
    """Write a page that plays a run in a browser, and give its path.

    Args:
        source: a scenario as `run` takes it, the path of a record of events (`.parquet`), or a
            result that was run with `events`.
        out: the page, one file that asks for nothing.
        watch: the events to play; all where absent.
        causes: why flows were silent, as `multihop explain --json` writes it: the same as a
            mapping, or its text. Worked out where absent, but not from the events of some nodes
            alone; left out where none or false.
        options: those of `run`, such as `seed` and `scheme`, if `source` is a scenario.

    Raises:
        ScenarioError: the scenario can't be run.
        TraceError: the file is no record of a run.
        ReplayError: nothing happened, or more than a browser takes.
        CausesError: `causes` has another form.
        TypeError: there are `options`, and the run is recorded already.
        OSError: the page can't be written, or the record read.
    """
    path = Path(out)
    result = recorded(source, watch, **options)
    if isinstance(causes, bool):
        tells = causes and not (result.watch and result.watch.nodes)
        causes = explain(result).json if tells else None
    write_atomically(path, page(result, causes))
    return path
