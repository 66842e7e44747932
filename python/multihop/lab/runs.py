"""Runs of a scenario while somebody looks: seed after seed on all cores, ended when told to."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from multihop.errors import ScenarioError
from multihop.lab.figures import Sample, is_precise, sample, told
from multihop.lab.limits import Limits, Source
from multihop.results import Result
from multihop.simulate import run

_TELL_S = 0.1
_PATIENCE_S = 10.0
_REMEMBERED = 12
"""Of so many states of the scenario the runs are kept, so that going back costs nothing."""


@dataclass(frozen=True, slots=True)
class State:
    """A scenario, and a named scheme laid over it."""

    source: Source
    scheme: str | None = None

    @property
    def key(self) -> tuple[str, str | None]:
        """What tells it from others."""
        return self.source.text, self.scheme

    @property
    def first_seed(self) -> int:
        """The scenario's own, which the map shows."""
        seed = self.source.tables.get("seed", 1)
        return seed if isinstance(seed, int) else 1


class Ended(Exception):
    """A run that was told to end."""


@dataclass(slots=True)
class Runs:
    """Runs of several states at a time; a new asking ends the one before."""

    limits: Limits
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    _kept: OrderedDict[tuple[str, str | None], dict[int, Sample]] = field(
        default_factory=OrderedDict
    )
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _current: list[threading.Event] = field(default_factory=list)
    _running: int = 0
    _idle: threading.Condition = field(default_factory=threading.Condition)

    def begin(self) -> threading.Event:
        """End what runs, and give what ends the next."""
        with self._lock:
            for end in self._current:
                end.set()
            self._current = [threading.Event()]
            return self._current[0]

    def close(self) -> None:
        """End what runs, and wait for it: the program must not end under the engine."""
        self.begin()
        with self._idle:
            self._idle.wait_for(lambda: self._running == 0, _PATIENCE_S)

    def beside(self) -> threading.Event:
        """What ends a run that goes on beside the others, until `begin`."""
        with self._lock:
            self._current.append(threading.Event())
            return self._current[-1]

    def known(self, state: State) -> dict[int, Sample]:
        """The runs of a state so far, by seed."""
        with self._lock:
            found = self._kept.setdefault(state.key, {})
            self._kept.move_to_end(state.key)
            while len(self._kept) > _REMEMBERED:
                self._kept.popitem(last=False)
            return found

    def figures(
        self,
        states: Sequence[State],
        before: State | None,
        networks: int,
        end: threading.Event,
        *,
        least: int = 0,
    ) -> Iterator[dict[str, Any]]:
        """What the runs of all states come to, again and again until it is precise.

        There are `networks` seeds at most, and `least` however precise it is.

        The first state's figures are beside those of `before`; the others' beside the first's.
        Every state runs with the same seeds.

        Raises:
            ScenarioError: a state can't be run, or its run takes too long.
        """
        begun = time.perf_counter()
        kept = [self.known(state) for state in states]
        old = self.known(before) if before else None
        first = states[0].first_seed
        tasks = [
            (number, seed)
            for seed in range(first, first + networks)
            for number, found in enumerate(kept)
            if seed not in found
        ]
        pool = ThreadPoolExecutor(self.workers)
        pending: dict[Future[Sample], tuple[int, int]] = {}
        last = 0.0
        try:
            while not end.is_set():
                # Runs of a state that were begun before may still come in.
                had = [dict(found) for found in kept]
                ready = all(len(found) >= max(least, 1) and is_precise(found) for found in had)
                while tasks and not ready and len(pending) < self.workers:
                    number, seed = tasks.pop(0)
                    future = pool.submit(self._run, states[number], seed, end)
                    pending[future] = number, seed
                is_over = not pending
                now = time.perf_counter()
                has_all = bool(set.intersection(*map(set, had)))
                if has_all and (is_over or now - last >= _TELL_S):
                    last = now
                    told_of = self._told(had, old and dict(old))
                    yield {"seconds": now - begun, "done": is_over, "states": told_of}
                if is_over:
                    return
                done, _ = wait(pending, timeout=_TELL_S, return_when=FIRST_COMPLETED)
                for future in done:
                    number, seed = pending.pop(future)
                    kept[number][seed] = future.result()
        except Ended:
            return
        finally:
            end.set()
            pool.shutdown(wait=False, cancel_futures=True)

    def _told(
        self, kept: Sequence[dict[int, Sample]], old: dict[int, Sample] | None
    ) -> list[dict[str, Any]]:
        if len(kept) == 1:
            return [told(kept[0], old)]
        shared = set.intersection(*map(set, kept))
        chosen = [{seed: found[seed] for seed in sorted(shared)} for found in kept]
        return [told(found, chosen[0] if place else None) for place, found in enumerate(chosen)]

    def _run(self, state: State, seed: int, end: threading.Event) -> Sample:
        return sample(self.result(state, seed, end))

    def result(self, state: State, seed: int, end: threading.Event, **options: Any) -> Result:
        """One run.

        Raises:
            Ended: `end` is set.
            ScenarioError: it can't be run, or takes longer than the page allows.
        """
        begun = time.perf_counter()

        def look(share: float) -> None:
            if end.is_set():
                raise Ended
            spent = time.perf_counter() - begun
            if spent > self.limits.run_s:
                raise ScenarioError(
                    f"a run takes more than the {self.limits.run_s:g} s that this page gives it "
                    f"({share:.0%} done): shorten duration_s, or raise multihop lab --seconds"
                )

        with self._idle:
            self._running += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return run(
                    state.source.text, seed=seed, scheme=state.scheme, set=state.source.files,
                    progress=look, **options,
                )  # fmt: skip
        finally:
            with self._idle:
                self._running -= 1
                self._idle.notify_all()
