//! Policies that come along: learned as `evidence/learning` has it, and judged there.

/// A policy by its name: the same JSON as in a file of a user's own.
pub const LEARNED: &[(&str, &str)] = &[
    ("pace", include_str!("learned/pace.json")),
    ("pace-chains", include_str!("learned/pace-chains.json")),
    ("slots", include_str!("learned/slots.json")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::AgentTable;
    use crate::config::document::read;
    use crate::config::json::table;

    #[test]
    fn each_policy_fits_its_own_table() {
        for (name, text) in LEARNED {
            let table = table(text).expect(name);
            let agents: AgentTable = read("agents", table.into()).expect(name);
            agents.check().expect(name);
        }
    }
}
