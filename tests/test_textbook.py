"""The example scenarios of effects that textbooks name show these effects."""

from __future__ import annotations

from typing import Any

import multihop


def rates(name: str, **settings: Any) -> dict[str, float]:
    """The goodput of each flow [bit/s] in twenty seconds."""
    told = {"duration_s": 21, **{key.replace("__", "."): value for key, value in settings.items()}}
    told |= {f"flows.{place}.stop_s": 21 for place in range(3 if "middle" in name else 2)}
    flows = multihop.run(name, set=told).json["flows"]
    return {str(flow["name"]): flow["goodput_bps"] for flow in flows}


def test_hidden_terminals_lose_most_frames_unless_they_ask_first() -> None:
    hidden = sum(rates("hidden-terminal").values())
    asking = sum(rates("hidden-terminal", mac__rts_threshold_bytes=0).values())
    heard = sum(rates("hidden-terminal", radio__sense_range_m=550).values())
    assert 3 * hidden < asking < heard


def test_an_exposed_terminal_waits_in_vain() -> None:
    both = rates("exposed-terminal")
    alone = rates("exposed-terminal", flows__right__start_s=20.9)["left"]
    assert all(0.4 * alone < rate < 0.6 * alone for rate in both.values())
    # Their receivers would take both at once: out of sensing range each has the rate of one alone.
    apart = [[0, 0], [200, 0], [1000, 0], [1200, 0]]
    for rate in rates("exposed-terminal", topology__positions_m=apart).values():
        assert 0.95 * alone < rate < 1.05 * alone


def test_the_nearer_sender_captures_the_receiver() -> None:
    found = rates("capture")
    assert found["near"] > 20 * found["far"]
    fair = rates("capture", radio__capture_db="inf")
    assert 0.5 < fair["near"] / fair["far"] < 2


def test_the_flow_in_the_middle_starves() -> None:
    found = rates("flow-in-the-middle")
    assert found["middle"] < 0.05 * min(found["upper"], found["lower"])
    # One neighbour alone shares evenly.
    two = rates("flow-in-the-middle", flows__lower__start_s=20.9)
    assert 0.8 < two["middle"] / two["upper"] < 1.2
