//! A file, sent once.

use super::application::{Action, Application, Way};
use crate::kernel::Instant;

/// A file of so many bytes: it is complete when the last of them has arrived in order.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Size \[bytes\].
    pub bytes: u64,
}

impl Application for File {
    fn on_start(&mut self, _now: Instant, out: &mut Vec<Action>) {
        let bytes = self.bytes;
        out.extend([Action::Begin { bytes }, Action::Send { way: Way::Forth, bytes }]);
    }

    fn on_delivered(&mut self, _now: Instant, _way: Way, out: &mut Vec<Action>) {
        out.extend([Action::Complete, Action::Done]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_sent_at_the_start_and_done_when_it_has_arrived() {
        let (mut file, mut out) = (File { bytes: 5000 }, Vec::new());
        file.on_start(Instant::ZERO, &mut out);
        let send = Action::Send { way: Way::Forth, bytes: 5000 };
        assert_eq!(std::mem::take(&mut out), [Action::Begin { bytes: 5000 }, send]);
        file.on_delivered(Instant::ZERO, Way::Forth, &mut out);
        assert_eq!(out, [Action::Complete, Action::Done]);
    }
}
