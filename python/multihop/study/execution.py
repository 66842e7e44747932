"""Does the runs of a study, on all cores or on a Dask cluster, and stores each as it finishes."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, cast

from multihop import consent, engine
from multihop.consent import Sources
from multihop.events import Watch
from multihop.extras import need
from multihop.observed import observe
from multihop.recording import Recording
from multihop.result_types import RunResult
from multihop.results import Result
from multihop.simulate import first_of
from multihop.study.memory import MemoryGuard
from multihop.study.plan import Cell
from multihop.study.store import Outcome, Store

WAIT_FOR_OTHERS_S = 0.5


@dataclass(frozen=True, slots=True)
class Task:
    """One run: all that a worker needs, wherever it is."""

    key: str
    seed: int
    text: str
    """The resolved scenario, as JSON."""
    recording: Recording
    build: str
    sources: Sources
    """What the classes run that the scenario names, which may."""


class Executor(Protocol):
    """Where runs are done."""

    def outcomes(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        """Do the tasks, taking more as workers become free, and yield outcomes as they arrive."""


def perform(task: Task, progress: Callable[[float], object] | None = None) -> Outcome:
    """Do one run; an error is returned in its outcome, not raised."""
    begun, begun_cpu = time.perf_counter(), time.thread_time()
    if not engine.has_build(task.build):
        has = "; ".join([engine.build_name(), *engine.faults()])
        error = f"the worker has engine {has}, the study was planned with {task.build}"
        return Outcome(task.key, task.seed, 0.0, error=error)
    try:
        with consent.giving(*task.sources), consent.running(task.sources):
            result = _result(task, progress)
    except (engine.ScenarioError, RuntimeError, MemoryError) as error:
        message = " ".join(str(error).split()) or type(error).__name__
        return Outcome(task.key, task.seed, time.perf_counter() - begun, error=message)
    took_s, cpu_s = time.perf_counter() - begun, time.thread_time() - begun_cpu
    return Outcome(task.key, task.seed, took_s, result=result, cpu_s=cpu_s)


def _result(task: Task, progress: Callable[[float], object] | None) -> RunResult:
    """The run's result, with what it was to observe."""
    asked = task.recording.observe or []
    result, blocks = engine.run_recorded(
        task.text,
        syntax="json",
        recording=task.recording,
        watch=Watch() if asked else None,
        seed=task.seed,
        progress=progress,
    )
    if not asked:
        return result
    observed = observe(asked, Result(result, blocks).events, result)
    return cast("RunResult", {**result, "observed": observed})


class LocalExecutor:
    """Threads of this process, one per core: the engine releases the GIL while it runs."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def outcomes(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        """Do the tasks; closing the iterator ends those in progress."""
        cancelled = threading.Event()
        memory = MemoryGuard()

        def check(_share: float) -> None:
            if cancelled.is_set():
                raise _CancelledError
            memory.check()

        pool = ThreadPoolExecutor(self.workers)
        pending: set[Future[Outcome]] = set()
        try:
            while True:
                while len(pending) < 2 * self.workers and (task := next(tasks, None)) is not None:
                    pending.add(pool.submit(perform, task, check))
                if not pending:
                    return
                done, pending = first_of(pending)
                for future in done:
                    yield future.result()
        finally:
            cancelled.set()
            pool.shutdown(wait=True, cancel_futures=True)


class ClusterError(OSError):
    """The cluster was lost; the message is one line."""


class DaskExecutor:
    """A Dask cluster by its scheduler's address; its workers need the same version of multihop."""

    def __init__(self, address: str) -> None:
        need("cluster", "a Dask cluster")
        from distributed import Client  # takes 0.25 s to import, and few use a cluster

        # Its tracebacks say less than the one line that the caller gets.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self.address = address
        self.client = Client(address, timeout="10s", set_as_default=False)

    def outcomes(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        """Do the tasks; a run whose worker dies is retried elsewhere a few times."""
        from distributed import as_completed

        running: dict[str, Task] = {}
        completed = as_completed(loop=self.client.loop)
        try:
            while True:
                with self._lost():
                    capacity = 2 * max(1, sum(self.client.nthreads().values()))
                while len(running) < capacity and (task := next(tasks, None)) is not None:
                    running[task.key] = task
                    with self._lost():
                        future = self.client.submit(perform, task, key=task.key, pure=False)
                        completed.add(future)
                if not running:
                    return
                with self._lost():
                    future = next(completed)
                    error = future.exception()
                task = running.pop(str(future.key))
                if error is None:
                    with self._lost():
                        outcome = future.result()
                    yield outcome
                else:
                    message = f"worker lost: {' '.join(str(error).split())}"
                    yield Outcome(task.key, task.seed, 0.0, error=message)
                future.release()
        finally:
            with contextlib.suppress(OSError, CancelledError):
                self.client.close()

    @contextlib.contextmanager
    def _lost(self) -> Iterator[None]:
        try:
            yield
        except (OSError, CancelledError):
            raise ClusterError(0, "the Dask scheduler was lost", self.address) from None


@dataclass(slots=True)
class Tally:
    """How many runs succeeded and how many failed."""

    done: int = 0
    failed: int = 0


def run_cells(
    work: Sequence[tuple[Cell, int]],
    store: Store,
    executor: Executor,
    finished: Callable[[Outcome], object],
) -> Tally:
    """Do every run that the store lacks, then wait for those that other processes have claimed.

    `finished` is called with each outcome. Failed runs are kept with their error, and tried again
    next time.
    """
    tally = Tally()
    tasks = {
        cell.key(seed): Task(
            cell.key(seed), seed, cell.text, cell.recording, cell.build, cell.sources
        )
        for cell, seed in work
    }
    tried: set[str] = set()
    store.drop_dead_claims()
    with store.claiming():
        while True:
            states = store.states(tasks)
            left = [key for key in tasks if key not in tried and states.get(key) != "done"]
            if not left:
                return tally
            free = [key for key in left if states.get(key) != "claimed"]
            if not free:
                time.sleep(WAIT_FOR_OTHERS_S)
                store.drop_dead_claims()
                continue
            for outcome in executor.outcomes(_claimed(free, tasks, tried, store)):
                store.put(outcome)
                tally.done += outcome.error is None
                tally.failed += outcome.error is not None
                finished(outcome)


def _claimed(
    keys: Sequence[str], tasks: Mapping[str, Task], tried: set[str], store: Store
) -> Iterator[Task]:
    for key in keys:
        if store.claim(key):
            tried.add(key)
            yield tasks[key]


class _CancelledError(BaseException):
    """Ends a run because its study was interrupted."""
