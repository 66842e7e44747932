//! The JSON Schema of a result, from which Python's types and the page on results are made.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::RunResult;
use crate::link::LinkService;
use crate::mac::windows;
use crate::schemes::Schemes;
use crate::transport::pacing::PacingScheme;

/// The schema of the result of a run with one of `schemes`.
pub fn schema(schemes: &Schemes) -> Value {
    // What is written, not what could be read: optional is what a result may lack.
    let mut generator = SchemaSettings::default().for_serialize().into_generator();
    let mut reports: Map<String, Value> = schemes.report_schemas(&mut generator);
    let of_parts = LinkService::report_schemas(&mut generator)
        .into_iter()
        .chain(windows::report_schemas(&mut generator))
        .chain(PacingScheme::report_schemas(&mut generator));
    for (name, schema) in of_parts {
        reports.insert(name.to_owned(), schema.to_value());
    }
    let mut schema = generator.into_root_schema_for::<RunResult>().to_value();
    schema["$defs"]["Schemes"] = json!({
        "type": "object",
        "description": "What the schemes of a run did, by their names; only those that took part.",
        "properties": reports,
    });
    schema["properties"]["schemes"] = json!({ "$ref": "#/$defs/Schemes" });
    schema
}
