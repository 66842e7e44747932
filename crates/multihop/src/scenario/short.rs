//! The short form of a table that its `scheme` chooses: the name alone, as in `recovery = "sack"`.

use serde_json::{Value as Json, json};
use toml::{Table, Value};

/// Those of a scenario.
const TABLES: [&str; 3] = ["mac", "routing", "transport"];
/// Those of a transport.
const OF_TRANSPORT: [&str; 3] = ["pacing", "receive_buffer", "recovery"];

/// Puts a table with this `scheme` in the place of each name that stands for one.
pub fn spell_out(values: &mut Table) {
    TABLES.iter().for_each(|key| spell_out_one(values, key));
    if let Some(transport) = values.get_mut("transport") {
        spell_out_transport(transport);
    }
    let flows = values.get_mut("flows").and_then(Value::as_array_mut).into_iter().flatten();
    for flow in flows.filter_map(Value::as_table_mut) {
        spell_out_one(flow, "transport");
        if let Some(transport) = flow.get_mut("transport") {
            spell_out_transport(transport);
        }
    }
}

fn spell_out_transport(transport: &mut Value) {
    if let Value::Table(table) = transport {
        OF_TRANSPORT.iter().for_each(|key| spell_out_one(table, key));
    }
}

fn spell_out_one(values: &mut Table, key: &str) {
    if let Some(value @ Value::String(_)) = values.get_mut(key) {
        let scheme = std::mem::replace(value, Value::Boolean(false));
        *value = Value::Table(Table::from_iter([("scheme".to_owned(), scheme)]));
    }
}

/// Lets the schema of such a table be text as well.
pub fn allow_names(schema: &mut Json) {
    if let Some(properties) = schema.get_mut("properties").and_then(Json::as_object_mut) {
        for key in TABLES.iter().chain(&OF_TRANSPORT) {
            if let Some(Json::Object(form)) = properties.get_mut(*key) {
                // What is said of the key stays beside both forms.
                let said = ["description", "default"].map(|word| (word, form.remove(word)));
                let name = json!({ "type": "string", "description": "Its `scheme` alone." });
                let mut either = json!({ "anyOf": [form.clone(), name] });
                for (word, value) in said {
                    if let Some(value) = value {
                        either[word] = value;
                    }
                }
                properties.insert((*key).to_owned(), either);
            }
        }
    }
    match schema {
        Json::Object(inner) => inner.values_mut().for_each(allow_names),
        Json::Array(inner) => inner.iter_mut().for_each(allow_names),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_the_table_of_that_scheme() {
        let short = r#"
            routing = "dsr"
            transport = { scheme = "cubic", recovery = "sack", pacing = { scheme = "rate" } }
            [[flows]]
            transport = "vegas"
            [[flows]]
            transport = { recovery = "sack" }
        "#;
        let long = r#"
            routing = { scheme = "dsr" }
            transport = { scheme = "cubic", recovery = { scheme = "sack" }, pacing = { scheme = "rate" } }
            [[flows]]
            transport = { scheme = "vegas" }
            [[flows]]
            transport = { recovery = { scheme = "sack" } }
        "#;
        let mut read: Table = toml::from_str(short).unwrap();
        spell_out(&mut read);
        assert_eq!(read, toml::from_str::<Table>(long).unwrap());
    }

    #[test]
    fn the_schema_allows_both_forms_and_keeps_what_it_says_of_the_key() {
        let mut schema = json!({ "properties": {
            "mac": { "$ref": "#/$defs/Mac", "default": { "scheme": "dcf" }, "description": "The MAC." },
            "title": { "type": "string" },
        } });
        allow_names(&mut schema);
        let mac = &schema["properties"]["mac"];
        assert_eq!(mac["anyOf"][0], json!({ "$ref": "#/$defs/Mac" }));
        assert_eq!(mac["anyOf"][1]["type"], "string");
        assert_eq!(mac["description"], "The MAC.");
        assert_eq!(schema["properties"]["title"], json!({ "type": "string" }));
    }
}
