"""Metrics of links in Python: Babel, OLSR, HWMP and B.A.T.M.A.N. IV route by them."""

from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest

import multihop
from multihop import BabelMetric, BatmanMetric, HwmpMetric, OlsrMetric, ScenarioError
from multihop.bases import LinkMetric
from multihop.engine import Link

# Two ways from 0 to 3: straight over 1, and over 4 and 2, which is a hop longer.
DIAMOND: dict[str, Any] = {
    "duration_s": 60,
    "topology": {
        "kind": "positions",
        "positions_m": [[0, 0], [200, 60], [290, -160], [400, 0], [100, -160]],
    },
    "flows": [
        {
            "kind": "cbr", "source": 0, "destination": 3, "start_s": 50, "packet_bytes": 200,
            "rate_bps": 16e3,
        }
    ],
}  # fmt: skip


class _Usual(LinkMetric):
    """What the protocol says, and what it was told of."""

    asked: ClassVar[Counter[tuple[int, int]]] = Counter()

    def cost(self, link: Link) -> int | None:
        self.asked[link.sender, link.receiver] += 1
        assert 0 <= link.received <= 1
        return link.usual

    def counters(self) -> dict[str, int]:
        return {"nodes": 1}


class _AvoidsOne(LinkMetric):
    """The link between 0 and 1 is not to be used."""

    def cost(self, link: Link) -> int | None:
        return None if {link.sender, link.receiver} == {0, 1} else link.usual


class _Dear(LinkMetric):
    """Nor is it worth its cost here, ten times the usual, or a tenth of the quality."""

    tenfold: ClassVar[float] = 10.0

    def cost(self, link: Link) -> int | None:
        dear = {link.sender, link.receiver} == {0, 1}
        return max(1, round(link.usual * self.tenfold)) if dear else link.usual


class _Worse(_Dear):
    tenfold = 0.1


PROTOCOLS = {
    "babel": (BabelMetric, {"scheme": "babel"}, _Dear),
    "olsr": (OlsrMetric, {"scheme": "olsr", "metric": "etx"}, _Dear),
    "hwmp": (HwmpMetric, {"scheme": "hwmp"}, _Dear),
    "batman": (BatmanMetric, {"scheme": "batman"}, _Worse),
}


def run(routing: dict[str, Any]) -> multihop.Result:
    return multihop.run(DIAMOND, seed=1, set={"routing": routing})


def hops(result: multihop.Result) -> float:
    """Those of the packets that arrived."""
    flow = result.json["flows"][0]
    assert flow["delivered_segments"] >= 80
    return flow["mean_hops"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_usual_cost_changes_nothing(protocol: str) -> None:
    base, own, _ = PROTOCOLS[protocol]
    _Usual.asked.clear()
    theirs: Any = type("Theirs", (_Usual, base), {})
    ours, python = run(own), run({"scheme": theirs})
    same = ("flows", "routing", "mac", "positions_m")
    assert [python.json[key] for key in same] == [ours.json[key] for key in same]
    assert _Usual.asked[0, 1] > 0
    assert _Usual.asked[1, 0] > 0
    assert list(python.json["schemes"].values()) == [{"nodes": 5}]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_data_go_round_a_link_that_is_not_used_or_dear(protocol: str) -> None:
    base, own, dear = PROTOCOLS[protocol]
    assert hops(run(own)) == pytest.approx(2, abs=0.1)
    for kind in (_AvoidsOne, dear):
        theirs: Any = type("Theirs", (kind, base), {})
        assert hops(run({"scheme": theirs})) == pytest.approx(3, abs=0.1)


def test_olsr_tells_qualities_whatever_its_table_says() -> None:
    class Mine(OlsrMetric):
        pass

    result = run({"scheme": Mine, "hello_interval_s": 1.0})
    assert result.scenario["routing"]["metric"] == "etx"
    assert result.scenario["routing"]["hello_interval_s"] == 1


@pytest.mark.parametrize("answer", ["-1", "1.5", "'far'", "2**40"])
def test_a_wrong_answer_ends_the_run_in_one_line(answer: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from multihop import BabelMetric\n\n\nclass Mine(BabelMetric):\n"
        f"    def cost(self, link):\n        return {answer}\n"
    )
    with pytest.raises(ScenarioError) as told:
        multihop.run(DIAMOND, set={"routing.scheme": f"{file}:Mine"}, allow_code=True)
    assert "mine.py: line 5: Mine: TypeError: cost: must return a whole number of 0 or more" in str(
        told.value
    )


def test_a_key_of_another_protocol_is_refused() -> None:
    class Mine(BatmanMetric):
        pass

    with pytest.raises(ScenarioError, match="hello_interval_s: unknown key"):
        run({"scheme": Mine, "hello_interval_s": 1.0})


def test_a_metric_of_no_protocol_is_none() -> None:
    class Mine(LinkMetric):
        pass

    with pytest.raises(ScenarioError, match=r"Mine is not derived from .*multihop.BabelMetric"):
        run({"scheme": Mine})


def test_a_link_is_made_by_hand() -> None:
    class Probed(HwmpMetric):
        def cost(self, link: Link) -> int | None:
            return round(link.usual / link.received) if link.received else None

    assert Probed().cost(Link(received=0.5, usual=50)) == 100
    assert Probed().cost(Link(received=0.0)) is None
