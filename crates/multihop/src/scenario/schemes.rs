//! Named schemes: a routing, transport and MAC choice that can be laid over any scenario.

/// A scheme's name, what it is, and the keys that it sets.
type Scheme = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The schemes there are.
const SCHEMES: [Scheme; 10] = [
    (
        "aodv",
        "AODV as ns-2.35 runs it, TCP NewReno",
        &[("routing", "{scheme = \"aodv\"}"), ("transport.scheme", "\"newreno\"")],
    ),
    (
        "shortest-path-aodv",
        "AODV with flooded requests and no local repair (the papers' baseline), TCP NewReno",
        &[
            ("routing", "{scheme = \"aodv\", expanding_ring = false, local_repair = false}"),
            ("transport.scheme", "\"newreno\""),
        ],
    ),
    (
        "ccar-h1",
        "CCAR, each connection by itself on the lightest path, TCP NewReno",
        &[
            (
                "routing",
                "{scheme = \"ccar\", variant = \"h1\", expanding_ring = false, local_repair = false}",
            ),
            ("transport.scheme", "\"newreno\""),
        ],
    ),
    (
        "ccar-h2",
        "CCAR, all connections together in the best order, TCP NewReno",
        &[
            (
                "routing",
                "{scheme = \"ccar\", variant = \"h2\", expanding_ring = false, local_repair = false}",
            ),
            ("transport.scheme", "\"newreno\""),
        ],
    ),
    (
        "ccar-h1-mod",
        "CCAR, the lightest bottleneck among five disjoint paths, TCP NewReno",
        &[
            (
                "routing",
                "{scheme = \"ccar\", variant = \"h1-mod\", expanding_ring = false, local_repair = false}",
            ),
            ("transport.scheme", "\"newreno\""),
        ],
    ),
    (
        "ccar-h1-invlen",
        "ccar-h1 with connections weighing 1/length, TCP NewReno",
        &[
            (
                "routing",
                "{scheme = \"ccar\", variant = \"h1\", inverse_length = true, expanding_ring = false, local_repair = false}",
            ),
            ("transport.scheme", "\"newreno\""),
        ],
    ),
    (
        "ccar-h2-invlen",
        "ccar-h2 with connections weighing 1/length, TCP NewReno",
        &[
            (
                "routing",
                "{scheme = \"ccar\", variant = \"h2\", inverse_length = true, expanding_ring = false, local_repair = false}",
            ),
            ("transport.scheme", "\"newreno\""),
        ],
    ),
    (
        "tcp-newreno",
        "AODV as ns-2.35 runs it, TCP NewReno with a window of 20",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.window_segments", "20"),
        ],
    ),
    (
        "dsr",
        "DSR as ns-2.35 runs it, TCP Reno with a window of 32",
        &[
            ("routing", "{scheme = \"dsr\"}"),
            ("transport.scheme", "\"reno\""),
            ("transport.window_segments", "32"),
        ],
    ),
    (
        "static",
        "shortest paths known from the start, TCP NewReno",
        &[("routing", "{scheme = \"static\"}"), ("transport.scheme", "\"newreno\"")],
    ),
];

/// Name and description of every scheme.
pub fn scheme_names() -> Vec<(&'static str, &'static str)> {
    SCHEMES.iter().map(|&(name, description, _)| (name, description)).collect()
}

/// The overrides that scheme `name` stands for, if there is one.
pub fn scheme_overrides(name: &str) -> Option<Vec<(String, String)>> {
    let (.., keys) = SCHEMES.iter().find(|(known, ..)| *known == name)?;
    Some(keys.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    #[test]
    fn every_scheme_lies_over_a_scenario() {
        let text = "duration_s = 1\n[topology]\nkind = \"chain\"\nhops = 1\n[[flows]]\n\
                    kind = \"ftp\"\nsource = 0\ndestination = 1\n";
        for (name, _) in scheme_names() {
            Scenario::from_toml(text, &scheme_overrides(name).unwrap()).unwrap();
        }
        assert_eq!(scheme_overrides("nonsense"), None);
    }
}
