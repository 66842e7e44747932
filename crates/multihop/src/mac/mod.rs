//! Medium access: the IEEE 802.11 distributed coordination function, slots of a table, and ports of
//! wires.
//!
//! Modelled: RTS/CTS by threshold, virtual and physical carrier sense, EIFS, frozen backoff, short
//! and long retry limits, duplicate detection, broadcast, link-failure indication, basic rates,
//! rates of data fixed or chosen frame by frame; A-MPDUs with block acknowledgments; access
//! categories (EDCA); hop-by-hop admission or windows that follow backlogs on request. Omitted:
//! fragmentation, power saving, PCF.

pub mod access;
mod access_kind;
pub mod admission;
pub mod aggregation;
pub mod categories;
pub mod config;
pub mod contention;
pub mod context;
pub mod dcf;
mod dispatch;
pub mod edca;
mod payloads;
pub mod phy;
pub mod rates;
mod repeats;
pub mod reservation;
pub mod semi;
pub mod tdma;
pub mod timing;
pub mod windows;
pub mod wired;

pub use access::{Access, Defers, Gathers};
pub use admission::{AdmissionCounters, BackPressureRules};
pub use aggregation::Room;
pub use categories::{Category, Classes};
pub use config::MacConfig;
pub use contention::{Contention, IdleSense, StationSense, Wake};
pub use context::{Leaving, MacContext, Outbox, Phase, TimerChange};
pub use dcf::Dcf;
pub use dispatch::Mac;
pub use edca::Edca;
pub use payloads::Payloads;
pub use phy::Phy;
pub use rates::{Airtime, RateControl, RateSet};
pub use reservation::Reserving;
pub use semi::{Admission, SemiConfig};
pub use tdma::Tdma;
pub use timing::{Coverage, Timing};
pub use windows::{Needs, Windowed};
pub use wired::Wired;
