//! What a node knows of a neighbour and the link to it: the link tuple of RFC 6130 section 7.1 with
//! what RFC 7181 sections 8.1 and 9 add. A neighbour has one link, so it is the neighbour tuple, too.

use super::Olsr2Config;
use super::messages::{Hello, Listed, Status};
use super::metric::{Airtime, MAXIMUM_METRIC, MINIMUM_METRIC};
use super::{Olsr2Metric, reception::Reception};
use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;

/// A link.
#[derive(Clone, Debug, Default)]
pub struct Link {
    /// Until when it is known (L_time).
    pub until: Instant,
    /// Until when the neighbour counts as heard (L_HEARD_time), whatever the quality.
    pub heard_until: Instant,
    /// Until when it counts as symmetric (L_SYM_time), whatever the quality.
    pub symmetric_until: Instant,
    /// L_quality, L_pending and L_lost.
    pub quality: f64,
    pub is_pending: bool,
    pub is_lost: bool,
    /// The metric towards this node.
    pub in_metric: u32,
    /// The metric towards the neighbour, as it says.
    pub out_metric: Option<u32>,
    /// How willing the neighbour is to pass messages on, and data.
    pub will_flooding: u8,
    pub will_routing: u8,
    /// It chose this node to pass messages on (L_mpr_selector), and data (N_mpr_selector).
    pub is_flooding_selector: bool,
    pub is_routing_selector: bool,
    /// Its packets.
    pub reception: Reception,
    airtime: Airtime,
}

impl Link {
    /// L_status; none while it is pending.
    pub fn status(&self, now: Instant) -> Option<Status> {
        match () {
            () if self.is_pending => None,
            () if self.is_lost => Some(Status::Lost),
            () if self.symmetric_until > now => Some(Status::Symmetric),
            () if self.heard_until > now => Some(Status::Heard),
            () => Some(Status::Lost),
        }
    }

    /// Whether it is symmetric.
    pub fn is_symmetric(&self, now: Instant) -> bool {
        self.status(now) == Some(Status::Symmetric)
    }

    /// The next instant at which it may change by itself.
    pub fn next_change(&self, now: Instant) -> Instant {
        let ends = [self.until, self.heard_until, self.symmetric_until, self.reception.due()];
        ends.into_iter().filter(|&end| end > now).min().unwrap_or(Instant::FAR)
    }

    /// The first packet of a neighbour has come, which is known until `until` (section 12.5, step
    /// 3).
    pub fn begin(&mut self, config: &Olsr2Config, until: Instant) {
        (self.quality, self.is_pending) = (config.initial_quality, config.initial_pending);
        self.until = until;
        self.in_metric = match config.metric {
            Olsr2Metric::Hops => MINIMUM_METRIC,
            Olsr2Metric::Dat => MAXIMUM_METRIC,
        };
    }

    /// Packet `number` of the neighbour has come.
    pub fn receive(&mut self, config: &Olsr2Config, now: Instant, number: u16) {
        self.listen(config, now);
        let came = self.reception.receive(now, number);
        if config.metric == Olsr2Metric::Dat {
            self.airtime.receive(came.missed);
        }
        for _ in 0..came.missed_anew {
            self.count(config, now, false);
        }
        self.count(config, now, true);
    }

    /// Counts the HELLOs that the neighbour's silence tells of as lost.
    pub fn listen(&mut self, config: &Olsr2Config, now: Instant) {
        for _ in 0..self.reception.listen(now) {
            self.count(config, now, false);
        }
    }

    /// A packet came or was lost (section 14.4).
    fn count(&mut self, config: &Olsr2Config, now: Instant, came: bool) {
        let weight = config.hyst_scaling;
        let quality = (1.0 - weight) * self.quality + if came { weight } else { 0.0 };
        self.judge(config, now, quality);
    }

    /// The quality has changed (section 14.3).
    pub fn judge(&mut self, config: &Olsr2Config, now: Instant, quality: f64) {
        self.quality = quality;
        let hold = config.l_hold_time();
        if quality >= config.hyst_accept {
            (self.is_pending, self.is_lost) = (false, false);
            if self.status(now).is_some_and(|status| status != Status::Lost) {
                self.until = self.until.max(self.heard_until + hold);
            }
        }
        if !self.is_pending && quality < config.hyst_reject && !self.is_lost {
            self.is_lost = true;
            self.until = self.until.min(now + hold);
        }
    }

    /// The interval of the metric is over. Returns whether the metric has changed.
    pub fn refresh(&mut self, config: &Olsr2Config, rate_bps: f64) -> bool {
        let (interval, silent) = (self.reception.hello_interval, self.reception.silent);
        let metric = self.airtime.refresh(config, rate_bps, interval, silent);
        std::mem::replace(&mut self.in_metric, metric) != metric
    }

    /// A HELLO of the neighbour has come, valid for `validity`, to `node` (RFC 6130 section 12.5,
    /// RFC 7181 section 15.3.2).
    pub fn hear(
        &mut self,
        config: &Olsr2Config,
        now: Instant,
        node: NodeId,
        hello: &Hello,
        validity: Duration,
    ) {
        let of_us = hello.links.iter().find(|listed| listed.node == node);
        match of_us.map(|listed| listed.status) {
            Some(Status::Heard | Status::Symmetric) => self.symmetric_until = now + validity,
            Some(Status::Lost) if self.symmetric_until > now => {
                self.symmetric_until = now;
                if self.status(now) == Some(Status::Heard) {
                    self.until = now + config.l_hold_time();
                }
            }
            _ => {}
        }
        self.heard_until = (now + validity).max(self.symmetric_until);
        self.until = match self.status(now) {
            None => self.until.max(self.heard_until),
            Some(Status::Lost) => self.until,
            Some(_) => self.until.max(self.heard_until + config.l_hold_time()),
        };
        (self.will_flooding, self.will_routing) = (hello.will_flooding, hello.will_routing);
        if let Some(listed) = of_us {
            self.hear_of_us(now, listed);
        }
    }

    /// The neighbour says this of the link to this node (RFC 7181 sections 15.3.2.1, 15.3.2.3 and
    /// 17.2).
    fn hear_of_us(&mut self, now: Instant, listed: &Listed) {
        if self.is_symmetric(now) {
            self.out_metric = listed.in_metric;
            if self.out_metric.is_none() {
                self.symmetric_until = now;
            }
        }
        if listed.mprs.flooding || listed.status == Status::Symmetric {
            self.is_flooding_selector = listed.mprs.flooding;
        }
        if listed.mprs.routing || listed.status == Status::Symmetric {
            self.is_routing_selector = listed.mprs.routing;
        }
        self.settle(now);
    }

    /// Who is no symmetric neighbour has chosen nobody (sections 17.2 and 17.3).
    pub fn settle(&mut self, now: Instant) {
        if !self.is_symmetric(now) {
            (self.is_flooding_selector, self.is_routing_selector) = (false, false);
        }
    }
}
