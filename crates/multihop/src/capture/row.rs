//! One event.

use crate::kernel::Instant;
use crate::wire::words::words;
use crate::wire::{Content, FrameKind};

/// Stands for "no number" in a row.
pub const NONE: u32 = u32::MAX;

words! {
    /// What happened.
    Happening {
        /// A node begins to send a frame; `airtime_ns` is how long it takes.
        Transmit = "transmit",
        /// A node has received a frame that was for it, or for all.
        Receive = "receive",
        /// A node has lost a frame that was for it, or for all; `by_frame` is the one it lost it
        /// to.
        Miss = "miss",
        /// The MAC has tried in vain as often as it may.
        GiveUp = "give-up",
        /// The MAC of a node comes into another state; `number` counts retries, `cw_slots` is the
        /// contention window.
        Mac = "mac",
        /// A packet joins the interface queue; `queue` is how many wait then.
        Enqueue = "enqueue",
        /// The MAC takes a packet; `queue` is how many wait then.
        Serve = "serve",
        /// Packets leave the queue unserved, as routing takes them, or come back; `queue` is how
        /// many wait then.
        Queue = "queue",
        /// Routing hands a packet to the link.
        Route = "route",
        /// A node sends packets of a flow to another neighbour than the last time, `former`.
        NextHop = "next-hop",
        /// A packet waits for the neighbour's address.
        ArpWait = "arp-wait",
        /// A link is taken for broken, as a packet could not be delivered.
        LinkFailure = "link-failure",
        /// A node begins to look for a route to `peer`.
        Discovery = "discovery",
        /// A source learns that its route to `peer` is broken.
        RouteError = "route-error",
        /// A packet is dropped.
        Drop = "drop",
        /// A transport sends a packet.
        Send = "send",
        /// A packet has reached the transport that it is for.
        Deliver = "deliver",
        /// A TCP sender has been called and has done what it does.
        Tcp = "tcp",
    }
}

impl Happening {
    /// Whether it is a station's, as opposed to its node's.
    pub const fn is_of_station(self) -> bool {
        use Happening::{Deliver, Discovery, Drop, RouteError, Send, Tcp};
        !matches!(self, Discovery | RouteError | Drop | Send | Deliver | Tcp)
    }

    /// Whether packet captures tell of it.
    pub const fn is_in_captures(self) -> bool {
        use Happening::{Drop, GiveUp, Miss, Receive, Transmit};
        matches!(self, Transmit | Receive | Miss | GiveUp | Drop)
    }
}

words! {
    /// Why, or how.
    Detail {
        /// Nothing to add.
        None = "",
        /// Overlapped by `by_frame`, too strong beside it; alone it would have been received.
        Collided = "collided",
        /// The receiver was locked on a frame that this one was too weak to replace, `by_frame`.
        Captured = "captured",
        /// The node was sending itself.
        Sending = "sending",
        /// Too weak at the receiver, even with nothing else on the air; of `link-failure`, the
        /// neighbour is out of range.
        OutOfRange = "out-of-range",
        /// The neighbour is in range: a false failure.
        InRange = "in-range",
        /// The interface queue was full.
        QueueFull = "queue-full",
        /// It had waited too long in the interface queue, as those before it had (CoDel).
        Codel = "codel",
        /// The rule of the interface queue, another crate's, dropped it.
        QueueRule = "queue-rule",
        /// Another packet took the place of the one that waited for an address.
        ArpReplaced = "arp-replaced",
        /// The MAC gave up, and tells nobody.
        Retries = "retries",
        /// The link to the next hop broke.
        LinkFailure = "link-failure",
        /// No route, and none was found.
        NoRoute = "no-route",
        /// A packet of this node's own came back to it.
        Loop = "loop",
        /// The time to live has expired.
        TimeToLive = "ttl",
        /// The send buffer of routing was full.
        BufferFull = "buffer-full",
        /// It waited too long in the send buffer of routing.
        BufferTimeout = "buffer-timeout",
        /// The client belongs to no access point, or no longer to this one.
        NotAssociated = "not-associated",
        /// The application starts.
        Start = "start",
        /// The application stops.
        Stop = "stop",
        /// The application gives data.
        Supply = "supply",
        /// An acknowledgment of new data has arrived.
        NewAck = "new-ack",
        /// An acknowledgment without new data has arrived.
        DuplicateAck = "duplicate-ack",
        /// The retransmission timer has expired, or a probe was due.
        Timeout = "timeout",
        /// The pacing timer has expired.
        Pacing = "pacing",
        /// Routing reports a broken route.
        RouteError = "route-error",
        /// The node has room for a packet.
        Room = "room",
        /// Strong enough alone, but not noticed over other signals; `by_frame` is the strongest
        /// (reception by signal and noise).
        Undetected = "undetected",
        /// The wire is cut, or the node at its other end is off.
        Cut = "cut",
        /// Lost on the wire, as its `loss` has it.
        WireLoss = "wire-loss",
        /// At a switch as many frames waited for the same port as there is room for.
        SwitchFull = "switch-full",
    }
}

words! {
    /// The state of a MAC or of a TCP sender.
    State {
        /// No state.
        None = "",
        /// A MAC with nothing to do.
        Idle = "idle",
        /// A MAC in backoff or deferral, with a packet.
        Contending = "contending",
        /// An RTS is sent; a CTS is awaited.
        AwaitingCts = "awaiting-cts",
        /// A CTS is sent; data are awaited.
        AwaitingData = "awaiting-data",
        /// Data are sent; an ACK is awaited, unless they were broadcast.
        AwaitingAck = "awaiting-ack",
        /// An ACK is being sent.
        SendingAck = "sending-ack",
        /// A sender below its threshold.
        SlowStart = "slow-start",
        /// A sender above its threshold.
        CongestionAvoidance = "congestion-avoidance",
        /// A sender that repairs losses after duplicate acknowledgments.
        Recovery = "recovery",
        /// A sender that waits for a route.
        Suspended = "suspended",
        /// A port of a wire that sends a frame.
        Sending = "sending",
    }
}

/// One event. Fields that an event has no use for are [`NONE`]; `extent` is what the happening says
/// it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// When \[ns\].
    pub time_ns: u64,
    /// What.
    pub happening: Happening,
    /// Why, or how.
    pub detail: Detail,
    /// The state that a MAC or a sender is in.
    pub state: State,
    /// The frame's kind.
    pub kind: Option<FrameKind>,
    /// What the packet is.
    pub content: Content,
    /// The place of its message's name among those that messages may have, counted from 1; 0 for
    /// none.
    pub named: u8,
    /// Where.
    pub node: u32,
    /// The number of its interface, where stations have kinds.
    pub interface: u32,
    /// The neighbour, or the node that it is about.
    pub peer: u32,
    /// The frame, in the order of transmission.
    pub frame: u32,
    /// The packet.
    pub packet: u32,
    /// Its size \[bytes\].
    pub bytes: u32,
    /// The flow.
    pub flow: u32,
    /// Number of the segment, datagram or route request.
    pub number: u32,
    /// Where the packet, or the message in it, comes from.
    pub origin: u32,
    /// Where it is going.
    pub target: u32,
    /// What the happening says it is.
    pub extent: u32,
    /// Slots of the MAC's backoff that are left.
    pub backoff: u32,
}

/// What a TCP sender looks like from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SenderState {
    /// Highest segment acknowledged with all before it, or [`NONE`].
    pub number: u32,
    /// Congestion window \[segments\].
    pub cwnd: f32,
    /// Slow-start threshold \[segments\].
    pub ssthresh: f32,
    /// Retransmission timeout, backoff included \[s\].
    pub rto_s: f32,
    /// Smoothed round-trip time \[s\].
    pub srtt_s: f32,
    /// Time until the retransmission timer expires, or the next probe is due \[s\].
    pub timer_s: f32,
}

impl SenderState {
    /// The time from `now` to the expiry of a timer \[s\]; not a number if it is off.
    pub fn until(now: Instant, timer: Instant) -> f32 {
        match timer {
            Instant::FAR => f32::NAN,
            at => at.saturating_since(now).as_secs_f64() as f32,
        }
    }
}
