//! Policies of routing protocols written in Python.

use multihop::api::routing::metric::{LinkMetric, OutsidePolicy as Over, TakesPolicy};
use multihop::api::schemes::OutsidePolicy;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::metric::maker;
use super::{Class, Kept, Kind, MODULE, aodv, dsr};

static FOUND: Kept<OutsidePolicy> = Kept::new();

/// Finds the policy that a scenario calls `FILE.py:CLASS`: over which protocol its base tells.
pub(crate) fn find(name: &str) -> Option<Result<OutsidePolicy, String>> {
    FOUND.find(name, Kind::Policy, |py, of| {
        let bases = py.import(MODULE)?;
        let class = of.1.bind(py).cast::<PyType>()?.clone();
        for (base, make) in OVER {
            if class.is_subclass(&bases.getattr(*base)?)? {
                return Ok(make(of));
            }
        }
        Ok(OutsidePolicy::Aodv(aodv::policy(of)))
    })
}

/// Makes a policy of a class.
type Make = fn(Class) -> OutsidePolicy;

/// The bases but that of AODV, and what their classes are made into.
const OVER: &[(&str, Make)] = &[
    ("DsrPolicy", |of| OutsidePolicy::Dsr(dsr::policy(of))),
    ("BabelMetric", |of| OutsidePolicy::Babel(metric(of))),
    ("OlsrMetric", |of| OutsidePolicy::Olsr(metric(of))),
    ("HwmpMetric", |of| OutsidePolicy::Hwmp(metric(of))),
    ("BatmanMetric", |of| OutsidePolicy::Batman(metric(of))),
];

/// The metric that class `of` is, over whichever protocol takes one.
fn metric<C: TakesPolicy<Policy = dyn LinkMetric>>(of: Class) -> Over<C> {
    Over::new(&of.0.clone(), maker(of))
}
