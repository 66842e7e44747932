//! Management frames of an infrastructure network: beacons, and how a client finds an access point
//! and associates (IEEE Std 802.11-2020 sections 9.3.3, 9.4 and 11.3), by open system
//! authentication.
//!
//! Elements are those of an 802.11b or g cell without encryption: SSID, supported rates, DSSS
//! parameter set, TIM (beacons) and extended rates. Elements of later amendments would make beacons
//! two to three times as long.

use super::{Carrier, Octets, Packet, Part, Parts};

/// A time unit of 802.11 \[µs\].
pub const TIME_UNIT_US: u64 = 1024;

/// The name of all cells.
const SSID: &[u8] = b"multihop";
/// Capability information: an ESS.
const ESS: u16 = 1;

/// A management frame between a client and an access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Management {
    /// An access point is there; the time between its beacons (TU).
    Beacon(u16),
    /// Who is there?
    ProbeRequest,
    /// An access point is; the time between its beacons (TU).
    ProbeResponse(u16),
    /// A client's part of the authentication.
    AuthenticationRequest,
    /// The access point's.
    AuthenticationResponse,
    /// A client wants to belong to the cell.
    AssociationRequest,
    /// It does from now on.
    AssociationResponse,
    /// It does not any more.
    Deauthentication,
}

impl Management {
    /// What an access point with this time between beacons (TU) answers.
    pub fn answer(self, interval_tu: u16) -> Option<Management> {
        match self {
            Management::ProbeRequest => Some(Management::ProbeResponse(interval_tu)),
            Management::AuthenticationRequest => Some(Management::AuthenticationResponse),
            Management::AssociationRequest => Some(Management::AssociationResponse),
            _ => None,
        }
    }

    /// The body of the frame, behind the MAC header \[bytes\].
    pub fn bytes(self) -> u32 {
        let mut out = Vec::new();
        self.write(&mut out);
        out.len() as u32
    }

    /// Table 9-1.
    fn subtype(self) -> u8 {
        match self {
            Management::AssociationRequest => 0,
            Management::AssociationResponse => 1,
            Management::ProbeRequest => 4,
            Management::ProbeResponse(_) => 5,
            Management::Beacon(_) => 8,
            Management::AuthenticationRequest | Management::AuthenticationResponse => 11,
            Management::Deauthentication => 12,
        }
    }
}

impl Octets for Management {
    const KIND: u8 = 143;

    fn carrier(&self) -> Option<Carrier> {
        Some(Carrier::Management(self.subtype()))
    }

    fn write(&self, out: &mut Vec<u8>) {
        match *self {
            Management::Beacon(interval_tu) | Management::ProbeResponse(interval_tu) => {
                // The timestamp is left at 0.
                out.extend([0; 8]);
                put16(out, interval_tu);
                put16(out, ESS);
                put_name(out);
                put_rates(out);
                out.extend([3, 1, 1]);
                if let Management::Beacon(_) = self {
                    out.extend([5, 4, 0, 1, 0, 0]);
                }
                put_extended_rates(out);
            }
            Management::ProbeRequest => {
                put_name(out);
                put_rates(out);
                put_extended_rates(out);
            }
            // Open system, the number in the transaction, success.
            Management::AuthenticationRequest => {
                [0, 1, 0].into_iter().for_each(|it| put16(out, it))
            }
            Management::AuthenticationResponse => {
                [0, 2, 0].into_iter().for_each(|it| put16(out, it))
            }
            Management::AssociationRequest => {
                // It listens to every tenth beacon.
                put16(out, ESS);
                put16(out, 10);
                put_name(out);
                put_rates(out);
                put_extended_rates(out);
            }
            Management::AssociationResponse => {
                // Success; the association identifier is always 1.
                put16(out, ESS);
                put16(out, 0);
                put16(out, 0xc001);
                put_rates(out);
                put_extended_rates(out);
            }
            // A frame of a station that is not associated, or too few of its acknowledgments.
            Management::Deauthentication => put16(out, 7),
        }
    }

    fn parts(&self, _: &Packet) -> Parts {
        let (request, reply) = match self {
            Management::Beacon(_) => return Parts { hello: true, ..Parts::default() },
            Management::ProbeRequest
            | Management::AuthenticationRequest
            | Management::AssociationRequest => (Part::Originated, Part::Absent),
            _ => (Part::Absent, Part::Originated),
        };
        Parts { request, reply, ..Parts::default() }
    }
}

fn put16(out: &mut Vec<u8>, word: u16) {
    out.extend(word.to_le_bytes());
}

fn put_name(out: &mut Vec<u8>) {
    out.extend([0, SSID.len() as u8]);
    out.extend(SSID);
}

/// 1, 2, 5.5, 11, 18, 24, 36 and 54 Mbit/s.
fn put_rates(out: &mut Vec<u8>) {
    out.extend([1, 8, 0x82, 0x84, 0x8b, 0x96, 0x24, 0x30, 0x48, 0x6c]);
}

/// 6, 9, 12 and 48 Mbit/s.
fn put_extended_rates(out: &mut Vec<u8>) {
    out.extend([50, 4, 0x0c, 0x12, 0x18, 0x60]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_the_bytes_of_their_fields_and_elements() {
        for (frame, bytes) in [
            (Management::Beacon(100), 12 + 10 + 10 + 3 + 6 + 6),
            (Management::ProbeRequest, 10 + 10 + 6),
            (Management::ProbeResponse(100), 12 + 10 + 10 + 3 + 6),
            (Management::AuthenticationRequest, 6),
            (Management::AssociationRequest, 4 + 10 + 10 + 6),
            (Management::AssociationResponse, 6 + 10 + 6),
            (Management::Deauthentication, 2),
        ] {
            assert_eq!(frame.bytes(), bytes, "{frame:?}");
        }
        let mut beacon = Vec::new();
        Management::Beacon(100).write(&mut beacon);
        assert_eq!(beacon[8..12], [100, 0, 1, 0], "interval and capability");
        assert_eq!(Management::Beacon(100).carrier(), Some(Carrier::Management(8)));
    }

    #[test]
    fn an_access_point_answers_requests_alone() {
        let answer = |frame: Management| frame.answer(100);
        assert_eq!(answer(Management::ProbeRequest), Some(Management::ProbeResponse(100)));
        assert_eq!(answer(Management::AssociationResponse), None);
        assert_eq!(answer(Management::Beacon(100)), None);
    }
}
