//! Rate controls written outside the engine that do as one of its own does, through the public
//! doors alone: the runs are equal.

use multihop::kernel::{Instant, Rng};
use multihop::mac::rates::{self, Minstrel, RateRule};
use multihop::scenario::Scenario;
use multihop::schemes::Schemes;
use multihop::simulation::{Recording, Simulation};
use serde_json::Value;

/// Automatic rate fallback, of one link: up after ten ACKs in a row or fifteen attempts, down after
/// two failures or one right after going up.
#[derive(Debug, Default)]
struct Fallback {
    highest: usize,
    place: usize,
    /// Since the rate last changed.
    attempts: u32,
    streak: i32,
    is_new: bool,
}

impl RateRule for Fallback {
    fn first(&mut self, _: Instant, _: &mut Rng) -> usize {
        self.place
    }

    fn again(&mut self) -> usize {
        self.place
    }

    fn on_result(&mut self, _: usize, is_good: bool) {
        self.attempts += 1;
        let step = if is_good { 1 } else { -1 };
        self.streak = if self.streak * step > 0 { self.streak + step } else { step };
        let is_down = self.streak <= -2 || self.is_new && !is_good;
        let is_up = self.streak >= 10 || is_good && self.attempts >= 15;
        self.is_new = false;
        if is_down {
            self.place = self.place.saturating_sub(1);
        } else if is_up && self.place < self.highest {
            self.place += 1;
            self.is_new = true;
        } else {
            return;
        }
        (self.attempts, self.streak) = (0, 0);
    }
}

fn schemes() -> Schemes {
    Schemes::standard()
        .with_rate_control(rates::Outside::new("own-arf", |ladder| {
            Box::new(Fallback { highest: ladder.len() - 1, ..Fallback::default() })
        }))
        .with_rate_control(rates::Outside::among_all("own-minstrel", |ladder| {
            Box::new(Minstrel::new(ladder))
        }))
}

/// The result of `text` with `key` set to `choice`, but for the names of what was chosen.
fn run(text: &str, key: &str, choice: &str, seed: u64) -> Value {
    let overrides = [(key.to_owned(), format!("\"{choice}\""))];
    let scenario = Scenario::with_schemes(&schemes(), text, &overrides).expect("a scenario");
    let simulation = Simulation::new(&scenario, Some(seed), &Recording::default());
    let mut result = serde_json::to_value(simulation.expect("a network").run()).expect("numbers");
    for wall in ["build_s", "wall_s"] {
        result["engine"][wall] = Value::Null;
    }
    result["scenario"] = Value::Null;
    result
}

/// Asserts that runs with `ours` and with `theirs` are equal, and that one with `other` is not.
fn assert_equal(text: &str, key: &str, ours: &str, theirs: &str, other: &str) {
    for seed in [1, 2] {
        let own = run(text, key, ours, seed);
        assert_eq!(own, run(text, key, theirs, seed), "{theirs}, seed {seed}");
        assert_ne!(own, run(text, key, other, seed), "{other}, seed {seed}");
    }
}

/// Six nodes in a chain whose links are good for some of the rates and fail at others, with A-MPDUs
/// if the PHY has them.
fn fading(phy: &str) -> String {
    format!(
        "duration_s = 2\n[topology]\nkind = \"chain\"\nhops = 2\nspacing_m = 60\n\
         [radio]\nreception = \"sinr\"\n[mac]\nphy = \"{phy}\"\n\
         [transport]\nwindow_segments = 60\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 2\n"
    )
}

#[test]
fn a_rate_control_of_another_crate_can_be_arf() {
    for phy in ["802.11a", "802.11n"] {
        assert_equal(&fading(phy), "mac.rate", "arf", "own-arf", "ideal");
    }
}

#[test]
fn one_that_counts_the_frames_of_a_mpdus_can_be_minstrel() {
    let text = fading("802.11n").replace("[transport]", "streams = 2\n[transport]");
    assert_equal(&text, "mac.rate", "minstrel", "own-minstrel", "arf");
}
