//! Numbers that applications draw: sizes and times.

use std::cmp::Ordering;
use std::f64::consts::TAU;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

use crate::config::ConfigError;
use crate::kernel::Rng;

/// Draws outside the bounds after which the nearest bound is taken.
const MAX_DRAWS: u32 = 10_000;

/// A number, always the same or drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Distribution {
    /// Always this.
    Constant(f64),
    /// Drawn each time.
    Drawn(Drawn),
}

/// A random number. Bounds cut the distribution: what lies outside is drawn again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Drawn {
    /// Exponential.
    Exponential {
        /// Mean.
        mean: f64,
    },
    /// Uniform.
    Uniform {
        /// Lower bound.
        least: f64,
        /// Upper bound.
        most: f64,
    },
    /// Pareto: a number above x has probability (least / x)^shape.
    Pareto {
        /// Shape.
        shape: f64,
        /// Lower bound.
        least: f64,
        /// Upper bound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most: Option<f64>,
    },
    /// Lognormal: its logarithm is normal.
    Lognormal {
        /// Mean of the natural logarithm.
        mu: f64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
        /// Lower bound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        least: Option<f64>,
        /// Upper bound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most: Option<f64>,
    },
}

impl Distribution {
    /// Draws a number.
    pub fn draw(&self, rng: &mut Rng) -> f64 {
        match self {
            Distribution::Constant(value) => *value,
            Distribution::Drawn(drawn) => drawn.draw(rng),
        }
    }

    /// Draws a whole number, `least` to `most`.
    pub fn draw_whole(&self, rng: &mut Rng, least: u64, most: u64) -> u64 {
        (self.draw(rng).round() as u64).clamp(least, most)
    }

    /// Checks that what `key` draws can lie between `low` and `high`.
    ///
    /// # Errors
    /// Names what is out of bounds.
    pub fn check(&self, key: &'static str, low: f64, high: f64) -> Result<(), ConfigError> {
        let fault = |fault: String| Err(ConfigError::new(key, fault));
        let (name, value) = match self {
            Distribution::Constant(value) => ("be", *value),
            Distribution::Drawn(drawn) => match *drawn {
                Drawn::Exponential { mean } => ("have mean", mean),
                Drawn::Uniform { least, .. } | Drawn::Pareto { least, .. } => ("have least", least),
                Drawn::Lognormal { mu, .. } => ("have e^mu", mu.exp()),
            },
        };
        if !(value >= low && value <= high) {
            return fault(format!("must {name} {low} to {high} (got {value})"));
        }
        let Distribution::Drawn(drawn) = self else { return Ok(()) };
        let (name, spread) = match *drawn {
            Drawn::Pareto { shape, .. } => ("shape", shape),
            Drawn::Lognormal { sigma, .. } => ("sigma", sigma),
            _ => ("", 1.0),
        };
        if !(spread > 0.0 && spread <= 100.0) {
            return fault(format!("must have {name} above 0 and at most 100 (got {spread})"));
        }
        if matches!(drawn, Drawn::Pareto { least, .. } if *least <= 0.0) {
            return fault("must have least above 0".into());
        }
        match drawn.bounds() {
            (least, most) if least.partial_cmp(&most) != Some(Ordering::Less) => {
                fault(format!("must have least below most (got {least} and {most})"))
            }
            (least, most)
                if most < low
                    || least > high
                    || matches!(drawn, Drawn::Uniform { most, .. } if *most > high) =>
            {
                fault(format!("must have its bounds within {low} to {high}"))
            }
            _ => Ok(()),
        }
    }
}

impl Drawn {
    fn bounds(&self) -> (f64, f64) {
        match *self {
            Drawn::Exponential { .. } => (0.0, f64::INFINITY),
            Drawn::Uniform { least, most } => (least, most),
            Drawn::Pareto { least, most, .. } => (least, most.unwrap_or(f64::INFINITY)),
            Drawn::Lognormal { least, most, .. } => {
                (least.unwrap_or(0.0), most.unwrap_or(f64::INFINITY))
            }
        }
    }

    /// Draws a number: by inversion, but for the lognormal, which is Box and Muller's (1958) with
    /// rejection.
    pub fn draw(&self, rng: &mut Rng) -> f64 {
        match *self {
            Drawn::Exponential { mean } => exponential(rng, mean),
            Drawn::Uniform { least, most } => least + rng.unit() * (most - least),
            Drawn::Pareto { shape, least, most } => {
                let beyond = most.map_or(0.0, |most| (least / most).powf(shape));
                least * (1.0 - rng.unit() * (1.0 - beyond)).powf(-1.0 / shape)
            }
            Drawn::Lognormal { mu, sigma, .. } => {
                let (least, most) = self.bounds();
                let mut value = mu.exp();
                for _ in 0..MAX_DRAWS {
                    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
                    value = (mu + sigma * radius * (TAU * rng.unit()).cos()).exp();
                    if (least..=most).contains(&value) {
                        break;
                    }
                }
                value.clamp(least, most)
            }
        }
    }
}

/// An exponential number of this mean.
pub fn exponential(rng: &mut Rng, mean: f64) -> f64 {
    -mean * (1.0 - rng.unit()).ln()
}

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DistributionVisitor)
    }
}

struct DistributionVisitor;

impl<'de> Visitor<'de> for DistributionVisitor {
    type Value = Distribution;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a table like { kind = \"exponential\", mean = 1 }")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Distribution, E> {
        Ok(Distribution::Constant(value as f64))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Distribution, E> {
        Ok(Distribution::Constant(value))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Distribution, A::Error> {
        Drawn::deserialize(MapAccessDeserializer::new(map)).map(Distribution::Drawn)
    }
}

impl JsonSchema for Distribution {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Distribution".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let drawn = generator.subschema_for::<Drawn>();
        json_schema!({ "oneOf": [{ "type": "number" }, drawn] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Purpose;

    fn drawn(text: &str) -> Distribution {
        #[derive(Deserialize)]
        struct Holder {
            value: Distribution,
        }
        toml::from_str::<Holder>(&format!("value = {text}")).unwrap().value
    }

    fn samples(text: &str) -> Vec<f64> {
        let mut rng = Rng::stream(5, Purpose::Traffic, 0);
        let distribution = drawn(text);
        distribution.check("value", 0.0, 1e12).unwrap();
        let mut all: Vec<f64> = (0..200_000).map(|_| distribution.draw(&mut rng)).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// Mean, and quantiles of 10, 50 and 90 %, against those worked out by hand from the
    /// distribution functions.
    #[test]
    fn means_and_quantiles_are_those_of_the_distributions() {
        let ln = f64::ln;
        // P(X > x) = (2/x)^1.5, cut at 50: F = (1 - (2/x)^1.5) / (1 - (2/50)^1.5).
        let kept = 1.0 - (2.0_f64 / 50.0).powf(1.5);
        let pareto = |share: f64| 2.0 * (1.0 - share * kept).powf(-1.0 / 1.5);
        let pareto_mean =
            1.5 * 2.0_f64.powf(1.5) * 2.0 * (2.0_f64.powf(-0.5) - 50.0_f64.powf(-0.5)) / kept;
        let z90 = 1.281_551_6;
        for (text, mean, quantiles) in [
            ("7", 7.0, [7.0; 3]),
            (
                "{ kind = \"exponential\", mean = 3 }",
                3.0,
                [0.1, 0.5, 0.9].map(|q| -3.0 * ln(1.0 - q)),
            ),
            ("{ kind = \"uniform\", least = 2, most = 4 }", 3.0, [2.2, 3.0, 3.8]),
            (
                "{ kind = \"pareto\", shape = 1.5, least = 2, most = 50 }",
                pareto_mean,
                [0.1, 0.5, 0.9].map(pareto),
            ),
            (
                "{ kind = \"lognormal\", mu = 1, sigma = 0.5 }",
                (1.0_f64 + 0.125).exp(),
                [-z90, 0.0, z90].map(|z: f64| (1.0 + 0.5 * z).exp()),
            ),
        ] {
            let all = samples(text);
            let found = all.iter().sum::<f64>() / all.len() as f64;
            assert!((found / mean - 1.0).abs() < 0.015, "{text}: mean {found}, expected {mean}");
            for (share, expected) in [0.1, 0.5, 0.9].into_iter().zip(quantiles) {
                let found = all[(share * all.len() as f64) as usize];
                assert!(
                    (found / expected - 1.0).abs() < 0.02,
                    "{text}: {share}: {found}, {expected}"
                );
            }
        }
    }

    #[test]
    fn bounds_hold() {
        let all = samples("{ kind = \"lognormal\", mu = 1, sigma = 2, least = 1, most = 9 }");
        assert!(all[0] >= 1.0 && all[all.len() - 1] <= 9.0);
        let all = samples("{ kind = \"pareto\", shape = 1.1, least = 2, most = 9 }");
        assert!(all[0] >= 2.0 && all[all.len() - 1] <= 9.0);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        for (text, fault) in [
            ("-1", "must be 0 to 10 (got -1)"),
            ("{ kind = \"exponential\", mean = 99 }", "must have mean 0 to 10 (got 99)"),
            (
                "{ kind = \"pareto\", shape = 0, least = 1 }",
                "must have shape above 0 and at most 100 (got 0)",
            ),
            ("{ kind = \"pareto\", shape = 1, least = 0 }", "must have least above 0"),
            (
                "{ kind = \"uniform\", least = 3, most = 3 }",
                "must have least below most (got 3 and 3)",
            ),
            (
                "{ kind = \"uniform\", least = 3, most = inf }",
                "must have its bounds within 0 to 10",
            ),
            (
                "{ kind = \"lognormal\", mu = 1, sigma = 1, least = 20, most = 30 }",
                "must have its bounds within 0 to 10",
            ),
        ] {
            let error = drawn(text).check("value", 0.0, 10.0).unwrap_err();
            assert_eq!(error.fault, fault, "{text}");
        }
    }
}
