"""The network of a bound, as the engine tells it: who hears whom, and what packets take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from multihop import engine
from multihop.overriding import overrides_of, reading_for, settings_of
from multihop.scenario import ScenarioSource, load

if TYPE_CHECKING:
    from multihop.reading import Reading

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Exchange:
    """The least time that a packet takes over a link, by what is counted [s]."""

    data_s: float
    """Its data frame; of an A-MPDU a share of it, as with all that follow."""
    core_s: float
    """From the start of the RTS to the end of the data frame."""
    answered_s: float
    """To the end of the answer."""
    whole_s: float
    """From the DIFS before the RTS to the end of the answer."""
    packets: int
    """Packets in its frame at most."""
    is_cleared: bool
    """No packet goes without RTS, nor in a data frame that fits between another's RTS and data."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow, and what its packets take."""

    id: int
    kind: str
    source: int
    destination: int
    hops: int | None
    """Of a shortest path at the start."""
    start_s: float
    end_s: float
    """Until when its arrivals count."""
    payload_bytes: int
    offered_bps: float | None
    """What it offers at most; None without limit."""
    exchanges: tuple[Exchange, ...]
    """Over links of each kind of station."""
    name: str | None = None
    """Of its table, if that has one."""


@dataclass(frozen=True, slots=True)
class Slot:
    """When things happen in a slot that stations reserve, from its begin on [s]."""

    called_s: float
    """The calls for an open slot are over, and rounds begin."""
    data_s: float
    """Rounds are over, and data begin."""
    acks_s: float
    """Acknowledgments begin, and then what is returned."""
    end_s: float
    """The next one begins."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Stations alike, their interframe spaces and the air times of their control frames [s]."""

    channel: int | None
    """None for ports of a wire."""
    is_client: bool
    """Clients of access points: they carry nothing for others."""
    is_slotted: bool
    """They send in slots, without sensing the carrier before: the rules here are not theirs."""
    slot: Slot | None
    """Those that they reserve, if they do."""
    sifs_s: float
    difs_s: float
    eifs_s: float
    rts_s: float
    cts_s: float


@dataclass(frozen=True, slots=True)
class Period:
    """Who hears whom in a time: bounds that hold throughout.

    Rows are stations that send, columns stations that hear.
    """

    start_s: float
    end_s: float
    decodes: Mask
    """Packets may be able to pass."""
    senses: Mask
    """Each of the two certainly senses the other."""
    strongest_w: Matrix
    """Power at most; 0 where nothing is heard."""
    weakest_w: Matrix
    """Power at least."""

    @property
    def length_s(self) -> float:
        """How long it is [s]."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class Network:
    """All that a bound depends on."""

    nodes: int
    seed: int
    notes_captured: bool
    """Stations count a medium as busy while a captured frame is on the air."""
    capture_ratio: float
    """How many times as strong as another a frame is that survives it; infinite if none does."""
    kinds: tuple[Kind, ...]
    node_of: Indices
    """The node of each station."""
    kind_of: Indices
    """The place of each station's kind."""
    flows: tuple[Flow, ...]
    periods: tuple[Period, ...]
    node_names: tuple[str, ...] = ()
    """Empty if nodes have numbers alone."""

    @property
    def span_s(self) -> float:
        """From the first flow's start to when the last one's arrivals cease to count [s]."""
        start_s = min(flow.start_s for flow in self.flows)
        return max(flow.end_s for flow in self.flows) - start_s


def read(
    scenario: ScenarioSource,
    *,
    seed: int | None = None,
    scheme: str | None = None,
    reading: str | Reading | None = None,
    set: Mapping[str, Any] | None = None,
    step_s: float = 1.0,
) -> Network:
    """Ask the engine for the network of a scenario; arguments are those of `multihop.run`.

    What is sent in slots is counted as if the DCF sent it.

    Args:
        scenario: path of a scenario file, TOML text, or the same as a mapping.
        seed: the network's; the scenario's own where absent.
        scheme: named choice of routing, transport and MAC laid over the scenario.
        reading: name or file of a reading, laid over the scheme.
        set: further overrides.
        step_s: the longest period if nodes move [s].

    Raises:
        ScenarioError: the scenario can't be run, or receivers go by signal and noise.
    """
    source = load(scenario)
    settings = settings_of(scheme, reading_for(scheme, reading), set)
    overrides = overrides_of(source, scheme, settings)
    found = engine.capacity(source.text, overrides, syntax=source.syntax, seed=seed, step_s=step_s)
    return _network(found)


def _network(found: Mapping[str, Any]) -> Network:
    flows = tuple(
        Flow(**{**flow, "exchanges": tuple(Exchange(**own) for own in flow["exchanges"])})
        for flow in found["flows"]
    )
    node_of, kind_of = np.array(found["stations"], dtype=np.intp).T
    start_s = min(flow.start_s for flow in flows)
    end_s = max(flow.end_s for flow in flows)
    periods = tuple(_period(len(node_of), period) for period in found["periods"])
    return Network(
        nodes=found["nodes"],
        seed=found["seed"],
        notes_captured=found["notes_captured"],
        capture_ratio=found["capture_ratio"] or math.inf,
        kinds=tuple(
            Kind(**{**kind, "slot": kind["slot"] and Slot(**kind["slot"])})
            for kind in found["kinds"]
        ),
        node_of=node_of,
        kind_of=kind_of,
        flows=flows,
        periods=tuple(
            _within(period, start_s, end_s)
            for period in periods
            if period.start_s < end_s and period.end_s > start_s
        ),
        node_names=tuple(found.get("node_names", ())),
    )


def _period(stations: int, found: Mapping[str, Any]) -> Period:
    ends = np.array(found["ends"], dtype=np.intp).reshape(-1, 2)
    power_w = np.array(found["power_w"], dtype=np.float64).reshape(-1, 2)
    certain = np.array(found["certain"], dtype=np.bool_).reshape(-1, 2)
    place = (ends[:, 0], ends[:, 1])
    decodes, senses = np.zeros((2, stations, stations), dtype=np.bool_)
    strongest_w, weakest_w = np.zeros((2, stations, stations))
    decodes[place], senses[place] = certain[:, 0], certain[:, 1]
    strongest_w[place], weakest_w[place] = power_w[:, 0], power_w[:, 1]
    return Period(
        found["start_s"], found["end_s"], decodes, senses & senses.T, strongest_w, weakest_w
    )


def _within(period: Period, start_s: float, end_s: float) -> Period:
    """The part of a period in which flows can deliver."""
    return Period(
        max(period.start_s, start_s),
        min(period.end_s, end_s),
        period.decodes,
        period.senses,
        period.strongest_w,
        period.weakest_w,
    )
