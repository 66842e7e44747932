"""What the papers on access say of frames on the air."""

from __future__ import annotations

from typing import Any

import multihop

CHAIN: dict[str, Any] = {
    "duration_s": 5,
    "topology": {"kind": "chain", "hops": 4, "spacing_m": 200},
    "routing": {"scheme": "static"},
    "flows": [
        {
            "kind": "cbr", "source": 0, "destination": "last", "packet_bytes": 1000,
            "rate_bps": 5e5,
        }
    ],
}  # fmt: skip


def frames(access: str) -> set[tuple[str | None, ...]]:
    """Kinds, contents and lengths of all frames on the air."""
    events = multihop.run({**CHAIN, "mac": {"access": access}}, events=True).events
    return {*events.filter(event="transmit").select("kind", "content", "bytes").rows()}


def test_ez_flow_sends_no_byte_more() -> None:
    without = frames("dcf")
    assert {kind for kind, *_ in without} == {"rts", "cts", "data", "ack"}
    assert frames("ez-flow") == without
