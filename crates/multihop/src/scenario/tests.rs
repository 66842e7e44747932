//! Scenarios that can be run, and the networks that they give.

mod flows;
mod mobility;
mod names;
mod schema;
mod topology;

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

/// A chain of five nodes.
const CHAIN: &str = "duration_s = 100\n[topology]\nkind = \"chain\"\nhops = 4\n";
const FTP: &str = "[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\n";

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn with(text: &str, overrides: &[(&str, &str)]) -> Result<Scenario, Error> {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|&(path, value)| (path.to_owned(), value.to_owned())).collect();
    Scenario::from_toml(text, &overrides)
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Name and text of every example; the files that they name are found from anywhere.
fn examples() -> Vec<(String, String)> {
    let folder = fs::read_dir(repository().join("python/multihop/scenarios")).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "toml"));
    files.sort();
    files
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let beside = format!("\nfile = \"{}/", path.parent().unwrap().display());
            (path.display().to_string(), text.replace("\nfile = \"", &beside))
        })
        .collect()
}

/// The scenario read back from its resolved form in JSON.
fn read_back(scenario: &Scenario) -> Scenario {
    let document = Document::from_json(&serde_json::to_string(scenario).unwrap()).unwrap();
    Scenario::from_document(&Schemes::standard(), &document).unwrap()
}

#[test]
fn json_has_the_faults_of_toml_without_their_lines() {
    let text = format!("{CHAIN}{FTP}").replace("hops = 4", "hops = 0");
    let in_toml = Scenario::from_toml(&text, &[]).unwrap_err();
    let table: serde_json::Value = toml::from_str(&text).unwrap();
    let document = Document::from_json(&table.to_string()).unwrap();
    let in_json = Scenario::from_document(&Schemes::standard(), &document).unwrap_err();
    assert_eq!(in_toml.line, Some(4));
    assert_eq!(in_json, Error { line: None, ..in_toml });
}

#[test]
fn every_example_can_be_run_and_opens_with_a_comment() {
    let examples = examples();
    assert!(examples.len() >= 8);
    for (name, text) in examples {
        let network = scenario(&text).network(1).unwrap();
        assert_eq!(network.warnings, Vec::<String>::new(), "{name}");
        let comment = text.lines().take_while(|line| line.starts_with("# ")).count();
        assert!((1..=3).contains(&comment), "{name}");
    }
}

#[test]
fn a_resolved_scenario_is_a_scenario() {
    for (name, text) in examples() {
        let scenario = scenario(&text);
        assert_eq!(read_back(&scenario), scenario, "{name}");
    }
}

/// The paths of all nulls in `value`.
fn nulls(value: &serde_json::Value, path: &str) -> Vec<String> {
    match value {
        serde_json::Value::Null => vec![path.to_owned()],
        serde_json::Value::Object(table) => {
            table.iter().flat_map(|(key, value)| nulls(value, &format!("{path}.{key}"))).collect()
        }
        serde_json::Value::Array(items) => items.iter().flat_map(|v| nulls(v, path)).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_resolved_scenario_leaves_no_default_open_whatever_the_scheme() {
    let schemes = Schemes::standard();
    let text = format!("{CHAIN}{FTP}");
    for named in schemes.named() {
        for profile in ["\"ns2\"", "\"standard\""] {
            let mut set = schemes.overrides(named.name).unwrap();
            set.push(("profile".to_owned(), profile.to_owned()));
            let scenario = Scenario::from_toml(&text, &set).unwrap();
            let open = nulls(&serde_json::to_value(&scenario).unwrap(), "");
            assert!(open.is_empty(), "{} {profile}: {open:?}", named.name);
            assert_eq!(read_back(&scenario), scenario, "{} {profile}", named.name);
        }
    }
}

#[test]
fn every_kind_of_value_survives_resolution() {
    let topologies = [
        "{kind = \"chain\", hops = 4}",
        "{kind = \"grid\", columns = 5, rows = 2, spacing_m = 0.1}",
        "{kind = \"random\", nodes = 5, area_m = [300, 300], seed = 9007199254740991}",
        "{kind = \"positions\", positions_m = [[0, 0], [1e-3, 0], [0.1, 0.3], [-7, 1], [9, 9]]}",
        "{kind = \"parallel\", hops = 3, strings = 3}",
        "{kind = \"cross\", hops = 2}",
        "{kind = \"spindle\", hops = 3}",
    ];
    let text = format!(
        "title = \"a \\\"b\\\"\\n\"\nprofile = \"standard\"\nseed = 9007199254740991\n{CHAIN}
        [radio]\ncapture_db = inf\n[mac]\nshort_retry_limit = inf\nrts_threshold_bytes = \"inf\"
        [link]\narp = false\n[routing]\nnetwork_ttl = 35\n[transport]\nrto_min_s = 0.3
        {FTP}transport = {{ scheme = \"reno\" }}
        [[flows]]\nkind = \"cbr\"\nsource = \"random\"\ndestination = 3\ncount = 2
        start_spacing_s = 0.1\nlifetime_s = 0.7\npacket_bytes = 64\nrate_bps = 1e5"
    );
    for topology in topologies {
        for routing in ["{scheme = \"static\"}", "{scheme = \"aodv\", ring_start_ttl = 3}"] {
            let scenario = with(&text, &[("topology", topology), ("routing", routing)]).unwrap();
            assert_eq!(scenario.radio.capture_db.0, f64::INFINITY);
            assert_eq!(read_back(&scenario), scenario);
        }
    }
}

#[test]
fn the_seed_is_one_unless_given() {
    assert_eq!(scenario(&format!("{CHAIN}{FTP}")).seed, 1);
    assert_eq!(scenario(&format!("seed = 0\n{CHAIN}{FTP}")).seed, 0);
}

#[test]
fn overrides_reach_nested_keys_items_and_new_tables() {
    let text = format!("{CHAIN}{FTP}{FTP}");
    let scenario = with(
        &text,
        &[
            ("title", "six hops"),
            ("topology.spacing_m", "150"),
            ("flows.1.destination", "2"),
            ("flows.1.transport.window_segments", "32"),
            ("mac.short_retry_limit", "inf"),
            ("profile", "standard"),
            ("seed", "7"),
        ],
    )
    .unwrap();
    assert_eq!(scenario.title, "six hops");
    assert_eq!(scenario.profile, Profile::Standard);
    assert_eq!(scenario.seed, 7);
    assert_eq!(scenario.mac.short_retry_limit.finite(), None);
    let network = scenario.network(1).unwrap();
    assert_eq!(network.positions[1].x_m, 150.0);
    let destinations: Vec<u32> = network.flows.iter().map(|flow| flow.destination.0).collect();
    assert_eq!(destinations, [4, 2]);
    let windows = network.flows.iter().map(|flow| match &flow.tcp {
        Some(tcp) => tcp.window_segments,
        None => 0,
    });
    assert_eq!(windows.collect::<Vec<u32>>(), [8, 32]);
}

#[test]
fn an_override_can_repair_a_scenario() {
    let text = format!("{CHAIN}{FTP}").replace("hops = 4", "hops = 0");
    assert!(with(&text, &[]).is_err());
    assert!(with(&text, &[("topology.hops", "4")]).is_ok());
    assert!(with(&text, &[("topology.hops", "0"), ("topology.hops", "4")]).is_ok());
}

#[test]
fn an_override_that_is_not_toml_is_text() {
    let text = format!("{CHAIN}{FTP}");
    for title in ["a b", "1 2", "1\ntitle = 3", "[", "\"", ""] {
        assert_eq!(with(&text, &[("title", title)]).unwrap().title, title);
    }
}

/// A fault never panics and is reported in one line.
fn one_line_or_fine(text: &str, overrides: &[(&str, &str)]) {
    if let Err(error) = with(text, overrides) {
        let message = error.to_string();
        assert!(!message.is_empty() && !message.chars().any(char::is_control), "{message:?}");
        let lines = text.lines().count().max(1);
        assert!(error.line.is_none_or(|line| (1..=lines + 1).contains(&line)), "{message:?}");
    }
}

proptest! {
    #[test]
    fn junk_gets_one_line_of_error(text in any::<String>(), tomlish in "[\\[\\]a-z_=\" .0-9{},\n#']{0,80}") {
        one_line_or_fine(&text, &[]);
        one_line_or_fine(&tomlish, &[]);
    }

    #[test]
    fn a_broken_line_gets_one_line_of_error(
        (text, line) in prop::sample::select(examples())
            .prop_flat_map(|(_, text)| { let n = text.lines().count(); (Just(text), 0..n) }),
        junk in "[\\[\\]a-z_=\" .0-9{},\\\\'-]{0,12}|nan|-inf|[0-9]{1,30}|-1|\"\"|\\{\\}|\\[\\[\\]\\]",
        keep_key in any::<bool>(),
    ) {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let key = lines[line].split_once('=').map(|(key, _)| key.to_owned());
        lines[line] = match key.filter(|_| keep_key) {
            Some(key) => format!("{key}= {junk}"),
            None => junk,
        };
        one_line_or_fine(&lines.join("\n"), &[]);
    }

    #[test]
    fn any_override_gets_one_line_of_error(
        path in "(flows|mac|topology|title|[a-z.0-9]{0,9})(\\.(0|hops|kind|[^\n]{0,4})){0,3}",
        value in any::<String>(),
    ) {
        one_line_or_fine(&format!("{CHAIN}{FTP}"), &[(&path, &value)]);
    }
}

#[test]
fn a_scheme_s_name_stands_for_its_table_in_files_and_overrides() {
    let text = format!("routing = \"dsr\"\n{CHAIN}[transport]\nrecovery = \"sack\"\n{FTP}");
    let long = [("routing.scheme", "dsr"), ("transport.recovery.scheme", "sack")];
    assert_eq!(scenario(&text), with(&format!("{CHAIN}{FTP}"), &long).unwrap());
    let short = [("routing", "dsr"), ("transport.recovery", "sack")];
    assert_eq!(scenario(&text), with(&format!("{CHAIN}{FTP}"), &short).unwrap());
    let further = with(&text, &[("transport.recovery.prr", "true")]).unwrap();
    let table = [("transport.recovery", "{ scheme = \"sack\", prr = true }")];
    assert_eq!(further, with(&text, &table).unwrap());
}

#[test]
fn a_wrong_name_in_the_place_of_a_table_is_told_with_its_line_and_what_is_allowed() {
    let text = format!("{CHAIN}[transport]\nrecovery = \"sak\"\n{FTP}");
    let error = Scenario::from_toml(&text, &[]).unwrap_err();
    assert_eq!((error.line, error.key.as_str()), (Some(6), "transport.recovery.scheme"));
    assert!(error.fault.contains("\"sack\""), "{}", error.fault);
}
