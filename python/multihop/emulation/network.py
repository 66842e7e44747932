"""An emulated network: namespaces, devices and the engine, from start to clean end."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from multihop import consent, engine
from multihop.emulation import requirements
from multihop.emulation.errors import EmulationError
from multihop.emulation.namespaces import MOST_NODES, Device, Namespaces, sweep
from multihop.emulation.nodes import Command, Node, Program, check_user
from multihop.emulation.signals import undisturbed
from multihop.events import Passage, Watch
from multihop.events import frame as event_frame
from multihop.overriding import overrides_of, reading_for, settings_of
from multihop.pcap import Pcap
from multihop.recording import Recording
from multihop.result_types import RunResult
from multihop.results import Result
from multihop.scenario import ScenarioSource, load
from multihop.simulate import capturing, named, watched

if TYPE_CHECKING:
    from multihop.reading import Reading

MTU = 1500
DEVICES = "mesh"
"""Those of a node are called so, and numbered from 0 in the order of its interfaces."""
LEAST_MTU, MOST_MTU = 68, 2304
LATE_SHARE = 0.01
"""From this share of late frames on, a second is worth a warning."""
_LOOK_S = 0.02


class Network:
    """A network of real network stacks over a scenario's mesh.

    Used with `with`: it starts there, and its end removes all that it made. `net[3]` is node 3.
    """

    def __init__(
        self,
        scenario: ScenarioSource,
        *,
        seconds: float | None = None,
        nodes: Iterable[int] | None = None,
        routers: Iterable[int] = (),
        flows: bool = False,
        mtu: int = MTU,
        seed: int | None = None,
        scheme: str | None = None,
        reading: str | Reading | None = None,
        set: Mapping[str, Any] | None = None,
        record: Recording | None = None,
        events: bool | Watch = False,
        pcap: str | Path | Pcap | None = None,
        warn: Callable[[str], None] | None = None,
        allow_code: bool = False,
        user: str | None = None,
    ) -> None:
        """Prepare an emulation; nothing is made yet.

        Args:
            scenario: path of a scenario file, TOML text, or the same as a mapping.
            seconds: how long it runs at most; the scenario's `duration_s` where absent.
            nodes: those that get a namespace and a device; all where absent.
            routers: those whose own programs route, such as a routing daemon; routing in the
                simulation serves the others.
            flows: run the scenario's flows beside the programs; they are left out otherwise.
            mtu: largest packet of the devices [bytes], 68 to 2304.
            seed: as that of `multihop.run`.
            scheme: the same.
            reading: the same.
            set: the same.
            record: as that of `multihop.run`.
            events: as those of `multihop.run`.
            pcap: the same.
            warn: called with a line when frames come late.
            allow_code: as that of `multihop.run`.
            user: whom programs run as; the superuser where absent.

        Raises:
            EmulationError: this machine lacks something, or `nodes`, `routers` or `mtu` can't be.
            ScenarioError: the scenario can't be run.
        """
        requirements.check()
        if not LEAST_MTU <= mtu <= MOST_MTU:
            raise EmulationError(f"mtu must be {LEAST_MTU} to {MOST_MTU} bytes (got {mtu})")
        source = load(scenario)
        self._reading = reading_for(scheme, reading)
        settings = settings_of(scheme, self._reading, dict(set or {}))
        if seconds is not None:
            settings = [*settings, ("duration_s", seconds)]
        self._watch, self._pcap = watched(events, pcap)
        routers = sorted({*routers})
        with consent.giving(scheme, *dict(set or {}).values(), to_all=allow_code):
            self._engine = engine.emulation(
                source.text,
                overrides_of(source, scheme, settings),
                syntax=source.syntax,
                recording=record or Recording(),
                watch=self._watch,
                pcap=self._pcap,
                seed=seed,
                keeps_flows=flows,
                routers=[node for node in routers if node >= 0],
            )
        self.plan = Result(named(cast("RunResult", self._engine.plan()), self._reading))
        """The result of a run that has not begun: scenario, places, flows."""
        count = self._engine.nodes
        if count > MOST_NODES:
            raise EmulationError(f"at most {MOST_NODES} nodes have addresses (got {count})")
        chosen = [*range(count)] if nodes is None else sorted({*nodes})
        for node in chosen:
            if not 0 <= node < count:
                raise EmulationError(f"there are nodes 0 to {count - 1} (got {node})")
        for node in routers:
            if node not in chosen:
                raise EmulationError(f"a router needs a device, and node {node} has none")
        if routers and not self._engine.is_one_link:
            raise EmulationError('without routing (scheme "none") every node is a router')
        self._routers = routers if self._engine.is_one_link else chosen
        if user is not None:
            check_user(user)
        self._user = user
        self._chosen = chosen
        self._mtu = mtu
        self._warn = warn
        self._nodes: dict[int, Node] = {}
        self._namespaces: Namespaces | None = None
        self._started = 0.0
        self._programs: list[Program] = []
        self._is_closing = threading.Event()
        self._switcher: threading.Thread | None = None
        self.swept: list[str] = []
        """Namespaces that dead runs had left behind, removed at the start."""
        self._result: Result | None = None

    def __enter__(self) -> Network:
        """Start it.

        Raises:
            EmulationError: the kernel refuses a namespace or a device.
        """
        self.swept = sweep()
        try:
            self._namespaces = namespaces = Namespaces()
            every = {
                node: [
                    Device(f"{DEVICES}{place}", *device)
                    for place, device in enumerate(self._engine.devices(node))
                ]
                for node in self._chosen
            }
            self._nodes = {
                node: Node(node, namespaces.name(node), devices, self._user)
                for node, devices in every.items()
            }
            namespaces.make(every, mtu=self._mtu, routers=self._routers)
            thread = self._engine.start([*namespaces.devices.items()])
            # Programs that compute would keep frames waiting for the length of a time slice.
            with suppress(PermissionError):
                os.sched_setscheduler(thread, os.SCHED_RR, os.sched_param(1))
        except BaseException:
            with undisturbed():
                if self._namespaces is not None:
                    self._namespaces.close()
            raise
        self._started = time.monotonic()
        threading.Thread(target=self._look_at_lateness, daemon=True).start()
        if self._engine.switched:
            self._switcher = threading.Thread(target=self._follow_events, daemon=True)
            self._switcher.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """End it: programs, devices and namespaces go; the result stays."""
        with undisturbed():
            self._end()

    def _end(self) -> None:
        self._is_closing.set()
        if self._switcher is not None:
            self._switcher.join()
        with ExitStack() as stack:
            if self._namespaces is not None:
                stack.callback(self._namespaces.close)
            statuses = [program.status for program in self._programs]
            with capturing(self._pcap) as part:
                written, record = self._engine.finish(
                    rows=self._watch is not None,
                    pcap=None if part is None else str(part.path),
                )
        for program in self._programs:
            program.close()
        written["emulation"]["programs"] = [
            {"node": program.node, "command": program.command, "status": status}
            for program, status in zip(self._programs, statuses, strict=True)
        ]
        told = named(cast("RunResult", written), self._reading)
        self._result = Result(told, record, self._watch)

    def __len__(self) -> int:
        """Nodes of the scenario, with devices and without."""
        return self._engine.nodes

    def __getitem__(self, node: int) -> Node:
        """A node.

        Raises:
            EmulationError: it has no device.
        """
        try:
            return self._nodes[node]
        except KeyError:
            raise EmulationError(f"node {node} has no device") from None

    @property
    def run(self) -> str:
        """The name of the run, which is in those of its namespaces."""
        return self._namespaces.run if self._namespaces else ""

    @property
    def now_s(self) -> float:
        """Time since the start [s]."""
        return time.monotonic() - self._started

    @property
    def is_over(self) -> bool:
        """Whether the simulated time is."""
        return self._engine.is_over()

    @property
    def result(self) -> Result:
        """The result, after the end."""
        if self._result is None:
            raise EmulationError("the emulation has no result before its end")
        return self._result

    def look(self) -> Passage | None:
        """What has happened since the last look, if `events` are recorded; none after the end."""
        try:
            found = self._engine.look()
        except RuntimeError:
            return None
        if found is None:
            return None
        until_s, blocks, flows = found
        names = "id", "kind", "source", "destination", "delivered_segments", "delivered_bytes"
        named = [dict(zip(names, flow, strict=True)) for flow in flows]
        return Passage(until_s, event_frame(blocks, engine.event_words()), named)

    def sleep(self, seconds: float) -> None:
        """Wait, but not beyond the end of the run."""
        self.wait(time.monotonic() + seconds)

    def wait(self, until: float | None = None) -> None:
        """Wait for the end of the run, or until a time of `time.monotonic`."""
        while not self.is_over and (until is None or time.monotonic() < until):
            time.sleep(_LOOK_S)

    def start(self, node: int, command: Command, tell: Callable[[int, str], None]) -> Program:
        """Start a program whose lines go to `tell` with its node; its end is in the result."""
        program = Program(self[node], command, tell)
        self._programs.append(program)
        return program

    def wait_for_programs(self) -> None:
        """Wait for the end of all that `start` has started, or of the run."""
        while not self.is_over and not all(program.is_over for program in self._programs):
            time.sleep(_LOOK_S)

    def cut(self, a: int, b: int) -> None:
        """Let no signal pass between two nodes, until `restore`."""
        self._check(a, b)
        self._engine.set_link(a, b, True)

    def restore(self, a: int, b: int | None = None) -> None:
        """Restore a link that was cut, or a node that was killed; its programs stay away."""
        if b is not None:
            self._check(a, b)
            self._engine.set_link(a, b, False)
            return
        self._check(a)
        self._engine.set_node(a, False)
        self._switch(a, is_off=False)

    def kill(self, node: int) -> None:
        """Switch a node off: its radio, its device, and all of its programs."""
        self._check(node)
        self._engine.set_node(node, True)
        self._switch(node, is_off=True)

    def _switch(self, node: int, *, is_off: bool) -> None:
        """End the programs of a node and its device, or have the device back."""
        if node in self._nodes and self._namespaces is not None:
            if is_off:
                self._nodes[node].kill()
                self._namespaces.kill(node)
            self._namespaces.set_device(node, up=not is_off)

    def _follow_events(self) -> None:
        """Do to devices and programs what the scenario's events do to radios."""
        for at_s, node, is_off in self._engine.switched:
            if self._is_closing.wait(max(0.0, at_s - self.now_s)):
                return
            self._switch(node, is_off=is_off)

    def _check(self, *nodes: int) -> None:
        for node in nodes:
            if not 0 <= node < len(self):
                raise EmulationError(f"there are nodes 0 to {len(self) - 1} (got {node})")

    def _look_at_lateness(self) -> None:
        """Say so, at most every second, when frames come late."""
        while not self._is_closing.wait(1.0):
            try:
                frames, late, worst_s = self._engine.take_recent()
            except RuntimeError:
                return
            if self._warn is not None and frames and late > LATE_SHARE * frames:
                self._warn(
                    f"at {self.now_s:.0f} s the simulation is behind: {late} of {frames} frames "
                    f"came more than 1 ms late, the latest {1000 * worst_s:.1f} ms"
                )
