"""The kernel's TCP and ping over emulated chains, beside our simulated ones.

    python -m evidence.emulation.chains ping
    python -m evidence.emulation.chains ping --routing none
    python -m evidence.emulation.chains tcp --seconds 60 --seeds 3

Needs root, iperf3 and ping. Runs several chains at a time: each has little to compute.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import multihop
from multihop.emulation import Network
from multihop.statistics import difference_half_width, mean_interval

TCP = {
    "profile": "linux",
    "window_segments": 4096,
    "segment_bytes": 1448,
    "receive_buffer": {"scheme": "auto", "initial_bytes": 131072, "largest_bytes": 6291456},
}
SIMULATED_SEEDS = 20
AT_A_TIME = 8
ENDING_S = 90
"""Time for iperf3 to connect and to end."""


def chain(hops: int, routing: str, seconds: float, **more: Any) -> dict[str, Any]:
    """A chain at the papers' 2 Mbit/s."""
    return {
        "duration_s": seconds,
        "topology": {"kind": "chain", "hops": hops, "spacing_m": 200},
        "routing": {"scheme": routing},
        **more,
    }


def emulated_tcp(
    hops: int, routing: str, scheme: str, seconds: float, seed: int
) -> dict[str, Any] | None:
    """Goodput of iperf3, and how late frames were; None if iperf3 did not end.

    Its ends have to agree on the end over the same mesh, which may have no route then.
    """
    with Network(chain(hops, routing, seconds + ENDING_S), seed=seed) as net:
        server = net[hops].popen(["iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
        time.sleep(1)
        words = ["iperf3", "-J", "-c", net[hops].address, "-C", scheme, "-t", str(seconds)]
        try:
            told = json.loads(net[0].run(words, timeout=seconds + ENDING_S - 5).stdout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            server.kill()
            server.wait()
    end = told["end"]
    return {
        "goodput": end["sum_received"]["bits_per_second"],
        "retransmits": end["sum_sent"]["retransmits"],
        "lateness": (net.result.emulation or {})["lateness"],
    }


def simulated_tcp(hops: int, routing: str, scheme: str, seconds: float) -> list[float]:
    """Goodput of our sender in the same chain, a value a seed."""
    flow = {"kind": "ftp", "source": 0, "destination": hops, "start_s": 1, "stop_s": seconds + 1}
    scenario = chain(hops, routing, seconds + 1, flows=[flow], transport={**TCP, "scheme": scheme})
    runs = multihop.run_many(scenario, seeds=range(SIMULATED_SEEDS))
    return [run.json["flows"][0]["goodput_bps"] for run in runs]


def tcp(cases: list[tuple[str, str, int]], seconds: float, seeds: int, at_a_time: int) -> None:
    """Print goodput of both with 95 % intervals, for each routing, scheme and number of hops."""
    with ThreadPoolExecutor(at_a_time) as pool:
        futures = {
            case: [
                pool.submit(emulated_tcp, case[2], case[0], case[1], seconds, seed + 1)
                for seed in range(seeds)
            ]
            for case in cases
        }
        found = {case: [future.result() for future in futures[case]] for case in cases}
    for (routing, scheme, n), all_runs in found.items():
        runs = [run for run in all_runs if run is not None]
        ours = simulated_tcp(n, routing, scheme, seconds)
        kernel = [run["goodput"] for run in runs]
        late = max(run["lateness"]["p99_s"] for run in runs)
        mean, half = statistics.mean(ours), difference_half_width(kernel, ours)
        print(
            f"{routing:6} {scheme:5} {n} hops: kernel {said(kernel)}, ours {said(ours)}, "
            f"{100 * (statistics.mean(kernel) / mean - 1):+5.1f} ± {100 * half / mean:.1f} %; "
            f"p99 late {1e3 * late:.2f} ms; retransmits {[run['retransmits'] for run in runs]}; "
            f"{len(runs)} of {len(all_runs)} seeds",
            flush=True,
        )


def said(values: list[float]) -> str:
    """Mean, its 95 % interval and the range of goodput in kbit/s."""
    mean = mean_interval(values)
    return (
        f"{mean.value / 1e3:7.1f} ± {mean.half_width / 1e3:.1f} "
        f"({min(values) / 1e3:.1f}-{max(values) / 1e3:.1f})"
    )


def route_by_kernel(net: Network) -> None:
    """Give every node of a chain routes in its kernel, and its neighbours' addresses."""
    for node in range(len(net)):
        lines = []
        for other in range(len(net)):
            nearer = node + (other > node) - (other < node)
            if other == node:
                continue
            if other == nearer:
                there = f"{net[other].address} lladdr {net[other].mac}"
                lines.append(f"neigh add {there} dev mesh0 nud permanent")
            else:
                lines.append(f"route add {net[other].address}/32 via {net[nearer].address}")
        net[node].run(["ip", "-batch", "-"], stdin=None, input="\n".join(lines) + "\n")


def ping(routing: str, count: int = 200) -> None:
    """Print ping's round trips beside what the same packets took in the simulation both ways.

    Addresses are known, so that no packet waits for one.
    """
    for hops in range(1, 7):
        with Network(chain(hops, routing, 60, link={"arp": False})) as net:
            if routing == "none":
                route_by_kernel(net)
            said = net[0].run(["ping", "-c", str(count), "-i", "0.05", net[hops].address]).stdout
        trips = [
            float(line.split("time=")[1].split()[0])
            for line in said.splitlines()
            if "time=" in line
        ]
        simulated = sum(1e3 * (flow["mean_delay_s"] or 0) for flow in net.result.json["flows"])
        late = (net.result.emulation or {})["lateness"]
        mean = statistics.mean(trips)
        print(
            f"{hops} hops: ping {mean:.3f} ms, simulated {simulated:.3f} ms, "
            f"{mean - simulated:+.3f} ms; late {1e3 * late['p50_s']:.3f} (median), "
            f"{1e3 * late['p99_s']:.3f} ms (99 %)",
            flush=True,
        )


def main() -> None:
    """Print one of the two tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["tcp", "ping"])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--hops", type=int, nargs="*", default=[*range(1, 9)])
    parser.add_argument("--routing", nargs="*", help="default: static, and aodv for tcp")
    parser.add_argument("--schemes", nargs="*", default=["reno", "cubic"])
    parser.add_argument("--at-a-time", type=int, default=AT_A_TIME)
    asked = parser.parse_args()
    if asked.what == "tcp":
        routings = asked.routing or ["static", "aodv"]
        cases = [*product(routings, asked.schemes, asked.hops)]
        tcp(cases, asked.seconds, asked.seeds, asked.at_a_time)
    else:
        ping((asked.routing or ["static"])[0])


if __name__ == "__main__":
    main()
