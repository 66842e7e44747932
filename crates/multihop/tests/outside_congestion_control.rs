//! A congestion control from outside the engine: what another crate writes to add its own.

use multihop::api::scenario::{Error, Scenario};
use multihop::api::schemes::Schemes;
use multihop::api::simulation::{Recording, Simulation};
use multihop::api::transport::Flavour;
use multihop::api::transport::congestion::{Ack, CongestionControl, Loss, Outside, Window};

/// Keeps this many segments in the network, whatever happens.
#[derive(Debug)]
struct Fixed(f64);

impl CongestionControl for Fixed {
    fn on_ack(&mut self, window: &mut Window, _: &Ack) {
        window.cwnd = self.0;
    }

    fn on_loss(&mut self, window: &mut Window, _: &Loss) {
        window.cwnd = self.0;
    }

    fn on_timeout(&mut self, window: &mut Window, _: &Loss) {
        window.cwnd = 1.0;
    }
}

const CHAIN: &str = "duration_s = 20\n[topology]\nkind = \"chain\"\nhops = 3\n[transport]\n\
                     scheme = \"fixed-3\"\nwindow_segments = 64\n[[flows]]\nkind = \"ftp\"\nsource = 0\n\
                     destination = 3\n";

fn schemes() -> Schemes {
    Schemes::standard()
        .with_congestion_control(Outside::new("fixed-3", || Box::new(Fixed(3.0))))
        .with_congestion_control(Outside::new("fixed-9", || Box::new(Fixed(9.0))))
}

fn read(overrides: &[(&str, &str)]) -> Result<Scenario, Error> {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    Scenario::with_schemes(&schemes(), CHAIN, &overrides)
}

/// The largest window of the first flow that a series of states every 10 ms shows.
fn largest_window(scenario: &Scenario) -> f64 {
    let recording = Recording { series_interval_s: Some(0.01), ..Recording::default() };
    let result = Simulation::new(scenario, Some(1), &recording).expect("a network").run();
    let series = serde_json::to_value(result.series.expect("asked for")).expect("numbers");
    let windows = series["flows"]["cwnd"].as_array().expect("a column").clone();
    windows.iter().filter_map(serde_json::Value::as_f64).fold(0.0, f64::max)
}

#[test]
fn a_congestion_control_of_another_crate_rules_the_window() {
    assert_eq!(largest_window(&read(&[]).unwrap()), 3.0);
    let own = read(&[("flows.0.transport.scheme", "fixed-9")]).unwrap();
    assert_eq!(largest_window(&own), 9.0, "the flow's own");
    let sack = read(&[("transport.recovery.scheme", "sack"), ("transport.profile", "linux")]);
    assert_eq!(largest_window(&sack.unwrap()), 10.0, "the initial window");
}

#[test]
fn a_resolved_scenario_names_it_and_is_read_again() {
    let scenario = read(&[]).unwrap();
    let text = serde_json::to_string(&scenario).expect("plain values");
    assert!(text.contains("\"scheme\":\"fixed-3\""), "{text}");
    let document = multihop::api::config::document::Document::from_json(&text).unwrap();
    assert_eq!(Scenario::from_document(&schemes(), &document).unwrap(), scenario);
}

#[test]
fn the_schema_has_its_name() {
    let schema = multihop::api::scenario::schema(&schemes());
    let names = schema["$defs"]["Flavour"]["oneOf"].as_array().expect("a choice");
    assert!(names.iter().any(|name| name["const"] == "fixed-3"), "{names:?}");
    assert!(!multihop::api::scenario::schema(&Schemes::standard()).to_string().contains("fixed-3"));
}

#[test]
fn an_unknown_one_is_refused_where_it_stands() {
    let fault = |keys| read(keys).unwrap_err().to_string();
    let ours = Flavour::OURS.iter().map(|(name, _)| *name);
    let names: Vec<&str> = ours.chain(["fixed-3", "fixed-9"]).collect();
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let known = format!("one of {}", quoted.join(", "));
    assert_eq!(
        fault(&[("transport.scheme", "fixed-4")]),
        format!("transport.scheme: must be {known} (got \"fixed-4\")")
    );
    assert_eq!(
        fault(&[("flows.0.transport.scheme", "fixed-4")]),
        format!("flows.0.transport.scheme: must be {known} (got \"fixed-4\")")
    );
    assert_eq!(fault(&[("transport.scheme", "4")]), "transport.scheme: must be text (got 4)");
}

#[test]
#[should_panic(expected = "two called cubic for transport.scheme")]
fn the_name_of_one_of_ours_is_taken() {
    let _ = schemes().with_congestion_control(Outside::new("cubic", || Box::new(Fixed(1.0))));
}
