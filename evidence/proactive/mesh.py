"""The study of routing for a mesh of roofs, as the tables of evidence/mesh-routing.md.

    multihop study run mesh/routing --scale full --out out/mesh-routing
    python -m evidence.proactive.mesh out/mesh-routing

Control's airtime is what its packets would take if each were broadcast once at the basic rate, over
all nodes: what relays unicast (replies of AODV, requests of Babel) takes somewhat more.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

from multihop.statistics import mean_interval

PHY = {"2 Mbit/s": (192e-6, 1e6, 34), "": (26e-6, 6e6, 28)}
"""By what a point is called: preamble and PHY header [s], the basic rate [bit/s], MAC header and
check sequence [bytes], of which ns-2's has a fourth address."""
DURATION_S = 110.0
"""That of the study."""


def airtime(mesh: str, packets: float, sent_bytes: float) -> float:
    """Time on the air of one node's control in a second, in milliseconds."""
    preamble_s, rate_bps, mac_bytes = next(phy for name, phy in PHY.items() if name in mesh)
    nodes = int(mesh.split()[0].rstrip(","))
    total_s = packets * preamble_s + 8 * (sent_bytes + mac_bytes * packets) / rate_bps
    return 1e3 * total_s / (nodes * DURATION_S)


def main() -> None:
    """Print a table for each mesh."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", type=Path)
    data = parser.parse_args().study / "data"
    runs, flows = (pl.read_parquet(data / f"{name}.parquet") for name in ("runs", "flows"))
    for (mesh,), of_mesh in runs.group_by("mesh", maintain_order=True):
        aodv = dict(of_mesh.filter(scheme="aodv").select("network", "carried_bps").iter_rows())
        print(f"\n{mesh}, {len(aodv)} networks\n")
        print(
            "| | carried, kbit/s | less that of `aodv` | more than it on "
            "| file, s | unfinished of 6 | silence, s | control, ms/s |"
        )
        print("|---" * 8 + "|")
        for (scheme,), one in of_mesh.group_by("scheme", maintain_order=True):
            carried = dict(one.select("network", "carried_bps").iter_rows())
            more = [(carried[network] - aodv[network]) / 1e3 for network in aodv.keys() & carried]
            apart = mean_interval(more)
            bulk = flows.filter(mesh=mesh, scheme=scheme, kind="ftp")["longest_silence_s"]
            sent = one.select("routing_packets", "routing_bytes").iter_rows()
            air = [airtime(str(mesh), packets, size) for packets, size in sent]
            told = f"{apart.value:+.0f} ({apart.low:.0f} to {apart.high:.0f})"
            values = [
                f"{sum(carried.values()) / len(carried) / 1e3:.0f}",
                "" if scheme == "aodv" or len(more) < 2 else told,
                "" if scheme == "aodv" else f"{sum(each > 0 for each in more)} of {len(more)}",
                _number(one["completion_p50_s"].mean()),
                _number(one["total_unfinished_transfers"].mean()),
                _number(bulk.mean()),
                _number(sum(air) / len(air)),
            ]
            print(f"| `{scheme}` | " + " | ".join(values) + " |")


def _number(value: object) -> str:
    return "" if not isinstance(value, float | int) else f"{value:.2g}"


if __name__ == "__main__":
    main()
