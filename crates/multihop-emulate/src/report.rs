//! What a result says of an emulation.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;

/// Counts of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FrameCounts {
    /// That programs sent to a node.
    pub sent: u64,
    /// That programs sent to all nodes.
    pub broadcast: u64,
    /// That reached the device they were for.
    pub delivered: u64,
    /// Questions for addresses that were answered on the spot.
    pub answered: u64,
    /// For routers and switches, of which there are none.
    pub ignored: u64,
    /// For addresses that no node has.
    pub unknown: u64,
    /// No Ethernet frames, or too long.
    pub malformed: u64,
    /// That arrived at a device which was down.
    pub refused: u64,
}

/// What a result says of an emulation, time and programs; of no other run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EmulationReport {
    /// How long it ran \[s\].
    pub seconds: f64,
    /// Frames of programs.
    pub frames: FrameCounts,
    /// How late frames came; none if none did.
    pub lateness: Option<LatenessReport>,
    /// The longest time in which no device was looked at \[s\].
    pub longest_absence_s: f64,
    /// Share of the time that was not spent waiting.
    pub busy_share: f64,
    /// Programs of `--exec`, added by who has started them.
    pub programs: Vec<ProgramReport>,
}

/// A program of `--exec`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProgramReport {
    /// Where it ran.
    pub node: u32,
    /// What was to run.
    pub command: String,
    /// Its exit status, negative for a signal; null if the end of the run has ended it.
    pub status: Option<i32>,
}

/// How late the frames of a run came.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LatenessReport {
    /// Frames later than a millisecond, as a share of all.
    pub late_share: f64,
    /// Mean lateness \[s\].
    pub mean_s: f64,
    /// Half of the frames came at most this late \[s\].
    pub p50_s: f64,
    /// 99 % of the frames came at most this late \[s\].
    pub p99_s: f64,
    /// The latest came this late \[s\].
    pub worst_s: f64,
}

/// Adds the key `emulation` to the JSON Schema of a result.
pub fn extend_schema(schema: &mut Value) {
    let mut generator = SchemaSettings::default().for_serialize().into_generator();
    let report = generator.subschema_for::<EmulationReport>();
    for (name, definition) in generator.take_definitions(true) {
        schema["$defs"][name] = definition;
    }
    let mut report = report.to_value();
    report["description"] = "Real time, frames and programs of an emulation.".into();
    schema["properties"]["emulation"] = report;
}
