//! Settings of 802.11ac, ax and EDCA that cannot be, and the one-line error for each.

use crate::spoilt::{Case, check};

/// In place of it.
const LIMIT: &str = "short_retry_limit = 7";

#[test]
fn numbers_widths_and_streams_that_there_are_not() {
    check(HIGH);
}

#[rustfmt::skip]
const HIGH: &[Case] = &[
    (LIMIT, "phy = \"802.11be\"",
     r#"line 10: mac.phy: must be one of "dsss-1999", "802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax" (got "802.11be")"#),
    (LIMIT, "phy = \"802.11ac\"\nmcs = 9",
     "line 11: mac.mcs: must be 0 to 8 with channel_mhz = 20 and streams = 1 (got 9)"),
    (LIMIT, "phy = \"802.11ac\"\nmcs = 9\nstreams = 2",
     "line 11: mac.mcs: must be 0 to 8 with channel_mhz = 20 and streams = 2 (got 9)"),
    (LIMIT, "phy = \"802.11ac\"\nmcs = 9\nstreams = 4",
     "line 11: mac.mcs: must be 0 to 8 with channel_mhz = 20 and streams = 4 (got 9)"),
    (LIMIT, "phy = \"802.11ac\"\nmcs = 10\nstreams = 3",
     "line 11: mac.mcs: must be 0 to 9 with channel_mhz = 20 and streams = 3 (got 10)"),
    (LIMIT, "phy = \"802.11ac\"\nmcs = 6\nstreams = 3\nchannel_mhz = 80",
     "line 11: mac.mcs: must be 0 to 9 but 6 with channel_mhz = 80 and streams = 3 (got 6)"),
    (LIMIT, "phy = \"802.11ax\"\nmcs = 12",
     "line 11: mac.mcs: must be 0 to 11 with channel_mhz = 20 and streams = 1 (got 12)"),
    (LIMIT, "phy = \"802.11ax\"\nmcs = -1",
     "line 11: mac.mcs: must be a whole number, 0 or more (got -1)"),
    (LIMIT, "phy = \"802.11ac\"\nmcs = 3\ndata_rate_bps = 65e6",
     "line 11: mac.mcs: is 26000000 bit/s, but data_rate_bps is 65000000: give one of the two"),
    (LIMIT, "phy = \"802.11ac\"\nstreams = 5",
     "line 11: mac.streams: must be 1, 2, 3 or 4 (got 5)"),
    (LIMIT, "phy = \"802.11ax\"\nstreams = 0",
     "line 11: mac.streams: must be 1, 2, 3 or 4 (got 0)"),
    (LIMIT, "phy = \"802.11ac\"\nchannel_mhz = 160",
     "line 11: mac.channel_mhz: must be 20, 40 or 80 (got 160)"),
    (LIMIT, "phy = \"802.11ax\"\nchannel_mhz = 80\nband_ghz = 2.4",
     "line 11: mac.channel_mhz: must be 20 or 40 in the 2.4 GHz band (got 80)"),
    (LIMIT, "phy = \"802.11ax\"\nband_ghz = 6",
     "line 11: mac.band_ghz: must be 2.4 or 5 (got 6)"),
    (LIMIT, "phy = \"802.11ac\"\nband_ghz = 5",
     r#"line 11: mac.band_ghz: can be given only with phy "802.11n" or "802.11ax" (got "802.11ac")"#),
    (LIMIT, "phy = \"802.11ac\"\nguard_interval = \"medium\"",
     r#"line 11: mac.guard_interval: must be "long" or "short" with phy "802.11ac" (got "medium")"#),
    (LIMIT, "phy = \"802.11ax\"\nguard_interval = \"none\"",
     r#"line 11: mac.guard_interval: must be one of "long", "medium", "short" (got "none")"#),
    (LIMIT, "phy = \"802.11ac\"\naggregate = 65",
     "line 11: mac.aggregate: must be 1 to 64 (got 65)"),
    (LIMIT, "phy = \"802.11ax\"\naggregate = 257",
     "line 11: mac.aggregate: must be 1 to 256 (got 257)"),
    (LIMIT, "phy = \"802.11ac\"\naggregate = 8\naggregate_bytes = 1048576",
     "line 12: mac.aggregate_bytes: must be 120 to 1048575 (got 1048576)"),
    (LIMIT, "phy = \"802.11ax\"\naggregate = 8\naggregate_bytes = 6500632",
     "line 12: mac.aggregate_bytes: must be 120 to 6500631 (got 6500632)"),
    (LIMIT, "phy = \"802.11ax\"\naggregate = 8\naggregate_s = 0.006",
     "line 12: mac.aggregate_s: must be 0.000001 to 0.005484 (got 0.006)"),
];

#[test]
fn access_categories_that_cannot_be() {
    check(EDCA);
}

#[rustfmt::skip]
const EDCA: &[Case] = &[
    (LIMIT, "edca = 1",
     "line 10: mac.edca: must be true or false (got 1)"),
    (LIMIT, "edca = true",
     r#"line 10: mac.edca: must be false with this phy: "802.11n", "802.11ac" and "802.11ax" have it"#),
    (LIMIT, "phy = \"802.11n\"\nedca = true",
     r#"profile: must be "standard" with mac.edca = true"#),
    (LIMIT, "phy = \"802.11ac\"\nedca = true\nscheme = \"semi-tcp\"",
     r#"line 12: mac.scheme: must be "dcf" with edca = true"#),
    (LIMIT, "phy = \"802.11ac\"\n[mac.categories.voice]\naifsn = 3",
     "line 11: mac.categories.voice.cw_min: is missing"),
    (LIMIT, "phy = \"802.11ac\"\nedca = true\n[mac.categories.voice]\naifsn = 1",
     "line 13: mac.categories.voice.aifsn: must be 2 to 15 (got 1)"),
    (LIMIT, "phy = \"802.11ac\"\nedca = true\n[mac.categories.background]\ncw_min = 2000",
     "line 12: mac.categories.background.cw_max: must be 2000 to 32767 (got 1023)"),
    (LIMIT, "phy = \"802.11ac\"\nedca = true\n[mac.categories.video]\ntxop_limit_s = 0.01",
     "line 13: mac.categories.video.txop_limit_s: must be 0 to 0.00816 (got 0.01)"),
    (LIMIT, "phy = \"802.11ac\"\nedca = true\n[mac.categories.best-effort]\nslots = 3",
     "line 13: mac.categories.best-effort.slots: unknown key; allowed: aifsn, cw_min, cw_max, txop_limit_s"),
    (LIMIT, "phy = \"802.11ac\"\nedca = true\n[mac.categories]\ncontrol = \"urgent\"",
     r#"line 13: mac.categories.control: must be one of "voice", "video", "best-effort", "background" (got "urgent")"#),
    ("stop_s = 9", "stop_s = 9\nclass = \"video\"",
     "line 21: flows.0.class: can be given only with mac.edca = true"),
    ("stop_s = 9", "stop_s = 9\nclass = \"gold\"",
     r#"line 21: flows.0.class: must be one of "voice", "video", "best-effort", "background" (got "gold")"#),
];
