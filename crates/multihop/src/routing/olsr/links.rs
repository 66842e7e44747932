//! What a node knows of the link to one neighbour: the link tuple of RFC 3626 section 4.2.1 with
//! the fields of sections 13 and 14, and the quality that the extension of community networks
//! measures.

use super::config::{MOST_WINDOW, OlsrConfig};
use super::messages::{LinkType, Quality};
use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;

/// A link.
#[derive(Clone, Debug, Default)]
pub struct Link {
    /// Until when it is known (L_time), as the neighbour table has it.
    pub until: Instant,
    /// Until when it counts as symmetric, unless it is pending or lost (L_SYM_time).
    pub symmetric_until: Instant,
    /// Until when the neighbour counts as heard (L_ASYM_time).
    pub heard_until: Instant,
    /// Until when it is advertised as lost (L_LOST_LINK_time).
    pub lost_until: Instant,
    /// The neighbour's main address.
    pub main: NodeId,
    /// The neighbour's willingness to relay.
    pub willingness: u8,
    /// The quality that the neighbour says it has in this direction, in 255ths.
    pub sent: u8,
    packets: Option<Packets>,
    /// Not established (L_link_pending).
    is_pending: bool,
    /// Smoothed share of packets that came (L_link_quality).
    quality: f64,
}

/// Which of a neighbour's packets came, the latest in the lowest bit.
#[derive(Clone, Copy, Debug)]
struct Packets {
    /// The number that the next one has.
    next: u16,
    /// Losses told by silence since the last packet, which its number tells again.
    silent: u16,
    /// When a further loss is told by silence.
    due: Instant,
    /// The neighbour's interval between HELLOs.
    interval: Duration,
    came: u64,
    /// How many packets `came` tells of.
    known: u32,
}

impl Link {
    /// Whether it is symmetric (sections 13 and 14.2).
    pub fn is_symmetric(&self, now: Instant) -> bool {
        self.symmetric_until > now && self.lost_until <= now && !self.is_pending
    }

    /// How it is advertised (sections 6.2 and 14.2); none if not at all.
    pub fn advertised(&self, now: Instant) -> Option<LinkType> {
        if self.lost_until > now {
            Some(LinkType::Lost)
        } else if self.is_pending {
            None
        } else if self.symmetric_until > now {
            Some(LinkType::Symmetric)
        } else if self.heard_until > now {
            Some(LinkType::Asymmetric)
        } else {
            Some(LinkType::Lost)
        }
    }

    /// The next instant at which it may change by itself.
    pub fn next_change(&self, config: &OlsrConfig, now: Instant) -> Instant {
        let packets = self.packets.filter(|_| config.measures_links());
        let silence = packets.map_or(Instant::FAR, |packets| packets.due);
        let ends = [self.symmetric_until, self.lost_until, silence];
        ends.into_iter().filter(|&end| end > now).min().unwrap_or(Instant::FAR)
    }

    /// Packet `number` of the neighbour has come, with a HELLO that states `interval`, if it has
    /// one.
    pub fn receive(
        &mut self,
        config: &OlsrConfig,
        now: Instant,
        number: u16,
        interval: Option<Duration>,
    ) {
        self.listen(config, now);
        let Some(mut packets) = self.packets else {
            let interval = interval.unwrap_or(Duration::ZERO);
            let next = number.wrapping_add(1);
            let due = now + interval;
            self.packets = Some(Packets { next, silent: 0, due, interval, came: 1, known: 1 });
            (self.quality, self.is_pending) = (config.hyst_scaling, config.hysteresis());
            self.judge(config, now);
            return;
        };
        let missed = number.wrapping_sub(packets.next);
        // A number from behind is that of a neighbour which has started anew.
        let missed = if missed > u16::MAX / 2 { 0 } else { missed.saturating_sub(packets.silent) };
        packets.interval = interval.unwrap_or(packets.interval);
        packets.due = now + packets.interval;
        (packets.next, packets.silent) = (number.wrapping_add(1), 0);
        self.packets = Some(packets);
        for _ in 0..u32::from(missed).min(MOST_WINDOW) {
            self.count(config, now, false);
        }
        self.count(config, now, true);
    }

    /// Counts the losses that the neighbour's silence tells up to `now` (section 14.3).
    pub fn listen(&mut self, config: &OlsrConfig, now: Instant) {
        if !config.measures_links() {
            return;
        }
        while let Some(packets) = &mut self.packets
            && packets.due <= now
            && packets.interval > Duration::ZERO
        {
            packets.due += packets.interval;
            packets.silent = packets.silent.saturating_add(1);
            self.count(config, now, false);
        }
    }

    /// The MAC could not reach the neighbour (section 13).
    pub fn lose(&mut self, until: Instant) {
        (self.lost_until, self.until) = (until, until);
    }

    /// The quality of the link both ways.
    pub fn both_ways(&self, config: &OlsrConfig) -> Quality {
        let window = config.link_quality_window;
        let share = self.packets.map_or(0, |packets| {
            let known = packets.known.min(window);
            let recent = packets.came << (u64::BITS - known) >> (u64::BITS - known);
            255 * recent.count_ones() / known
        });
        Quality { received: share as u8, sent: self.sent }
    }

    /// A packet came or was lost: the rules of stability and instability (section 14.3).
    fn count(&mut self, config: &OlsrConfig, now: Instant, came: bool) {
        if let Some(packets) = &mut self.packets {
            packets.came = packets.came << 1 | u64::from(came);
            packets.known = (packets.known + 1).min(u64::BITS);
        }
        let scaling = config.hyst_scaling;
        self.quality = (1.0 - scaling) * self.quality + if came { scaling } else { 0.0 };
        self.judge(config, now);
    }

    fn judge(&mut self, config: &OlsrConfig, now: Instant) {
        if !config.hysteresis() {
            return;
        }
        if self.quality > config.hyst_threshold_high {
            (self.is_pending, self.lost_until) = (false, Instant::ZERO);
        } else if self.quality < config.hyst_threshold_low && !self.is_pending {
            self.is_pending = true;
            self.lost_until = self.until.min(now + config.neighb_hold_time());
        }
    }
}
