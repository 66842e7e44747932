"""What a run leaves: the engine's JSON, and the same as data frames."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Result:
    """One finished run: `json` is the whole of it, the other attributes are views of it.

    It holds the resolved scenario, the seed and the version, so `multihop.run(result.scenario,
    seed=result.seed)` repeats it.
    """

    def __init__(self, json: dict[str, Any]) -> None:
        self.json = json

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario as resolved: defaults, scheme and overrides filled in."""
        scenario: dict[str, Any] = self.json["scenario"]
        return scenario

    @property
    def seed(self) -> int:
        """The seed used."""
        return int(self.json["seed"])

    @property
    def version(self) -> str:
        """The version of the engine that ran."""
        return str(self.json["version"])

    @property
    def warnings(self) -> list[str]:
        """What to check before trusting the result."""
        return list(self.json.get("warnings", []))

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row a flow, indexed by its id."""
        return _frame(self.json["flows"]).set_index("id")

    @cached_property
    def mac(self) -> pd.Series[Any]:
        """Counters of all MACs together."""
        return self._series("mac")

    @cached_property
    def routing(self) -> pd.Series[Any]:
        """Counters of all routing agents together."""
        return self._series("routing")

    @cached_property
    def queue(self) -> pd.Series[Any]:
        """Counters of all interface queues together."""
        return self._series("queue")

    @cached_property
    def series(self) -> pd.DataFrame:
        """Each flow over time: flow, time_s, sequence, cwnd, goodput_bps. Empty unless recorded."""
        return self._recorded("flows", ["flow", "time_s", "sequence", "cwnd", "goodput_bps"])

    @cached_property
    def queues(self) -> pd.DataFrame:
        """The recorded queues over time: node, time_s, packets, and of them routing, acks and data.

        Empty unless recorded.
        """
        columns = ["node", "time_s", "packets", "routing", "acks", "data"]
        return self._recorded("queues", columns)

    @cached_property
    def links(self) -> pd.DataFrame:
        """Packets of each flow over each link: flow, from, to, packets. Empty unless recorded."""
        return _frame(self.json.get("links") or [], ["flow", "from", "to", "packets"])

    @cached_property
    def routes(self) -> pd.DataFrame:
        """The same by interval: time_s (its start), flow, from, to, packets.

        Empty unless recorded.
        """
        columns = ["time_s", "flow", "from", "to", "packets"]
        return _frame(self.json.get("routes") or [], columns)

    @cached_property
    def paths(self) -> pd.DataFrame:
        """Every path found, in the order of time; `nodes` has both ends. Empty unless recorded."""
        columns = ["source", "destination", "request", "path", "hops", "nodes", "found_s", "lost_s"]
        columns += ["packets", "mean_rtt_s"]
        return _frame(self.json.get("paths") or [], columns)

    @cached_property
    def frames(self) -> pd.DataFrame:
        """Every transmission in the order of time. Empty unless recorded."""
        columns = ["time_ns", "airtime_ns", "transmitter", "receiver"]
        columns += ["kind", "duration_us", "packet"]
        return _frame(self.json.get("frames") or [], columns)

    def _series(self, key: str) -> pd.Series[Any]:
        import pandas as pd

        return pd.Series(self.json[key], name=key)

    def _recorded(self, key: str, columns: list[str]) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame((self.json.get("series") or {}).get(key) or {}, columns=columns)

    def __repr__(self) -> str:
        title = self.scenario.get("title") or "untitled"
        return f"<multihop.Result {title!r} seed={self.seed} flows={len(self.json['flows'])}>"


def delivered(flow: dict[str, Any]) -> int:
    """Segments or packets a flow got through: acknowledged at the sender, or received for CBR."""
    return int(flow["received_packets"] if flow["kind"] == "cbr" else flow["acked_segments"])


def _frame(rows: list[dict[str, Any]], columns: list[str] | None = None) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=columns)
