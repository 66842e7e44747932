"""What the engine returns: the types of a result and of everything in it.

Made from the engine's schema by `make schema`; docs/use/results.md has the same as tables.
"""

from typing import Any, Literal, NotRequired, TypedDict

class BabelReport(TypedDict):
    """What Babel did, all nodes together."""

    packets_sent: int
    """Packets sent."""

    bytes_sent: int
    """Their size, IPv6 and UDP headers included [bytes]."""

    hellos_sent: int
    """Hellos sent."""

    hellos_received: int
    """Hellos received."""

    ihus_sent: int
    """IHUs sent."""

    acks_sent: int
    """Acknowledgments sent."""

    updates_sent: int
    """Updates sent, retractions included."""

    retractions_sent: int
    """Retractions sent."""

    updates_received: int
    """Updates received, retractions included."""

    retractions_received: int
    """Retractions received."""

    infeasible_updates: int
    """Updates received that were not feasible."""

    route_requests_sent: int
    """Route requests sent, wildcard requests included."""

    seqno_requests_originated: int
    """Seqno requests originated; repetitions do not count."""

    seqno_requests_forwarded: int
    """Seqno requests forwarded."""

    seqno_requests_received: int
    """Seqno requests received."""

    seqno_increases: int
    """Increases of nodes' own sequence numbers."""

    route_changes: int
    """Changes of selected routes: another neighbour, a first route or the loss of the last."""

    routes_lost: int
    """Losses of the last route that could be used."""

    neighbours_lost: int
    """Neighbours of whom no Hello was left."""

    malformed: int
    """Malformed TLVs and packets received."""

    looped_packets: int
    """Data packets dropped because they had gone round: they came back to their source, or
    their time to live was over.
    """

    routes_selected: int
    """Routes selected at the end of the run, one for each node and prefix of another."""

    routes_known: int
    """Routes known at the end of the run."""

class BatmanReport(TypedDict):
    """What B.A.T.M.A.N. did and knew, all nodes together."""

    ogms_originated: int
    """Originator messages that nodes wrote."""

    ogms_forwarded: int
    """Those of others that nodes passed on with their best quality."""

    echoes_forwarded: int
    """Those of neighbours that nodes passed on for the neighbour alone, which learns of the
    link.
    """

    frames_sent: int
    """Frames in which these were sent."""

    control_bytes: int
    """Their size, without MAC headers [bytes]."""

    route_changes: int
    """Routes that came, changed their next hop, or went."""

    loops_seen: int
    """Data packets dropped because they had gone round: they came back to their source, or
    their time to live was over.
    """

    routes: int
    """Nodes that a node had a route to at the end of the run, summed over nodes."""

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
    """Weight of the heaviest link of each candidate path, the lightest path first."""

    chosen: int
    """Index of the path chosen."""

class CentreReport(TypedDict):
    """What the centre chose, for the result."""

    choices: list[Choice]
    """Every choice of a path, in order of time."""

    orders_tried: NotRequired[int]
    """Heuristic II: orders tried."""

    total_weight: NotRequired[float]
    """Heuristic II: total weight of all nodes in the order that was kept."""

class CandidateReport(TypedDict):
    """A candidate path."""

    path: list[int]
    """Nodes from the originator to the target."""

    contention: list[float]
    """Mean backoffs per interval of each relay."""

class ChoiceReport(TypedDict):
    """The candidate paths of one request, and those taken."""

    time_s: float
    """When the collection time ended [s]."""

    originator: int
    """The originator of the request."""

    target: int
    """The target, which collected copies and chose."""

    replaces: bool
    """Whether the request was for the replacement of a path."""

    candidates: list[CandidateReport]
    """The candidate paths, in the order in which their copies arrived."""

    forward: int | None
    """Index of the path taken for data; none if that path did not change."""

    reverse: int | None
    """Index of the path taken for acknowledgments; none if that path did not change."""

class CopasCounters(TypedDict):
    """Counters of COPAS, of one node or of all."""

    pairs_chosen: int
    """Requests answered with two paths."""

    single_paths_chosen: int
    """Requests answered with one path because there were no two."""

    replacement_requests: int
    """Requests for the replacement of a contended path."""

    replacements: int
    """Paths replaced."""

    replacements_of_other_length: int
    """Replacements by a path whose length is not similar to the old path's."""

    replacements_refused: int
    """Replacements refused, because no path found was less contended or disjoint from the other
    path.
    """

    failovers: int
    """Broken paths whose packets could take the other path at once."""

    crossed_requests: int
    """Requests ignored because a request of the lower-numbered end node crossed them."""

    connection_s: float
    """Time from the first data packet to the end of the run, summed over the pairs of end nodes
    [s].
    """

    two_paths_s: float
    """Part of `connection_s` in which the data's source knew two paths that share no relay [s]."""

    no_path_s: float
    """Part of `connection_s` in which the data's source knew no path [s]."""

    choices: NotRequired[list[ChoiceReport]]
    """Every choice of paths, if recorded; in order of time in a result."""

class DcarReport(TypedDict):
    """Counters of DCAR over all nodes."""

    late_requests: int
    """Better copies of requests that arrived after the node had chosen a worse one."""

    weights_used: int
    """Weights that nodes gave to requests, one per node and discovery."""

    weights_stale_connections: int
    """Connections by which these weights differed from what the nodes counted at the time,
    summed.
    """

class DsdvReport(TypedDict):
    """What DSDV did, all nodes together."""

    full_updates_sent: int
    """Periodic updates sent."""

    changes_sent: int
    """Updates that changes triggered."""

    route_changes: int
    """Routes that came, changed their next hop or length, or broke."""

    broken_links: int
    """Links found broken that routes led over."""

    loops_seen: int
    """Data packets dropped because they had gone round: they came back to their source, or
    their time to live was over.
    """

class EtxReport(TypedDict):
    """What ETX did and knew, all nodes together."""

    probes_sent: int
    """Probes sent."""

    probe_bytes: int
    """Their size, IP headers included [bytes]."""

    links_known: int
    """Links with an ETX at the end of the run. A link counts at each end that knows it."""

    mean_etx: float | None
    """The mean ETX of these; none if there are none."""

class HwmpReport(TypedDict):
    """What HWMP did and knew, all nodes together."""

    beacons_sent: int
    """Beacons sent."""

    peering_frames_sent: int
    """Opens and Confirms of peerings sent."""

    preqs_originated: int
    """PREQs that nodes wrote for destinations, and to confirm paths."""

    proactive_preqs_originated: int
    """PREQs that a root wrote for all."""

    preqs_forwarded: int
    """PREQs of others passed on."""

    preps_originated: int
    """PREPs written."""

    intermediate_preps: int
    """Those among them of nodes that were not sought, but knew a path."""

    preps_forwarded: int
    """PREPs of others passed on."""

    perrs_sent: int
    """PERRs sent."""

    ranns_sent: int
    """Root announcements sent."""

    control_bytes: int
    """The size of all these, without MAC headers [bytes]."""

    discoveries_failed: int
    """Destinations given up since nobody answered."""

    path_changes: int
    """Paths that came, changed their next hop, or broke."""

    loops_seen: int
    """Data packets dropped because they had gone round: they came back to their source, or
    their time to live was over.
    """

    peers: int
    """Peers at the end of the run, summed over nodes."""

class PathTotals(TypedDict):
    """Totals of the discoveries between two nodes; all are sums, so those of several pairs or
    runs can be added.
    """

    discoveries_by_paths: list[int]
    """Number of discoveries that found one path, two, three, ..."""

    paths_found: int
    """Paths found."""

    paths_lost: int
    """Paths lost to route errors."""

    life_total_s: float
    """Total lifetime of the lost paths, from discovery to loss [s]."""

    shortest_hops_total: int
    """Hops of each discovery's shortest path, summed."""

    alternate_hops_total: int
    """Hops of all other (alternate) paths, summed."""

    alternate_shortest_hops_total: int
    """For each alternate path, the hops of its discovery's shortest path, summed."""

    packets_by_rank: list[int]
    """Packets sent on a discovery's shortest path, on the second shortest, ..."""

    shared_link_pairs: int
    """Pairs of paths of one discovery with a link in common."""

    shared_node_pairs: int
    """Pairs of paths of one discovery with a relay in common."""

class PathReport(TypedDict):
    """One path of one discovery."""

    source: int
    """The node that sent the request."""

    destination: int
    """The destination of the request."""

    request: int
    """Number of the source's request that found it."""

    path: int
    """Number of the path within the request, given by the destination, from 1."""

    hops: int
    """Hops according to the reply."""

    nodes: list[int]
    """The nodes on it, source and destination included."""

    found_s: float
    """When the source learned of it [s]."""

    lost_s: float | None
    """When the source learned of its failure [s]."""

    packets: int
    """Packets of the source's transport sent on it."""

    mean_rtt_s: float | None
    """Mean round-trip time on it, measured by the packet-scheduling layer [s]."""

class MultipathReport(TypedDict):
    """The paths that discoveries found."""

    totals: PathTotals
    """Totals of all discoveries."""

    flows: list[PathTotals]
    """Totals of the discoveries from each flow's source to its destination, in the order of the
    flows.
    """

    paths: NotRequired[list[PathReport]]
    """Every path found, if paths are recorded."""

class OlsrReport(TypedDict):
    """What OLSR did and knew, all nodes together."""

    hellos_sent: int
    """HELLOs sent."""

    tcs_originated: int
    """TCs that nodes wrote."""

    tcs_forwarded: int
    """TCs of others that relays passed on."""

    route_changes: int
    """Destinations whose next hop changed, came or went when a table was worked out anew."""

    loops_seen: int
    """Data packets dropped because they had gone round: they came back to their source, or
    their time to live was over.
    """

    relays_chosen: int
    """Relays chosen at the end of the run, a node's counted once for each node that chose it."""

    links_known: int
    """Links advertised to a node at the end of the run, summed over nodes."""

class Olsr2Report(TypedDict):
    """What OLSRv2 did and knew, all nodes together."""

    hellos_sent: int
    """HELLOs sent."""

    tcs_originated: int
    """TCs that nodes wrote."""

    tcs_triggered: int
    """Those among them before their time, since what they advertise had changed."""

    tcs_forwarded: int
    """TCs of others that relays passed on."""

    packets_sent: int
    """Packets in which these were sent."""

    control_bytes: int
    """Their size with the headers of IP and UDP [bytes]."""

    route_changes: int
    """Destinations whose next hop changed, came or went when a table was worked out anew."""

    loops_seen: int
    """Data packets dropped because they had gone round: they came back to their source, or
    their time to live was over.
    """

    flooding_mprs: int
    """Relays for messages chosen at the end of the run, a node's counted once for each node
    that chose it.
    """

    routing_mprs: int
    """Relays for data."""

    links_known: int
    """Links advertised to a node at the end of the run, summed over nodes."""

class PacingCounters(TypedDict):
    """What the pacers of all nodes did."""

    heard: int
    """Packets that a node overheard its next hop forward or acknowledge."""

    unheard: int
    """Packets that it did not overhear in time, and so sent the next one."""

    holds: int
    """How often a node's MAC was free and data waited, but none was allowed to leave yet."""

    kept: int
    """Packets that the MAC gave up and that went back to their queue, because their next hop
    had been heard lately.
    """

class AdmissionCounters(TypedDict):
    """Counters of hop-by-hop admission over all nodes."""

    rtsc_sent: int
    """RTSC frames sent (also among `rts_sent`)."""

    ctsc_sent: int
    """CTSC frames sent to resolve a deadlock (also among `cts_sent`)."""

    urgent_rts_sent: int
    """RTS frames for routing and ARP packets."""

    marks_set: int
    """Marks of congested neighbours set or renewed."""

    deferrals: int
    """Packets deferred because of a mark or a refusal."""

    deferred_s: float
    """Total time of these deferrals [s]."""

    refusals_sent: int
    """Refusals: frames of its own that a congested node sent instead of a CTS."""

    refusals_heard: int
    """Refusals received by the node that sent the RTS."""

    requests_ignored: int
    """RTS and RTSC frames that a congested node left unanswered."""

    max_packets: int
    """Maximum number of data packets in one node. At a source those that wait for an address
    may come on top of the scheme's bound.
    """

    longest_service_s: float
    """Longest service time of a data packet, from its handover to the MAC until it was
    acknowledged or given up [s].
    """

    congestions: int
    """How often a node became congested."""

    congested_s: float
    """Total time that nodes were congested, over the periods that ended [s]."""

    source_waits: int
    """Packets of a node's own transport that waited because of the node's occupancy."""

    source_drops: int
    """Packets dropped because too many waited there."""

    packets_left: int
    """Data packets in the nodes at the end of the run."""

class EzFlowCounters(TypedDict):
    """What all stations have done."""

    samples: int
    """Samples of a successor's backlog, one each time that it was overheard to send on a packet."""

    sampled_packets: int
    """Their sum [packets]."""

    raised: int
    """How often a window doubled."""

    lowered: int
    """How often a window was halved."""

class DiffqCounters(TypedDict):
    """What all stations have done."""

    backlogs_heard: int
    """Backlogs of neighbours that stations overheard, in data frames for others."""

class DelayCounters(TypedDict):
    """What adaptive pacing made of acknowledgments, all flows together."""

    delays_taken: int
    """Delays over four hops that the spacing follows from."""

    delays_ignored: int
    """Delays that were beyond `max_delay_s`, or not above 0."""

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

    crates: NotRequired[list[str]]
    """The crates that it is made of, with versions and digests of their sources, if one with
    schemes of its own is among them.
    """

class DelayReport(TypedDict):
    """What the delays come to. Quantiles are exact up to 32,768 packets."""

    least_s: float
    """The shortest [s]."""

    p05_s: float
    """The delay that a twentieth of the packets does not exceed [s]; above 32,768 packets
    within 0.4 %.
    """

    p25_s: float
    """The delay that a quarter of the packets does not exceed [s]; above 32,768 packets within
    0.4 %.
    """

    p50_s: float
    """The delay that half of the packets does not exceed [s]; above 32,768 packets within 0.4 %."""

    p75_s: float
    """The delay that three quarters of the packets do not exceed [s]; above 32,768 packets
    within 0.4 %.
    """

    p95_s: float
    """The delay that 95 % of the packets do not exceed [s]; above 32,768 packets within 0.4 %."""

    p99_s: float
    """The delay that 99 % of the packets do not exceed [s]; above 32,768 packets within 0.4 %."""

    greatest_s: float
    """The longest [s]."""

    jitter_s: float | None
    """Mean difference between the delays of packets that arrive one after the other (the
    difference D of RFC 3550, section 6.4.1, averaged over all) [s]; none for a single packet.
    """

    histogram: list[int]
    """Packets by delay: bin i holds those from 0.1 ms times 10^(i/10) up to the next; the first
    holds all shorter ones too, and empty ones at the end are left out.
    """

class TransferReport(TypedDict):
    """The transfers of a flow, as columns: one place for each, in the order in which they began."""

    bytes: list[int]
    """Bytes that were waited for: of the file, the response, all objects of the page, the
    message.
    """

    start_s: list[float]
    """When they were asked for [s]: a file when its flow starts, so that its time includes
    opening the connection.
    """

    time_s: list[float | None]
    """Time until the last byte had arrived in order [s]; none if that was not before the flow's
    stop.
    """

class VoiceReport(TypedDict):
    """How a call was."""

    packets: int
    """Packets that were to be played before the end."""

    late_packets: int
    """Those of them that arrived too late to be played."""

    loss: float
    """Share of them that were not played: lost or late."""

    burst_ratio: float
    """Mean length of runs of packets not played, over that of as many losses independent of
    each other; at least 1.
    """

    delay_s: float
    """From mouth to ear: to gather a packet's speech, and until it is played [s]."""

    jitter_s: float
    """Mean of the interarrival jitter (RFC 3550, section 6.4.1) at the packets that arrived [s]."""

    r_factor: float
    """Rating by the E-model (ITU-T G.107), 0 to 100."""

    mos: float
    """Mean opinion score by the E-model, 1 to 4.5."""

class FlowReport(TypedDict):
    """What a flow achieved, at its stop (packets over UDP are counted to the end of the run)."""

    id: int
    """Its number, in the order of the scenario."""

    kind: str
    """The kind of its table."""

    name: NotRequired[str]
    """The name of its table, if it has one."""

    arrival: NotRequired[int]
    """Its place in the Poisson process by which its table's flows arrive."""

    answers: NotRequired[int]
    """The flow that opened the connection, if this one is what goes back over it."""

    source: int
    """Source node."""

    destination: int
    """Destination node."""

    start_s: float
    """Start [s]."""

    stop_s: float
    """Stop [s]; that of a file is when it had arrived."""

    shortest_hops: int | None
    """Hops of a shortest path between the initial positions; none if there is none."""

    least_hops: int | None
    """Hops of the shortest path at any whole second of the run; none if there is none then."""

    goodput_bps: float
    """In-order payload at the receiver per second of the flow's life [bit/s]."""

    delivered_bytes: int
    """In-order payload at the receiver [bytes]."""

    delivered_segments: int
    """In-order segments at the receiver, or packets received (UDP, QUIC)."""

    acked_segments: NotRequired[int]
    """Highest cumulative ACK at the sender (TCP)."""

    packet_bytes: NotRequired[int]
    """Payload of a packet [bytes] (CBR)."""

    rate_bps: NotRequired[float]
    """Payload sent [bit/s] (CBR)."""

    received_packets: NotRequired[int]
    """Packets received (UDP)."""

    unique_segments: int
    """Segments that arrived, each counted once, whatever their order; packets received."""

    unique_bps: float
    """Payload of these per second of the flow's life [bit/s]."""

    acks_sent: NotRequired[int]
    """Acknowledgments that the receiver sent in packets of their own (TCP), or its datagrams
    without data (QUIC).
    """

    given_up_s: NotRequired[float]
    """When an end gave the connection up because nothing came any more (QUIC) [s]; the flow is
    silent from then on.
    """

    sent_segments: int
    """Data segments sent, retransmissions included."""

    retransmits: int
    """Segments sent again; packets taken for lost (QUIC)."""

    timeouts: int
    """Expiries of the retransmission timer, or of the probe timeout (QUIC)."""

    fast_retransmits: int
    """Losses noticed by duplicate acknowledgments; reductions of the window for losses (QUIC)."""

    ecn_reductions: int
    """Reductions of the window for marks of congested nodes (ECN)."""

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
    """Those of them that arrived before one with a lower number did (TCP)."""

    discoveries: int
    """Route discoveries of either end for the other."""

    mean_rtt_s: float | None
    """Mean of the round-trip times that the TCP sender measured [s]; none if it measured none."""

    mean_delay_s: float | None
    """Mean time from the sender's handing down a packet to its arrival [s]; none if none
    arrived.
    """

    delay: DelayReport | None
    """How these times are spread; none if none arrived."""

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

    completion_s: NotRequired[float]
    """Time from a file's start until its last byte had arrived in order [s], if that was before
    the flow's stop.
    """

    transfers: NotRequired[TransferReport]
    """What users waited for, over TCP: files, responses, pages, messages."""

    voice: NotRequired[VoiceReport]
    """How a call was."""

    mean_cwnd_segments: NotRequired[float]
    """Mean congestion window of the samples, if series are recorded [segments]."""

class CategoryCounters(TypedDict):
    """What the MACs have done in one category, over all stations."""

    turns: int
    """Turns: times that it had the medium."""

    data_sent: int
    """Unicast DATA frames sent, each A-MPDU as one."""

    aggregated_sent: int
    """DATA frames in A-MPDUs."""

    broadcast_sent: int
    """Broadcast DATA frames sent."""

    delivered_bytes: int
    """Payload of packets that neighbours have acknowledged [bytes]."""

    retry_drops: int
    """Packets given up at a retry limit."""

    internal_collisions: int
    """Turns that went to a higher category of the same station, and were backed off from as
    from a collision.
    """

class MacCounters(TypedDict):
    """Counters of the MACs of all nodes."""

    rts_sent: int
    """RTS frames sent."""

    cts_sent: int
    """CTS frames sent."""

    data_sent: int
    """Unicast DATA frames sent, each A-MPDU as one."""

    aggregates_sent: int
    """A-MPDUs among `data_sent`."""

    aggregated_sent: int
    """DATA frames in A-MPDUs."""

    block_acks_sent: int
    """Block acknowledgments sent."""

    ack_sent: int
    """ACK frames sent."""

    broadcast_sent: int
    """Broadcast DATA frames sent."""

    retry_drops: int
    """Packets given up at the short or long retry limit."""

    collisions: int
    """Frames lost to a collision at a node that they were addressed to (each node, for a
    broadcast) although strong enough to be decoded: ns-2's `COL` drops.
    """

    backoffs: int
    """Backoffs drawn, for any cause."""

    backoffs_busy: int
    """Backoffs drawn because a frame found the medium busy, physically or by NAV."""

    backoffs_retry: int
    """Backoffs drawn because a CTS or an ACK was missing."""

    backoffs_post: int
    """Backoffs drawn after a frame was delivered or given up."""

    backoffs_idle: int
    """Backoffs drawn although a frame found the medium idle, as in ns-2.35."""

    backoff_freezes: int
    """Times that a busy medium froze a countdown."""

    categories: NotRequired[dict[str, Any]]
    """What each access category has done, with `mac.edca`."""

class MessageCount(TypedDict):
    """Packets with a protocol's messages of one name."""

    packets: int
    """Packets handed to the link, counted at each hop."""

    bytes: int
    """Their size, IP headers included [bytes]."""

class RoutingCounters(TypedDict):
    """Counters of the routing protocols of all nodes."""

    packets_sent: int
    """Routing packets handed to the link, counted at each hop."""

    bytes_sent: int
    """Size of `packets_sent`, IP headers included [bytes]."""

    requests_sent: int
    """Route requests among `packets_sent`."""

    piggyback_bytes: int
    """What relays added to transport packets, counted on each link [bytes]; not among
    `bytes_sent`.
    """

    requests_originated: int
    """Route requests originated, among `packets_sent`."""

    replies_originated: int
    """Route replies originated, among `packets_sent`."""

    errors_originated: int
    """Route errors originated, among `packets_sent`."""

    discoveries: int
    """Route discoveries started, at a packet's source or by local repair."""

    link_failures: int
    """Link failures that the MAC or ARP reported of data packets. Links that broke for want of
    HELLOs do not count.
    """

    false_link_failures: int
    """False link failures: reported by the link although the neighbour was in receive range."""

    stranded_packets: int
    """Data packets waiting in the interface queue for a next hop when the link to it failed,
    summed over the failures that the link reported.
    """

    hello_packets: int
    """HELLOs among `packets_sent`."""

    hello_bytes: int
    """Size of `hello_packets`, IP headers included [bytes]."""

    requests_rebroadcast: int
    """AODV requests rebroadcast by relays, among `packets_sent`."""

    messages: NotRequired[dict[str, Any]]
    """Messages that their protocol names, among `packets_sent`, by name."""

class QueueCounters(TypedDict):
    """Counters of the interface queues of all nodes."""

    drops: int
    """Packets dropped because a queue was full."""

    codel_drops: int
    """Packets of transports dropped because they had waited too long (CoDel), or by the rule of
    another crate.
    """

    ecn_marks: int
    """Packets marked in place of that (ECN)."""

    mean_packets: float
    """Mean number of waiting packets over nodes and time."""

class DataReport(TypedDict):
    """What became of the packets of all transports, acknowledgments apart."""

    transmitted_packets: int
    """Packets that reached the interface queue of their source, retransmissions included."""

    dropped_packets: int
    """Packets dropped anywhere: at a retry limit, at a queue, or without a route. Of several
    copies of one packet, as salvaging makes them, one counts.
    """

    dropping_ratio: float
    """Dropped packets to those that were transmitted or dropped before they could be."""

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

class EnergyReport(TypedDict):
    """What a node's radios have used."""

    node: int
    """The node."""

    used_j: float
    """All in all [J]."""

    sending_s: float
    """Time in which it sent [s]. This and the next two are sums over its radios."""

    receiving_s: float
    """Time in which its medium was busy with others [s]."""

    idle_s: float
    """Time in which neither was the case [s]."""

    empty_at_s: NotRequired[float]
    """When its battery was empty [s], if it was."""

class ClientReport(TypedDict):
    """A client and its access point."""

    node: int
    """The client."""

    access_point: int | None
    """The access point that it belonged to at the end."""

    associated_s: float | None
    """When it was associated first [s]."""

    associations: int
    """How often it was associated."""

    losses: int
    """How often it lost its access point."""

class WireReport(TypedDict):
    """What a port of a wire has sent."""

    wire: str
    """The name of the wire."""

    node: int
    """The node."""

    frames: int
    """Frames that it has sent."""

    bytes: int
    """Packets in them, without what Ethernet adds [bytes]."""

    busy_share: float
    """Share of the run in which it sent."""

    lost: int
    """Frames that the wire lost on their way from it, by its `loss` or at a switch."""

    cut: int
    """Frames that it could not send, as the wire was cut."""

class NodeQueueReport(TypedDict):
    """Occupancy of one node's interface queue over the run. *Data* is everything except routing
    packets and TCP acknowledgments, so it includes ARP: the normal class of ns-2's priority
    queue.
    """

    node: int
    """The node."""

    is_relay: bool
    """Whether it is neither source nor destination of a flow."""

    is_source: bool
    """Whether it is a flow's source."""

    mean_packets: float
    """Time average of the packets waiting."""

    mean_routing: float
    """Time average of the routing packets waiting."""

    mean_acks: float
    """Time average of the TCP acknowledgments waiting."""

    mean_data: float
    """Time average of the data packets waiting."""

    max_packets: int
    """Maximum number of packets waiting."""

    max_routing: int
    """Maximum number of routing packets waiting."""

    max_data: int
    """Maximum number of data packets waiting."""

    routing_share: float
    """Share of the time in which at least one routing packet waited."""

    nearly_full_share: float
    """Share of the time in which data packets filled at least nine tenths of the queue's size."""

    growth_with_routing_per_s: float | None
    """Growth rate of the data packets waiting (arrivals minus departures) while a routing
    packet waited [packets/s]; none if none ever waited.
    """

    growth_without_routing_per_s: float | None
    """Growth rate of the data packets waiting while no routing packet waited [packets/s]."""

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

FrameKind = Literal["rts", "cts", "data", "ack", "block-ack", "aggregate", "ethernet", "tone"]
"""The kinds of frame."""

Notice = Literal["none", "congested", "urgent"]
"""What an RTS or CTS signals about its sender under admission hop by hop, and data where
backlogs are told; always `None` in plain DCF.
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

    interface: NotRequired[int]
    """The place of their interface in `[[interfaces]]`, if the scenario has any; wires follow."""

    kind: FrameKind
    """RTS, CTS, DATA, ACK, BlockAck, A-MPDU or a frame on a wire."""

    duration_us: int
    """Duration field [µs]."""

    notice: Notice
    """What an RTS or CTS says besides: `congested` makes it an RTSC or CTSC."""

    packet: PacketKind | None
    """What a data frame carries, or the first one of an A-MPDU."""

    mpdus: NotRequired[int]
    """Data frames in it, of an A-MPDU."""

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
    """Goodput since the previous sample [bit/s]."""

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
    """All other packets among them: data and ARP."""

class Series(TypedDict):
    """The series of a run."""

    flows: FlowSeries
    """One row for each flow and sample."""

    queues: QueueSeries
    """One row for each recorded queue and sample."""

Schemes = TypedDict(
    "Schemes",
    {
        "babel": NotRequired[BabelReport],
        "batman": NotRequired[BatmanReport],
        "ccar": NotRequired[CentreReport],
        "copas": NotRequired[CopasCounters],
        "dcar": NotRequired[DcarReport],
        "dsdv": NotRequired[DsdvReport],
        "aodv-etx": NotRequired[EtxReport],
        "dsr-etx": NotRequired[EtxReport],
        "hwmp": NotRequired[HwmpReport],
        "multipath-aodv": NotRequired[MultipathReport],
        "olsr": NotRequired[OlsrReport],
        "olsrv2": NotRequired[Olsr2Report],
        "hop-by-hop": NotRequired[PacingCounters],
        "semi-tcp": NotRequired[AdmissionCounters],
        "ez-flow": NotRequired[EzFlowCounters],
        "diffq": NotRequired[DiffqCounters],
        "tcp-ap": NotRequired[DelayCounters],
    },
)
"""What the schemes of a run did, by their names; only those that took part."""

class FrameCounts(TypedDict):
    """Counts of frames."""

    sent: int
    """That programs sent to a node."""

    broadcast: int
    """That programs sent to all nodes."""

    delivered: int
    """That reached the device they were for."""

    answered: int
    """Questions for addresses that were answered on the spot."""

    ignored: int
    """For routers and switches, of which there are none."""

    unknown: int
    """For addresses that no node has."""

    malformed: int
    """No Ethernet frames, or too long."""

    refused: int
    """That arrived at a device which was down."""

class LatenessReport(TypedDict):
    """How late the frames of a run came."""

    late_share: float
    """Frames later than a millisecond, as a share of all."""

    mean_s: float
    """Mean lateness [s]."""

    p50_s: float
    """Half of the frames came at most this late [s]."""

    p99_s: float
    """99 % of the frames came at most this late [s]."""

    worst_s: float
    """The latest came this late [s]."""

class ProgramReport(TypedDict):
    """A program of `--exec`."""

    node: int
    """Where it ran."""

    command: str
    """What was to run."""

    status: int | None
    """Its exit status, negative for a signal; null if the end of the run has ended it."""

class EmulationReport(TypedDict):
    """What a result says of an emulation, time and programs; of no other run."""

    seconds: float
    """How long it ran [s]."""

    frames: FrameCounts
    """Frames of programs."""

    lateness: LatenessReport | None
    """How late frames came; none if none did."""

    longest_absence_s: float
    """The longest time in which no device was looked at [s]."""

    busy_share: float
    """Share of the time that was not spent waiting."""

    programs: list[ProgramReport]
    """Programs of `--exec`, added by who has started them."""

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

    node_numbers: NotRequired[list[int]]
    """Each node's number in the file of movement or positions, if nodes were taken in the order
    of other numbers than theirs.
    """

    movement: NotRequired[list[list[list[float]]]]
    """Each node's trajectory as points (time [s], x [m], y [m]) with straight lines between
    them, if nodes move and routes are recorded.
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

    energy: NotRequired[list[EnergyReport]]
    """What each node's radios have used, if `radio.energy` is given."""

    clients: NotRequired[list[ClientReport]]
    """Each client of an access point, if there are any."""

    wires: NotRequired[list[WireReport]]
    """What each port of a wire has sent, if there are any."""

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

    emulation: NotRequired[EmulationReport]
    """Real time, frames and programs of an emulation."""

    reading: NotRequired[str]
    """The reading that its named scheme ran under, PAPER/NAME."""
