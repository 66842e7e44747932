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

MAC_HEADER_BYTES = 28
PHY = {"2 Mbit/s": (192e-6, 1e6), "": (26e-6, 6e6)}
"""By what a point is called: preamble and header [s], the basic rate [bit/s]."""
DURATION_S = 110.0


def airtime(mesh: str, packets: float, sent_bytes: float) -> float:
    """Time on the air of one node's control in a second, in milliseconds."""
    preamble_s, rate_bps = next(phy for name, phy in PHY.items() if name in mesh)
    nodes = int(mesh.split()[0].rstrip(","))
    total_s = packets * preamble_s + 8 * (sent_bytes + MAC_HEADER_BYTES * packets) / rate_bps
    return 1e3 * total_s / (nodes * DURATION_S)


def main() -> None:
    """Print a table for each mesh."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", type=Path)
    data = parser.parse_args().study / "data"
    runs, flows = (pl.read_parquet(data / f"{name}.parquet") for name in ("runs", "flows"))
    for (mesh,), of_mesh in runs.group_by("mesh", maintain_order=True):
        networks = of_mesh["network"].n_unique()
        print(f"\n{mesh}, {networks} networks\n")
        print("| | carried, kbit/s | file, s | unfinished of 6 | silence, s | control, ms/s |")
        print("|---|---|---|---|---|---|")
        for (scheme,), one in of_mesh.group_by("scheme", maintain_order=True):
            carried = mean_interval((one["carried_bps"] / 1e3).to_list())
            bulk = flows.filter(mesh=mesh, scheme=scheme, kind="ftp")["longest_silence_s"]
            air = [
                airtime(str(mesh), *row)
                for row in one.select("routing_packets", "routing_bytes").rows()
            ]
            spread = f" ({carried.low:.0f} to {carried.high:.0f})" if networks > 1 else ""
            values = [
                f"{carried.value:.0f}{spread}",
                _number(one["completion_p50_s"].mean()),
                _number(one["all_unfinished"].mean()),
                _number(bulk.mean()),
                _number(sum(air) / len(air)),
            ]
            print(f"| `{scheme}` | " + " | ".join(values) + " |")


def _number(value: object) -> str:
    return "" if not isinstance(value, float | int) else f"{value:.2g}"


if __name__ == "__main__":
    main()
