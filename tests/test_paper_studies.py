"""What the studies of papers run: topologies and senders that their claims rest on."""

import json

import pytest

import multihop
from multihop import Recording, Study, catalogue


@pytest.mark.parametrize("spacing_m", [140, 200])
@pytest.mark.parametrize(("scheme", "relays"), [("one-path", 4), ("two-paths", 8)])
def test_the_ring_has_one_path_or_two_that_share_no_relay(
    spacing_m: int, scheme: str, relays: int
) -> None:
    cells = Study.read(catalogue.study_file("copas/ring")).cells("quick")
    point = ("spacing_m", spacing_m)
    cell = next(cell for cell in cells if cell.scheme == scheme and point in cell.point)
    tables = json.loads(cell.text) | {"duration_s": 5}
    frames = multihop.run(tables, record=Recording(frames=True)).json["frames"]
    kinds = ("tcp-data", "tcp-ack")
    senders = {
        kind: {frame["transmitter"] for frame in frames if frame["packet"] == kind}
        for kind in kinds
    }
    data, acks = (senders[kind] - senders[other] for kind, other in (kinds, kinds[::-1]))
    passed = senders["tcp-data"] | senders["tcp-ack"]
    assert len(passed) == relays + 2
    assert (len(data), len(acks)) == ((1, 1) if relays == 4 else (5, 5))


@pytest.mark.parametrize("study", ["semi-tcp/tcp-flows", "semi-tcp/rules"])
def test_senders_differ_in_how_they_repair_and_only_semi_tcp_has_them(study: str) -> None:
    keys = ("repair", "answer_every", "max_unacknowledged_segments")
    senders = set()
    for cell in Study.read(catalogue.study_file(study)).cells("quick"):
        sender = dict(cell.point)["sender"]
        assert cell.scheme == "semi-tcp" or sender == "as-read"
        if cell.scheme == "semi-tcp":
            semi = json.loads(cell.text)["transport"]["semi"]
            senders.add((sender, *(semi[key] for key in keys)))
    assert len(senders) == 6
    assert {sender for sender, *_ in senders} >= {"timeout", "partial", "holes", "window-40"}
    assert ("holes", "timeout", 8) in {found[:3] for found in senders}
    assert ("window-40", "timeout", 0, 40) in senders
