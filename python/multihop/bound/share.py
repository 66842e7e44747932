"""What share of the bound a run carried."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from multihop.bound.network import Network, read
from multihop.bound.solve import bound_of
from multihop.errors import ScenarioError
from multihop.files import write_within
from multihop.result_types import RunResult

_SECONDS = 60.0


def carried_bps(run: RunResult, span_s: float) -> float:
    """Payload of all flows that arrived, over the time in which it could."""
    return 8 * sum(flow["delivered_bytes"] for flow in run["flows"]) / span_s


def share_of_bound(run: RunResult, file: Path, *, seconds: float = _SECONDS) -> float | None:
    """What a run carried over the bound on the total of its network.

    None where there is no bound: receivers go by signal and noise, or no flow can get anything.

    Args:
        run: the run's result.
        file: where the bounds of networks are kept, as JSON.
        seconds: about how long to try for a network that is not there.
    """
    try:
        network = read(dict(run["scenario"]), seed=run["seed"])
    except ScenarioError:
        return None
    known: dict[str, float] = json.loads(file.read_text()) if file.exists() else {}
    key = _digest(network)
    if key not in known:
        known[key] = bound_of(network, seconds=seconds).total_bps
        write_within(file, json.dumps(known))
    return carried_bps(run, network.span_s) / known[key] if known[key] > 0 else None


def _digest(network: Network) -> str:
    """Tells networks apart by all that their bounds depend on."""
    digest = hashlib.sha256(
        repr((network.capture_ratio, network.notes_captured, network.kinds, network.flows)).encode()
    )
    digest.update(network.node_of.tobytes() + network.kind_of.tobytes())
    for period in network.periods:
        digest.update(repr((period.start_s, period.end_s)).encode())
        for part in (period.decodes, period.senses, period.strongest_w, period.weakest_w):
            digest.update(part.tobytes())
    return digest.hexdigest()
