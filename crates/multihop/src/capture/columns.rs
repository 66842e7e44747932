//! The record as columns, as a data frame takes them.

use super::content;
use super::row::{Detail, Happening, NONE, Row, SenderState, State};
use crate::wire::Content;

/// Words and what each stands for. The first is none where it is empty.
pub type Words = &'static [(&'static str, &'static str)];

/// A column of the record.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds, and of which events.
    pub about: &'static str,
    source: Source,
}

/// Where a column has its values from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Time,
    Number(fn(&Row) -> u32),
    /// What the extent of these events is.
    Extent(&'static [Happening]),
    Sender(fn(&SenderState) -> f32),
    Word(Words, fn(&Row) -> u8),
}

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Instants \[ns\], of 64 bits.
    Time,
    /// Whole numbers of 32 bits; [`NONE`] for none.
    Number,
    /// Real numbers of 32 bits; NaN for none.
    Real,
    /// Places in the column's list of words, of 8 bits.
    Word,
}

impl Type {
    /// Size of a value \[bytes\].
    pub const fn bytes(self) -> usize {
        match self {
            Type::Time => 8,
            Type::Number | Type::Real => 4,
            Type::Word => 1,
        }
    }
}

const FRAMES: Words = &[
    ("", "No frame."),
    ("rts", "Request to send."),
    ("cts", "Clear to send."),
    ("data", "Data."),
    ("ack", "The MAC's acknowledgment."),
    ("block-ack", "The MAC's acknowledgment of an A-MPDU."),
    ("aggregate", "An A-MPDU; its frames have rows of their own."),
    ("ethernet", "A frame on a wire."),
    ("tone", "A tone, which says nothing but that it is there."),
];

const QUEUED: &[Happening] = &[Happening::Enqueue, Happening::Serve, Happening::Queue];

use Source::{Extent, Number, Sender, Time, Word};

/// Every column, in order.
pub const COLUMNS: [Column; 27] = [
    column("time_ns", "When, in nanoseconds of simulated time.", Time),
    column("event", "What happened.", Word(Happening::WORDS, |row| row.happening as u8)),
    column("detail", "Why, or how.", Word(Detail::WORDS, |row| row.detail as u8)),
    column("node", "Where.", Number(|row| row.node)),
    column(
        "peer",
        "The other node: the receiver of `transmit` (none of a broadcast), the transmitter of `receive` and \
         `miss`, the next hop of `route`, `next-hop`, `enqueue`, `serve`, `arp-wait`, `give-up` and \
         `link-failure`, the destination of `discovery` and `route-error`.",
        Number(|row| row.peer),
    ),
    column(
        "kind",
        "The frame's kind.",
        Word(FRAMES, |row| row.kind.map_or(0, |kind| kind as u8 + 1)),
    ),
    column("frame", "Number of the frame, in the order of transmission.", Number(|row| row.frame)),
    column(
        "packet",
        "Number of the packet, which it keeps from end to end, across retries and routes.",
        Number(|row| row.packet),
    ),
    column("content", "What the packet is.", Word(Content::WORDS, content::code)),
    column("bytes", "Size of the packet at the network layer.", Number(|row| row.bytes)),
    column("flow", "The flow.", Number(|row| row.flow)),
    column(
        "number",
        "Number of the segment, acknowledgment, datagram or route request; of `tcp` the highest \
         acknowledgment, of `mac` the attempts in vain so far.",
        Number(|row| row.number),
    ),
    column(
        "origin",
        "Where the packet comes from; of a route request or reply, who looks for the route.",
        Number(|row| row.origin),
    ),
    column(
        "target",
        "Where it is going; of a route request or reply, the node that is looked for.",
        Number(|row| row.target),
    ),
    column("airtime_ns", "How long the frame takes (`transmit`).", Extent(&[Happening::Transmit])),
    column(
        "by_frame",
        "The frame to which this one was lost (`miss`).",
        Extent(&[Happening::Miss]),
    ),
    column(
        "queue",
        "Packets in the interface queue after the event (`enqueue`, `serve`, `queue`).",
        Extent(QUEUED),
    ),
    column("former", "The next hop until now (`next-hop`).", Extent(&[Happening::NextHop])),
    column("cw_slots", "Contention window in slots (`mac`).", Extent(&[Happening::Mac])),
    column(
        "backoff_slots",
        "Slots of the backoff that are left, 0 if none is under way (`mac`).",
        Number(|row| row.backoff),
    ),
    column(
        "state",
        "State of the MAC or the sender (`mac`, `tcp`).",
        Word(State::WORDS, |row| row.state as u8),
    ),
    column("cwnd", "Congestion window in segments (`tcp`).", Sender(|sender| sender.cwnd)),
    column("ssthresh", "Slow-start threshold in segments (`tcp`).", Sender(|s| s.ssthresh)),
    column("rto_s", "Retransmission timeout in seconds, backed off (`tcp`).", Sender(|s| s.rto_s)),
    column("srtt_s", "Smoothed round-trip time in seconds (`tcp`).", Sender(|s| s.srtt_s)),
    column(
        "timer_s",
        "Seconds until the retransmission timer expires or a probe is due (`tcp`).",
        Sender(|sender| sender.timer_s),
    ),
    column(
        "interface",
        "The place of the station's interface in the scenario's `[[interfaces]]`, from 0; none of what \
         is the node's (`drop`, `discovery`, `route-error`, `send`, `deliver`, `tcp`).",
        Number(|row| row.interface),
    ),
];

const fn column(name: &'static str, about: &'static str, source: Source) -> Column {
    Column { name, about, source }
}

impl Column {
    /// What its values stand for, if they are words; `messages` are the names that messages of
    /// routing may have, and what each is.
    pub fn words(
        &self,
        messages: &[(&'static str, &'static str)],
    ) -> Option<Vec<(&'static str, &'static str)>> {
        match self.source {
            Word(words, _) if self.name == "content" => Some([words, messages].concat()),
            Word(words, _) => Some(words.to_vec()),
            _ => None,
        }
    }

    /// The type of its values.
    pub fn kind(&self) -> Type {
        match self.source {
            Time => Type::Time,
            Number(_) | Extent(_) => Type::Number,
            Sender(_) => Type::Real,
            Word(..) => Type::Word,
        }
    }

    /// Writes its values in `rows` to `place`, which is as large as they are, the low byte first.
    /// `senders` are the states that the rows tell of.
    pub fn write(&self, senders: &[SenderState], rows: &[Row], place: &mut [u8]) {
        match self.source {
            Time => write(rows, place, |row| row.time_ns.to_le_bytes()),
            Number(value) => write(rows, place, |row| value(row).to_le_bytes()),
            Word(_, value) => write(rows, place, |row| [value(row)]),
            Extent(of) => write(rows, place, |row| {
                let extent = if of.contains(&row.happening) { row.extent } else { NONE };
                extent.to_le_bytes()
            }),
            Sender(value) => write(rows, place, |row| {
                let state = match row.happening {
                    Happening::Tcp => value(&senders[row.extent as usize]),
                    _ => f32::NAN,
                };
                state.to_le_bytes()
            }),
        }
    }
}

#[inline]
fn write<const N: usize>(rows: &[Row], place: &mut [u8], value: impl Fn(&Row) -> [u8; N]) {
    for (place, row) in place.chunks_exact_mut(N).zip(rows) {
        place.copy_from_slice(&value(row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::note::{Note, Subject};
    use crate::kernel::Instant;
    use crate::wire::NodeId;

    #[test]
    fn an_extent_is_in_the_column_of_its_event_alone() {
        let row = |happening, extent| {
            let note = Note::new(Instant::ZERO, happening, NodeId(0), NONE);
            Note { extent, ..note }.row(&Subject::NOTHING)
        };
        let senders = [SenderState { cwnd: 2.5, ..SenderState::default() }];
        let rows = [row(Happening::Tcp, 0), row(Happening::Miss, 2), row(Happening::Serve, 3)];
        let of = |name| {
            let column = COLUMNS.iter().find(|column| column.name == name).unwrap();
            let mut place = [0; 12];
            column.write(&senders, &rows, &mut place);
            [0, 4, 8].map(|at| u32::from_le_bytes(place[at..at + 4].try_into().unwrap()))
        };
        assert_eq!(of("queue"), [NONE, NONE, 3]);
        assert_eq!(of("by_frame"), [NONE, 2, NONE]);
        let cwnd = of("cwnd").map(f32::from_bits);
        assert!(cwnd[0] == 2.5 && cwnd[1].is_nan() && cwnd[2].is_nan());
    }
}
