//! Random times that keep nodes from sending at once (RFC 5148).

use crate::kernel::{Duration, Instant};
use crate::routing::Context;

/// When a message comes that is sent every `interval`: earlier by at most `max_jitter` (section
/// 5.1).
pub fn periodic(cx: &mut Context, interval: Duration, max_jitter: Duration) -> Instant {
    let jitter = cx.rng.duration_below(max_jitter);
    cx.now + interval.saturating_sub(jitter)
}

/// When a message goes that something has set off or that is passed on: later by at most
/// `max_jitter` (sections 5.2 and 5.3).
pub fn delayed(cx: &mut Context, max_jitter: Duration) -> Instant {
    cx.now + cx.rng.duration_below(max_jitter)
}
