//! One end of a connection: its endpoint, its state machine, its application.

use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use quinn_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionHandle, ConnectionStats, DatagramEvent,
    EcnCodepoint, Endpoint, Event, FrameStats, StreamEvent, VarInt,
};

use super::endpoint::ADDRESSES;
use super::streams::{Incoming, Outgoing};

/// A datagram that leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Datagram {
    /// What it carries.
    pub bytes: Arc<[u8]>,
    /// Whether a congested node may mark it.
    pub is_ecn_capable: bool,
    /// Whether it has data of the application or of the handshake.
    pub has_data: bool,
}

/// What an end counts besides what its state machine does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Datagrams sent, with data and without.
    pub sent: u64,
    pub answers_sent: u64,
    pub probe_timeouts: u64,
    /// Reductions of the window for losses and for marks.
    pub reductions: u64,
    pub ecn_reductions: u64,
    /// Smoothed round-trip times, one for each datagram that has arrived \[s\].
    pub rtt_sum_s: f64,
    pub rtts: u64,
}

/// One end.
pub struct Peer {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// The other end's address.
    remote: usize,
    pub outgoing: Outgoing,
    pub incoming: Incoming,
    pub counts: Counts,
    /// It has given the connection up.
    pub is_given_up: bool,
    /// Answers of the endpoint's own, to datagrams of no connection.
    strays: Vec<Datagram>,
    /// When the last datagram left that wants an acknowledgment.
    last_asking: Option<Instant>,
    /// What had been lost, and how often the window had been reduced, when last looked at.
    lost_before: u64,
    reductions_before: u64,
    buffer: Vec<u8>,
}

impl Peer {
    /// An end whose other end is `remote` of the two, without connection.
    pub fn new(endpoint: Endpoint, remote: usize, has_streams_of_own: bool) -> Peer {
        Peer {
            endpoint,
            connection: None,
            remote,
            outgoing: Outgoing::new(has_streams_of_own),
            incoming: Incoming::default(),
            counts: Counts::default(),
            is_given_up: false,
            strays: Vec::new(),
            last_asking: None,
            lost_before: 0,
            reductions_before: 0,
            buffer: Vec::new(),
        }
    }

    /// Opens the connection.
    pub fn connect(&mut self, now: Instant, config: ClientConfig) {
        // It fails only for want of connection IDs or on an address that is none.
        self.connection = self.endpoint.connect(now, config, ADDRESSES[self.remote], "server").ok();
    }

    /// Gives the connection what the application has.
    pub fn write(&mut self) {
        if let Some((_, connection)) = &mut self.connection {
            self.outgoing.write(connection);
        }
    }

    /// A datagram has arrived.
    pub fn on_datagram(&mut self, now: Instant, ecn: Option<EcnCodepoint>, bytes: &[u8]) {
        let remote = ADDRESSES[self.remote];
        let data = BytesMut::from(bytes);
        self.buffer.clear();
        match self.endpoint.handle(now, remote, None, ecn, data, &mut self.buffer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                let Some((_, connection)) = &mut self.connection else { return };
                connection.handle_event(event);
                if !connection.is_handshaking() {
                    self.counts.rtt_sum_s += connection.rtt().as_secs_f64();
                    self.counts.rtts += 1;
                }
                self.note_reductions();
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                self.connection = self.endpoint.accept(incoming, now, &mut self.buffer, None).ok();
            }
            // A late copy of the first datagram of a connection that is over.
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::Response(answer)) => {
                let bytes = self.buffer[..answer.size].into();
                self.strays.push(Datagram { bytes, is_ecn_capable: false, has_data: false });
            }
            None => {}
        }
    }

    /// The time of [`Peer::deadline`] has come. Returns whether a probe timeout may have been what
    /// it was for.
    pub fn on_timer(&mut self, now: Instant) -> bool {
        let Some((_, connection)) = &mut self.connection else { return false };
        // All other timers that make data leave are shorter than a round trip.
        let last = self.last_asking.map(|last| last + connection.rtt());
        let lost = self.lost_before;
        connection.handle_timeout(now);
        self.note_reductions();
        last.is_some_and(|last| last <= now) && self.lost_before == lost
    }

    /// The application is done with the connection.
    pub fn close(&mut self, now: Instant) {
        if let Some((_, connection)) = &mut self.connection {
            connection.close(now, VarInt::from_u32(0), Bytes::new());
        }
    }

    /// Carries out what the connection wants, until it wants nothing any more, and adds the
    /// datagrams that leave to `out`. `is_probing`: a probe timeout may have expired.
    pub fn drive(&mut self, now: Instant, is_probing: bool, out: &mut Vec<Datagram>) {
        out.append(&mut self.strays);
        let Some((handle, mut connection)) = self.connection.take() else { return };
        let mut probed = false;
        loop {
            let sent = self.transmit(now, &mut connection, out);
            probed |= sent.is_asking;
            let mut is_over = !sent.any;
            while let Some(event) = connection.poll_endpoint_events() {
                is_over = false;
                if let Some(answer) = self.endpoint.handle_event(handle, event) {
                    connection.handle_event(answer);
                }
            }
            while let Some(event) = connection.poll() {
                is_over = false;
                self.on_event(event, &mut connection);
            }
            if is_over {
                break;
            }
        }
        self.counts.probe_timeouts += u64::from(is_probing && probed);
        self.connection = Some((handle, connection));
    }

    /// Takes the datagrams that leave now.
    fn transmit(
        &mut self,
        now: Instant,
        connection: &mut Connection,
        out: &mut Vec<Datagram>,
    ) -> Transmitted {
        let mut sent = Transmitted::default();
        let mut frames = connection.stats().frame_tx;
        self.buffer.clear();
        while let Some(transmit) = connection.poll_transmit(now, 1, &mut self.buffer) {
            let before = std::mem::replace(&mut frames, connection.stats().frame_tx);
            let has_data = data_frames(&frames) > data_frames(&before);
            let count =
                if has_data { &mut self.counts.sent } else { &mut self.counts.answers_sent };
            *count += 1;
            if asking_frames(&frames) > asking_frames(&before) {
                self.last_asking = Some(now);
                sent.is_asking = true;
            }
            sent.any = true;
            let bytes = self.buffer[..transmit.size].into();
            out.push(Datagram { bytes, is_ecn_capable: transmit.ecn.is_some(), has_data });
            self.buffer.clear();
        }
        sent
    }

    fn on_event(&mut self, event: Event, connection: &mut Connection) {
        match event {
            Event::Connected
            | Event::Stream(StreamEvent::Writable { .. } | StreamEvent::Available { .. }) => {
                self.outgoing.write(connection);
            }
            Event::Stream(StreamEvent::Opened { .. }) => self.incoming.accept(connection),
            Event::Stream(StreamEvent::Readable { id }) => self.incoming.read(connection, id),
            Event::ConnectionLost { reason: ConnectionError::ApplicationClosed(_) } => {}
            Event::ConnectionLost { .. } => self.is_given_up = true,
            _ => {}
        }
    }

    /// Counts the reductions of the window since the last call: one without loss is for a mark.
    fn note_reductions(&mut self) {
        let Some((_, connection)) = &self.connection else { return };
        let path = connection.stats().path;
        let new = path.congestion_events - self.reductions_before;
        let has_lost = path.lost_packets > self.lost_before;
        self.counts.reductions += new * u64::from(has_lost);
        self.counts.ecn_reductions += new * u64::from(!has_lost);
        (self.reductions_before, self.lost_before) = (path.congestion_events, path.lost_packets);
    }

    /// When it wants [`Peer::on_timer`] to be called.
    pub fn deadline(&mut self) -> Option<Instant> {
        self.connection.as_mut()?.1.poll_timeout()
    }

    /// Whether its connection has ended, and with it the time in which late datagrams of the other
    /// end are answered.
    pub fn is_drained(&self) -> bool {
        self.connection.as_ref().is_some_and(|(_, connection)| connection.is_drained())
    }

    /// Its state machine's counts and state.
    pub fn stats(&self) -> Option<ConnectionStats> {
        Some(self.connection.as_ref()?.1.stats())
    }

    /// Its slow-start threshold \[bytes\]; none while that is unlimited.
    pub fn ssthresh(&self) -> Option<u64> {
        let threshold = self.connection.as_ref()?.1.congestion_state().metrics().ssthresh?;
        (threshold < u64::MAX).then_some(threshold)
    }
}

/// What has left.
#[derive(Default)]
struct Transmitted {
    any: bool,
    /// Some of it wants an acknowledgment.
    is_asking: bool,
}

fn data_frames(frames: &FrameStats) -> u64 {
    frames.stream + frames.crypto
}

/// Frames of those kinds that want an acknowledgment and that are sent here.
fn asking_frames(frames: &FrameStats) -> u64 {
    let limits = frames.max_data + frames.max_stream_data + frames.max_streams_uni;
    let blocked = frames.data_blocked + frames.stream_data_blocked + frames.streams_blocked_uni;
    let ids = frames.new_connection_id + frames.retire_connection_id;
    let others = frames.ping + u64::from(frames.handshake_done);
    data_frames(frames) + limits + blocked + ids + others
}
