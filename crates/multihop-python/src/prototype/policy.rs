//! Policies of routing protocols written in Python.

use multihop::api::schemes::OutsidePolicy;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::{Kept, Kind, MODULE, aodv, dsr};

static FOUND: Kept<OutsidePolicy> = Kept::new();

/// Finds the policy that a scenario calls `FILE.py:CLASS`: over which protocol its base tells.
pub(crate) fn find(name: &str) -> Option<Result<OutsidePolicy, String>> {
    FOUND.find(name, Kind::Policy, |py, of| {
        let over_dsr = py.import(MODULE)?.getattr("DsrPolicy")?;
        let is_over_dsr = of.1.bind(py).cast::<PyType>()?.is_subclass(&over_dsr)?;
        Ok(match is_over_dsr {
            true => OutsidePolicy::Dsr(dsr::policy(of)),
            false => OutsidePolicy::Aodv(aodv::policy(of)),
        })
    })
}
