"""Pictures."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from multihop.draw import link_shares, network_routes


def test_link_shares_add_both_directions_and_refer_to_the_busiest() -> None:
    links = [
        {"from": 0, "to": 1, "packets": 60},
        {"from": 1, "to": 0, "packets": 40},
        {"from": 1, "to": 2, "packets": 25},
    ]
    assert link_shares(links) == {(0, 1): 1.0, (1, 2): 0.25}
    assert link_shares([]) == {}


def test_a_network_is_drawn_as_png_and_svg(tmp_path: Path) -> None:
    paths = [tmp_path / "network.png", tmp_path / "network.svg"]
    network_routes(
        [[0, 0], [200, 0], [400, 0]],
        [{"flow": 0, "from": 0, "to": 1, "packets": 5}],
        [{"id": 0, "source": 0, "destination": 2}],
        ["flow 0"],
        receive_range_m=250,
        title="title",
        subtitle="subtitle",
        paths=paths,
    )
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(paths[1]).getroot().tag.endswith("svg")
