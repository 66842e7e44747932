"""Running scenarios: once, or once per seed on several cores."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from multihop import consent, engine
from multihop.errors import OverrideWarning, ScenarioError
from multihop.events import Watch
from multihop.files import replacing
from multihop.overriding import overridden, overrides_of, reading_for, settings_of
from multihop.pcap import Pcap
from multihop.recording import Recording
from multihop.results import Result
from multihop.scenario import MAX_SEED, ScenarioSource, load, set_overrides

if TYPE_CHECKING:
    from multihop.reading import Reading
    from multihop.result_types import RunResult

Progress = Callable[[float], object]

_LOOK_S = 0.2
"""Time between two looks at whether Ctrl-C was pressed."""


def run(
    scenario: ScenarioSource,
    *,
    seed: int | None = None,
    scheme: str | None = None,
    reading: str | Reading | None = None,
    set: Mapping[str, Any] | None = None,
    record: Recording | None = None,
    events: bool | Watch = False,
    pcap: str | Path | Pcap | None = None,
    progress: Progress | None = None,
    allow_code: bool = False,
) -> Result:
    """Simulate one scenario.

    Args:
        scenario: path of a scenario file, an example's name, TOML text, or the same as a mapping.
        seed: of the random streams; the scenario's own `seed` where absent.
        scheme: named routing, transport and MAC choice laid over the scenario.
        reading: name or file of a reading, laid over the scheme; where absent a paper's scheme is
            under the paper's default reading. `Result.reading` says which it was.
        set: further overrides, `{"routing.scheme": "aodv"}`; they win over both.
        record: what to record besides the totals.
        events: record what happened to every frame, packet, queue, route and sender, or what a
            `Watch` says, see `Result.events` and `Result.write_perfetto`; memory grows with the
            run.
        pcap: file for a packet capture (pcapng, for Wireshark) of the same events, or what a
            `Pcap` says; memory grows with the run.
        progress: called with the share done, 0 to 1; an exception from it ends the run.
        allow_code: run the classes of Python files that the scenario names; those of `scheme`
            and `set` run anyway. See docs/use/strangers.md.

    Warns:
        OverrideWarning: the scheme changes what the scenario sets, which `set` does not.

    Raises:
        ScenarioError: the scenario can't be run; the message is one line, its parts are `line`,
            `key` and `fault`.
        OSError: the capture can't be written.
        ValueError: `events` and `pcap` have a `Watch` each, which differ.
    """
    _check_seed(seed)
    if record is not None and record.observe:
        raise ValueError("observe is for studies: a run has its events, see `events`")
    watch, capture = watched(events, pcap)
    source = load(scenario)
    read = reading_for(scheme, reading)
    settings = settings_of(scheme, read, set)
    told = [key for key, _ in (set_overrides(set) if reading is None else settings)]
    if changes := overridden(scheme, source.tables(), told, read):
        warnings.warn(changes, OverrideWarning, stacklevel=2)
    consented = consent.giving(scheme, *(set or {}).values(), to_all=allow_code)
    with consented, capturing(capture) as part:
        result, columns = engine.run_recorded(
            source.text,
            overrides_of(source, scheme, settings),
            syntax=source.syntax,
            recording=record or Recording(),
            watch=watch,
            pcap=part,
            seed=seed,
            progress=progress,
        )
    return Result(named(result, read), columns, watch)


def run_many(
    scenario: ScenarioSource,
    *,
    seeds: Iterable[int] = range(20),
    workers: int | None = None,
    finished: Callable[[Result], object] | None = None,
    **options: Any,
) -> list[Result]:
    """Simulate one scenario once per seed, on `workers` threads (all cores where absent).

    Takes the other keyword arguments of `run` but `pcap`. `finished` is called with each result
    as it arrives; the list is in the order of the seeds. An error or Ctrl-C ends the runs in
    progress.
    """
    if options.get("pcap") is not None:
        raise ValueError("pcap is the file of one run: use run for each seed")
    tasks = [(scenario, {**options, "seed": seed}) for seed in seeds]
    return run_tasks(tasks, workers=workers, finished=finished)


Outcome = TypeVar("Outcome")


def first_of(
    pending: set[Future[Outcome]],
) -> tuple[set[Future[Outcome]], set[Future[Outcome]]]:
    """Wait until some are done; those, and the others. Ctrl-C ends it, however long they take."""
    while True:
        # Polars has system calls start anew after a signal, so that only their timeout ends them.
        done, left = wait(pending, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        if done or not left:
            return done, left


def run_tasks(
    tasks: Iterable[tuple[ScenarioSource, Mapping[str, Any]]],
    *,
    workers: int | None = None,
    finished: Callable[[Result], object] | None = None,
) -> list[Result]:
    """Run (scenario, arguments of `run`) pairs on several threads; results in the same order."""
    cancelled = threading.Event()

    def check(_share: float) -> None:
        if cancelled.is_set():
            raise _CancelledError

    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        futures = [
            pool.submit(run, scenario, **{**arguments, "progress": check})
            for scenario, arguments in tasks
        ]
        pending = {*futures}
        try:
            while pending:
                done, pending = first_of(pending)
                for future in done:
                    result = future.result()
                    if finished is not None:
                        finished(result)
        except BaseException:
            cancelled.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]


def movement(
    scenario: ScenarioSource, *, seed: int | None = None, set: Mapping[str, Any] | None = None
) -> str:
    """Return the nodes' positions and movement with `seed`, in the format of ns-2's setdest.

    Arguments and errors are those of `run`.
    """
    _check_seed(seed)
    source = load(scenario)
    overrides = overrides_of(source, None, settings_of(None, None, set))
    return engine.movement(source.text, overrides, syntax=source.syntax, seed=seed)


def named(result: RunResult, reading: Reading | None) -> RunResult:
    """A run's result with the name of the reading that it was under, if any."""
    return result if reading is None else {**result, "reading": reading.name}


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the scenario file."""
    return engine.schema()


def watched(
    events: bool | Watch, pcap: str | Path | Pcap | None
) -> tuple[Watch | None, Pcap | None]:
    """Which events are returned, and the capture: of the same events, if there are both."""
    own = events if isinstance(events, Watch) else None
    if pcap is None:
        return own or (Watch() if events else None), None
    if not isinstance(pcap, Pcap):
        pcap = Pcap(pcap, own or Watch())
    if own not in (None, pcap.watch):
        raise ValueError("events and pcap of one run must have the same Watch")
    return pcap.watch if events else None, pcap


@contextmanager
def capturing(capture: Pcap | None) -> Iterator[Pcap | None]:
    """The capture with a file beside its own, whose place that takes at the end."""
    if capture is None:
        yield None
        return
    with replacing(Path(capture.path)) as part:
        yield replace(capture, path=part)


def _check_seed(seed: int | None) -> None:
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise ScenarioError.at("seed", f"must be 0 to {MAX_SEED} (got {seed})")


class _CancelledError(Exception):
    """Ends a run because another was interrupted."""
