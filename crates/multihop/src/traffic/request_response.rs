//! Requests and their responses, one at a time: the source asks, the destination answers, and after
//! a time to think the source asks again.

use super::application::{Action, Application, Way};
use super::distribution::Distribution;
use super::{MAX_BYTES, seconds};
use crate::kernel::{Instant, Rng};

/// A client at the source and its server at the destination.
#[derive(Clone, Debug)]
pub struct RequestResponse {
    request_bytes: Distribution,
    response_bytes: Distribution,
    think_s: Distribution,
    /// Requests still to be sent; none: without end.
    left: Option<u32>,
    /// The size of the response to the request under way.
    response: u64,
    rng: Rng,
}

impl RequestResponse {
    /// A client that sends `requests`, or asks without end.
    pub fn new(
        request_bytes: Distribution,
        response_bytes: Distribution,
        think_s: Distribution,
        requests: Option<u32>,
        rng: Rng,
    ) -> RequestResponse {
        RequestResponse { request_bytes, response_bytes, think_s, left: requests, response: 0, rng }
    }
}

impl Application for RequestResponse {
    fn on_start(&mut self, now: Instant, out: &mut Vec<Action>) {
        self.on_timer(now, out);
    }

    fn on_timer(&mut self, _now: Instant, out: &mut Vec<Action>) {
        self.left = self.left.map(|left| left - 1);
        let bytes = self.request_bytes.draw_whole(&mut self.rng, 1, MAX_BYTES);
        self.response = self.response_bytes.draw_whole(&mut self.rng, 1, MAX_BYTES);
        let begin = Action::Begin { bytes: self.response };
        out.extend([begin, Action::Send { way: Way::Forth, bytes }]);
    }

    fn on_delivered(&mut self, now: Instant, way: Way, out: &mut Vec<Action>) {
        if way == Way::Forth {
            return out.push(Action::Send { way: Way::Back, bytes: self.response });
        }
        out.push(Action::Complete);
        if self.left == Some(0) {
            return out.push(Action::Done);
        }
        out.push(Action::Wait(now + seconds(&self.think_s, &mut self.rng)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Duration, Purpose};

    #[test]
    fn the_server_answers_and_the_client_thinks_before_it_asks_again() {
        let constant = Distribution::Constant;
        let rng = Rng::stream(1, Purpose::Traffic, 0);
        let mut client =
            RequestResponse::new(constant(300.0), constant(9000.0), constant(0.5), Some(2), rng);
        let (now, mut out) = (Instant::from_secs_f64(4.0), Vec::new());
        let request = Action::Send { way: Way::Forth, bytes: 300 };
        client.on_start(now, &mut out);
        assert_eq!(std::mem::take(&mut out), [Action::Begin { bytes: 9000 }, request]);
        client.on_delivered(now, Way::Forth, &mut out);
        assert_eq!(std::mem::take(&mut out), [Action::Send { way: Way::Back, bytes: 9000 }]);
        client.on_delivered(now, Way::Back, &mut out);
        let again = now + Duration::from_millis(500);
        assert_eq!(std::mem::take(&mut out), [Action::Complete, Action::Wait(again)]);
        client.on_timer(again, &mut out);
        assert_eq!(std::mem::take(&mut out), [Action::Begin { bytes: 9000 }, request]);
        client.on_delivered(again, Way::Back, &mut out);
        assert_eq!(out, [Action::Complete, Action::Done], "two were asked for");
    }
}
