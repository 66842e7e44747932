//! Messages at given times.

use std::sync::Arc;

use super::application::{Action, Application, Way};
use crate::kernel::{Duration, Instant};

/// When each message is sent, from the flow's start on, and its bytes; in the order of time.
pub type Messages = Arc<[(Duration, u64)]>;

/// A source of these messages.
#[derive(Clone, Debug)]
pub struct Trace {
    messages: Messages,
    start: Instant,
    next: usize,
}

impl Trace {
    /// A source of `messages`.
    pub fn new(messages: Messages) -> Trace {
        Trace { messages, start: Instant::ZERO, next: 0 }
    }
}

impl Application for Trace {
    fn on_start(&mut self, now: Instant, out: &mut Vec<Action>) {
        self.start = now;
        self.on_timer(now, out);
    }

    /// Sends what is due.
    fn on_timer(&mut self, now: Instant, out: &mut Vec<Action>) {
        while let Some(&(after, bytes)) = self.messages.get(self.next) {
            let due = self.start + after;
            if due > now {
                return out.push(Action::Wait(due));
            }
            self.next += 1;
            out.extend([Action::Begin { bytes }, Action::Send { way: Way::Forth, bytes }]);
        }
    }

    fn on_delivered(&mut self, _now: Instant, _way: Way, out: &mut Vec<Action>) {
        out.push(Action::Complete);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_leave_at_their_times_and_several_at_once_if_need_be() {
        let ms = Duration::from_millis;
        let messages = [(ms(0), 10), (ms(250), 20), (ms(250), 30)];
        let (mut trace, mut out) = (Trace::new(messages.into()), Vec::new());
        let start = Instant::from_secs_f64(1.0);
        let both = |bytes| [Action::Begin { bytes }, Action::Send { way: Way::Forth, bytes }];
        trace.on_start(start, &mut out);
        let due = start + ms(250);
        assert_eq!(std::mem::take(&mut out), [&both(10)[..], &[Action::Wait(due)]].concat());
        trace.on_timer(due, &mut out);
        assert_eq!(out, [both(20), both(30)].concat());
    }
}
