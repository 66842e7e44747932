"""Time the engine against stock ns-2.35, one core each: five networks of 200 nodes and 10 flows.

Prints a line a network, the median ratio, and the peak memory of this process.
"""

import os
import resource
import statistics
import time

import multihop
from multihop import catalogue
from multihop.peers import ns2
from multihop.validation import reference

CASES = [f"random200-10flows-aodv-{number:02}" for number in range(1, 6)]


def main() -> None:
    """Run the pairs one after the other, so that neither side disturbs the other."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    peer = ns2.executable() is not None
    if not peer:
        print(f"{ns2.INSTALL_HINT}; timing multihop alone")
    ours, ratios = [], []
    for name in CASES:
        case = reference.load(catalogue.reference_folder() / f"{name}.json")
        begun = time.perf_counter()
        result = multihop.run(case.scenario, seed=1)
        ours.append(time.perf_counter() - begun)
        line = f"{name}  multihop {ours[-1]:6.3f} s  {result.json['engine']['events']:>12,} events"
        if peer:
            theirs = time_ns2(result)
            ratios.append(theirs / ours[-1])
            line += f"  ns-2.35 {theirs:6.2f} s  ratio {ratios[-1]:5.1f}"
        print(line, flush=True)
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"median multihop {statistics.median(ours):.3f} s, peak memory {peak_mib:.0f} MiB")
    if ratios:
        print(f"median ratio ns-2.35 / multihop {statistics.median(ratios):.1f}")


def time_ns2(result: multihop.Result) -> float:
    """Wall-clock seconds of one ns-2 run of the same scenario, without trace."""
    script = ns2.script(result, ns2.defaults(result))
    begun = time.perf_counter()
    ns2.run({1: script}, traced=False, workers=1)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
