//! What the parts of a stack count of their own: policies of routing, rate controls, queues,
//! pacing, congestion controls, loss detections, reactions to broken routes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

/// What one part has counted, by name. It is the sum over all links, nodes or flows that have the
/// part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts(BTreeMap<Cow<'static, str>, u64>);

impl Counts {
    /// What `report` adds.
    pub fn of(report: impl FnOnce(&mut Counts)) -> Counts {
        let mut counts = Counts::default();
        report(&mut counts);
        counts
    }

    /// Adds `count` to what is called `name`.
    pub fn add(&mut self, name: impl Into<Cow<'static, str>>, count: u64) {
        *self.0.entry(name.into()).or_default() += count;
    }

    /// Adds all of `others`.
    pub fn add_all(&mut self, others: Counts) {
        others.0.into_iter().for_each(|(name, count)| self.add(name, count));
    }
}

/// What all parts have counted.
#[derive(Clone, Debug, Default)]
pub struct PartCounts(BTreeMap<(&'static str, &'static str), Counts>);

impl PartCounts {
    /// The counts of the part that the scenario calls `name` under `key`.
    pub fn of(&mut self, key: &'static str, name: &'static str) -> &mut Counts {
        self.0.entry((key, name)).or_default()
    }

    /// Each part that has counted something, as key, name and counts.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str, &Counts)> {
        let counted = self.0.iter().filter(|(_, counts)| !counts.0.is_empty());
        counted.map(|(&(key, name), counts)| (key, name, counts))
    }
}
