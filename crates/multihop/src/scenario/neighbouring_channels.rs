//! `radio.neighbouring_channels`: what the scenario's interfaces hear of each other's channels.

use super::Scenario;
use super::interfaces::InterfaceTable;
use super::topology::Topology;
use crate::config::Error;
use crate::mac::MacConfig;
use crate::mac::config::PhyName;
use crate::radio::channel_plan::{centre_mhz, is_low};
use crate::radio::config::Reception;
use crate::radio::leakage::Leakage;
use crate::radio::spectral_mask::Mask;
use crate::radio::{Neighbours, Position, Reach, StationLayout};

/// What a kind of station sends and receives.
struct Tuned {
    channel: u32,
    centre_mhz: f64,
    width_mhz: f64,
    mask: Mask,
}

impl Tuned {
    /// None if there is no such channel.
    fn new(table: &InterfaceTable, mac: &MacConfig) -> Option<Tuned> {
        let (channel, is_low) = (table.channel, is_low(table.channel));
        let width_mhz = mac.width_mhz();
        let width = f64::from(width_mhz);
        let mask = match (mac.phy, is_low) {
            (PhyName::Dsss1999 | PhyName::Ieee80211b, true) => Mask::dsss(),
            (PhyName::Ieee80211g, true) | (PhyName::Ieee80211a | PhyName::Ieee80211ac, false) => {
                Mask::ofdm(width, -40.0)
            }
            (PhyName::Ieee80211n, _) => Mask::ofdm(width, if is_low { -45.0 } else { -40.0 }),
            (PhyName::Ieee80211ax, _) => Mask::he(width),
            _ => return None,
        };
        let centre_mhz = centre_mhz(channel, width_mhz)?;
        Some(Tuned { channel, centre_mhz, width_mhz: width, mask })
    }

    /// The share of its power that falls into the receivers of `other`, on another channel.
    fn share(&self, other: &Tuned) -> f64 {
        if self.channel == other.channel || is_low(self.channel) != is_low(other.channel) {
            return 0.0;
        }
        self.mask.share(other.centre_mhz - self.centre_mhz, other.width_mhz)
    }
}

impl Scenario {
    fn tuned(&self) -> impl Iterator<Item = Option<Tuned>> {
        self.interfaces.iter().map(|table| Tuned::new(table, table.mac(&self.mac)))
    }

    /// Checks that channels are real ones where they interfere.
    pub(super) fn check_neighbouring_channels(&self) -> Result<(), Error> {
        if !self.radio.neighbouring_channels {
            return Ok(());
        }
        for (is_wrong, fault) in [
            (
                self.radio.reception == Reception::Threshold,
                "radio.reception = \"sinr\": by threshold interference does not add up",
            ),
            (self.interfaces.is_empty(), "[[interfaces]], which have channels"),
            (
                matches!(*self.topology, Topology::Links(_)),
                "positions or gains: given links have no power",
            ),
        ] {
            if is_wrong {
                let fault = format!("can be given only with {fault}");
                return Err(Error::new("radio.neighbouring_channels", fault));
            }
        }
        let Some(place) = self.tuned().position(|tuned| tuned.is_none()) else { return Ok(()) };
        let table = &self.interfaces[place];
        let mac = table.mac(&self.mac);
        let (low, high) = (
            "1 to 13 (2.4 GHz)",
            "36 to 64, 100 to 144 or 149 to 177 in steps of 4, or the centre of a wide one (5 GHz)",
        );
        let allowed = match mac.phy {
            PhyName::Dsss1999 | PhyName::Ieee80211b | PhyName::Ieee80211g => low.to_owned(),
            PhyName::Ieee80211a | PhyName::Ieee80211ac => high.to_owned(),
            _ if mac.width_mhz() > 40 => high.to_owned(),
            _ => format!("{low}, {high}"),
        };
        let fault = format!(
            "must be one of {}'s with radio.neighbouring_channels: {allowed} (got {})",
            mac.phy.name(),
            table.channel
        );
        Err(Error::new(format!("interfaces.{place}.channel"), fault))
    }

    /// What leaks from the channels of some stations into those of others, if that counts and there
    /// is any.
    pub fn leaks(
        &self,
        stations: &StationLayout,
        positions: &[Position],
        reach: Reach,
        seed: u64,
    ) -> Option<Neighbours> {
        if !self.radio.neighbouring_channels {
            return None;
        }
        let tuned: Vec<Tuned> = self.tuned().collect::<Option<_>>()?;
        let shares = tuned.iter().map(|from| tuned.iter().map(|to| from.share(to)).collect());
        let leakage = Leakage(shares.collect());
        Some(match self.has_equipment() {
            true => self.equipped(positions, stations, Some(&leakage), seed),
            false => {
                let nodes = self.radio_neighbours(positions, reach, seed);
                nodes.leaking(stations, &leakage, self.radio.weakest_w())
            }
        })
    }
}
