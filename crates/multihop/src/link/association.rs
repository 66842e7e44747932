//! How a client finds an access point and belongs to it (IEEE Std 802.11-2020 sections 11.1.4 and
//! 11.3).
//!
//! It asks for access points and listens for longer than the time between two beacons; of those it
//! hears it takes the strongest, or the one that it was given. Authentication and association are
//! an exchange each, tried three times. Who misses seven beacons in a row has lost its access point
//! and searches again, as one does that its access point no longer knows. It does not leave one for
//! a stronger one.

use std::collections::BTreeMap;

use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;
use crate::wire::management::{Management, TIME_UNIT_US};

/// How long it listens: a little longer than the usual time between beacons.
const LISTENING: Duration = Duration::from_millis(120);
/// Until it searches again after it found none.
const PAUSE: Duration = Duration::from_millis(500);
/// How long it waits for an answer, and how often it asks: as we recall mac80211 of Linux.
const ANSWER: Duration = Duration::from_millis(200);
const TRIES: u8 = 3;
/// Beacons in a row without which it takes the access point for lost: as we recall the same.
const MISSED_BEACONS: u64 = 7;

/// What a client is about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Idle,
    /// The strongest access point so far, and its power \[W\].
    Listening(Option<(NodeId, f64)>),
    Authenticating(NodeId),
    Associating(NodeId),
    /// And the time between its beacons.
    Associated(NodeId, Duration),
}

/// A client between its radio and an access point. Access points are known by their stations.
#[derive(Clone, Debug)]
pub struct Client {
    /// The only one that it takes.
    given: Option<NodeId>,
    phase: Phase,
    tries: u8,
    /// When its timer expires.
    deadline: Instant,
    /// The time between beacons of the one it is about.
    interval: Duration,
    /// When it was associated first.
    pub since: Option<Instant>,
    /// How often it has been associated, and has lost its access point.
    pub associations: u32,
    /// The same.
    pub losses: u32,
}

impl Client {
    /// One that begins to search at `at`, and takes the access point `given` alone, if any.
    pub fn new(given: Option<NodeId>, at: Instant) -> Client {
        Client {
            given,
            phase: Phase::Idle,
            tries: 0,
            deadline: at,
            interval: Duration::ZERO,
            since: None,
            associations: 0,
            losses: 0,
        }
    }

    /// The access point that it belongs to.
    pub fn access_point(&self) -> Option<NodeId> {
        match self.phase {
            Phase::Associated(to, _) => Some(to),
            _ => None,
        }
    }

    /// When [`Client::on_timer`] is to be called next.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Its timer has expired. Returns what it sends, and to whom.
    pub fn on_timer(&mut self, now: Instant) -> Option<(NodeId, Management)> {
        match self.phase {
            Phase::Associated(..) => {
                self.losses += 1;
                Some(self.search(now))
            }
            Phase::Idle => Some(self.search(now)),
            Phase::Listening(None) => {
                (self.phase, self.deadline) = (Phase::Idle, now + PAUSE);
                None
            }
            Phase::Listening(Some((found, _))) => {
                (self.phase, self.tries) = (Phase::Authenticating(found), 0);
                self.ask(now)
            }
            Phase::Authenticating(_) | Phase::Associating(_) if self.tries == TRIES => {
                Some(self.search(now))
            }
            Phase::Authenticating(_) | Phase::Associating(_) => self.ask(now),
        }
    }

    fn search(&mut self, now: Instant) -> (NodeId, Management) {
        (self.phase, self.deadline) = (Phase::Listening(None), now + LISTENING);
        (NodeId::BROADCAST, Management::ProbeRequest)
    }

    fn ask(&mut self, now: Instant) -> Option<(NodeId, Management)> {
        self.tries += 1;
        self.deadline = now + ANSWER;
        match self.phase {
            Phase::Authenticating(to) => Some((to, Management::AuthenticationRequest)),
            Phase::Associating(to) => Some((to, Management::AssociationRequest)),
            _ => None,
        }
    }

    /// `frame` of the access point `from` has come, at this power \[W\]. Returns what it sends, and
    /// to whom.
    pub fn on_frame(
        &mut self,
        now: Instant,
        (from, power_w): (NodeId, f64),
        frame: Management,
    ) -> Option<(NodeId, Management)> {
        match (frame, self.phase) {
            (Management::Beacon(tu) | Management::ProbeResponse(tu), Phase::Listening(best)) => {
                let is_allowed = self.given.is_none_or(|given| given == from);
                if is_allowed && best.is_none_or(|(_, strongest_w)| power_w > strongest_w) {
                    self.phase = Phase::Listening(Some((from, power_w)));
                    self.interval = Duration::from_micros(u64::from(tu) * TIME_UNIT_US);
                }
                None
            }
            (Management::Beacon(_), Phase::Associated(to, interval)) if to == from => {
                self.deadline = now + patience(interval);
                None
            }
            (Management::AuthenticationResponse, Phase::Authenticating(to)) if to == from => {
                (self.phase, self.tries) = (Phase::Associating(to), 0);
                self.ask(now)
            }
            (Management::AssociationResponse, Phase::Associating(to)) if to == from => {
                self.phase = Phase::Associated(to, self.interval);
                self.deadline = now + patience(self.interval);
                self.since.get_or_insert(now);
                self.associations += 1;
                None
            }
            (Management::Deauthentication, Phase::Associated(to, _)) if to == from => {
                self.losses += 1;
                Some(self.search(now))
            }
            _ => None,
        }
    }
}

/// The clients of an access point, as it knows them.
#[derive(Clone, Debug, Default)]
pub struct Clients(BTreeMap<NodeId, u32>);

/// So many packets that a client does not acknowledge, with no frame of it in between, and it is
/// taken for gone: as we recall mac80211.
const LOST_PACKETS: u32 = 50;

impl Clients {
    /// Whether `client` is one.
    pub fn has(&self, client: NodeId) -> bool {
        self.0.contains_key(&client)
    }

    /// `client` is associated. Whether it was not before.
    pub fn add(&mut self, client: NodeId) -> bool {
        self.0.insert(client, 0).is_none()
    }

    /// A frame of `client` has come.
    pub fn on_heard(&mut self, client: NodeId) {
        if let Some(lost) = self.0.get_mut(&client) {
            *lost = 0;
        }
    }

    /// `client` has not acknowledged a packet. Whether it is gone.
    pub fn on_lost(&mut self, client: NodeId) -> bool {
        let Some(lost) = self.0.get_mut(&client) else { return false };
        *lost += 1;
        *lost >= LOST_PACKETS && self.0.remove(&client).is_some()
    }
}

/// How long a client waits for a beacon.
fn patience(interval: Duration) -> Duration {
    Duration::from_nanos(interval.as_nanos() * MISSED_BEACONS + interval.as_nanos() / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEAK: (NodeId, f64) = (NodeId(4), 1e-9);
    const STRONG: (NodeId, f64) = (NodeId(5), 2e-9);

    fn ms(at: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(at)
    }

    /// Searches from 10 ms on, and hears both.
    fn searching(given: Option<NodeId>) -> Client {
        let mut client = Client::new(given, ms(10));
        let probe = client.on_timer(ms(10));
        assert_eq!(probe, Some((NodeId::BROADCAST, Management::ProbeRequest)));
        for heard in [WEAK, STRONG, WEAK] {
            assert_eq!(client.on_frame(ms(20), heard, Management::ProbeResponse(100)), None);
        }
        assert_eq!(client.deadline(), ms(130));
        client
    }

    #[test]
    fn it_takes_the_strongest_in_two_exchanges_and_keeps_it_while_beacons_come() {
        let mut client = searching(None);
        let (to, _) = STRONG;
        assert_eq!(client.on_timer(ms(130)), Some((to, Management::AuthenticationRequest)));
        let answer = Management::AuthenticationResponse;
        assert_eq!(client.on_frame(ms(131), WEAK, answer), None, "not the one that was asked");
        let request = client.on_frame(ms(132), STRONG, answer);
        assert_eq!(request, Some((to, Management::AssociationRequest)));
        assert_eq!(client.access_point(), None);
        client.on_frame(ms(133), STRONG, Management::AssociationResponse);
        assert_eq!((client.access_point(), client.since), (Some(to), Some(ms(133))));
        client.on_frame(ms(200), STRONG, Management::Beacon(100));
        // Seven beacons and a half of 102.4 ms.
        assert_eq!(client.deadline(), ms(200 + 768));
        client.on_frame(ms(500), WEAK, Management::Beacon(100));
        assert_eq!(client.deadline(), ms(968), "another's beacon");
        let probe = client.on_timer(ms(968));
        assert_eq!(probe, Some((NodeId::BROADCAST, Management::ProbeRequest)));
        assert_eq!((client.access_point(), client.losses, client.associations), (None, 1, 1));
    }

    #[test]
    fn it_takes_no_other_than_the_one_it_was_given() {
        let mut client = searching(Some(WEAK.0));
        let request = client.on_timer(ms(130));
        assert_eq!(request, Some((WEAK.0, Management::AuthenticationRequest)));
        let mut client = Client::new(Some(NodeId(9)), ms(0));
        client.on_timer(ms(0));
        client.on_frame(ms(1), STRONG, Management::Beacon(100));
        assert_eq!(client.on_timer(ms(120)), None, "it has not heard it");
        assert_eq!(client.deadline(), ms(620));
    }

    #[test]
    fn a_client_is_gone_after_fifty_lost_packets_without_a_sign_of_it() {
        let mut clients = Clients::default();
        let client = NodeId(7);
        assert!(clients.add(client) && !clients.add(client));
        assert!(!(0..49).any(|_| clients.on_lost(client)));
        clients.on_heard(client);
        assert!(!(0..49).any(|_| clients.on_lost(client)) && clients.has(client));
        assert!(clients.on_lost(client) && !clients.has(client) && !clients.on_lost(client));
    }

    #[test]
    fn a_client_that_its_access_point_sends_away_searches_again() {
        let mut client = searching(None);
        client.on_timer(ms(130));
        client.on_frame(ms(131), STRONG, Management::AuthenticationResponse);
        client.on_frame(ms(132), STRONG, Management::AssociationResponse);
        assert_eq!(client.on_frame(ms(140), WEAK, Management::Deauthentication), None);
        let probe = client.on_frame(ms(150), STRONG, Management::Deauthentication);
        assert_eq!(probe, Some((NodeId::BROADCAST, Management::ProbeRequest)));
        assert_eq!((client.access_point(), client.losses), (None, 1));
    }

    #[test]
    fn it_asks_three_times_and_then_searches_again() {
        let mut client = searching(None);
        let mut asked = 0;
        let mut now = ms(130);
        while let Some((to, Management::AuthenticationRequest)) = client.on_timer(now) {
            assert_eq!(to, STRONG.0);
            asked += 1;
            now = client.deadline();
        }
        assert_eq!((asked, now), (3, ms(730)));
        assert_eq!(client.deadline(), ms(850), "it listens again");
    }
}
