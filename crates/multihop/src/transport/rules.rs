//! Whose rules a transport follows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::profile::Profile;

/// Whose rules a transport follows where ns-2.35, the RFCs and Linux differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// ns-2.35's.
    Ns2,
    /// The RFCs'.
    Standard,
    /// Those of Linux, as its recordings show them.
    Linux,
}

impl From<Profile> for Rules {
    fn from(profile: Profile) -> Rules {
        match profile {
            Profile::Ns2 => Rules::Ns2,
            Profile::Standard => Rules::Standard,
        }
    }
}
