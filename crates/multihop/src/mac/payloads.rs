//! Payloads of frames that are over, used again, so that no frame needs memory of its own.

use crate::wire::{Frame, Mpdu, Payload};

/// Payloads to be used again.
#[derive(Debug, Default)]
pub struct Payloads {
    /// The boxes are what is used again.
    #[expect(clippy::vec_box)]
    spare: Vec<Box<Payload>>,
    lists: Vec<Vec<Mpdu>>,
}

impl Payloads {
    /// `payload` in a box that a frame can carry.
    #[inline]
    pub fn hold(&mut self, payload: Payload) -> Box<Payload> {
        match self.spare.pop() {
            Some(mut place) => {
                *place = payload;
                place
            }
            None => Box::new(payload),
        }
    }

    /// An empty list for the MPDUs of an A-MPDU.
    pub fn list(&mut self) -> Vec<Mpdu> {
        self.lists.pop().unwrap_or_default()
    }

    /// A copy of `frame`, for one of several receivers.
    pub fn copy(&mut self, frame: &Frame) -> Frame {
        let payload = frame.payload.as_deref().map(|payload| self.hold(payload.clone()));
        Frame { payload, ..*frame }
    }

    /// The frame that carried `payload` is over.
    #[inline]
    pub fn recycle(&mut self, payload: Option<Box<Payload>>) {
        let Some(mut payload) = payload else { return };
        if !matches!(*payload, Payload::Taken) {
            self.empty(&mut payload);
        }
        self.spare.push(payload);
    }

    #[inline(never)]
    fn empty(&mut self, payload: &mut Payload) {
        if let Payload::Aggregate(aggregate) = payload {
            let mut list = std::mem::take(&mut aggregate.mpdus);
            list.clear();
            self.lists.push(list);
        }
        *payload = Payload::Taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Duration, Instant};
    use crate::wire::{Aggregate, Body, NodeId, Packet};

    #[test]
    fn a_payload_that_is_over_holds_the_next_one() {
        let packet = Packet::new(NodeId(0), NodeId(1), Instant::ZERO, Body::Dsr);
        let mut payloads = Payloads::default();
        let mut list = payloads.list();
        list.push(Mpdu { sequence: 0, attempts: 0, end: Duration::ZERO, packet });
        let room = list.capacity();
        let first =
            payloads.hold(Payload::Aggregate(Aggregate { mpdus: list, received: 1.into() }));
        let place: *const Payload = &*first;
        payloads.recycle(Some(first));
        let second = payloads.hold(Payload::Bitmap(5.into()));
        assert_eq!((&*second, std::ptr::from_ref(&*second)), (&Payload::Bitmap(5.into()), place));
        let list = payloads.list();
        assert_eq!((list.len(), list.capacity()), (0, room));
    }
}
