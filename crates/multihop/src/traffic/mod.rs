//! Applications, which feed transport. Each is a state machine called by hand ([`Application`]);
//! what they draw comes from a random stream of their flow's. TCP that always has data needs none:
//! it is only a start and a stop.

mod application;
mod cbr;
mod distribution;
mod file;
mod on_off;
mod request_response;
mod trace;
mod voice;
mod web;

pub use application::{Action, Application, Way};
pub use cbr::Cbr;
pub use distribution::{Distribution, Drawn, exponential};
pub use file::File;
pub use on_off::OnOff;
pub use request_response::RequestResponse;
pub use trace::{Messages, Trace};
pub use voice::{Codec, FRAME as VOICE_FRAME, Voice};
pub use web::{MAX_OBJECTS, Pages, Web};

use crate::kernel::{Duration, Rng};

/// The most bytes of a message.
pub const MAX_BYTES: u64 = 1_000_000_000;
/// The most bytes of a packet over UDP.
pub const MAX_PACKET_BYTES: u32 = 65_495;
/// The longest time drawn \[s\].
pub const MAX_TIME_S: f64 = 1e7;

/// A time that is drawn.
fn seconds(distribution: &Distribution, rng: &mut Rng) -> Duration {
    Duration::from_secs_f64(distribution.draw(rng).clamp(0.0, MAX_TIME_S))
}
