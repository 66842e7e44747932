"""What the engine returns: the types of a result and of everything in it.

Made from the engine's schema by `make schema`; docs/results.md has the same as tables.
"""

from typing import Any, Literal, NotRequired, TypedDict


class Choice(TypedDict):
    """One choice of a path."""

    time_s: float
    """When [s]."""

    path: list[int]
    """The nodes of the path chosen."""

    shortest_hops: int
    """Hops of a shortest path."""

    weight: float
    """Weight of the path."""

    bottlenecks: list[float]
    """Weight of the heaviest link of each path there was to choose from, the lightest path
    first.
    """

    chosen: int
    """Which of them was chosen."""


class CentreReport(TypedDict):
    """What the centre chose, for the result."""

    choices: list[Choice]
    """Every choice of a path, in the order of time."""

    orders_tried: NotRequired[int]
    """Heuristic II: orders tried."""

    total_weight: NotRequired[float]
    """Heuristic II: what all nodes weigh together in the order that was kept."""


class CandidateReport(TypedDict):
    """A path that a request came by."""

    path: list[int]
    """From who asked to who chose."""

    contention: list[float]
    """Mean backoffs an interval of each relay."""


class ChoiceReport(TypedDict):
    """The paths that one request came by, and which were taken."""

    time_s: float
    """When the collection time was over [s]."""

    originator: int
    """Who asked."""

    target: int
    """Who collected and chose."""

    replaces: bool
    """Whether the request was for the replacement of a path."""

    candidates: list[CandidateReport]
    """The paths, in the order in which the request came by them."""

    forward: int | None
    """Place of the path taken for data; none if that path stayed as it was."""

    reverse: int | None
    """Place of the path taken for acknowledgments; none if that path stayed as it was."""


class CopasCounters(TypedDict):
    """What COPAS did, at one node or all together."""

    pairs_chosen: int
    """Requests answered with two paths."""

    single_paths_chosen: int
    """Requests answered with one path, for want of two."""

    replacement_requests: int
    """Requests for the replacement of a contended path."""

    replacements: int
    """Paths replaced."""

    replacements_of_other_length: int
    """Those of them whose length is not similar to the old path's."""

    replacements_refused: int
    """Paths kept because those found were not less contended, or none was disjoint from the
    other.
    """

    failovers: int
    """Broken paths whose packets could take the other at once."""

    crossed_requests: int
    """Requests not considered, because a request of the lower-numbered end crossed them."""

    connection_s: float
    """Time from the first data packet to the end of the run, added up over pairs of ends [s]."""

    two_paths_s: float
    """That part of it in which the data's source knew two paths that share no relay [s]."""

    no_path_s: float
    """That part of it in which it knew none [s]."""

    choices: NotRequired[list[ChoiceReport]]
    """Every choice of paths, if they were to be kept; in a result in the order of time."""


class DcarReport(TypedDict):
    """What DCAR did, all nodes together."""

    late_requests: int
    """Copies of requests that came to a node after it had chosen a worse one."""

    weights_used: int
    """Weights that nodes gave to requests, one a node and discovery."""

    weights_stale_connections: int
    """Connections by which these differed from what the nodes counted at the time, added up."""


class EtxReport(TypedDict):
    """What ETX did and knew, all nodes together."""

    probes_sent: int
    """Probes sent."""

    probe_bytes: int
    """Their bytes, IP headers included."""

    links_known: int
    """Links with an ETX at the end of the run. A link counts at each end that knows it."""

    mean_etx: float | None
    """The mean ETX of these; none if there are none."""


class PathTotals(TypedDict):
    """What the discoveries between two nodes found; sums, so that those of several pairs or
    runs add up.
    """

    discoveries_by_paths: list[int]
    """Discoveries that found one path, two, three, ..."""

    paths_found: int
    """Paths found."""

    paths_lost: int
    """Paths lost to route errors."""

    life_total_s: float
    """Time from finding to losing these, added up [s]."""

    shortest_hops_total: int
    """Hops of each discovery's shortest path, added up."""

    alternate_hops_total: int
    """Hops of all other paths, added up."""

    alternate_shortest_hops_total: int
    """For each of these other paths the hops of its discovery's shortest path, added up."""

    packets_by_rank: list[int]
    """Packets sent on a discovery's shortest path, on the next, ..."""

    shared_link_pairs: int
    """Pairs of paths of one discovery with a link in common."""

    shared_node_pairs: int
    """Pairs of paths of one discovery with a node between the ends in common."""


class PathReport(TypedDict):
    """One path of one discovery."""

    source: int
    """The node that asked."""

    destination: int
    """The node that it asked for."""

    request: int
    """Which request of the source found it."""

    path: int
    """Which of the request's paths it is, numbered by the destination from 1."""

    hops: int
    """Hops that the source was told."""

    nodes: list[int]
    """The nodes on it, both ends included."""

    found_s: float
    """When the source heard of it [s]."""

    lost_s: float | None
    """When the source heard of its failure [s]."""

    packets: int
    """Packets of the source's transport sent on it."""

    mean_rtt_s: float | None
    """Mean round-trip time on it as the packet-scheduling layer measured it [s]."""


class MultipathReport(TypedDict):
    """What the discoveries of several paths found."""

    totals: PathTotals
    """All discoveries together."""

    flows: list[PathTotals]
    """Those of each flow's source for its destination, in the order of the flows."""

    paths: NotRequired[list[PathReport]]
    """Every path found, if paths are recorded."""


class PacingCounters(TypedDict):
    """What the pacers of all nodes did."""

    heard: int
    """Packets that a node heard its next hop pass on or answer."""

    unheard: int
    """Packets that it did not hear of in time, and so sent the next one."""

    holds: int
    """How often a node's MAC was free and data waited, none of which might go yet."""

    kept: int
    """Packets that the MAC gave up and that went back to their queue, because their next hop
    had been heard lately.
    """


class AdmissionCounters(TypedDict):
    """What admission hop by hop did in all nodes."""

    rtsc_sent: int
    """RTSC frames sent (also among `rts_sent`)."""

    ctsc_sent: int
    """CTSC frames sent, grants that resolve a deadlock (also among `cts_sent`)."""

    urgent_rts_sent: int
    """RTS frames for routing and ARP packets."""

    marks_set: int
    """Marks of congested neighbours set or set anew."""

    deferrals: int
    """Packets put aside because of such marks or of a refusal."""

    deferred_s: float
    """Time that packets were put aside, added up [s]."""

    refusals_sent: int
    """Frames of its own that a congested node sent in the place of a CTS."""

    refusals_heard: int
    """Refusals that the node that had asked understood."""

    requests_ignored: int
    """RTS and RTSC that a congested node left unanswered."""

    max_packets: int
    """Most data packets that ever were in one node."""

    longest_service_s: float
    """Longest time that a data packet was first in its node, from its handing over to the MAC
    to its acknowledgment or its being given up [s].
    """

    congestions: int
    """How often a node became congested."""

    congested_s: float
    """How long nodes were congested, added up over those spells that ended [s]."""

    source_waits: int
    """Packets of a node's own transport that waited for room in the node."""

    source_drops: int
    """Packets dropped because too many waited so."""

    packets_left: int
    """Data packets that are in the nodes at the end."""


class EngineReport(TypedDict):
    """How the simulation went."""

    events: int
    """Events run."""

    transmissions: int
    """Frames sent."""

    build_s: float
    """Wall time of building the network [s]."""

    wall_s: float
    """Wall time of the run [s]."""

    fingerprint: str
    """Digest of every transmission and delivery, as 16 hexadecimal digits: equal digests, equal
    runs.
    """


class FlowReport(TypedDict):
    """What a flow achieved, at its stop (a CBR flow's packets are counted to the end of the
    run).
    """

    id: int
    """Place in the scenario."""

    kind: str
    """`ftp` or `cbr`."""

    source: int
    """Source node."""

    destination: int
    """Destination node."""

    start_s: float
    """Start [s]."""

    stop_s: float
    """Stop [s]."""

    shortest_hops: int | None
    """Hops of a shortest path between the initial positions; none if there is none."""

    least_hops: int | None
    """Hops of the shortest path at any whole second of the run; none if there is none then."""

    goodput_bps: float
    """In-order payload at the receiver per second of the flow's life [bit/s]."""

    delivered_bytes: int
    """In-order payload at the receiver [bytes]."""

    delivered_segments: int
    """In-order segments at the receiver, or packets received."""

    acked_segments: NotRequired[int]
    """Highest cumulative ACK at the sender (FTP)."""

    packet_bytes: NotRequired[int]
    """Payload of a packet [bytes] (CBR)."""

    rate_bps: NotRequired[float]
    """Payload sent [bit/s] (CBR)."""

    received_packets: NotRequired[int]
    """Packets received (CBR)."""

    unique_segments: int
    """Segments that arrived, each counted once, whatever their order; packets received."""

    unique_bps: float
    """Payload of these per second of the flow's life [bit/s]."""

    acks_sent: NotRequired[int]
    """Acknowledgments that the receiver sent (FTP)."""

    sent_segments: int
    """Data segments sent, retransmissions included."""

    retransmits: int
    """Segments sent again."""

    timeouts: int
    """Expiries of the retransmission timer."""

    fast_retransmits: int
    """Losses noticed by duplicate acknowledgments."""

    route_errors: int
    """Route errors that the sender heard, whatever it made of them."""

    route_errors_suspended: int
    """Those of them that came while it was suspended already."""

    freezes: int
    """Times that the sender froze on a route error."""

    standbys: int
    """Times that the sender stood by after a route error."""

    probes: int
    """Segments sent as probes of a broken route."""

    suspended_s: float
    """Time that the sender was suspended so [s]."""

    arrived_segments: int
    """Data segments that arrived, duplicates included."""

    out_of_order_segments: int
    """Those of them that arrived before one with a lower number did (FTP)."""

    discoveries: int
    """Route discoveries of either end for the other."""

    mean_rtt_s: float | None
    """Mean of the round-trip times that the TCP sender measured [s]; none if it measured none."""

    mean_delay_s: float | None
    """Mean time from the sender's handing down a packet to its arrival [s]; none if none
    arrived.
    """

    mean_mac_delay_s: float | None
    """Mean time of an arriving data packet from its source's interface queue to its
    destination's MAC [s].
    """

    mean_hops: float | None
    """Mean links crossed by an arriving data packet."""

    least_observed_hops: int | None
    """Fewest links crossed by an arriving data packet; none if none arrived."""

    goodput_variation: float | None
    """Goodput sampled each second of the flow's life: standard deviation over mean."""

    silent_share: float
    """Share of those seconds in which nothing was delivered in order."""

    longest_silence_s: float
    """The longest time in which nothing was delivered in order [s]."""

    mean_cwnd_segments: NotRequired[float]
    """Mean congestion window of the samples, if series are recorded [segments]."""


class MacCounters(TypedDict):
    """What the MACs of all nodes did."""

    rts_sent: int
    """RTS frames sent."""

    cts_sent: int
    """CTS frames sent."""

    data_sent: int
    """Unicast DATA frames sent."""

    ack_sent: int
    """ACK frames sent."""

    broadcast_sent: int
    """Broadcast DATA frames sent."""

    retry_drops: int
    """Packets given up at the short or long retry limit."""

    collisions: int
    """Frames lost to a collision at a node that they were for (each node for a broadcast) and
    strong enough to be decoded: ns-2's `COL` drops.
    """

    backoffs: int
    """Backoffs drawn, for whatever cause."""

    backoffs_busy: int
    """Those drawn because a frame found the medium busy, physically or by NAV."""

    backoffs_retry: int
    """Those drawn for want of a CTS or an ACK."""

    backoffs_post: int
    """Those that follow a frame delivered or given up."""

    backoffs_idle: int
    """Those that ns-2.35 draws for frames that find the medium idle."""

    backoff_freezes: int
    """Countdowns interrupted by the medium, each time counted."""


class RoutingCounters(TypedDict):
    """What the routing protocols of all nodes did."""

    packets_sent: int
    """Routing packets handed to the link, each hop counted."""

    bytes_sent: int
    """Their size, IP headers included [bytes]."""

    requests_sent: int
    """Route requests among them."""

    piggyback_bytes: int
    """What relays added to transport packets, each link they crossed counted [bytes]; not in
    `bytes_sent`.
    """

    requests_originated: int
    """DSR requests that were originated, among the packets sent."""

    replies_originated: int
    """DSR replies that were originated, among the packets sent."""

    errors_originated: int
    """DSR route errors that were originated, among the packets sent."""

    discoveries: int
    """Route discoveries begun at the packet's source or by a local repair."""

    link_failures: int
    """Link failures reported by the link or by missing HELLOs."""

    false_link_failures: int
    """Failures that the link reported although the neighbour was in reach."""

    stranded_packets: int
    """Data packets that waited for the next hop in its neighbour's interface queue when its
    link failed, added up over the failures that the link reported.
    """

    hello_packets: int
    """HELLOs among the packets sent."""

    hello_bytes: int
    """Their size, IP headers included [bytes]."""

    requests_rebroadcast: int
    """AODV requests that were passed on, among the packets sent."""


class QueueCounters(TypedDict):
    """What the interface queues of all nodes did."""

    drops: int
    """Packets dropped for lack of room."""

    mean_packets: float
    """Mean number of waiting packets over nodes and time."""


class DataReport(TypedDict):
    """What became of the packets of all transports, acknowledgments apart."""

    transmitted_packets: int
    """Packets that reached their source's interface queue, retransmissions included."""

    dropped_packets: int
    """Packets dropped anywhere: at a retry limit, for lack of room, for lack of a route."""

    dropping_ratio: float
    """Dropped to transmitted packets."""


class BottleneckReport(TypedDict):
    """The relay that transmitted for the longest time."""

    node: int
    """The node."""

    sending_share: float
    """Share of the time from the first flow's start in which it transmitted."""

    effective_throughput_bps: float
    """Payload of data packets that its neighbours acknowledged, in that time: the effective
    throughput of its MAC [bit/s].
    """


class NodeQueueReport(TypedDict):
    """What one node's interface queue held over the run. *Data* is all but routing packets and
    TCP acknowledgments, ARP included: the normal class of ns-2's priority queue.
    """

    node: int
    """The node."""

    is_relay: bool
    """Whether it is no flow's end."""

    is_source: bool
    """Whether it is a flow's source."""

    mean_packets: float
    """Mean packets waiting."""

    mean_routing: float
    """Mean routing packets among them."""

    mean_acks: float
    """Mean TCP acknowledgments among them."""

    mean_data: float
    """Mean data packets among them."""

    max_packets: int
    """Most packets that ever waited."""

    max_routing: int
    """Most routing packets among them."""

    max_data: int
    """Most data packets among them."""

    routing_share: float
    """Share of the time in which a routing packet waited."""

    nearly_full_share: float
    """Share of the time in which nine tenths of the queue's size, or more, waited as data."""

    growth_with_routing_per_s: float | None
    """Data packets that came less those that left while a routing packet waited, per second of
    such time [packets/s]; none if none ever did.
    """

    growth_without_routing_per_s: float | None
    """The same while no routing packet waited [packets/s]."""


LinkReport = TypedDict(
    "LinkReport",
    {
        # The flow.
        "flow": int,
        # Transmitting node.
        "from": int,
        # Receiving node.
        "to": int,
        # Data packets that the receiver's MAC accepted.
        "packets": int,
    },
)
"""Traffic of one flow over one link."""

RouteReport = TypedDict(
    "RouteReport",
    {
        # Start of the interval [s].
        "time_s": float,
        # The flow.
        "flow": int,
        # Transmitting node.
        "from": int,
        # Receiving node.
        "to": int,
        # Data packets that the receiver's MAC accepted.
        "packets": int,
    },
)
"""Traffic of one flow over one link in one interval of time."""

FrameKind = Literal["rts", "cts", "data", "ack"]
"""The kinds of frame that DCF uses."""

Notice = Literal["none", "congested", "urgent"]
"""What an RTS or CTS signals about its sender under admission hop by hop; always `None` in
plain DCF.
"""

PacketKind = Literal["tcp-data", "tcp-ack", "udp", "routing", "arp"]
"""Coarse kind of a packet, for queues' priorities, counters and traces."""


class FrameReport(TypedDict):
    """One transmission."""

    time_ns: int
    """When its first bit leaves the transmitter [ns]."""

    airtime_ns: int
    """How long it lasts [ns]."""

    transmitter: int
    """Transmitting node."""

    receiver: int | None
    """The node it is for; none for a broadcast."""

    kind: FrameKind
    """RTS, CTS, DATA or ACK."""

    duration_us: int
    """Duration field [µs]."""

    notice: Notice
    """What an RTS or CTS says besides: `congested` makes it an RTSC or CTSC."""

    packet: PacketKind | None
    """What a data frame carries."""


class FlowSeries(TypedDict):
    """Columns of the flows' series."""

    time_s: list[float]
    """Time [s]."""

    flow: list[int]
    """Flow."""

    sequence: list[int]
    """Highest segment received in order, or packets received."""

    cwnd: list[float]
    """Congestion window [segments]; 0 for CBR."""

    goodput_bps: list[float]
    """Payload received since the sample before, per second [bit/s]."""


class QueueSeries(TypedDict):
    """Columns of the queues' series."""

    time_s: list[float]
    """Time [s]."""

    node: list[int]
    """Node."""

    packets: list[int]
    """Packets waiting."""

    routing: list[int]
    """Routing packets among them."""

    acks: list[int]
    """TCP acknowledgments among them."""

    data: list[int]
    """All others among them: data and ARP."""


class Series(TypedDict):
    """The series of a run."""

    flows: FlowSeries
    """One row a flow and sample."""

    queues: QueueSeries
    """One row a recorded queue and sample."""


Schemes = TypedDict(
    "Schemes",
    {
        "ccar": NotRequired[CentreReport],
        "copas": NotRequired[CopasCounters],
        "dcar": NotRequired[DcarReport],
        "aodv-etx": NotRequired[EtxReport],
        "multipath-aodv": NotRequired[MultipathReport],
        "hop-by-hop": NotRequired[PacingCounters],
        "semi-tcp": NotRequired[AdmissionCounters],
    },
)
"""What the schemes of a run did, by their names; only those that took part."""


class RunResult(TypedDict):
    """The result of one run."""

    scenario: dict[str, Any]
    """The scenario with every default filled in."""

    seed: int
    """The seed of the run."""

    version: str
    """The version of the engine."""

    warnings: list[str]
    """Warnings: found before the run, and no reason not to run."""

    engine: EngineReport
    """About the simulation itself."""

    positions_m: list[list[float]]
    """Where the nodes stood at the start, as (x, y) [m]."""

    movement: NotRequired[list[list[list[float]]]]
    """Each node's way as points (time [s], x [m], y [m]) with straight lines between them, if
    nodes move and routes are recorded.
    """

    flows: list[FlowReport]
    """Each flow, in the scenario's order."""

    mac: MacCounters
    """All MACs together."""

    routing: RoutingCounters
    """All routing protocols together."""

    schemes: Schemes

    queue: QueueCounters
    """All interface queues together."""

    data: DataReport
    """What became of the transports' packets."""

    bottleneck: NotRequired[BottleneckReport]
    """The busiest relay, unless every node is the end of a flow."""

    queues: NotRequired[list[NodeQueueReport]]
    """What each interface queue held, if recorded."""

    fullest_relay: NotRequired[int]
    """The relay whose queue held most data in the mean, if `queues` are recorded; without
    relays, the node.
    """

    links: NotRequired[list[LinkReport]]
    """Data packets of each flow over each link, if recorded."""

    routes: NotRequired[list[RouteReport]]
    """The same by interval of time, if recorded."""

    frames: NotRequired[list[FrameReport]]
    """Every transmission, if recorded."""

    series: NotRequired[Series]
    """Time series, if recorded."""
