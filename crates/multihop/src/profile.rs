//! Which rules apply where ns-2.35 and the standards differ and it changes results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// ns-2.35's rules or the standards'.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// As ns-2.35 does, so that results can be compared with papers that used it.
    #[default]
    Ns2,
    /// As the IEEE standard and the RFCs say.
    Standard,
}

impl Profile {
    /// What this profile has, of the two.
    pub fn choose<T>(self, ns2: T, standard: T) -> T {
        match self {
            Profile::Ns2 => ns2,
            Profile::Standard => standard,
        }
    }
}
