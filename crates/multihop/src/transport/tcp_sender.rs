//! A flow's TCP sender, whatever it is made of.

use std::ops::{Deref, DerefMut};

use super::config::TcpConfig;
use super::congestion::flavour::Flavour;
use super::flow_sender::{FlowSender, SenderCounts};
use super::link_failure::LinkFailure;
use super::pacing::PacingScheme;
use super::sack::{RecoveryScheme, SackSender};
use super::scheme::Sending;
use super::sender::Sender;
use super::supply::Supply;
use crate::config::outside::{Choice, name_of};
use crate::kernel::Rng;
use crate::measure::PartCounts;
use crate::profile::Profile;
use crate::wire::FlowId;

/// A TCP sender.
#[derive(Debug)]
pub struct TcpSender {
    sender: Box<dyn FlowSender>,
    scheme: Flavour,
    recovery: RecoveryScheme,
    pacing: PacingScheme,
    link_failure: LinkFailure,
}

impl TcpSender {
    /// The sender that `config` asks for, with `supply` to send; it has sent nothing.
    pub fn new(
        config: &TcpConfig,
        supply: Supply,
        profile: Profile,
        flow: FlowId,
        rng: &mut Rng,
    ) -> TcpSender {
        let rules = config.rules(profile);
        let recovery = config.recovery_scheme(rules);
        let counts_duplicates = recovery == RecoveryScheme::DuplicateAcks;
        let (scheme, link_failure) = (config.scheme, config.link_failure);
        let sender: Box<dyn FlowSender> = match config.scheme.scheme().sending {
            Sending::Windowed(control, recovery) if counts_duplicates => {
                Box::new(Sender::new(config, control.make(), recovery, supply, rules, flow, rng))
            }
            Sending::Windowed(control, _) => {
                Box::new(SackSender::new(config, control.make(), supply, rules, rng))
            }
            Sending::Own(sender) => sender(config, supply, profile, rng),
            Sending::Connection => unreachable!("a connection of its own has no TCP sender"),
        };
        TcpSender { sender, scheme, recovery, pacing: config.pacing_scheme(), link_failure }
    }

    /// Adds what its parts have counted.
    pub fn report_parts(&self, parts: &mut PartCounts) {
        let mut counts = SenderCounts::default();
        self.sender.report(&mut counts);
        parts.of(Flavour::KEY, name_of(self.scheme)).add_all(counts.control);
        parts.of(RecoveryScheme::KEY, name_of(self.recovery)).add_all(counts.detection);
        parts.of(PacingScheme::KEY, self.pacing.name()).add_all(counts.pacing);
        parts.of(LinkFailure::KEY, name_of(self.link_failure)).add_all(counts.reaction);
    }
}

impl Deref for TcpSender {
    type Target = dyn FlowSender;

    fn deref(&self) -> &Self::Target {
        &*self.sender
    }
}

impl DerefMut for TcpSender {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.sender
    }
}
