//! A policy made of weights: a feed-forward network from what an agent observes to what it sets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Error;

/// Numbers that a layer may have.
const WIDEST: usize = 1024;
/// Layers that a policy may have.
const DEEPEST: usize = 8;

/// What is made of the sums of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// Nothing.
    #[default]
    None,
    /// The hyperbolic tangent.
    Tanh,
    /// Nothing below 0.
    Relu,
}

/// A layer of a policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayerTable {
    /// A row for each number that comes out, with a weight for each that goes in.
    pub weights: Vec<Vec<f64>>,
    /// What is added to each.
    pub biases: Vec<f64>,
    /// What is made of the sums.
    #[serde(default)]
    pub activation: Activation,
}

/// A policy.
#[derive(Clone, Debug)]
pub struct Policy {
    layers: Vec<LayerTable>,
    /// Numbers between layers; kept for their memory.
    from: Vec<f64>,
    to: Vec<f64>,
}

impl Policy {
    /// The policy of `layers`, which [`Policy::check`] has found right.
    pub fn new(layers: &[LayerTable]) -> Policy {
        Policy { layers: layers.to_vec(), from: Vec::new(), to: Vec::new() }
    }

    /// Checks that `layers` make of `inputs` numbers `outputs`.
    ///
    /// # Errors
    /// The first layer that does not fit, or is too large.
    pub fn check(layers: &[LayerTable], inputs: usize, outputs: usize) -> Result<(), Error> {
        if !(1..=DEEPEST).contains(&layers.len()) {
            let fault = format!("must be 1 to {DEEPEST} layers (got {})", layers.len());
            return Err(Error::new("layers", fault));
        }
        let mut width = inputs;
        for (place, layer) in layers.iter().enumerate() {
            let at = |key: &str, fault| Err(Error::new(format!("layers.{place}.{key}"), fault));
            let rows = layer.weights.len();
            let is_last = place + 1 == layers.len();
            if is_last && rows != outputs {
                let fault = format!("must be a row for each number set, {outputs} (got {rows})");
                return at("weights", fault);
            }
            if !(1..=WIDEST).contains(&rows) {
                return at("weights", format!("must be 1 to {WIDEST} rows (got {rows})"));
            }
            if let Some(row) = layer.weights.iter().find(|row| row.len() != width) {
                let got = row.len();
                return at("weights", format!("must be rows of {width} numbers (got {got})"));
            }
            if layer.biases.len() != rows {
                let got = layer.biases.len();
                return at("biases", format!("must be a number for each row, {rows} (got {got})"));
            }
            let numbers = layer.weights.iter().flatten().chain(&layer.biases);
            if let Some(wrong) = numbers.into_iter().find(|number| !number.is_finite()) {
                return at("weights", format!("must be finite numbers (got {wrong})"));
            }
            width = rows;
        }
        Ok(())
    }

    /// What it sets, from what it observes; from -1 to 1.
    pub fn decide(&mut self, observed: &[f32], set: &mut Vec<f32>) {
        self.from.clear();
        self.from.extend(observed.iter().map(|&number| f64::from(number)));
        for layer in &self.layers {
            self.to.clear();
            for (row, bias) in layer.weights.iter().zip(&layer.biases) {
                let sum = row.iter().zip(&self.from).fold(*bias, |sum, (w, x)| sum + w * x);
                self.to.push(match layer.activation {
                    Activation::None => sum,
                    Activation::Tanh => libm::tanh(sum),
                    Activation::Relu => sum.max(0.0),
                });
            }
            std::mem::swap(&mut self.from, &mut self.to);
        }
        set.extend(self.from.iter().map(|&number| number.clamp(-1.0, 1.0) as f32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(weights: &[&[f64]], biases: &[f64], activation: Activation) -> LayerTable {
        let weights = weights.iter().map(|row| row.to_vec()).collect();
        LayerTable { weights, biases: biases.to_vec(), activation }
    }

    #[test]
    fn layers_follow_each_other_and_what_is_beyond_1_is_1() {
        let layers = [
            layer(&[&[1.0, -2.0], &[0.5, 0.5]], &[0.0, 1.0], Activation::Relu),
            layer(&[&[1.0, 0.25], &[0.0, 9.0]], &[-0.5, 0.0], Activation::None),
        ];
        Policy::check(&layers, 2, 2).unwrap();
        let mut set = Vec::new();
        Policy::new(&layers).decide(&[1.0, 1.0], &mut set);
        // Between the layers: 1 - 2 is cut to 0, and 1/2 + 1/2 + 1 is 2.
        assert_eq!(set, [0.0, 1.0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fault = |layers: &[LayerTable]| Policy::check(layers, 2, 1).unwrap_err().to_string();
        let none = Activation::None;
        assert_eq!(fault(&[]), "layers: must be 1 to 8 layers (got 0)");
        let narrow = layer(&[&[1.0]], &[0.0], none);
        let said = "layers.0.weights: must be rows of 2 numbers (got 1)";
        assert_eq!(fault(&[narrow]), said);
        let two = layer(&[&[1.0, 1.0], &[1.0, 1.0]], &[0.0, 0.0], none);
        let said = "layers.0.weights: must be a row for each number set, 1 (got 2)";
        assert_eq!(fault(&[two]), said);
        let wild = layer(&[&[1.0, f64::NAN]], &[0.0], none);
        assert_eq!(fault(&[wild]), "layers.0.weights: must be finite numbers (got NaN)");
        let biased = layer(&[&[1.0, 1.0]], &[], none);
        let said = "layers.0.biases: must be a number for each row, 1 (got 0)";
        assert_eq!(fault(&[biased]), said);
    }
}
