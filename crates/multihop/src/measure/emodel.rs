//! How good a call sounds: the E-model (ITU-T G.107, 2015), with its default values but for delay,
//! codec and losses.
//!
//! The delay counts as that of the echo path, too, and the loss of the echo path has its default of
//! 65 dB.

/// What the E-model has to know of a codec (ITU-T G.113, appendix I).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impairment {
    /// Equipment impairment factor without losses (Ie).
    pub equipment: f64,
    /// Robustness against losses (Bpl).
    pub robustness: f64,
}

/// Default values (G.107, table 2) \[dB\], \[dBm\].
const SLR: f64 = 8.0;
const RLR: f64 = 2.0;
const STMR: f64 = 15.0;
const LSTR: f64 = 18.0;
const DS: f64 = 3.0;
const TELR: f64 = 65.0;
const WEPL: f64 = 110.0;
const NC: f64 = -70.0;
const NFOR: f64 = -64.0;
const PS: f64 = 35.0;
const PR: f64 = 35.0;
const OLR: f64 = SLR + RLR;

/// The transmission rating factor R of a call.
///
/// `delay_ms` is that from mouth to ear, `loss` the share of packets lost, 0 to 1, and
/// `burst_ratio` the mean length of runs of losses over that of losses independent of each other.
pub fn rating(delay_ms: f64, codec: Impairment, loss: f64, burst_ratio: f64) -> f64 {
    let noise = noise();
    let basic = 15.0 - 1.5 * (SLR + noise);
    basic
        - simultaneous(basic, noise, delay_ms)
        - delay(basic, noise, delay_ms)
        - equipment(codec, loss, burst_ratio)
}

/// The mean opinion score, 1 to 4.5, that goes with a rating (annex B).
pub fn opinion(rating: f64) -> f64 {
    let r = rating.clamp(0.0, 100.0);
    (1.0 + 0.035 * r + r * (r - 60.0) * (100.0 - r) * 7e-6).max(1.0)
}

fn decibels(power: f64) -> f64 {
    10.0 * power.log10()
}

fn power(decibels: f64) -> f64 {
    10_f64.powf(decibels / 10.0)
}

/// All noise, at the 0 dBr point \[dBm0p\] (No, clause 7.2).
fn noise() -> f64 {
    let sending = PS - SLR - DS - 100.0 + 0.004 * (PS - OLR - DS - 14.0).powi(2);
    let room = PR + decibels(1.0 + power(10.0 - LSTR));
    let receiving = RLR - 121.0 + room + 0.008 * (room - 35.0).powi(2);
    decibels([NC, sending, receiving, NFOR + RLR].into_iter().map(power).sum())
}

/// What occurs together with the voice (Is, clause 7.3).
fn simultaneous(basic: f64, noise: f64, delay_ms: f64) -> f64 {
    let root = |value: f64, order: f64| (1.0 + value.powf(order)).powf(1.0 / order);
    let loudness = (OLR + 0.2 * (64.0 + noise - RLR)) / 8.0;
    let loud = 20.0 * (root(loudness, 8.0) - loudness);
    let sidetone = -decibels(power(-STMR) + (-delay_ms / 4.0).exp() * power(-TELR));
    let side = 12.0 * root((sidetone - 13.0) / 6.0, 8.0)
        - 28.0 * root((sidetone + 1.0) / 19.4, 35.0)
        - 13.0 * root((sidetone - 3.0) / 33.0, 13.0)
        + 29.0;
    // One unit of quantising distortion.
    let q = 37.0_f64;
    let g = 1.07 + 0.258 * q + 0.0602 * q * q;
    let y = (basic - 100.0) / 15.0 + 46.0 / 8.4 - g / 9.0;
    let z = 46.0 / 30.0 - g / 40.0;
    let quantising = 15.0 * (1.0 + 10_f64.powf(y) + 10_f64.powf(z)).log10();
    loud + side + quantising
}

/// Echo to the talker, echo to the listener, and too long a delay even without (Id, clause 7.4).
fn delay(basic: f64, noise: f64, delay_ms: f64) -> f64 {
    let half = |difference: f64, square: f64| {
        difference / 2.0 + (difference * difference / 4.0 + square).sqrt()
    };
    let t = delay_ms;
    let loudness =
        TELR - 40.0 * ((1.0 + t / 10.0) / (1.0 + t / 150.0)).log10() + 6.0 * (-0.3 * t * t).exp();
    let echo = 80.0 + 2.5 * (loudness - 14.0);
    let talker = match t < 1.0 {
        true => 0.0,
        false => (half(-1.5 * (noise - RLR) - echo, 100.0) - 1.0) * (1.0 - (-t).exp()),
    };
    let echo = 10.5 * (WEPL + 7.0) * (2.0 * t + 1.0).powf(-0.25);
    let listener = half(basic - echo, 169.0);
    let long = match t <= 100.0 {
        true => 0.0,
        false => {
            let x = (t / 100.0).log2();
            let root = |x: f64| (1.0 + x.powi(6)).powf(1.0 / 6.0);
            25.0 * (root(x) - 3.0 * root(x / 3.0) + 2.0)
        }
    };
    talker + listener + long
}

/// The codec, and losses (Ie-eff, clause 7.5).
fn equipment(codec: Impairment, loss: f64, burst_ratio: f64) -> f64 {
    let percent = 100.0 * loss;
    let effect = percent / (percent / burst_ratio + codec.robustness);
    codec.equipment + (95.0 - codec.equipment) * effect
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAN: Impairment = Impairment { equipment: 0.0, robustness: 25.1 };

    #[test]
    fn the_default_values_give_the_published_rating() {
        let found = rating(0.0, CLEAN, 0.0, 1.0);
        assert!((found - 93.2).abs() < 0.05, "{found}: G.107 states 93.2");
        assert!((opinion(found) - 4.41).abs() < 0.005, "its score is 4.41");
    }

    /// Cole and Rosenbluth (2001) fit the delay impairment of the default values by two straight
    /// lines.
    #[test]
    fn delay_takes_as_much_as_published() {
        let without = rating(0.0, CLEAN, 0.0, 1.0);
        for ms in [25.0, 50.0, 100.0, 150.0, 200.0, 300.0] {
            let found = without - rating(ms, CLEAN, 0.0, 1.0);
            let published = 0.024 * ms + 0.11 * f64::max(ms - 177.3, 0.0);
            assert!((found - published).abs() < 2.0, "{ms} ms: {found}, published {published}");
        }
    }

    #[test]
    fn losses_take_as_much_as_published() {
        // 95 * 2 / (2 + 25.1) for 2 % random losses; in bursts twice as long 95 * 2 / (1 + 25.1).
        let lost = |burst| rating(0.0, CLEAN, 0.0, 1.0) - rating(0.0, CLEAN, 0.02, burst);
        assert!((lost(1.0) - 7.011).abs() < 0.001, "{}", lost(1.0));
        assert!((lost(2.0) - 7.280).abs() < 0.001, "{}", lost(2.0));
    }

    #[test]
    fn scores_stay_within_their_scale() {
        assert_eq!([opinion(-20.0), opinion(3.0), opinion(120.0)], [1.0, 1.0, 4.5]);
        assert!((opinion(60.0) - 3.1).abs() < 1e-12);
    }
}
