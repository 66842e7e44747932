"""An hour of TCP over an emulated mesh whose nodes die and come back.

    python -m evidence.emulation.soak --minutes 60
    python -m evidence.emulation.soak --kills 10

The first: ten flows of iperf3 between nodes of a grid of 6 by 5 with AODV below the devices. Each
minute a node is killed, and the one of the minute before restored; a flow that lost an end starts
again when it is back. Memory is that of the engine's process. The second: an emulation is killed
by SIGKILL, and what it leaves is swept, so many times. Needs root and iperf3.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from multihop.emulation import Network, Node
from multihop.emulation.namespaces import NAMED, sweep

FLOWS = 10
SAMPLE_S = 30.0
DEATH_S = 60.0
SETTLED_S = 300.0
"""Memory is judged from here on: before, tables and buffers still fill."""


@dataclass
class Flow:
    """A TCP flow between two nodes, by iperf3."""

    source: Node
    sink: Node
    port: int
    server: subprocess.Popen[bytes] | None = None
    client: subprocess.Popen[bytes] | None = None
    starts: int = 0

    def keep(self, dead: int | None) -> None:
        """Start what is not running, if both ends are alive."""
        if dead in (self.source.number, self.sink.number):
            return
        if self.server is None or self.server.poll() is not None:
            self.server = self.sink.popen(
                ["iperf3", "-s", "-p", str(self.port)], stdout=subprocess.DEVNULL, stderr=-3
            )
            return  # The client comes at the next look, when the server listens.
        if self.client is None or self.client.poll() is not None:
            words = ["iperf3", "-c", self.sink.address, "-p", str(self.port), "-t", "86400"]
            self.client = self.source.popen(words, stdout=subprocess.DEVNULL, stderr=-3)
            self.starts += 1


def soak(minutes: float) -> None:
    """Print memory and lateness over time, and what is left afterwards."""
    length = 60 * minutes
    scenario = {
        "duration_s": length + 60,
        "topology": {"kind": "grid", "columns": 6, "rows": 5, "spacing_m": 200},
        "routing": {"scheme": "aodv"},
    }
    draw = random.Random(1)
    samples: list[tuple[float, float]] = []
    deaths: Counter[int] = Counter()
    with Network(scenario, seed=1, warn=print) as net:
        run = net.run
        ends = draw.sample(range(len(net)), 2 * FLOWS)
        flows = [
            Flow(net[a], net[b], 5201 + i)
            for i, (a, b) in enumerate(zip(ends[::2], ends[1::2], strict=True))
        ]
        dead: int | None = None
        next_death, next_sample = DEATH_S, 0.0
        while net.now_s < length and not net.is_over:
            if net.now_s >= next_sample:
                samples.append((net.now_s, resident_mib()))
                print(
                    f"{samples[-1][0]:7.1f} s  {samples[-1][1]:8.2f} MiB  dead {dead}", flush=True
                )
                next_sample += SAMPLE_S
            if net.now_s >= next_death:
                if dead is not None:
                    net.restore(dead)
                dead = draw.choice([node for node in range(len(net)) if node != dead])
                net.kill(dead)
                deaths[dead] += 1
                next_death += DEATH_S
            for flow in flows:
                flow.keep(dead)
            net.sleep(1)
        if net.is_over:
            print("it was over before its time")
    result = net.result
    frames = (result.emulation or {})["frames"]
    late = (result.emulation or {})["lateness"]
    left = [path.name for path in NAMED.iterdir() if path.name.startswith(f"multihop-{run}-")]
    print(
        f"{net.result.emulation and net.result.emulation['seconds']:.0f} s, "
        f"{sum(deaths.values())} deaths of {len(deaths)} nodes, "
        f"{sum(flow.starts for flow in flows)} starts of {FLOWS} flows, "
        f"{frames['delivered']} frames delivered, "
        f"{sum(flow['delivered_bytes'] for flow in result.json['flows']) / 1e6:.0f} MB; "
        f"late {1e3 * late['p50_s']:.3f} (median), {1e3 * late['p99_s']:.3f} (99 %), "
        f"{1e3 * late['worst_s']:.1f} ms (worst), {100 * late['late_share']:.3g} % over 1 ms"
    )
    say_memory(samples)
    print(f"namespaces left: {left or 'none'}; load {os.getloadavg()[0]:.1f}")


def say_memory(samples: list[tuple[float, float]]) -> None:
    """Print memory at the start, when settled and at the end, and its slope."""
    settled = [sample for sample in samples if sample[0] >= SETTLED_S]
    print(f"memory: {samples[0][1]:.1f} MiB at the start, {samples[-1][1]:.1f} at the end", end="")
    if len(settled) > 1:
        times, sizes = zip(*settled, strict=True)
        slope = statistics.linear_regression(times, sizes).slope
        print(
            f"; {settled[0][1]:.1f} at {settled[0][0]:.0f} s, {3600 * slope:+.2f} MiB an hour",
            end="",
        )
    print()


def resident_mib() -> float:
    """Memory of this process, in which the engine runs."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


def kills(times: int) -> None:
    """Kill an emulation, sweep, and print what was left before and after; so many times."""
    left = 0
    for _ in range(times):
        words = ["-m", "multihop", "emulate", "six-hops", "--exec", "0", "sleep 60"]
        process = subprocess.Popen(
            [sys.executable, *words], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        assert process.stderr is not None
        run = next(line for line in process.stderr if "multihop-" in line).split("multihop-")[1]
        run = run.split("-")[0]
        time.sleep(1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        names = [path.name for path in NAMED.iterdir() if path.name.startswith(f"multihop-{run}-")]
        devices = sum(has_device(name) for name in names)
        sweep()
        remaining = [name for name in names if (NAMED / name).exists()]
        left += len(remaining)
        print(f"{run}: {len(names)} namespaces, {devices} devices after the kill; "
              f"{len(remaining)} namespaces after the sweep", flush=True)  # fmt: skip
    print(f"{left} namespaces left of {times} kills")


def has_device(namespace: str) -> bool:
    """Whether the device of a namespace is there."""
    words = ["ip", "-n", namespace, "link", "show", "mesh0"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def main() -> None:
    """Do one of the two."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--kills", type=int, default=0)
    asked = parser.parse_args()
    if asked.kills:
        kills(asked.kills)
    else:
        soak(asked.minutes)


if __name__ == "__main__":
    main()
