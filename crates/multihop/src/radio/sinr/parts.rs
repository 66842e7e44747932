//! MPDUs of an A-MPDU, which are received or lost one by one.

use super::{Form, Rules};
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::radio::arrival::{Arrival, Traits};
use crate::wire::{MpduSet, NodeId};

/// How the MPDUs of the frame that is being received do.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Logarithms of the chances that the bits so far are good; empty for a frame that is received
    /// as a whole.
    ln_good: Vec<f64>,
    /// Which MPDUs of the last frame were received.
    received: MpduSet,
}

impl Parts {
    /// Reception of `arrival` begins.
    #[inline]
    pub fn begin(&mut self, arrival: &Arrival, rules: &Rules) {
        self.ln_good.clear();
        self.received = MpduSet::ALL;
        if arrival.traits.has(Traits::AGGREGATE) {
            self.ln_good.resize(rules.parts[arrival.frame as usize].len(), 0.0);
        }
    }

    /// Whether what is received consists of several MPDUs.
    #[inline]
    pub fn are_several(&self) -> bool {
        !self.ln_good.is_empty()
    }

    /// Which MPDUs of the last frame were received.
    pub fn received(&self) -> MpduSet {
        self.received
    }

    /// Counts the bits of the MPDUs of `frame` from `from` to `to` at this ratio.
    #[cold]
    pub fn advance(
        &mut self,
        rules: &Rules,
        (form, ratio): (&Form, f64),
        frame: &Arrival,
        (from, to): (Instant, Instant),
    ) {
        let (_, bits_per_s) = form.waveform.payload;
        let ln_good = bits_per_s * rules.curves[form.payload].ln_good(ratio);
        let mut begin = frame.start + form.waveform.preamble;
        for (sum, &end) in self.ln_good.iter_mut().zip(&rules.parts[frame.frame as usize]) {
            let end = frame.start + end;
            let part = to.min(end).saturating_since(from.max(begin));
            *sum += ln_good * part.as_nanos() as f64 / 1e9;
            begin = end;
        }
    }

    /// `frame`, whose header is good, has arrived at `node`. Draws which MPDUs are, and returns
    /// whether any is.
    #[cold]
    pub fn draw(&mut self, node: NodeId, frame: &Arrival, rules: &Rules) -> bool {
        let key = frame.end.as_nanos() ^ frame.start.as_nanos().rotate_left(32);
        let mut rng = Rng::indexed(rules.seed, Purpose::Reception, node.0.into(), key);
        let is_good =
            |(place, ln_good): (u32, &f64)| (rng.unit() < libm::exp(*ln_good)).then_some(place);
        self.received = (0..).zip(&self.ln_good).filter_map(is_good).collect();
        !self.received.is_empty()
    }
}

impl Parts {
    /// Which of the MPDUs of `frame` would have been received at `node` with nothing else on the
    /// air, by the same draw.
    #[cold]
    pub fn good_alone(&self, node: NodeId, frame: &Arrival, rules: &Rules) -> MpduSet {
        let form = &rules.forms[frame.traits.rate().index()];
        let mut alone =
            Parts { ln_good: vec![0.0; self.ln_good.len()], received: MpduSet::default() };
        let ratio = frame.power_w / form.noise_w;
        alone.advance(rules, (form, ratio), frame, (frame.start, frame.end));
        alone.draw(node, frame, rules);
        alone.received
    }
}

impl Rules {
    /// Transmission `number`, about to be sent, is an A-MPDU whose MPDUs end so long after its
    /// start.
    pub fn begin_aggregate(&mut self, number: u32, ends: impl Iterator<Item = Duration>) {
        let place = number as usize;
        self.parts.resize_with(self.parts.len().max(place + 1), Vec::new);
        self.parts[place].clear();
        self.parts[place].extend(ends);
    }
}
