"""Time the engine against stock ns-2.35 and ns-3 on the same scenarios, one core each.

The simulators take turns: ours, a peer, ours again. Times are processor time, which other work on
the machine hardly changes; wall-clock time is kept beside it. Prints a line a network, then a table
of ratios by family; `--page` puts the table into a page, between its two markers.
"""

import fnmatch
import math
import os
import platform
import re
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click

import multihop
from multihop import Result, catalogue
from multihop.files import put_between
from multihop.peers import ns2, ns3
from multihop.results import delivered
from multihop.validation import reference

MARKERS = "<!-- bench: begin -->", "<!-- bench: end -->"

CACHE = Path(__file__).parents[1] / "out" / "bench"
"""Where the driver of ns-3 is built."""

LONG_S = 8.0
"""A peer's runs of one network are repeated until they have taken so long together."""

WORKER_CASE = "random200-10flows-aodv-01"
WORKER_RUNS = 20
WORKER_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Family:
    """Scenarios that share a row of the table."""

    title: str
    cases: str
    """Names of its reference cases, as a pattern."""
    peers: tuple[str, ...] = ("ns2",)
    made: Mapping[str, Callable[[], dict[str, Any]]] | None = None
    """Scenarios by name, in place of reference cases."""

    def names(self, pattern: str) -> list[str]:
        """Return its cases that match `pattern` too."""
        if self.made is not None:
            return fnmatch.filter(self.made, pattern)
        names = sorted(
            path.stem for path in catalogue.reference_folder().glob(f"{self.cases}.json")
        )
        return fnmatch.filter(names, pattern)

    def scenario(self, name: str) -> dict[str, Any]:
        """Return the scenario of one of them."""
        if self.made is not None:
            return self.made[name]()
        return reference.load(catalogue.reference_folder() / f"{name}.json").scenario


def todays_network(seed: int) -> dict[str, Any]:
    """Return 200 nodes at random, 10 TCP flows, 802.11g, reception by signal and noise."""
    scenario: dict[str, Any] = {
        "duration_s": 6,
        "profile": "standard",
        "topology": {"kind": "random", "nodes": 200, "area_m": [440, 176], "connected": True},
        "radio": {
            "reception": "sinr",
            "propagation": "log-distance",
            "path_loss_exponent": 3,
            "transmit_power_dbm": 16,
            "capture_db": math.inf,
            "receive_range_m": 45,
        },
        "mac": {
            "phy": "802.11g",
            "data_rate_bps": 24e6,
            "slot_s": 20e-6,
            "rts_threshold_bytes": math.inf,
            "long_retry_limit": 7,
        },
        "routing": {"scheme": "static"},
        "link": {"arp": False},
        "transport": {
            "scheme": "newreno",
            "link_failure": "ignore",
            "segment_bytes": 1460,
            "window_segments": 20,
        },
    }
    flows = {"kind": "ftp", "source": "random", "destination": "random", "count": 10}
    drawn = multihop.run(
        {**scenario, "duration_s": 0.1, "flows": [{**flows, "distinct_ends": True}]}, seed=seed
    ).json
    ends = ({key: flow[key] for key in ("source", "destination")} for flow in drawn["flows"])
    return {
        **scenario,
        "topology": {"kind": "positions", "positions_m": drawn["positions_m"]},
        "flows": [
            {"kind": "ftp", **pair, "start_s": 1 + 0.1 * place} for place, pair in enumerate(ends)
        ],
    }


FAMILIES = [
    Family("200 nodes, 10 flows, AODV", "random200-10flows-aodv-0[1-5]", ("ns2", "ns3")),
    Family("200 nodes, 5 flows, AODV", "random200-5flows-aodv-0[1-5]"),
    Family("100 nodes, 10 flows, DSR", "random100-10flows-dsr-0[1-5]"),
    Family("10 × 6 grid, 2 flows, AODV", "grid-two-strings-aodv", ("ns2", "ns3")),
    Family("50 moving nodes, 1 flow, AODV", "mobile50-20mps-1flow-aodv-0[1-3]"),
    Family("50 moving nodes, 1 flow, DSR", "mobile50-20mps-1flow-dsr-0[1-3]"),
    Family("chain of 4 hops, window 8", "chain-aodv-newreno-w8-1460B-200m-4hop", ("ns2", "ns3")),
    Family("chain of 8 hops, window 8", "chain-aodv-newreno-w8-1460B-200m-8hop", ("ns2", "ns3")),
    Family("chain of 6 hops, window 32", "chain-aodv-newreno-w32-1460B-200m-6hop", ("ns2", "ns3")),
    Family(
        "200 nodes, 10 flows, static routes, 802.11g by signal and noise, 5 s",
        "",
        ("ns3",),
        {f"today-{seed}": partial(todays_network, seed) for seed in (1, 2, 3)},
    ),
]


@dataclass(frozen=True, slots=True)
class Peer:
    """Another simulator."""

    key: str
    title: str
    prepare: Callable[[Result], Callable[[], int]]
    """From a result of ours, a run of the same scenario and seed that returns what it delivered."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of either side."""

    processor_s: float
    wall_s: float
    delivered: int
    """Segments of all flows."""


@dataclass(slots=True)
class Timings:
    """All runs of one family."""

    family: Family
    networks: int
    ours: list[Run] = field(default_factory=list)
    peers: dict[str, list[Run]] = field(default_factory=dict)
    ratios: dict[str, list[float]] = field(default_factory=dict)
    """A peer's time over the mean of our two runs beside it, by run of the peer."""


@click.command()
@click.option("--cases", default="*", help="Only reference cases of this pattern.")
@click.option("--peers", "wanted", default="ns2,ns3", help="Which to time, separated by commas.")
@click.option("--repeat", default=5, help=f"Most runs a network, while below {LONG_S:g} s in all.")
@click.option(
    "--page",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Page to put a full table into.",
)
def main(cases: str, wanted: str, repeat: int, page: Path | None) -> None:
    """Time the engine against ns-2.35 and ns-3 on the same scenarios."""
    keys = [key for key in wanted.split(",") if key]
    if unknown := set(keys) - {"ns2", "ns3"}:
        raise click.UsageError(f"no such peer: {', '.join(sorted(unknown))}; there are ns2, ns3")
    peers = [peer for peer in (find_peer(key) for key in keys) if peer is not None]
    workers = time_workers() if fnmatch.fnmatch(WORKER_CASE, cases) else None
    with one_core():
        families = [
            time_family(family, names, peers, repeat)
            for family in FAMILIES
            if (names := family.names(cases))
        ]
    if not families:
        raise click.UsageError(f"no case is called {cases}")
    report = "\n\n".join([table(families, peers), notes(families, peers, workers)])
    print(f"\n{report}")
    if page is not None:
        if cases != "*" or len(peers) < 2 or workers is None:
            print(f"\n{page} is left as it is: not everything was timed")
        else:
            put_between(page, MARKERS, report)


def find_peer(key: str) -> Peer | None:
    """Return the peer, ready to run, or say how to install it."""
    if key == "ns2":
        if ns2.executable() is None:
            print(f"{ns2.INSTALL_HINT}; its columns are left out")
            return None
        return Peer("ns2", "ns-2.35", prepare_ns2)
    package = ns3.package()
    if package is None:
        print(f"{ns3.INSTALL_HINT}; its columns are left out")
        return None
    program = ns3.build(package, CACHE)

    def prepare(result: Result) -> Callable[[], int]:
        return lambda: sum(ns3.run(program, result).delivered.values())

    return Peer("ns3", f"ns-{ns3.version(package)}", prepare)


def prepare_ns2(result: Result) -> Callable[[], int]:
    """Run ns-2 on the scenario of `result`, without trace."""
    script = ns2.script(result, ns2.defaults(result))
    scripts = {result.seed: script}
    return lambda: sum(ns2.run(scripts, traced=False, workers=1)[0].delivered.values())


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process, and what it starts, to one core."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def time_family(family: Family, names: Sequence[str], peers: list[Peer], repeat: int) -> Timings:
    """Time all networks of a family, and print a line each."""
    timings = Timings(family, len(names))
    peers = [peer for peer in peers if peer.key in family.peers]
    for name in names:
        scenario = family.scenario(name)
        first = len(timings.ours)
        if not peers:
            timings.ours += [time_ours(scenario, seed)[0] for seed in range(1, repeat + 1)]
        line = ""
        for peer in peers:
            runs = time_peer(peer, scenario, timings, repeat)
            line += f"  {peer.title} {statistics.median(run.processor_s for run in runs):7.3f} s"
        ours = statistics.median(run.processor_s for run in timings.ours[first:])
        print(f"{name:40}  multihop {ours:6.3f} s{line}", flush=True)
    return timings


def time_peer(peer: Peer, scenario: dict[str, Any], timings: Timings, repeat: int) -> list[Run]:
    """Time a peer on one network, between two runs of ours with the same seed; returns its runs."""
    runs: list[Run] = []
    for seed in range(1, repeat + 1):
        before, result = time_ours(scenario, seed)
        call = peer.prepare(result)
        runs.append(time_call(call))
        after, _ = time_ours(scenario, seed)
        timings.ours += [before, after]
        mean_s = statistics.mean([before.processor_s, after.processor_s])
        ratio = runs[-1].processor_s / mean_s
        timings.ratios.setdefault(peer.key, []).append(ratio)
        if sum(run.processor_s for run in runs) > LONG_S:
            break
    timings.peers.setdefault(peer.key, []).extend(runs)
    return runs


def time_ours(scenario: dict[str, Any], seed: int) -> tuple[Run, Result]:
    """Time one call of `multihop.run`."""
    results: list[Result] = []

    def call() -> int:
        results.append(multihop.run(scenario, seed=seed))
        return sum(map(delivered, results[0].json["flows"]))

    run = time_call(call)
    return run, results[0]


def time_call(call: Callable[[], int]) -> Run:
    """Time a run, in this process or in one that it starts, which returns what it delivered."""
    begun_s, used_s = time.perf_counter(), processor_s()
    count = call()
    return Run(processor_s() - used_s, time.perf_counter() - begun_s, count)


def processor_s() -> float:
    """Processor time so far of this process and of those it has started and awaited, seconds."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@dataclass(frozen=True, slots=True)
class Workers:
    """`run_many` on two workers against one."""

    ratio: float
    """Throughput, each at its best of some rounds."""
    cores: tuple[float, float]
    """Cores' worth of processor time that one worker got in that round, and that two got."""
    cost: float
    """Processor time of the same runs on two workers over that on one, each at its least."""


def time_workers() -> Workers:
    """Time `run_many` on one and on two workers, in turn."""
    scenario = reference.load(catalogue.reference_folder() / f"{WORKER_CASE}.json").scenario
    runs: dict[int, list[Run]] = {1: [], 2: []}
    for _ in range(WORKER_ROUNDS):
        for workers, timed in runs.items():
            timed.append(time_call(partial(run_many, scenario, workers)))
    one, two = (min(timed, key=lambda run: run.wall_s) for timed in runs.values())
    least = [min(run.processor_s for run in timed) for timed in runs.values()]
    cores = (one.processor_s / one.wall_s, two.processor_s / two.wall_s)
    found = Workers(one.wall_s / two.wall_s, cores, least[1] / least[0])
    print(f"two workers: {found.ratio:.2f} times the throughput of one", flush=True)
    return found


def run_many(scenario: dict[str, Any], workers: int) -> int:
    """Run seeds 1, 2, ... on some workers; returns what all of them delivered."""
    results = multihop.run_many(scenario, seeds=range(1, WORKER_RUNS + 1), workers=workers)
    return sum(delivered(flow) for result in results for flow in result.json["flows"])


def table(families: Sequence[Timings], peers: Sequence[Peer]) -> str:
    """Render the timings as a Markdown table, a row a family."""
    header = ["scenario", "networks", "multihop, s"]
    for peer in peers:
        header += [f"{peer.title}, s", f"{peer.title} / multihop"]
    header.append("segments delivered: " + " / ".join(["multihop", *(p.title for p in peers)]))
    rows = [header, ["---", *["--:"] * (len(header) - 1)]]
    for timings in families:
        row = [timings.family.title, str(timings.networks), seconds(timings.ours)]
        theirs = [timings.peers.get(peer.key, []) for peer in peers]
        for peer, runs in zip(peers, theirs, strict=True):
            row += [seconds(runs), spread(timings.ratios.get(peer.key, []))]
        row.append(" / ".join(segments(runs) for runs in [timings.ours, *theirs]))
        rows.append(row)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def seconds(runs: Sequence[Run]) -> str:
    """Median processor time."""
    if not runs:
        return "–"
    median = statistics.median(run.processor_s for run in runs)
    return f"{median:.{3 if median < 1 else 2 if median < 10 else 1}f}"


def segments(runs: Sequence[Run]) -> str:
    """Median of what the runs delivered."""
    return f"{statistics.median(run.delivered for run in runs):,.0f}" if runs else "–"


def spread(ratios: Sequence[float]) -> str:
    """Median, least and greatest."""
    if not ratios:
        return "–"
    return f"**{statistics.median(ratios):.1f}** ({min(ratios):.1f} to {max(ratios):.1f})"


def notes(families: Sequence[Timings], peers: Sequence[Peer], workers: Workers | None) -> str:
    """Return the figures beside the table, as a list."""
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    waits = [f"{waiting([run for f in families for run in f.ours])} for multihop"]
    for peer in peers:
        runs = [run for timings in families for run in timings.peers.get(peer.key, [])]
        waits.append(f"{waiting(runs)} for {peer.title}")
    lines = [
        f"- Machine: {processor()}, {os.cpu_count()} cores.",
        f"- Wall-clock over processor time, which is 1 on an idle machine: {', '.join(waits)}.",
        f"- Peak memory of the Python process with all of multihop's runs: {peak_mib:.0f} MiB.",
    ]
    if any(peer.key == "ns2" for peer in peers):
        lines.append(f"- Start of ns-2.35, which is in its times: {ns2_start_s():.3f} s.")
    if workers is not None:
        lines.append(
            f"- `run_many` with two workers: **{workers.ratio:.2f}** times the throughput of one, "
            f"by wall-clock ({WORKER_RUNS} runs of `{WORKER_CASE}`, the best of {WORKER_ROUNDS} "
            f"rounds each). The machine gave the one {workers.cores[0]:.2f} cores and the two "
            f"{workers.cores[1]:.2f}; with two, a run costs {workers.cost:.2f} times the processor "
            "time."
        )
    return "\n".join(lines)


def waiting(runs: Sequence[Run]) -> str:
    """Median of wall-clock over processor time."""
    if not runs:
        return "–"
    return f"{statistics.median(run.wall_s / run.processor_s for run in runs):.2f}"


def ns2_start_s() -> float:
    """Median processor time that ns-2 takes for an empty script, seconds."""
    with tempfile.TemporaryDirectory(prefix="multihop-bench-") as name:
        script = Path(name) / "empty.tcl"
        script.write_text("exit 0\n", encoding="utf-8")

        def call() -> int:
            return subprocess.run(["ns", str(script)], check=True).returncode

        return statistics.median(time_call(call).processor_s for _ in range(5))


def processor() -> str:
    """Name of the processor."""
    information = Path("/proc/cpuinfo")
    text = information.read_text(encoding="utf-8") if information.exists() else ""
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
