//! Pages and the time to read them.
//!
//! Source: the HTTP model of 3GPP TR 25.892 (2004), which is that of 3GPP2 C.R1002 (cdma2000
//! evaluation methodology). A page has a main object and embedded ones. The reader asks for the
//! main object, and for the embedded ones once that has been parsed; when the last has come, the
//! page is complete and is read.
//!
//! All objects come over one connection that stays open, in the order asked for, without waiting
//! for each other (HTTP/1.1, persistent and pipelined: RFC 9112, section 9.3.2).

use std::collections::VecDeque;

use super::application::{Action, Application, Way};
use super::distribution::{Distribution, Drawn};
use super::{MAX_BYTES, seconds};
use crate::kernel::{Instant, Rng};

/// The published number of embedded objects: Pareto, at most so much, less its least value; 5.64 in
/// the mean.
const OBJECTS: Drawn = Drawn::Pareto { shape: 1.1, least: FEWEST, most: None };
const FEWEST: f64 = 2.0;
const MOST: f64 = 55.0;
/// The most embedded objects of a page, whatever their distribution: far more than pages have, and
/// few enough to hold.
pub const MAX_OBJECTS: f64 = 10_000.0;

/// What pages are like.
#[derive(Clone, Debug, PartialEq)]
pub struct Pages {
    /// A request \[bytes\].
    pub request_bytes: Distribution,
    /// A main object \[bytes\].
    pub main_bytes: Distribution,
    /// An embedded object \[bytes\].
    pub object_bytes: Distribution,
    /// Embedded objects of a page, rounded down; by default as published.
    pub objects: Option<Distribution>,
    /// Time to parse a main object \[s\].
    pub parsing_s: Distribution,
    /// Time to read a page \[s\].
    pub reading_s: Distribution,
}

impl Default for Pages {
    /// The published model; its requests have a constant size (350 bytes in C.R1002).
    fn default() -> Pages {
        let lognormal = |mu, sigma, least| {
            let (least, most) = (Some(least), Some(2e6));
            Distribution::Drawn(Drawn::Lognormal { mu, sigma, least, most })
        };
        let exponential = |mean| Distribution::Drawn(Drawn::Exponential { mean });
        Pages {
            request_bytes: Distribution::Constant(350.0),
            main_bytes: lognormal(8.37, 1.37, 100.0),
            object_bytes: lognormal(6.17, 2.36, 50.0),
            objects: None,
            parsing_s: exponential(0.13),
            reading_s: exponential(30.0),
        }
    }
}

/// What the reader does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Reading,
    AwaitingMain,
    Parsing,
    AwaitingObjects,
}

/// A reader at the source and a server at the destination.
#[derive(Clone, Debug)]
pub struct Web {
    pages: Pages,
    stage: Stage,
    /// The embedded objects of the page under way \[bytes\].
    objects: Vec<u64>,
    /// Objects asked for whose requests have not arrived at the server \[bytes\].
    asked: VecDeque<u64>,
    /// Objects asked for that have not arrived at the reader.
    awaited: usize,
    rng: Rng,
}

impl Web {
    /// A reader who reads pages without end.
    pub fn new(pages: Pages, rng: Rng) -> Web {
        let (objects, asked) = (Vec::new(), VecDeque::new());
        Web { pages, stage: Stage::Reading, objects, asked, awaited: 0, rng }
    }

    fn draw_count(&mut self) -> usize {
        match &self.pages.objects {
            Some(objects) => objects.draw(&mut self.rng).clamp(0.0, MAX_OBJECTS) as usize,
            None => (OBJECTS.draw(&mut self.rng).min(MOST) - FEWEST) as usize,
        }
    }

    fn ask_for(&mut self, bytes: u64, out: &mut Vec<Action>) {
        self.asked.push_back(bytes);
        self.awaited += 1;
        let bytes = self.pages.request_bytes.draw_whole(&mut self.rng, 1, MAX_BYTES);
        out.push(Action::Send { way: Way::Forth, bytes });
    }

    fn ask_for_page(&mut self, out: &mut Vec<Action>) {
        let main = self.pages.main_bytes.draw_whole(&mut self.rng, 1, MAX_BYTES);
        let count = self.draw_count();
        let object_bytes = &self.pages.object_bytes;
        let rng = &mut self.rng;
        self.objects = (0..count).map(|_| object_bytes.draw_whole(rng, 1, MAX_BYTES)).collect();
        self.stage = Stage::AwaitingMain;
        out.push(Action::Begin { bytes: main + self.objects.iter().sum::<u64>() });
        self.ask_for(main, out);
    }

    fn ask_for_objects(&mut self, now: Instant, out: &mut Vec<Action>) {
        self.stage = Stage::AwaitingObjects;
        for bytes in std::mem::take(&mut self.objects) {
            self.ask_for(bytes, out);
        }
        if self.awaited == 0 {
            self.read(now, out);
        }
    }

    fn read(&mut self, now: Instant, out: &mut Vec<Action>) {
        self.stage = Stage::Reading;
        let until = now + seconds(&self.pages.reading_s, &mut self.rng);
        out.extend([Action::Complete, Action::Wait(until)]);
    }
}

impl Application for Web {
    fn on_start(&mut self, _now: Instant, out: &mut Vec<Action>) {
        self.ask_for_page(out);
    }

    fn on_timer(&mut self, now: Instant, out: &mut Vec<Action>) {
        match self.stage {
            Stage::Reading => self.ask_for_page(out),
            _ => self.ask_for_objects(now, out),
        }
    }

    fn on_delivered(&mut self, now: Instant, way: Way, out: &mut Vec<Action>) {
        if way == Way::Forth {
            let bytes = self.asked.pop_front().unwrap_or(1);
            return out.push(Action::Send { way: Way::Back, bytes });
        }
        self.awaited -= 1;
        match self.stage {
            Stage::AwaitingMain => {
                self.stage = Stage::Parsing;
                let parsed = now + seconds(&self.pages.parsing_s, &mut self.rng);
                out.push(Action::Wait(parsed));
            }
            _ if self.awaited == 0 => self.read(now, out),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Duration, Purpose};

    fn web(pages: Pages) -> Web {
        Web::new(pages, Rng::stream(1, Purpose::Traffic, 0))
    }

    #[test]
    fn a_page_is_complete_when_its_last_object_has_come() {
        let constant = Distribution::Constant;
        let mut web = web(Pages {
            request_bytes: constant(350.0),
            main_bytes: constant(9000.0),
            object_bytes: constant(4000.0),
            objects: Some(constant(2.0)),
            parsing_s: constant(0.1),
            reading_s: constant(20.0),
        });
        let (mut now, mut out) = (Instant::ZERO, Vec::new());
        let ask = Action::Send { way: Way::Forth, bytes: 350 };
        let answer = |bytes| Action::Send { way: Way::Back, bytes };
        web.on_start(now, &mut out);
        assert_eq!(std::mem::take(&mut out), [Action::Begin { bytes: 17_000 }, ask]);
        web.on_delivered(now, Way::Forth, &mut out);
        web.on_delivered(now, Way::Back, &mut out);
        now += Duration::from_millis(100);
        assert_eq!(std::mem::take(&mut out), [answer(9000), Action::Wait(now)]);
        web.on_timer(now, &mut out);
        assert_eq!(std::mem::take(&mut out), [ask, ask]);
        web.on_delivered(now, Way::Forth, &mut out);
        web.on_delivered(now, Way::Forth, &mut out);
        web.on_delivered(now, Way::Back, &mut out);
        assert_eq!(std::mem::take(&mut out), [answer(4000), answer(4000)], "one has still to come");
        web.on_delivered(now, Way::Back, &mut out);
        let read = now + Duration::from_secs(20);
        assert_eq!(out, [Action::Complete, Action::Wait(read)]);
    }

    #[test]
    fn a_heavy_tail_does_not_make_a_page_without_end() {
        // Half of the draws are above 2^100.
        let tail = Drawn::Pareto { shape: 0.01, least: 1.0, most: None };
        let objects = Some(Distribution::Drawn(tail));
        let mut web = web(Pages { objects, ..Pages::default() });
        let most = (0..100).map(|_| web.draw_count()).max();
        assert_eq!(most, Some(MAX_OBJECTS as usize));
    }

    /// 5.64 objects are what the source states beside the parameters. Its 10 710 and 7758 bytes are
    /// near the means without bounds, 11 031 and 7745. With them the mean is exp(mu + sigma^2 / 2)
    /// (F(b - sigma) - F(a - sigma)) / (F(b) - F(a)): F is the normal distribution function, a and
    /// b are the standardised logarithms of the bounds.
    #[test]
    fn pages_have_the_means_of_the_published_parameters() {
        let mut web = web(Pages::default());
        let pages = web.pages.clone();
        let mut mean = |draw: &mut dyn FnMut(&mut Web) -> f64| {
            (0..400_000).map(|_| draw(&mut web)).sum::<f64>() / 400_000.0
        };
        let main = mean(&mut |web| pages.main_bytes.draw(&mut web.rng));
        let object = mean(&mut |web| pages.object_bytes.draw(&mut web.rng));
        let objects = mean(&mut |web| OBJECTS.draw(&mut web.rng).min(MOST) - FEWEST);
        for (found, expected, tolerance) in
            [(main, 11_053.0, 0.02), (object, 8200.0, 0.04), (objects, 5.64, 0.02)]
        {
            assert!((found / expected - 1.0).abs() < tolerance, "{found}, expected {expected}");
        }
    }
}
