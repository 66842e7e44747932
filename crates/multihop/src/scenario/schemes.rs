//! Named schemes: a routing, transport and MAC choice that can be laid over any scenario.

/// A scheme's name, what it is, and the keys that it sets.
type Scheme = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The schemes there are.
const SCHEMES: [Scheme; 29] = [
    (
        "aodv",
        "AODV as ns-2.35 runs it, TCP NewReno",
        &[("routing", "{scheme = \"aodv\"}"), ("transport.scheme", "\"newreno\"")],
    ),
    (
        "shortest-path-aodv",
        "AODV with flooded requests and no local repair (the papers' baseline), TCP NewReno, standby",
        &[
            ("routing", "{scheme = \"aodv\", expanding_ring = false, local_repair = false}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    ),
    (
        "ccar-h1",
        "CCAR, each connection by itself on the lightest path, TCP NewReno, standby",
        &[
            ("routing", "{scheme = \"ccar\", variant = \"h1\"}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    ),
    (
        "ccar-h2",
        "CCAR, all connections together in the best order, TCP NewReno, standby",
        &[
            ("routing", "{scheme = \"ccar\", variant = \"h2\"}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    ),
    (
        "ccar-h1-mod",
        "CCAR, the lightest bottleneck among five disjoint paths, TCP NewReno, standby",
        &[
            ("routing", "{scheme = \"ccar\", variant = \"h1-mod\"}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    ),
    (
        "ccar-h1-invlen",
        "ccar-h1 with connections weighing 1/length, TCP NewReno, standby",
        &[
            ("routing", "{scheme = \"ccar\", variant = \"h1\", inverse_length = true}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    ),
    (
        "ccar-h2-invlen",
        "ccar-h2 with connections weighing 1/length, TCP NewReno, standby",
        &[
            ("routing", "{scheme = \"ccar\", variant = \"h2\", inverse_length = true}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
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
        "DSR without flow state, TCP Reno with segments of 512 bytes and a window of 32",
        &over_dsr("{scheme = \"dsr\", flow_state = false}"),
    ),
    (
        "copas",
        "COPAS: data and acknowledgments on disjoint paths, chosen and replaced by contention",
        &over_dsr("{scheme = \"copas\"}"),
    ),
    (
        "copas-no-replacement",
        "COPAS that keeps its paths until they break",
        &over_dsr("{scheme = \"copas\", replacement = false}"),
    ),
    (
        "copas-common-path",
        "COPAS with one path for data and acknowledgments",
        &over_dsr("{scheme = \"copas\", paths = \"common\"}"),
    ),
    (
        "copas-contention-blind",
        "disjoint paths by hops, kept until they break",
        &over_dsr("{scheme = \"copas\", path_metric = \"hops\", replacement = false}"),
    ),
    (
        "tcp",
        "DSR without replies from caches, TCP Reno with a window of 20",
        &[
            ("routing", DSR_WITHOUT_CACHED_REPLIES),
            ("transport.scheme", "\"reno\""),
            ("transport.window_segments", "20"),
            ("transport.link_failure", "\"ignore\""),
        ],
    ),
    (
        "tcp-elfn",
        "the same with explicit link failure notification",
        &[
            ("routing", DSR_WITHOUT_CACHED_REPLIES),
            ("transport.scheme", "\"reno\""),
            ("transport.window_segments", "20"),
            ("transport.link_failure", "\"elfn\""),
        ],
    ),
    (
        "tcp-ap",
        "AODV as ns-2.35 runs it, TCP with adaptive pacing and a window of 20",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.scheme", "\"tcp-ap\""),
            ("transport.window_segments", "20"),
        ],
    ),
    (
        "tcp-ap-agent",
        "the same with the spacing of the agent that its authors published",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("transport.scheme", "\"tcp-ap\""),
            ("transport.window_segments", "20"),
            ("transport.pacing", "{short_paths = \"one-hop\", spread = \"mean-deviation\"}"),
        ],
    ),
    (
        "sp",
        "AODV with one path, TCP NewReno with standby and a duplicate-ACK threshold of 5",
        &multipath("{scheme = \"multipath-aodv\", policy = \"sp\"}"),
    ),
    (
        "ap",
        "multipath AODV, edge-disjoint paths one after the other",
        &multipath("{scheme = \"multipath-aodv\", policy = \"ap\"}"),
    ),
    (
        "edm",
        "multipath AODV, edge-disjoint paths at once",
        &multipath("{scheme = \"multipath-aodv\", policy = \"edm\"}"),
    ),
    (
        "ndm",
        "multipath AODV, node-disjoint paths at once",
        &multipath("{scheme = \"multipath-aodv\", policy = \"ndm\"}"),
    ),
    (
        "dcar",
        "AODV that goes round congestion heard of in HELLOs, TCP NewReno, standby",
        &[
            ("routing", "{scheme = \"dcar\"}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    ),
    (
        "dcar-ideal-1",
        "DCAR whose HELLOs need no packets and are never lost",
        &[
            ("routing", "{scheme = \"dcar\", ideal = 1}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    ),
    (
        "dcar-ideal-2",
        "DCAR whose nodes know their neighbours' connections at every instant",
        &[
            ("routing", "{scheme = \"dcar\", ideal = 2}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    ),
    (
        "dcar-ideal-3",
        "DCAR whose nodes know the connections of all in sensing range at every instant",
        &[
            ("routing", "{scheme = \"dcar\", ideal = 3}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    ),
    (
        "dcar-wide-hello",
        "DCAR whose HELLOs list the neighbours, so that weights span two hops",
        &[
            ("routing", "{scheme = \"dcar\", wide_hello = true}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    ),
    (
        "semi-tcp",
        "AODV as ns-2.35 runs it, semi-TCP: no window, congestion control hop by hop with RTSC and CTSC",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("mac.scheme", "\"semi-tcp\""),
            ("transport.scheme", "\"semi-tcp\""),
            ("transport.link_failure", "\"ignore\""),
        ],
    ),
    (
        "semi-tcp-author",
        "the same with the rules of the program that its first author published",
        &[
            ("routing", "{scheme = \"aodv\"}"),
            ("mac.scheme", "\"semi-tcp\""),
            ("mac.semi.profile", "\"author\""),
            ("transport.scheme", "\"semi-tcp\""),
            ("transport.link_failure", "\"ignore\""),
            ("transport.semi.profile", "\"author\""),
        ],
    ),
    (
        "static",
        "shortest paths known from the start, TCP NewReno",
        &[("routing", "{scheme = \"static\"}"), ("transport.scheme", "\"newreno\"")],
    ),
];

/// The DSR of the study of TCP-ELFN: the draft of 1999, which had no flow state; no node answers for
/// another, and so the neighbours are not asked first, which only makes use of their caches.
const DSR_WITHOUT_CACHED_REPLIES: &str = "{scheme = \"dsr\", cached_replies = \"none\", \
     ring_zero_search = false, flow_state = false}";

/// The keys of COPAS's schemes and of the DSR that they are compared with, that of 2001, which had no
/// flow state: this routing and one TCP for all.
const fn over_dsr(routing: &'static str) -> [(&'static str, &'static str); 5] {
    [
        ("routing", routing),
        ("transport.scheme", "\"reno\""),
        ("transport.segment_bytes", "512"),
        ("transport.window_segments", "32"),
        ("transport.link_failure", "\"ignore\""),
    ]
}

/// The keys of the multipath schemes: this routing and one TCP for all.
const fn multipath(routing: &'static str) -> [(&'static str, &'static str); 6] {
    [
        ("routing", routing),
        ("transport.scheme", "\"newreno\""),
        ("transport.segment_bytes", "1460"),
        ("transport.window_segments", "8"),
        ("transport.duplicate_ack_threshold", "5"),
        ("transport.link_failure", "\"standby\""),
    ]
}

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
