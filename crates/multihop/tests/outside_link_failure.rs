//! A reaction to broken routes from outside the engine: what another crate writes to add its own.

use multihop::api::kernel::Duration;
use multihop::api::scenario::{Error, Scenario};
use multihop::api::schemes::{Schemes, choices};
use multihop::api::simulation::{Recording, Simulation};
use multihop::api::transport::link_failure::{LinkFailureReaction, Outside};
use multihop::api::transport::{Acknowledgment, LinkFailureCounters};

/// Waits, and probes every so often.
#[derive(Debug)]
struct Waiting(Duration);

impl LinkFailureReaction for Waiting {
    fn probe_interval(&self, _: Duration) -> Duration {
        self.0
    }

    fn marks_probes(&self) -> bool {
        false
    }

    fn ends_with(&self, _: &Acknowledgment) -> bool {
        true
    }

    fn count(&self, counters: &mut LinkFailureCounters) {
        counters.freezes += 1;
    }

    fn timer_afterwards(&self, _: Duration, rto: Duration) -> Duration {
        rto
    }
}

/// Three hops, whose middle link is reported broken once.
const CHAIN: &str = "duration_s = 20\n[topology]\nkind = \"chain\"\nhops = 3\n[transport]\n\
                     link_failure = \"waiting\"\n[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 3\n\
                     [[events]]\nkind = \"link-failure\"\nnode = 0\nnext_hop = 1\nat_s = 10\n";

fn schemes() -> Schemes {
    let half = Duration::from_millis(500);
    Schemes::standard().with_link_failure(Outside::new("waiting", move |interval| {
        Box::new(Waiting(interval.unwrap_or(half)))
    }))
}

fn read(overrides: &[(&str, &str)]) -> Result<Scenario, Error> {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    Scenario::with_schemes(&schemes(), CHAIN, &overrides)
}

#[test]
fn a_reaction_of_another_crate_suspends_the_sender() {
    let frozen = |keys| {
        let scenario = read(keys).unwrap();
        let result = Simulation::new(&scenario, Some(1), &Recording::default()).expect("a network");
        serde_json::to_value(result.run()).expect("numbers")["flows"][0]["freezes"].clone()
    };
    assert_eq!(frozen(&[]), 1);
    assert_eq!(frozen(&[("transport.link_failure", "standby")]), 0);
    assert_eq!(frozen(&[("flows.0.transport.link_failure", "elfn")]), 1);
}

#[test]
fn a_resolved_scenario_names_it_and_is_read_again() {
    let scenario = read(&[]).unwrap();
    let text = serde_json::to_string(&scenario).expect("plain values");
    assert!(text.contains("\"link_failure\":\"waiting\""), "{text}");
    let document = multihop::api::config::document::Document::from_json(&text).unwrap();
    assert_eq!(Scenario::from_document(&schemes(), &document).unwrap(), scenario);
    let chosen = choices(&document);
    assert!(chosen.contains(&("transport.link_failure", "waiting".to_owned())), "{chosen:?}");
}

#[test]
fn names_and_the_schema_have_it_and_an_unknown_one_is_refused() {
    let own: Vec<_> = schemes().names();
    let standard = Schemes::standard().names();
    let more: Vec<_> = own.iter().filter(|name| !standard.contains(name)).collect();
    assert_eq!(more, [&("transport.link_failure", "waiting")]);
    let schema = multihop::api::scenario::schema(&schemes());
    let names = schema["$defs"]["LinkFailureReaction"]["oneOf"].as_array().expect("a choice");
    assert!(names.iter().any(|name| name["const"] == "waiting"), "{names:?}");
    assert_eq!(
        read(&[("transport.link_failure", "wait")]).unwrap_err().to_string(),
        "transport.link_failure: must be one of \"ignore\", \"standby\", \"elfn\", \"waiting\" \
         (got \"wait\")"
    );
}

#[test]
#[should_panic(expected = "two called elfn for transport.link_failure")]
fn the_name_of_one_of_ours_is_taken() {
    let taken = Outside::new("elfn", |_| Box::new(Waiting(Duration::from_secs(1))));
    let _ = schemes().with_link_failure(taken);
}
